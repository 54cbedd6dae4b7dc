"""What the agent says in other words, by a model; what it states stays.

A line is taken only if it states the same: the same numbers, amounts, ids, addresses and capitalised names, a question
where there was one, the words that ask for a yes, and nothing that ends a conversation. The conversation is then graded
again: where grade or violations are others, it stays as it was.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace

from ..environment.domain import Domain
from ..evaluation.grade import grade
from ..llm.protocol import ModelClient
from ..metrics.facts import Fact, facts
from ..schema.messages import USER_STOP_TOKENS, AssistantMessage
from ..users.scripted import CONFIRM_CUE
from .labels import Labelled

_ASK = """\
Say this line of a customer service agent in other words, as another agent would. Keep every number, amount, id, name, \
e-mail address and everything in parentheses or quotation marks exactly as it is, and keep questions questions. Answer \
with the line alone."""
_EXACT = re.compile(r"[\w@#$.+-]*\d[\w@.%-]*|\w+_\w+|[\w.+-]+@[\w.-]+")
_NAME = re.compile(r"(?<=[a-z,;:] )[A-Z][\w'’-]+")


def states_the_same(one: str, other: str) -> bool:
    """Whether two lines state the same facts, as far as rules can tell."""
    return (
        _stated(one) == _stated(other)
        and set(_NAME.findall(one)) <= set(re.findall(r"[\w'’-]+", other))
        and ("?" in one) == ("?" in other)
        and (CONFIRM_CUE in one) == (CONFIRM_CUE in other)
        and not any(token in other for token in USER_STOP_TOKENS)
    )


def _stated(text: str) -> tuple[Counter[str], set[Fact]]:
    return Counter(token.strip(".").casefold() for token in _EXACT.findall(text)), set(facts(text))


def reworded(one: Labelled, domain: Domain, writer: ModelClient) -> Labelled:
    """The conversation with the agent's lines in other words, where they state the same and it is graded the same."""
    messages = list(one.simulation.messages)
    for label in one.turns:
        message = messages[label.turn]
        if isinstance(message, AssistantMessage) and message.text and not message.tool_calls:
            asked = [{"role": "system", "content": _ASK}, {"role": "user", "content": message.text}]
            line = (asyncio.run(writer.complete(asked)).content or "").strip()
            if line and states_the_same(message.text, line):
                messages[label.turn] = message.model_copy(update={"content": line})
    told = one.simulation.model_copy(update={"messages": messages})
    again = grade(one.task, told, domain)
    same = (again.value, again.violations) == (one.reward.value, one.reward.violations)
    return replace(one, simulation=told) if same else one
