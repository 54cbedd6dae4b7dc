"""The gold path of a logged conversation that ended well: what was looked up and changed, and what had to be told."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment
from pytest_tau.recordings.reproducing import Reproduction
from pytest_tau.schema.calls import Action
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from pytest_tau.schema.transcript import calls_done, calls_made

from .inferring import call_key

_AN_ID = 8  # digits
TRANSFER = "transfer_to_human_agents"
_ASKS_FIGURE = re.compile(
    r"\bhow (?:much|many)\b|\bwhat(?:'s| is| was| are| will| would)?\b[^.?!]{0,60}"
    r"\b(?:total|price|cost|refund|balance|amount|fee|sum|difference)\b[^.?!]*\?"
    r"|\b(?:tell|know|give) (?:me )?(?:what )?(?:the|my)(?: \w+){0,2} (?:total|price|cost|balance|amount|fee|sum)\b",
    re.IGNORECASE,
)
_NO_AMOUNT = re.compile(
    r"\b(?:ending|ends)(?: (?:in|with))? \W*\d+|\d+ ?(?:to|-|–) ?\d+ (?:business )?days?"
    r"|^\W*\d+[.)] |\d+ (?:business )?(?:days?|hours?)|\bzip(?: code)?\W*\d+|(?-i:\b[A-Z]{2}),? \d{5}\b",
    re.IGNORECASE | re.MULTILINE,
)
_SUPPOSED = re.compile(r"\bif (?:i|we|it|they) (?:am|are|is|was|were|had)\b", re.IGNORECASE)
_FIGURE = re.compile(r"(?<![\w.#-])[$€£]?\d[\d,]*(?:\.\d+)?(?![\w-]|\.\d)")


@dataclass(frozen=True)
class GoldStep:
    """A step of the gold path, and the message that called it, from 0."""

    at: int
    action: Action
    writes: bool


def gold_steps(messages: Sequence[AnyMessage], domain: Domain, found: Reproduction) -> list[GoldStep]:
    """The calls that succeeded: all that changed something or handed over, and the look-ups before the last of them.

    A look-up whose result does not follow from the world is left out, as the oracle would stumble over it.
    """
    env = domain.environment()
    made = [(at, call, result) for at, call, result in calls_made(messages) if result is not None]
    steps: list[GoldStep] = []
    seen: set[tuple[str, str]] = set()
    for (at, call, result), check in zip(made, found.checks, strict=True):
        if result.error or check.how == "unknown tool":
            continue
        writes = env.writes(call.name, call.requestor)
        if not (writes or call.name == TRANSFER):
            key = (call.name, json.dumps(call.arguments, sort_keys=True))
            if not check.holds or key in seen:
                continue
            seen.add(key)
        else:
            seen.clear()  # after a change a look-up shows something else
        id = f"{len(steps) + 1}_{call.name}"
        action = Action(action_id=id, name=call.name, arguments=call.arguments, requestor=call.requestor)
        steps.append(GoldStep(at, action, writes or call.name == TRANSFER))
    last = max((number for number, step in enumerate(steps) if step.writes), default=-1)
    return steps[: last + 1]


def decisive_look_up(messages: Sequence[AnyMessage], domain: Domain) -> Action | None:
    """The last look-up of something that the customer had named; None where there was none."""
    env = domain.environment()
    found: Action | None = None
    said = ""
    calls: dict[int, list[ToolCall]] = {}
    for at, call, _ in calls_done(messages):
        calls.setdefault(at, []).append(call)
    for at, message in enumerate(messages):
        if isinstance(message, UserMessage):
            said += f" {message.text.casefold()}"
        for call in calls.get(at, []):
            values = [value for value in call.arguments.values() if isinstance(value, str) and len(value) > 2]
            named = any(value.casefold() in said for value in values)
            if named and call.requestor == "assistant" and not env.writes(call.name, call.requestor):
                found = Action(action_id=f"1_{call.name}", name=call.name, arguments=call.arguments)
    return found


def write_turns(messages: Sequence[AnyMessage], env: Environment) -> list[int]:
    """Where calls that changed something were made."""
    return [at for at, _ in _changes(messages, env)]


def changes_made(messages: Sequence[AnyMessage], env: Environment) -> tuple[str, ...]:
    """What was changed, in no order: conversations with the same changes are the same case, recorded again."""
    return tuple(sorted(call_key(call.name, call.arguments) for _, call in _changes(messages, env)))


def _changes(messages: Sequence[AnyMessage], env: Environment) -> Iterator[tuple[int, ToolCall]]:
    for at, call, _ in calls_done(messages):
        if env.writes(call.name, call.requestor):
            yield at, call


def figures_said(messages: Sequence[AnyMessage]) -> set[str]:
    """All figures that the agent told, asked or not."""
    return {
        figure
        for message in messages
        if isinstance(message, AssistantMessage)
        for figure in _figures(message.content or "")
    }


def told_facts(messages: Sequence[AnyMessage], writes: Sequence[int], begin: int = 0) -> list[str]:
    """The figures that the customer asked for and the agent told.

    Of an answer with several figures it is the one that sums up ("in total"), else the last that stands in a result
    before. The customer must not have said it themselves, and it must have counted: a figure of a proposal that was not
    carried out means nothing in the end.

    Args:
        messages: the conversation.
        writes: where calls were made that changed something.
        begin: the first message that counts.
    """
    found: list[str] = []
    asked = False
    shown: set[str] = set()
    own: set[str] = set()
    for at, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            shown |= set(_figures(_flat(message.content or "")))
        elif isinstance(message, UserMessage):
            own |= set(_figures(message.text))
            # What would be if something were so, which is not so, nobody else has to be told.
            asked = (asked or bool(_ASKS_FIGURE.search(message.text))) and not _SUPPOSED.search(message.text)
        elif message.text and asked and at >= begin:
            # A small number may count anything: it is taken where nothing else was wanted.
            summed, known = (
                [one for one in figures if one not in own and (len(one) > 2 or not writes)]
                for figures in (_figures(_summing(message.text)), _figures(message.text))
            )
            told = summed or [one for one in known if one in shown]
            if told and _counts(messages, at, writes):
                asked = False
                found += [told[-1]] if told[-1] not in found else []
    return found


def _counts(messages: Sequence[AnyMessage], at: int, writes: Sequence[int]) -> bool:
    """Whether what the agent says there is carried out next, or nothing is changed any more."""
    if not any(write >= at for write in writes):
        return True
    spoken = (
        n for n in range(at + 1, len(messages)) if isinstance(messages[n], AssistantMessage) and messages[n].content
    )
    return any(at <= write <= next(spoken, len(messages)) for write in writes)


def _summing(text: str) -> str:
    """The sentences of an answer that sum up."""
    return " ".join(one for one in re.split(r"(?<=[.!?])\s+|\n+", text) if re.search(r"\btotal|altogether", one, re.I))


def _figures(text: str) -> list[str]:
    """The numbers of a text that are amounts: no ends of cards, days that it takes, lists' numbers or zip codes."""
    found = (_plain(number) for number in _FIGURE.findall(_NO_AMOUNT.sub(" ", text)))
    return [one for one in found if not (one.isdigit() and len(one) >= _AN_ID)]


def _flat(content: str) -> str:
    """A result's values as words of their own."""
    return re.sub(r"[\"\[\]{}:]|,(?!\d{3}\b)", " ", content)


def _plain(number: str) -> str:
    digits = number.lstrip("$€£").replace(",", "")
    return digits.rstrip("0").rstrip(".") if "." in digits else digits
