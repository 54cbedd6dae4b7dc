"""The terms of the products, in three manners of writing: numbered clauses, prose, and lists with a summary."""

from __future__ import annotations

from collections.abc import Iterator

from tau_workshop.compose import phrases_of

from ..products import EDITIONS
from ..rules import LINES, PRODUCTS, Cover, Edition, line_of, products_of
from .phrases import PERILS, condition, euro, listing, long_day, month, months, next_edition, sentence, span

say = phrases_of(__file__)
_INTRO: dict[str, str] = say("intro")
_NEVER: dict[str, str] = say("never")
_DUTY: dict[str, str] = say("duty")


def terms() -> Iterator[tuple[str, str]]:
    """The id and text of every edition of every product's terms."""
    for editions in EDITIONS.values():
        for position, edition in enumerate(editions):
            before = editions[position - 1] if position else None
            yield edition.document, _MANNERS[position](edition, before)


def title(edition: Edition) -> str:
    """The heading of a document of terms."""
    return f"{PRODUCTS[edition.product]}: terms, edition {month(edition.start)}"


def validity(edition: Edition) -> str:
    """For which contracts an edition holds."""
    days = span(edition.start, edition.end)
    if edition.product == "trip-single":
        text = f"This edition holds for contracts concluded {days}."
    elif line_of(edition.product) == "pet":
        text = f"This edition holds for animals whose cover began {days}, and stays with them for life."
    else:
        text = f"This edition holds for insurance years that begin {days}."
    if edition.end is not None:
        text += f" It was replaced by the edition of {next_edition(edition.end)}."
    return text


def _exclusions(edition: Edition) -> list[str]:
    known = PERILS[line_of(edition.product)]
    return [known[peril][0].lower() for peril in known if edition.cover(peril) is None]


def _deductible(edition: Edition, cover: Cover) -> str:
    amount = edition.deductible if cover.deductible is None else cover.deductible
    if cover.percent:
        return f"a deductible of {cover.percent} % of the loss, and at least {euro(amount)}"
    return f"a deductible of {euro(amount)}" if amount else "no deductible"


def _limit(cover: Cover) -> str | None:
    if cover.limit_percent is not None:
        return f"{cover.limit_percent} % of the sum insured"
    if cover.limit is None:
        return None
    return f"{euro(cover.limit)} {'in an insurance year' if cover.yearly else 'for each claim'}"


def _waiting(cover: Cover) -> str | None:
    return f"a waiting period of {months(cover.waiting)} from the beginning of the cover" if cover.waiting else None


def _clauses(edition: Edition, before: Edition | None) -> str:
    """The oldest manner: numbered clauses, one long sentence each."""
    known = PERILS[line_of(edition.product)]
    lines = [f"# {title(edition)}", "", validity(edition), "", "**Article 1. Purpose.** " + _INTRO[edition.product], ""]
    lines += ["**Article 2. Insured events.** The insurer pays for the following, and for nothing else.", ""]
    for number, cover in enumerate(edition.covers, 1):
        name, what = known[cover.peril]
        text = f"2.{number} {name}: {what}"
        if cover.requires:
            text += f", provided that {listing([condition(one) for one in cover.requires])}"
        text += f". Of each claim the policyholder bears {_deductible(edition, cover)}."
        if cover.share < 100:
            text += f" Only {cover.share} % of the loss counts."
        if limit := _limit(cover):
            text += f" The limit of compensation is {limit}."
        if waiting := _waiting(cover):
            text += f" There is {waiting}."
        lines += [text, ""]
    lines += ["**Article 3. Exclusions.** " + _NEVER[line_of(edition.product)] + _exclusion_text(edition), ""]
    lines += ["**Article 4. Duties after a loss.** " + _DUTY[line_of(edition.product)] + _see(edition), ""]
    return "\n".join(lines)


def _prose(edition: Edition, before: Edition | None) -> str:
    """The second manner: a paragraph for each peril."""
    known = PERILS[line_of(edition.product)]
    lines = [f"# {title(edition)}", "", f"*{validity(edition)}*", "", _INTRO[edition.product], ""]
    if edition.deductible:
        general = (
            f"Unless a paragraph says something else, you bear the first {euro(edition.deductible)} of every claim."
        )
        lines += ["## What you bear yourself", "", general, ""]
    lines += ["## What we pay", ""]
    for cover in edition.covers:
        name, what = known[cover.peril]
        text = f"**{name}.** We pay for {what}."
        if cover.requires:
            text += f" A condition is that {listing([condition(one) for one in cover.requires])}."
        if cover.share < 100:
            text += f" We take {cover.share} % of the loss as a basis."
        if cover.deductible is not None or cover.percent:
            text += f" {sentence(_deductible(edition, cover))} applies here."
        if limit := _limit(cover):
            text += f" We pay no more than {limit}."
        if waiting := _waiting(cover):
            text += f" The cover starts after {waiting}."
        lines += [text, ""]
    lines += ["## What we do not pay", "", _NEVER[line_of(edition.product)] + _exclusion_text(edition), ""]
    lines += ["## After a loss", "", _DUTY[line_of(edition.product)] + _see(edition), ""]
    return "\n".join(lines)


def _lists(edition: Edition, before: Edition | None) -> str:
    """The present manner: a table of amounts, a list of conditions, and what is new."""
    known = PERILS[line_of(edition.product)]
    lines = [f"# {title(edition)}", "", f"> {validity(edition)}", "", _INTRO[edition.product], ""]
    lines += ["## Insured", "", "| what happens | deductible | limit |", "|---|---|---|"]
    for cover in edition.covers:
        name = known[cover.peril][0]
        amount = edition.deductible if cover.deductible is None else cover.deductible
        own = f"{cover.percent} %, at least {euro(amount)}" if cover.percent else euro(amount) if amount else "none"
        lines.append(f"| {name} | {own} | {_limit(cover) or 'none'} |")
    lines += ["", "What each line means:", ""]
    for cover in edition.covers:
        name, what = known[cover.peril]
        text = f"- **{name}**: {what}."
        if cover.requires:
            text += f" Only if {listing([condition(one) for one in cover.requires])}."
        if cover.share < 100:
            text += f" {cover.share} % of the loss counts."
        if waiting := _waiting(cover):
            text += f" There is {waiting}."
        lines.append(text)
    lines += ["", "## Not insured", "", _NEVER[line_of(edition.product)] + _exclusion_text(edition), ""]
    lines += ["## After a loss", "", _DUTY[line_of(edition.product)] + _see(edition), ""]
    if before is not None and (new := list(_news(edition, before))):
        lines += ["## New in this edition", "", " ".join(new), ""]
    return "\n".join(lines)


_MANNERS = (_clauses, _prose, _lists)


def _exclusion_text(edition: Edition) -> str:
    missing = _exclusions(edition)
    return f" Not insured under this edition: {listing(missing)}." if missing else ""


def _see(edition: Edition) -> str:
    line = line_of(edition.product)
    others = [PRODUCTS[other] for other in products_of(line) if other != edition.product]
    return (
        f" What has to be handed in, and by when, stands in the claims sheet {LINES[line]}."
        f" {listing(others)} {'has' if len(others) == 1 else 'have'} terms and amounts of {'its' if len(others) == 1 else 'their'} own."
    )


def _news(edition: Edition, before: Edition) -> Iterator[str]:
    """Up to four differences to the edition before."""
    known = PERILS[line_of(edition.product)]
    found = []
    if edition.deductible != before.deductible:
        was = euro(before.deductible) if before.deductible else "nothing"
        found.append(
            f"The general deductible is {euro(edition.deductible)}; until {long_day(before.end)} it was {was}."
        )
    for cover in edition.covers:
        name, old = known[cover.peril][0], before.cover(cover.peril)
        if old is None:
            found.append(f"{name} is insured for the first time.")
        elif (cover.limit, cover.limit_percent) != (old.limit, old.limit_percent):
            found.append(f"The limit for {name.lower()} was {_limit(old) or 'open'} before.")
        elif cover.requires != old.requires:
            found.append(f"The conditions for {name.lower()} are not those of the last edition.")
        elif cover.share != old.share:
            found.append(f"For {name.lower()}, {old.share} % of the loss counted before.")
    yield from found[:4]
