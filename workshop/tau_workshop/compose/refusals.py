"""How agents say no, in words that domains share: phrasings for the reason of a refusal, as ``Reason`` takes them."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_tau.schema.checks import Reason

Phrasing = str | list[str]

NO = (
    "cannot", "can't", "unable", "not able", "not possible", "impossible", "not allow", "not allowed", "not permitted",
    "not an option", "is not", "isn't", "are not", "aren't", "does not", "doesn't", "do not", "don't", "won't", "never",
    "no longer",
)  # fmt: skip
_THEIRS = ("another", "a different", "someone", "somebody")
_NOT_FOUND = (
    "under your", "in your", "on your", "listed under", "listed in your", "listed on your", "associated with your",
    "linked to your", "tied to your", "connected to your", "registered to you", "part of your", "among your",
    "one of your", "one of yours",
)  # fmt: skip
_NOWHERE = ("unable", "n't", "not", "there is no", "there's no")
_THEIR_TURN = (
    "get in touch",
    "contact",
    "reach out",
    "call us",
    "have to",
    "has to",
    "need to",
    "needs to",
    "personally",
)


def refusing(*words: str) -> list[Phrasing]:
    """Ways to say no to something that these words name."""
    return [[word, no] for word in words for no in NO]


def because(any_of: Iterable[Phrasing] = (), no: Iterable[str] = (), more: Iterable[Phrasing] = ()) -> Reason:
    """The demand that the reason is given in one of these phrasings, or in a way to say no to one of ``no``."""
    # Not validated, as look_up does: a customer has dozens of these, and those of a task are seen in its proof.
    return Reason.model_construct(check="reason", any_of=[*any_of, *refusing(*no), *more])


def not_yours(thing: str) -> list[Phrasing]:
    """Ways to say that something, such as an order, is somebody else's."""
    return [
        "it belongs to another customer", "belong to your friend", "belongs to your friend", "not belong to",
        "n't belong to", "another customer", "another person's", "another account", "another user", "other customers",
        "a different customer", "a different account", "someone else's", "somebody else's",
        *(f"{verb} to {whose}" for verb in ("belong", "belongs", "tied", "linked") for whose in _THEIRS),
        *(f"{no} {where}" for where in _NOT_FOUND for no in ("not", "n't")),
        ["not appear", "your"], ["n't appear", "your"], ["only", "your own"],
        ["not one of", "your account"], ["n't one of", "your account"],
        "a different profile", "another profile", "a different user", "someone other than you",
        "somebody other than you",
        *([no, f"your {place}"] for no in _NOWHERE for place in ("profile", "account")),
        *(["your friend", turn] for turn in _THEIR_TURN),
        *(["only", who] for who in ("the person who", "whoever", "the one who", "owner", "holder")),
        f"not your {thing}", f"isn't your {thing}", "not yours", "isn't yours",
    ]  # fmt: skip
