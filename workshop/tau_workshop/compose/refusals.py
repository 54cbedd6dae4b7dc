"""How agents say no, in words that domains share: phrasings for the reason of a refusal, as ``Reason`` takes them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from pytest_tau.schema.checks import Reason

from .phrases import phrases_of

Phrasing = str | list[str]

say = phrases_of(__file__)
NO: tuple[str, ...] = say("no.words")


def refusing(*words: str) -> list[Phrasing]:
    """Ways to say no to something that these words name."""
    return [way for word in words for way in _refusing(word)]


@cache
def _refusing(word: str) -> list[Phrasing]:
    # Once, because half of all that customers can want is refused, in the same words for each of them.
    return [[word, no] for no in NO]


def because(any_of: Iterable[Phrasing] = (), no: Iterable[str] = (), more: Iterable[Phrasing] = ()) -> Reason:
    """The demand that the reason is given in one of these phrasings, or in a way to say no to one of ``no``."""
    # Not validated, as look_up does: a customer has dozens of these, and those of a task are seen in its proof.
    return Reason.model_construct(check="reason", any_of=[*any_of, *refusing(*no), *more])


def not_yours(thing: str) -> list[Phrasing]:
    """Ways to say that something, such as an order, is somebody else's."""
    return list(say("not_yours.any_of", thing=thing))
