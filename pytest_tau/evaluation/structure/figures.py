"""Figures from nowhere: amounts, ids and days that the agent tells, and ids that it calls with, that nothing has shown.

Sources are the results so far, the policy, the customer's words and the agent's calls. An amount may also be a sum, a
difference, a product or a share of such numbers. It is a hint for a reader, no breach.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from ...schema.calls import render_call
from ...schema.messages import AnyMessage, ToolCall
from ..language.days import days_in
from ..language.naming import leaves
from ..language.terms.money import money_in
from ..language.text import plain, sentences

_AMOUNT = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
_ID = re.compile(
    r"(?<![\w#.@/-])(?:#?[A-Z]{1,4}\d{3,}|\d{8,}|[a-z]+(?:_[a-z]+)*_\d{3,}"
    r"|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{6})(?![\w-])"
)
_EXAMPLE = re.compile(r"\b(?:e\.?g|example|format|like|such as|starts? with)\b", re.IGNORECASE)
_OFFERED = re.compile(r"\?|\b(?:if|could|would|can|search|expand|try)\b|\b(?:i|we)(?:'ll| will)\b", re.IGNORECASE)
_NEAR = (timedelta(-1), timedelta(0), timedelta(1))
_MOST = 48


class _Figure(NamedTuple):
    """A figure that nothing before it has shown, with its turn and sentence."""

    turn: int
    sentence: str
    figure: str


def from_nowhere(messages: Sequence[AnyMessage], policy: str) -> Iterator[_Figure]:
    """The amounts of money, the ids and the days that the agent tells and that nothing gives."""
    numbers, texts, days = set(numbers_in(policy)), [policy], set(days_in(plain(policy)))
    for turn, message in enumerate(messages):
        content = plain(message.content or "")
        if message.role == "assistant" and message.text and not message.tool_calls:
            for sentence in sentences(message.text):
                for amount in money_in(sentence):
                    if amount >= 1 and not follows(amount, numbers):
                        yield _Figure(turn, sentence, f"${amount:g}")
                    numbers.add(amount)
                for day in days_in(sentence):
                    if not (_OFFERED.search(sentence) or any(day + one in days for one in _NEAR)):
                        yield _Figure(turn, sentence, f"{day:%B} {day.day}")
                    days.add(day)
                for one in _ID.findall(sentence):
                    if not _EXAMPLE.search(sentence) and not any(one.lstrip("#") in text for text in texts):
                        yield _Figure(turn, sentence, one)
        for call in getattr(message, "tool_calls", None) or []:
            if call.requestor == "assistant":
                yield from (_Figure(turn, render_call(call.name, call.arguments), one) for one in _made_up(call, texts))
            texts.append(str(call.arguments))
            numbers.update(numbers_in(texts[-1]))
            days.update(days_in(texts[-1]))
        if message.role != "assistant":
            numbers.update(numbers_in(content))
            days.update(days_in(content))
        texts.append(content)


def _made_up(call: ToolCall, texts: Sequence[str]) -> Iterator[str]:
    """The ids in a call that nothing before it has shown."""
    for _, value in leaves(call.arguments):
        if isinstance(value, str) and _ID.fullmatch(value) and not any(value.lstrip("#") in text for text in texts):
            yield value


@lru_cache(maxsize=512)
def numbers_in(text: str) -> tuple[float, ...]:
    """The numbers of a text that may be amounts."""
    return tuple({round(float(one.replace(",", "")), 2) for one in _AMOUNT.findall(text) if len(one) < 12})


def follows(amount: float, known: set[float]) -> bool:
    """Whether an amount is among numbers, or their sum, difference, product or share."""
    if _among(amount, known):
        return True
    some = sorted((one for one in known if 1 <= one < 100_000), reverse=True)[: 4 * _MOST]
    if any(_among(amount / times, known) or _among(amount * times, known) for times in range(2, 10)):
        return True
    if any(_among(amount - one, known) or _among(amount + one, known) for one in some):
        return True
    few = some[:_MOST]
    return any(
        _among(amount - one - other, known) or _among(abs(amount + one - other), known)
        for one, other in combinations(few, 2)
    )


def _among(amount: float, known: set[float]) -> bool:
    return round(amount, 2) in known or (amount == int(amount) and any(abs(amount - one) < 0.5 for one in known))
