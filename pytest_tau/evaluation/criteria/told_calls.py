"""What the agent tells of a change right after it, beside the call and its result: the terms of what was done."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...environment.environment import Environment
from ...schema.messages import AnyMessage
from ..calls import calls_made
from ..language.terms import choices_of, told_otherwise
from .told_records import UntrueSentence


def told_of_calls(messages: Sequence[AnyMessage], env: Environment) -> Iterator[UntrueSentence]:
    """The reports of changes that name another amount, method, day, item … than was written."""
    for turn, call, result in calls_made(messages):
        if result is None or result.error or call.requestor != "assistant" or not env.writes(call.name, "assistant"):
            continue
        found = told_otherwise(messages, turn, call, choices_of(call, env))
        if found is not None:
            yield UntrueSentence(found.turn, found.named, f"the {found.what} of {call.name} is {found.written}")
