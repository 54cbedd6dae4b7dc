"""The customer of a logged conversation: why they called, what they told when, what they refused, how they write.

All in their own words: a text of a task is a text of the log, and nothing is made up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_tau.evaluation.language.asked import CLOSING
from pytest_tau.evaluation.language.dialogue import Answer, answer
from pytest_tau.schema.messages import USER_STOP_TOKENS, AnyMessage, AssistantMessage, UserMessage
from pytest_tau.schema.scenario import Instructions, Later, UserScenario

_STOPS = re.compile("|".join(map(re.escape, USER_STOP_TOKENS)))
_GREETING = re.compile(
    r"(?:\W*\b(?:hi|hey|hello|good (?:morning|afternoon|evening|day)|there|everyone|i need (?:some )?help|help"
    r"|can you help me|could you help me|please|thanks|thank you)\b\W*)+",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"(?:\W*\b(?:no|nope|that(?:'s| is| will be)? (?:all|it|everything)|thanks?(?: you)?(?: so much| very much)?|thx"
    r"|great|perfect|ok(?:ay)?|bye|goodbye|have a (?:good|great|nice) (?:day|one|evening)|for your help|i appreciate it"
    r"|nothing else|i'm good|all good|you too|for now|for today)\b\W*)+",
    re.IGNORECASE,
)
# What a customer knows by heart or reads off: numbers, ids, addresses of mail, dates, sums.
_VALUE = re.compile(
    r"[\w.+-]+@[\w-]+\.[\w.-]+|#?\b[A-Za-z]*[_-]?\d[\w-]*\b(?:[.,]\d+)?|[$€£]\s?\d[\d.,]*"
    r"|\b[A-Za-z]+(?:_[A-Za-z0-9]+){1,4}\b"
)
_NAME = re.compile(r"(?i:\b(?:my name is|i am|i'm|this is|name'?s?:?))\s+([A-Z][\w'-]+(?: [A-Z][\w'-]+)*)")
_POLITE = re.compile(r"\b(?:please|thank|thanks|appreciate|kindly|sorry)\b", re.IGNORECASE)
_UPSET = re.compile(
    r"\b(?:ridiculous|unacceptable|angry|furious|upset|frustrat\w+|annoy\w+|terrible|worst|disappoint\w+|fed up)\b"
    r"|!!|(?-i:\b[A-Z]{4,}\b(?: [A-Z]{2,}\b)+)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class CustomerTurn:
    """A text of the customer.

    Attributes:
        at: its place among the messages, from 0.
        text: without the words that end a conversation.
        asked: what the agent had said before.
        values: the values in it that no earlier turn had.
        answer: what it does, as rules read it.
    """

    at: int
    text: str
    asked: str
    values: tuple[str, ...]
    answer: Answer

    @property
    def is_refusal(self) -> bool:
        """Whether it turns down what the agent proposed, and does not only say that nothing else is wanted."""
        return bool(self.answer.no) and not CLOSING.search(self.asked[-200:]) and not self.is_closing

    @property
    def is_agreement(self) -> bool:
        """Whether it agrees and tells nothing new."""
        return bool(self.answer.yes or self.answer.casual) and not self.values and len(self.text.split()) <= 25

    @property
    def is_closing(self) -> bool:
        """Whether it thanks or says good-bye, and no more."""
        return not self.text or _THANKS.fullmatch(self.text) is not None


def turns_of(messages: Sequence[AnyMessage]) -> list[CustomerTurn]:
    """The customer's texts, in order; two in a row are one."""
    found: list[CustomerTurn] = []
    known: set[str] = set()
    asked = ""
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            asked = message.text or asked
        if not isinstance(message, UserMessage) or not message.text:
            continue
        text = " ".join(_STOPS.sub(" ", message.text).split())
        values = tuple(value for value in values_in(text) if value.casefold() not in known)
        known |= {value.casefold() for value in values}
        if text:
            found.append(CustomerTurn(at, text, asked, values, answer(text)))
    return found


def values_in(text: str) -> list[str]:
    """The values that a text tells: ids, names, amounts, dates, addresses."""
    found = [match[0].rstrip(".,-") for match in _VALUE.finditer(text)]
    found += [match[1] for match in _NAME.finditer(text)]
    return list(dict.fromkeys(value for value in found if value))


def scenario(
    turns: Sequence[CustomerTurn], domain: str, writes: Sequence[int], gold: Sequence[tuple[int, str]]
) -> UserScenario:
    """The customer of a task.

    Args:
        turns: what they said.
        domain: the domain's name.
        writes: where calls that changed something returned, among the messages.
        gold: where each gold action was called, and its id.
    """
    if not turns:
        return UserScenario(instructions="You have no wish; end the conversation.")
    opening, rest = _opening(turns)
    known: list[str] = []
    later: list[Later] = []
    manner: list[str] = []
    for turn in rest:
        if turn.is_closing:
            continue
        new_wish = any(opening[-1].at < at < turn.at for at in writes) and (
            turn.answer.wish or CLOSING.search(turn.asked[-300:]) is not None
        )
        if turn.is_refusal:
            manner.append(f'You do not agree to this: "{_end_of(turn.asked)}" You say: "{turn.text}"')
        elif new_wish and not turn.is_agreement:
            before = next((id for at, id in gold if at > turn.at), None)
            later.append(Later(when="done", say=turn.text, before=before))
        elif turn.values:
            known.append(turn.text)
        elif not turn.is_agreement:
            manner.append(f'Asked "{_end_of(turn.asked)}", you say: "{turn.text}"')
    manner.append("You say yes to what you have asked for. You want nothing else, and end when it is done or refused.")
    instructions = Instructions(
        domain=domain,
        reason_for_call=" ".join(turn.text for turn in opening),
        known_info="\n".join(known) or None,
        piecemeal=True if len(known) > 1 else None,
        task_instructions="\n".join(manner),
        later=later or None,
    )
    return UserScenario(persona=persona(turns), instructions=instructions)


def _opening(turns: Sequence[CustomerTurn]) -> tuple[list[CustomerTurn], list[CustomerTurn]]:
    """The turns that say why they call: the first that is more than a greeting, and what leads to it."""
    for number, turn in enumerate(turns):
        if not _GREETING.fullmatch(turn.text) and len(turn.text.split()) > 2:
            return list(turns[: number + 1]), list(turns[number + 1 :])
    return list(turns[:1]), list(turns[1:])


def _end_of(text: str) -> str:
    """The last sentence of what an agent said, in one line."""
    parts = [part.strip() for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]
    last = next((part for part in reversed(parts) if "?" in part), parts[-1] if parts else "")
    return last[-200:].replace('"', "'")


def persona(turns: Sequence[CustomerTurn]) -> str:
    """How a customer writes, from how they wrote."""
    texts = [turn.text for turn in turns]
    words = sum(len(text.split()) for text in texts) / len(texts)
    told = ["You write short messages." if words < 10 else "You write long messages." if words > 35 else ""]
    letters = "".join(texts)
    if letters and letters == letters.lower():
        told.append("You write everything in small letters.")
    polite = sum(bool(_POLITE.search(text)) for text in texts)
    told.append("You are polite." if 2 * polite >= len(texts) else "You do not say please or thank you." * (not polite))
    if any(_UPSET.search(text) for text in texts):
        told.append("You are upset.")
    return " ".join(part for part in told if part) or "You write plainly."
