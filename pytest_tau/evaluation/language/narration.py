"""Whether an agent's line only says what it is about to do, or is the text of a call: nothing that could be answered.

Models narrate: "Sure, one moment please while I look that up." Who takes such a line for the last word hangs up on an
agent that was about to act. A line narrates where its last sentence announces a step of the agent's own, and none asks
or reports; and where all that it says is that it is glad to help.
"""

from __future__ import annotations

import re

from .phrases import CLOSING

_SENTENCE = re.compile(r"[^.!?\n;:]+\??")
_WORD = re.compile(r"\w")
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
_POLITE = re.compile(
    r"^\W*(?:sure|certainly|of course|absolutely|okay|ok|alright|all right|understood|got it|no problem|great|perfect|"
    r"thanks?(?: you)?\b.*|i understand\b.*|i see|i(?:'d| would) be (?:happy|glad) to (?:help|assist)\b.*|"
    r"happy to help\b.*|i can (?:certainly |definitely |absolutely )?help(?: you)?(?: with (?:that|this|it))?|noted)"
    r"(?:,? (?:i'll|i can|i will|i'd be happy to|happy to) help\b.*)?\W*$",
    re.IGNORECASE,
)
# What is done is a report, and "I will not" announces nothing.
_REPORTS = re.compile(
    r"\b(?:has|have|was|were) (?:now |already |successfully |been )+\w+(?:ed|en)\b|\byou(?:'ll| will) (?:receive|be)\b"
    r"|\b(?:will not|won't|cannot|can't|unable|not able)\b",
    re.IGNORECASE,
)
_HANDED_OVER = re.compile(r"\btransferred\b", re.IGNORECASE)
_CALL = re.compile(
    r"^\W*(?:```\w*\s*)?(?:<\|?\w*(?:tool|function)\w*|[\[{]\s*[\"'{]|\w+\((?:\s*\w+\s*=.*|\s*\{.*|\s*[\"'].*)\)\W*$)",
    re.DOTALL,
)


def is_call_text(text: str) -> bool:
    """Whether a line is JSON, or the text of a call that its agent has not made."""
    return _CALL.search(text[:2000]) is not None


def narrates(text: str) -> bool:
    """Whether a line only announces what the agent is about to do, or that it is glad to help."""
    said = text.replace("’", "'")
    sentences = [one for one in _SENTENCE.findall(said) if _WORD.search(one)]
    told = [one for one in sentences if not _POLITE.search(one)]
    if _HANDED_OVER.search(said):
        return False
    if not told:
        return bool(sentences) and "?" not in said
    last = told[-1]
    return _ANNOUNCES.search(last) is not None and not (CLOSING.search(last) or _REPORTS.search(last) or "?" in last)
