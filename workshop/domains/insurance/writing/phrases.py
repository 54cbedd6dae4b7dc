"""Words for the things that rules are made of: days, money, perils, conditions, lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from tau_workshop.compose import phrases_of

from ..rules import LINES, Requirement

say = phrases_of(__file__)
# line -> peril -> (heading, what it is)
PERILS: dict[str, dict[str, tuple[str, str]]] = {line: say(f"perils.{line}") for line in LINES}
EVIDENCE: dict[str, str] = say("evidence")
_VALUES: dict[str, str] = say("values")


def long_day(day: date | None) -> str:
    """``1 July 2025``; None is a day that has not come."""
    if day is None:
        return "further notice"
    return f"{day.day} {day:%B %Y}"


def month(day: date) -> str:
    """``July 2025``."""
    return f"{day:%B %Y}"


def euro(amount: float) -> str:
    """``€1,500`` or ``€3.20``."""
    return f"€{amount:,.0f}" if float(amount).is_integer() else f"€{amount:,.2f}"


def listing(texts: Sequence[str], last: str = "and") -> str:
    """``a, b and c``."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def sentence(text: str) -> str:
    """With a capital at the front."""
    return text[0].upper() + text[1:]


def article(noun: str) -> str:
    """``a deer``, with the article where there is none yet."""
    if noun.partition(" ")[0] in ("a", "the", "sudden"):
        return noun
    return f"a {noun}"


def condition(requirement: Requirement) -> str:
    """A condition as a clause that follows ``provided that``."""
    if requirement.fact == "animal":
        names = [article(_VALUES.get(name, name)) for name in requirement.among]
        return f"the animal was {listing(names, 'or')}"
    if requirement.fact == "cause":
        return f"the reason was {listing([_VALUES.get(name, name) for name in requirement.among], 'or')}"
    number = requirement.at_least if requirement.at_least is not None else requirement.at_most
    return say.text(f"conditions.{requirement.fact}", n=number, euro=euro(number or 0))


def span(start: date, end: date | None) -> str:
    """``from 1 July 2025 on``, or the days between which something was in force."""
    if end is None:
        return f"from {long_day(start)} on"
    return f"between {long_day(start)} and {long_day(end)}"


def next_edition(end: date | None) -> str:
    """The month of the edition that came after one that is not in force any more."""
    return month((end or date.min) + timedelta(days=1))


def months(number: int) -> str:
    """``one month``, ``3 months``."""
    return "one month" if number == 1 else f"{number} months"
