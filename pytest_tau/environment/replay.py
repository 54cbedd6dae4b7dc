"""Executes the writing calls of a recorded conversation again, to bring an environment to the state it ended in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import RecordingError
from ..printable import cut
from ..schema.messages import AnyMessage, ToolCall, ToolMessage
from ..schema.transcript import calls_with_places

if TYPE_CHECKING:
    from .environment import Environment


class Watch(Protocol):
    """Whoever looks on while calls are executed again."""

    def begin(self, env: Environment) -> None:
        """The world is as it was before the first message."""

    def after_write(self, env: Environment, at: int, call: ToolCall, *, failed: bool) -> None:
        """A writing call was executed, whose result is the message ``at``, from 0."""


def replay(env: Environment, messages: Sequence[AnyMessage], *, strict: bool, watch: Watch | None = None) -> None:
    """Execute every writing call in order. Under ``strict`` each must return what was recorded, else RecordingError.

    Reads and unknown names are skipped. Calls that failed are executed too: they must fail again. A call that an
    injected fault kept from its tool is not executed, and of any other what the tool had returned is compared.
    """
    for at, call, recorded in calls_with_places(messages):
        if not env.writes(call.name, call.requestor):
            continue
        recorded = as_the_tool_had_it(recorded)
        if recorded.kept_back:
            continue
        result = env.execute(call.name, call.arguments, call.requestor)
        if watch is not None:
            watch.after_write(env, at, call, failed=result.error)
        told = recorded.content or ""
        if strict and result.content != told and json_or_text(result.content) != json_or_text(told):
            raise RecordingError(
                f"the recorded call {call.name}({json.dumps(call.arguments)}) does not replay: it returned "
                f"{cut(result.content, 200)} where {cut(recorded.content or '', 200)} was recorded; "
                "a tool must be a function of the database and its arguments"
            )


def as_the_tool_had_it(message: ToolMessage) -> ToolMessage:
    """A result as its tool gave it, still marked; as it is, where the call did not reach its tool."""
    fault = message.fault
    if fault is None or not fault.happened:
        return message
    return message.model_copy(update={"content": fault.result, "error": fault.error})


def without_faults(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """A conversation as the tools had it: what the agent's actions are judged by, and not what it was made to read."""
    return [as_the_tool_had_it(m) if isinstance(m, ToolMessage) else m for m in messages]


def json_or_text(content: str) -> Any:
    """The JSON value that a tool has returned, or the text where it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return content
