"""Places that a customer names and nobody told it: cities that the domain lists and its scenario does not have."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..environment.domain import Domain
from ..evaluation.calls import records_in

_CODE = re.compile(r"[A-Z]{3}")
_STEM = 4  # letters by which Philadelphia is known as Philly, and Las Vegas as Vegas


def invented_place(text: str, known: str, domain: Domain) -> str | None:
    """The first listed place in a customer's line that nothing before names: not by a word, code or initials.

    Args:
        text: what the customer says.
        known: its scenario, and all that was said and shown before.
        domain: the conversation's domain.
    """
    for place, codes in _listed_places(domain).items():
        if place in text and not any(word[:_STEM].casefold() in known.casefold() for word in _telling_words(place)):
            initials = "".join(word[0] for word in place.split())
            names = [*codes, *([initials] if len(initials) > 1 else [])]
            if not any(re.search(rf"\b{name}", known) for name in names):
                return place
    return None


def _telling_words(place: str) -> list[str]:
    return [word for word in place.split() if len(word) >= _STEM] or [place]


def _listed_places(domain: Domain) -> dict[str, set[str]]:
    """The places that a look-up without arguments lists, with the codes that stand for them; made once a process."""
    memo = domain.memo
    if ("places",) not in memo:
        memo["places",] = found = dict[str, set[str]]()
        env = domain.environment()
        for spec in env.tool_specs():
            if spec.kind == "read" and not spec.schema["function"]["parameters"].get("properties"):
                for code, place in _coded(env.call(spec.name, {}).content or ""):
                    found.setdefault(place, set()).add(code)
    places: dict[str, set[str]] = memo["places",]
    return places


def _coded(content: str) -> Iterator[tuple[str, str]]:
    for record in records_in(content):
        texts = [one for one in record.values() if isinstance(one, str)]
        codes = [one for one in texts if _CODE.fullmatch(one)]
        yield from ((code, text) for code in codes for text in texts if text not in codes)
        yield from ((key, text) for key, text in record.items() if isinstance(text, str) and _CODE.fullmatch(key))
