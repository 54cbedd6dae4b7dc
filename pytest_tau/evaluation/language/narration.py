"""Whether an agent's statement can be its last word, or leaves a customer waiting; and what is the text of a call.

Models narrate ("One moment please while I look that up."), greet, are glad to help and say back what they heard. Who
takes such a line for the last word hangs up on an agent that was about to act. A last word reports what has been done
or found, refuses, or takes its leave, in words that the customer has not said; and its last sentence announces nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from .text import plain

_SENTENCE = re.compile(r"[^.!?\n;:]+")
_WORD = re.compile(r"\w+")
_WILL = r"(?:i'll|i will|let me|let's|i'm going to|i am going to|we'll|we will|i need to|i want to|allow me to)"
_DOING = (
    r"(?:look|check|search|retriev|process|verify|review|pull|work|gather|fetch|find|locat|access|updat|cancel|book)ing"
)
_ANNOUNCES = re.compile(
    rf"\b{_WILL} (?!know\b|be able\b|not\b|never\b|need\b|require\b|start with your\b)\w+"
    rf"|\b(?:i'm|i am|we're) (?:now |just |currently )?{_DOING}\b|^\W*(?:now |currently )?{_DOING}\b"
    r"|\b(?:one|a|just a) (?:moment|second|minute|sec)\b|\bplease (?:hold|wait|bear)\b|\b(?:hold on|bear with me)\b",
    re.IGNORECASE,
)
# What was looked at, and what was heard, is nothing that has been done.
_LOOKED = (
    r"(?!(?:look|check|search|retriev|verifi|review|pull|gather|fetch|locat|access|identifi|receiv|not|notic|reach"
    r"|contact|ask|mention|request|provid|shar|confirm|want|need)ed\b|(?:found|seen|read|taken note|been|had|a|the)\b)"
)
_REPORTS = re.compile(
    rf"(?:\b(?:has|have|having)|'ve|'s) (?:(?:now|already|both|all|also|just|successfully|been) )*{_LOOKED}"
    r"(?:\w+(?:ed|en)|made|sent|put|set|done|added)\b"
    rf"|\b(?:is|are|was|were) (?:now|successfully|all|already) (?!not)\w|\bsuccessfully\b"
    rf"|^\W*(?!need|indeed|understood){_LOOKED}\w+ed\b"
    r"|(?:\b(?:all|it|that|now|is|are|was)|'s) (?:done|completed?|settled|resolved|finished)\b"
    r"|^\W*(?:done|finished)\b|\ball set\b|\btaken care of\b"
    r"|\b(?:is|are) being (?:processed|refunded|sent|shipped)\b"
    r"|\byou(?:'ll| will) (?:receive|be (?:charged|refunded))\b"
    r"|\bhere(?:'s| is| are) (?!the thing\b|how\b)\w+",  # what was asked for
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:cannot|can't|can not|unable|not able|won't|will not|wouldn't|isn't|aren't|doesn't|don't|against"
    r"|unfortunately|no longer"
    r"|not (?:possible|allowed|permitted|eligible|available|authori[sz]ed|something|covered|refundable|offered))\b",
    re.IGNORECASE,
)
# "I cannot go on without your number" waits for it.
_CONDITION = re.compile(r"\b(?:without|until|unless|before|first|hesitate|worry|know|see|have)\b", re.IGNORECASE)
_LEAVES = re.compile(
    r"\b(?:any|some)thing else\b|\b(?:any|if you have) (?:other|further|more)\b|\bfurther (?:assist|help|question)"
    r"|\b(?:good)?bye\b|\bhave an? (?:\w+ )?(?:day|one|evening|night|trip|weekend|flight|time)\b|\btake care\b"
    r"|\bsafe travels\b|\byou(?:'re| are) welcome\b",
    re.IGNORECASE,
)
_HANDED_OVER = re.compile(r"\btransferred\b", re.IGNORECASE)
_WHOLE_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_MAYBE = re.compile(r"\b(?:not|cannot|can|could|would|shall|may|might|unable)\b|n't\b", re.IGNORECASE)
_LATER = re.compile(r"\?$|\b(?:if|unless|once|when|after|as soon as)\b", re.IGNORECASE)
_CALL = re.compile(
    r"^\W*(?:```\w*\s*)?(?:<\|?\w*(?:tool|function)\w*|[\[{]\s*[\"'{]|\w+\((?:\s*\w+\s*=.*|\s*\{.*|\s*[\"'].*)\)\W*$)",
    re.DOTALL,
)
# Who says something back turns "I" into "you".
_PERSONS = frozenset(
    _WORD.findall("i me my mine we us our you your yours am are m re d ll ve s so would like want need said")
)


def is_call_text(text: str) -> bool:
    """Whether a line is JSON, or the text of a call that its agent has not made."""
    return _CALL.search(text[:2000]) is not None


def is_last_word(text: str, heard: Iterable[str] = ()) -> bool:
    """Whether a statement can be an agent's last: it reports, refuses or takes its leave.

    Args:
        text: the statement; not a question.
        heard: what the customer has said so far. A statement with no word of its own is an echo.
    """
    said = text.replace("’", "'")
    has_own_words = bool(_words(said).difference(_PERSONS, *map(_words, heard)))
    return has_own_words and not announces(said) and _concludes(said)


@lru_cache(maxsize=1024)  # the trials of a scripted agent say the same
def _concludes(said: str) -> bool:
    """Whether a sentence reports, refuses or takes its leave."""
    return any(
        _HANDED_OVER.search(one)
        or _REPORTS.search(one)
        or _LEAVES.search(one)
        or (refuses(one) and not _CONDITION.search(one))
        for one in _SENTENCE.findall(said)
    )


def refuses(sentence: str) -> bool:
    """Whether a sentence turns something down, be it on a condition."""
    return _REFUSES.search(sentence) is not None


@lru_cache(maxsize=1024)
def announces(text: str) -> bool:
    """Whether the last sentence of a line announces a step of the agent's own."""
    last = next((one for one in reversed(_SENTENCE.findall(text.replace("’", "'"))) if _WORD.search(one)), "")
    closes = _HANDED_OVER.search(text) or _LEAVES.search(last) or _REPORTS.search(last) or _REFUSES.search(last)
    return _ANNOUNCES.search(last) is not None and not closes


@lru_cache(maxsize=1024)
def handed_over_to(text: str, names: tuple[str, ...]) -> str | None:
    """Which of these colleagues a text says that it hands the customer over to now; None for a question or a maybe."""
    for sentence in _WHOLE_SENTENCE.findall(plain(text)):
        found = _over_to(names).search(sentence)
        if found is not None and not (_MAYBE.search(sentence[: found.end()]) or _LATER.search(sentence)):
            return next(name for name in names if name.casefold() == found[1].casefold())
    return None


@lru_cache(maxsize=32)
def _over_to(names: tuple[str, ...]) -> re.Pattern[str]:
    named = "|".join(map(re.escape, names))
    return re.compile(
        r"\b(?:hand|transfer|pass|connect|put|forward)(?:ing|ring|ting)? you (?:over |through |on |now )*(?:to|with) "
        rf"(?:the |our |my |a |colleagues? |desk |team |at |in |of |from )*({named})\b",
        re.IGNORECASE,
    )


@lru_cache(maxsize=1024)  # each turn looks at all that the customer has said
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
