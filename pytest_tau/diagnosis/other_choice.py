"""Customers who choose otherwise than their scenario: their words beside the gold write and the one that was made.

Each line is taken for a proposal that was agreed to. The first that fits one of the two writes and not the other shows
who chose; where that is a line of the agent's, the choice is not the customer's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..evaluation.language.naming import subject_of
from ..evaluation.language.phrases import POLITELY_REQUESTS
from ..evaluation.language.terms import breach, choices_of
from ..evaluation.language.terms.agreed import Breach
from ..patterns import lazy
from ..schema.calls import Action
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, UserMessage
from ..schema.simulation import UserFinding
from ..schema.task import Task
from ..schema.transcript import Line, Transcript, calls_made, lines_of
from .left_early import is_made
from .user_turns import plain, sentences_in, words_in

CONTRADICTED = "contradiction"
_DENIES = lazy(r"\bnot\b|n't\b", re.IGNORECASE)


def find_other_choice(task: Task, messages: Sequence[AnyMessage], domain: Domain | None) -> UserFinding | None:
    """Chose in its own words what its scenario does not name, where the gold path has another choice.

    "On my PayPal", where the gold write differs by a credit card; "1 GB will do", where it has two.
    """
    if domain is None:
        return None
    env, scenario = domain.environment(), plain(task.user_scenario.render()).casefold()
    for call, gold, lines, changed in _differing(task, messages, env):
        chosen = _first_choice(messages, lines, changed, call, gold, env)
        if chosen is not None and chosen.named.casefold() not in scenario:
            text = f"chose {chosen.named} as the {chosen.what}, instead of {chosen.written}"
            return UserFinding(rule=CONTRADICTED, turn=chosen.turn, text=text)
    return None


def _differing(
    task: Task, messages: Sequence[AnyMessage], env: Environment
) -> Iterator[tuple[ToolCall, ToolCall, list[Line], list[int]]]:
    """The agent's writes, each with a gold write of the same record that was not made.

    With them come the lines before the write, and the turns of earlier ones.
    """
    missed = [gold for gold in task.gold_actions if env.writes(gold.name) and not is_made(gold, messages)]
    changed: list[int] = []
    for turn, call, result in calls_made(messages) if missed else ():
        if call.requestor != "assistant" or not env.writes(call.name) or result is None or result.error:
            continue
        lines = [line for line in lines_of(messages) if line.turn < turn and not line.calls]
        for gold in missed:
            if _is_of_the_same_record(call, gold):
                yield call, call.model_copy(update={"arguments": gold.arguments}), lines, changed
        changed.append(turn)


def _is_of_the_same_record(call: ToolCall, gold: Action) -> bool:
    return call.name == gold.name and any(
        name.endswith("_id") and call.arguments.get(name) == value for name, value in gold.arguments.items()
    )


def _first_choice(
    messages: Sequence[AnyMessage],
    lines: Sequence[Line],
    changed: Sequence[int],
    call: ToolCall,
    gold: ToolCall,
    env: Environment,
) -> Breach | None:
    """What the customer's words have otherwise than the gold write, if they are the first that fit only one of both."""
    for line in lines:
        text = plain(line.text) if line.by_agent else _decided(line.text)
        due, made = (_otherwise(messages[: line.turn], text, changed, one, env) for one in (gold, call))
        if (due is None) == (made is None) or (line.by_agent and due is None):
            continue  # nothing that tells the two apart, or the agent offers the right one
        # "I ordered it by mistake, so it's no longer needed" chooses neither of two reasons.
        both = due is not None and " " in due.written and set(words_in(due.written)) <= set(words_in(text))
        return None if line.by_agent or both else due
    return None


def _decided(text: str) -> str:
    """A customer's line without what it asks or denies."""
    return " ".join(
        one
        for one in sentences_in(plain(text))
        if ("?" not in one or POLITELY_REQUESTS.search(one)) and not _DENIES.search(one)
    )


def _otherwise(
    before: Sequence[AnyMessage], text: str, changed: Sequence[int], call: ToolCall, env: Environment
) -> Breach | None:
    """The term that a line names and a call has otherwise, as if the agent had put the line forward and got a yes."""
    agreed = Transcript([*before, AssistantMessage(content=text), UserMessage(content="Yes.")])
    earlier = [turn for turn in changed if turn < len(before)]
    choices = choices_of(call, env)
    found = breach(agreed, len(agreed), call, subject_of(call, agreed), earlier, choices=choices)
    return found if found is not None and found.turn == len(before) else None
