"""Whether a customer's words are a yes, and whether a yes stands behind a call.

By rule and in English. What was proposed is not read: a yes is a yes to what the agent last said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..schema.messages import AnyMessage, AssistantMessage, UserMessage

_PLAIN = r"yes|yeah|yep|yup|absolutely|certainly|definitely|of course|agreed"
_CASUAL = r"sure|ok|okay|alright|all right|fine|perfect|great"
_PHRASES = (
    r"(please|do) go ahead|go ahead|go for it|proceed|please do|do (it|that|so)|i (do |can |hereby )?confirm|confirmed"
    r"|i agree|i('m| am) (ok|okay|fine|happy) with|(that|this|it|which)('s| is| all)? (is )?"
    r"(fine|ok|okay|correct|right|good|great|perfect)|sounds? (good|great|fine|right)|looks? (good|great|right)"
)
_LEAD = r"^\W*(?:(?:and|so|then|oh|thanks|thank you)\b\W*)*"
_PLAIN_FIRST = re.compile(rf"{_LEAD}(?:{_PLAIN})\b(?!\s+not\b)", re.IGNORECASE)
_CASUAL_FIRST = re.compile(rf"^\W*(?:{_CASUAL})\b", re.IGNORECASE)
_PHRASE = re.compile(rf"\b(?:{_PHRASES})\b", re.IGNORECASE)
_NO_FIRST = re.compile(r"^\W*(?:no|nope|not|(?:please )?(?:don't|do not))\b", re.IGNORECASE)
_WAIT_FIRST = re.compile(r"^\W*(?:wait|stop|hold on|not yet|actually,? no)\b", re.IGNORECASE)
_LATER = re.compile(
    r"\b(?:(?:i'll|i will|before i) (?:then )?(?:reply|respond|answer|confirm|approve|agree|say yes)"
    r"|(?:before|until|once) i(?:'ve| have)? (?:confirm|approve|agree))",
    re.IGNORECASE,
)
_EXCEPT = re.compile(r"\b(?:except|other than|apart from|aside from|only if|as long as|provided)\b", re.IGNORECASE)
_WANTS_ANSWER = re.compile(
    r"\?|\bplease (?:also )?(?:confirm|reply|respond|answer)\b|\breply (?:with )?\W?(?:yes|confirm)\b", re.IGNORECASE
)
_CONDITION = re.compile(r"\b(?:not|never|before|until|unless|if|when|once|cannot)\b|n't\b", re.IGNORECASE)


def says_yes(text: str) -> bool:
    """Whether a text holds an explicit yes.

    "Fine" beside a question is none, and neither is a yes with a "wait" or one that is promised for later.
    """
    sentences = _sentences(text)
    if any(_WAIT_FIRST.search(sentence) or _LATER.search(sentence) for sentence in sentences):
        return False
    casual = "?" not in text and any(_CASUAL_FIRST.search(sentence) for sentence in sentences)
    return casual or any(_affirms(sentence) for sentence in sentences)


def says_no(text: str) -> bool:
    """Whether a sentence of a text begins with a no, and none is a yes."""
    begins = any(_NO_FIRST.search(sentence) or _WAIT_FIRST.search(sentence) for sentence in _sentences(text))
    return begins and not says_yes(text)


def missing_consent(messages: Sequence[AnyMessage], turn: int) -> str:
    """Why the call in a turn has no yes behind it; "" if it has one.

    A yes holds until the customer takes it back, or answers a later question of the agent with something else. The
    greeting proposes nothing: before a yes, the agent must have answered what the customer said.
    """
    for proposed, answered in _exchanges(messages[:turn]):
        answer = _text(messages[answered])
        if says_no(answer):
            return f"the customer said no in turn {answered}"
        if says_yes(answer):
            return "" if _customer_spoke(messages[:proposed]) else f"nothing was proposed before turn {answered}"
        if _WANTS_ANSWER.search(_text(messages[proposed])):
            return f"what the customer answered in turn {answered} is no explicit yes"
    return "the customer was not asked"


def _exchanges(messages: Sequence[AnyMessage]) -> Iterator[tuple[int, int]]:
    """What the agent said and what the customer answered, by turn, the latest first."""
    answered: int | None = None
    for turn in reversed(range(len(messages))):
        message = messages[turn]
        if not _text(message):
            continue
        if isinstance(message, UserMessage):
            answered = turn
        elif answered is not None:
            yield turn, answered
            answered = None


def _customer_spoke(messages: Sequence[AnyMessage]) -> bool:
    return any(isinstance(message, UserMessage) and _text(message) for message in messages)


def _text(message: AnyMessage) -> str:
    """What the other side reads: nothing of a message that makes calls."""
    spoken = isinstance(message, (AssistantMessage, UserMessage)) and not message.tool_calls
    return (message.content or "").strip().replace("’", "'") if spoken else ""


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?;])\s+|\n+|,? but ", text.replace("’", "'"))


def _affirms(sentence: str) -> bool:
    if _PLAIN_FIRST.search(sentence):
        return True
    found = _PHRASE.search(sentence)
    if found is None or "?" in sentence or _EXCEPT.search(sentence[found.end() :]):
        return False
    return not _CONDITION.search(sentence[: found.start()])
