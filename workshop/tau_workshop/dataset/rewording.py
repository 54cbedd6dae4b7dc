"""What the agent says in other words, by a model; what it states stays.

A line is taken only if it states the same: the same numbers, amounts, dates, ids, addresses and names, no less and no
more; a question where there was one, a "not" where there was one, the words that ask for a yes, and nothing that ends a
conversation. The conversation is then graded again: where grade or violations are others, it stays as it was. A line
that the model does not answer stays, too.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pytest_tau.diagnosis.facts import Fact, facts
from pytest_tau.environment.domain import Domain
from pytest_tau.errors import InfraError
from pytest_tau.evaluation.grade import grade
from pytest_tau.llm.protocol import ModelClient
from pytest_tau.schema.messages import USER_STOP_TOKENS, AssistantMessage
from pytest_tau.users.scripted import CONFIRM_CUE

from .labels import Labelled

_ASK = """\
Say this line of a customer service agent in other words, as another agent would. Keep every number, amount, id, name, \
e-mail address and everything in parentheses or quotation marks exactly as it is, and keep questions questions. Answer \
with the line alone."""
_EXACT = re.compile(r"[\w@#$.+-]*\d[\w@.%-]*|\w+_\w+|[\w.+-]+@[\w.-]+")
# A name in the middle of a sentence; "I" and its contractions are none.
_NAME = re.compile(r"(?:(?<=[a-z,;:] )|(?<=M[rs]\. )|(?<=Mrs\. )|(?<=Dr\. ))(?!I\b)[A-Z][\w'’-]+")
_WORD = re.compile(r"[\w'’-]+")
_DENIES = re.compile(
    r"\b(?:not|never|no|nor|none|nothing|nobody|cannot|unable|neither|without)\b|n['’]t\b", re.IGNORECASE
)
# Numbers and days in words.
_COUNTS = frozenset(
    """two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand half twice today
    tomorrow yesterday tonight monday tuesday wednesday thursday friday saturday sunday january february march april
    june july august september october november december""".split()  # noqa: SIM905
)

PATIENCE = 3  # conversations in a row
UNANSWERED = "rewordings of a conversation, because the model did not answer"


def states_the_same(one: str, other: str) -> bool:
    """Whether two lines state the same facts, as far as rules can tell."""
    return (
        _stated_facts(one) == _stated_facts(other)
        and _names(one) <= _words(other)
        and _names(other) <= _words(one)
        and _words(one) & _COUNTS == _words(other) & _COUNTS
        and _denies(one) == _denies(other)
        and ("?" in one) == ("?" in other)
        and (CONFIRM_CUE in one) == (CONFIRM_CUE in other)
        and not any(token in other for token in USER_STOP_TOKENS)
    )


def _stated_facts(text: str) -> tuple[Counter[str], set[Fact]]:
    return Counter(token.strip(".").casefold() for token in _EXACT.findall(text)), set(facts(text))


def _denies(text: str) -> bool:
    return _DENIES.search(text.replace(CONFIRM_CUE, "")) is not None


def _names(text: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(text)}


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def reword(one: Labelled, domain: Domain, writer: ModelClient) -> Labelled:
    """The conversation with the agent's lines in other words, where they state the same and it is graded the same.

    Raises InfraError where the model answers to none of the lines.
    """
    messages = list(one.simulation.messages)
    spoken = [(label.turn, messages[label.turn]) for label in one.turns]
    lines = {
        turn: message
        for turn, message in spoken
        if isinstance(message, AssistantMessage) and message.text and not message.tool_calls
    }
    said = asyncio.run(_ask_writer([message.text for message in lines.values()], writer))
    taken = 0
    for (turn, message), line in zip(lines.items(), said, strict=True):
        if line and line != message.text and states_the_same(message.text, line):
            messages[turn] = message.model_copy(update={"content": line})
            taken += 1
    told = one.simulation.model_copy(update={"messages": messages})
    again = grade(one.task, told, domain)
    same = (again.value, again.violations) == (one.reward.value, one.reward.violations)
    return replace(one, simulation=told, reworded=taken) if same else one


def reword_all(
    conversations: Iterable[Labelled], domain: Domain, writer: ModelClient, left_out: Counter[str]
) -> Iterator[Labelled]:
    """:func:`reword` for many conversations.

    What was paid for is kept: once the model has answered, a conversation stays as it was where it does not, and is
    counted in ``left_out``. After ``PATIENCE`` of them in a row the model is not asked any more.

    Raises InfraError where the model answers to nothing of the first one.
    """
    answered, silent = False, 0
    for one in conversations:
        said = one
        if silent < PATIENCE:
            try:
                said = reword(one, domain, writer)
                answered, silent = True, 0
            except InfraError:
                if not answered:
                    raise
                silent += 1
        if silent:
            left_out[UNANSWERED] += 1
        yield said


async def _ask_writer(lines: Sequence[str], writer: ModelClient) -> list[str]:
    """Each line in other words, "" where the model does not answer; all are asked at once."""
    asked = [[{"role": "system", "content": _ASK}, {"role": "user", "content": line}] for line in lines]
    replies = await asyncio.gather(*map(writer.complete, asked), return_exceptions=True)
    failed = [reply for reply in replies if isinstance(reply, BaseException)]
    for error in failed:
        if not isinstance(error, InfraError) or len(failed) == len(lines):
            raise error
    return ["" if isinstance(reply, BaseException) else (reply.content or "").strip() for reply in replies]
