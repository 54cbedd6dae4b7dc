"""The words in which an action is spoken of, in English: what a tool does, before ("shall I cancel it?") and after.

A tool says its own with ``@tool(told_by=...)``; without that they follow from the verb its name begins with.
"""

from __future__ import annotations

import re
from functools import lru_cache

_FAMILIES = (
    ("cancel", "call off"),
    ("return", "send back", "give back", "bring back", "refund"),
    ("exchange", "swap", "replace", "switch", "change"),
    (
        *("change", "modify", "update", "edit", "adjust", "switch", "swap", "replace", "move", "set", "correct"),
        *("upgrade", "downgrade", "rebook", "reroute", "redirect", "ship"),
    ),
    ("book", "reserve", "purchase", "buy", "rebook"),
    ("add",),
    ("remove", "delete", "take off", "take out", "drop"),
    ("send", "issue", "compensate", "credit", "mail", "e-mail", "email"),
    ("transfer", "hand over", "connect", "escalate", "pass on"),
    ("refund", "pay back", "reimburse"),
    ("pay", "charge"),
    ("order", "place", "purchase"),
    ("enable", "turn on", "switch on", "activate"),
    ("disable", "turn off", "switch off", "deactivate"),
    ("toggle", "turn on", "turn off", "switch on", "switch off", "enable", "disable", "activate", "deactivate"),
    ("suspend", "pause"),
    ("resume", "reactivate", "restore", "activate", "unsuspend"),
    ("create", "add", "set up", "open", "make"),
    ("complete", "finish", "close", "tick off", "mark"),
    ("file", "submit", "open", "register"),
    ("grant", "give", "allow"),
)
_HEADS = {
    **dict.fromkeys(("modify", "update", "edit", "set", "change", "upgrade"), _FAMILIES[3]),
    **{family[0]: family for family in _FAMILIES},
}
READS = (
    *("get", "find", "search", "list", "look", "lookup", "check", "show", "read", "view", "count", "verify"),
    *("calculate", "think", "fetch", "retrieve", "query", "transfer", "identify", "authenticate", "done", "run", "is"),
)
_IRREGULAR = {
    "send": "sent", "pay": "paid", "buy": "bought", "give": "given|gave", "take": "taken|took", "bring": "brought",
    "make": "made", "set": "set", "hand": "handed", "put": "put", "rebook": "rebooked",
}  # fmt: skip


def verbs_of(name: str) -> tuple[str, ...]:
    """The verbs that speak of what a tool does, as its name tells."""
    head = name.split("_")[0].casefold()
    return _HEADS.get(head, (head,))


def reads(name: str) -> bool:
    """Whether a tool's name says that it only looks, computes or hands over."""
    return name.split("_")[0].casefold() in READS


@lru_cache(maxsize=512)
def spoken_of(verbs: tuple[str, ...]) -> re.Pattern[str]:
    """Any form of these verbs, and the nouns made of them: cancel, cancels, cancelled, cancelling, cancellation."""
    return re.compile("|".join(rf"\b(?:{_forms(verb)})\b" for verb in verbs), re.IGNORECASE)


@lru_cache(maxsize=512)
def to_be_done(verbs: tuple[str, ...]) -> re.Pattern[str]:
    """These verbs of what is still to come: cancel, cancelling, the cancellation; not cancelled."""
    return re.compile("|".join(rf"\b(?:{_coming(verb)})\b" for verb in verbs), re.IGNORECASE)


@lru_cache(maxsize=512)
def base_forms(verbs: tuple[str, ...]) -> re.Pattern[str]:
    """The verbs as one orders them: cancel, send back (send it back)."""
    return re.compile("|".join(rf"\b(?:{_apart(verb, verb.split()[0])})\b" for verb in verbs), re.IGNORECASE)


def participle(verb: str) -> str:
    """The past participle as a pattern, of a verb with a particle too."""
    head = verb.split()[0]
    return _apart(verb, _IRREGULAR.get(head) or _regular(head))


_NOUNS = {"cancel": "cancell?ations?", "modify": "modifications?", "compensate": "compensation"}


# Nouns as well: "the issue", "your credit card", "by email".
_NOUNS_TOO = ("issue", "credit", "mail", "e-mail", "email")
_DETERMINERS = ("the", "this", "that", "your", "my", "any", "an", "a", "no", "of", "same", "other", "by", "via")
_OF_A_NOUN = "".join(rf"(?<!\b{word} )" for word in _DETERMINERS)
_BEHIND_A_NOUN = r"(?!\W*$|\s*[.,;:?!)]| (?:is|was|with|on|at|has|in|that|and|or|again|cards?|address(?:es)?)\b)"


def _coming(verb: str) -> str:
    head = verb.split()[0]
    if head in _NOUNS_TOO:
        return rf"{_OF_A_NOUN}{head}\b{_BEHIND_A_NOUN}|{head.removesuffix('e')}ing\b(?! address)"
    stem = re.sub(r"e$|y$", "", head)
    forms = [head, rf"{head}e?s", rf"{stem}ies", rf"{stem}(?:{head[-1]}|y)?ing", _NOUNS.get(head, head)]
    return _apart(verb, "|".join(forms))


def _forms(verb: str) -> str:
    return f"{_coming(verb)}|{participle(verb)}"


def _regular(head: str) -> str:
    if head.endswith("e"):
        return f"{head}d"
    if head.endswith("y") and head[-2] not in "aeiou":
        return f"{head[:-1]}ied"
    return rf"{head}{head[-1]}?ed"


def _apart(verb: str, forms: str) -> str:
    """With its particle, where it has one, a few words may stand between."""
    particle = verb.partition(" ")[2]
    return rf"(?:{forms})(?:\s+\w+){{0,3}}?\s+{particle}" if particle else forms
