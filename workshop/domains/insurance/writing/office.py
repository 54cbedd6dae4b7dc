"""Work instructions of the back office: the procedures that need a code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tau_workshop.compose import phrases_of

from ..procedures import EDITIONS, Procedure
from ..rules import PRODUCTS
from .phrases import euro, listing, long_day, month, next_edition

say = phrases_of(__file__)
write = phrases_of(__file__, "documents.toml")
_TITLES: dict[str, str] = say("titles")
_HOW: dict[str, str] = say("details")


def instructions() -> Iterator[tuple[str, str]]:
    """The id and text of every edition of every instruction."""
    for key, editions in EDITIONS.items():
        for edition in editions:
            old = "_old" if key == "waiver" and edition.end is not None else ""
            rules = write(f"rules.{key}{old}", **_TOLD[key](edition.figures))
            yield edition.document, (_new if edition.end is None else _old)(key, edition, rules)


def _old(key: str, procedure: Procedure, rules: str) -> str:
    return write.text(
        "procedure.old",
        title=_TITLES[key],
        month=month(procedure.start),
        start=long_day(procedure.start),
        end=long_day(procedure.end),
        next_edition=next_edition(procedure.end),
        rules=rules,
        name=procedure.name,
        code=procedure.code,
        details=listing([f"`{detail}`" for detail in procedure.details]),
    )


def _new(key: str, procedure: Procedure, rules: str) -> str:
    details = "\n".join(f"- `{detail}`: {_HOW[detail]}" for detail in procedure.details)
    return write.text(
        "procedure.new",
        title=_TITLES[key],
        start=long_day(procedure.start),
        rules=rules,
        name=procedure.name,
        code=procedure.code,
        details=details,
    )


# What stands in braces in the rules of a procedure, from its figures.
_TOLD: dict[str, Callable[[Any], dict[str, Any]]] = {
    "refund": lambda f: {
        "keep": say("kept.part" if f["keep"] else "kept.nothing", keep=f["keep"]),
        "least": euro(f["least"]),
    },
    "waiver": lambda f: {},
    "goodwill": lambda f: {"years": f["years"], "percent": f["percent"], "most": euro(f["most"])},
    "reinstatement": lambda f: {"days": f["days"], "fee": euro(f["fee"])},
    "adjuster": lambda f: {"regions": _table(f["firms"].items())},
    "layup": lambda f: {"least_days": f["least_days"], "percent": f["percent"]},
    "extension": lambda f: {
        "most": f["most"],
        "rows": _table((PRODUCTS[product], euro(price)) for product, price in f["prices"].items()),
    },
    "transfer": lambda f: {"share": say("shares.half" if f["share"] == 50 else "shares.all")},
    "advance": lambda f: {"least": euro(f["from"]), "percent": f["percent"], "most": euro(f["most"])},
    "reopening": lambda f: {"months": f["months"]},
    "hardship": lambda f: {"most": f["most"], "years": f["years"]},
}


def _table(rows: Iterable[tuple[Any, Any]]) -> str:
    return "\n".join(f"| {one} | {other} |" for one, other in rows)
