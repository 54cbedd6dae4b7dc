"""An oracle that gets by with tools that fail: it repeats what was refused, and looks before it repeats a change.

It proves that a task can be solved under faults that pass. A call that was refused, or a read that got lost, it makes
again. Of a change whose answer got lost it finds out whether it happened: in a world of its own it tries which reading
call would show the change, makes that call, and compares. Where no call shows it, the change is made again if making it
twice does no more than making it once. An old answer may hide a change, so it takes ``LOOKS`` of them in a row to
believe that nothing has happened; a wrong answer may show one that never was, so a change has to be seen twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ..conversation.protocols import AgentContext
from ..conversation.turns import DONE_TOOL
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..environment.replay import json_or_text
from ..environment.toolkit import ToolSpec
from ..errors import AgentFault
from ..schema.checks import NotCalled
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from ..schema.task import Task
from ..users.scripted import instruct
from .oracle import Oracle

LOOKS, TWICE, ATTEMPTS = 3, 2, 8
# What a call says that did not reach its tool, or whose answer got lost: errors of the domain read otherwise.
_REFUSED = re.compile(r"\b(?:429|503|500)\b|too many requests|unavailable", re.IGNORECASE)
_LOST = re.compile(r"timed out|connection was", re.IGNORECASE)


class Careful:
    """Plays a task's gold actions as :class:`Oracle` does, whatever its tools do; ``strict`` as there."""

    knows_the_task = True

    def __init__(self, task: Task, domain: Domain, context: AgentContext, *, strict: bool = False) -> None:
        self._oracle = Oracle(task, context)
        self._strict = strict
        solo = any(tool.name == DONE_TOOL for tool in context.tools)
        self._world = domain.environment(task, solo=solo)
        forbidden = {check.name for check in task.own_checks if isinstance(check, NotCalled)}
        self._reads = [spec for spec in self._world.tool_specs() if spec.kind == "read" and spec.name not in forbidden]
        for number in range(1, context.episode):
            for action in task.in_episode(number).gold_actions:
                self._world.execute(action.name, action.arguments, action.requestor)
        self._gold = task.in_episode(context.episode).gold_actions
        theirs = (action for action in self._gold if action.requestor == "user")
        self._asked = {instruct(action.name, action.arguments): action for action in theirs}
        self._number = 0
        self._moves = self._next_moves()
        self._messages: list[AnyMessage] = []

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next move."""
        self._messages = messages
        return next(self._moves)

    def _next_moves(self) -> Iterator[AssistantMessage]:
        while True:
            move = self._oracle.reply(self._messages)
            if move.tool_calls:
                yield from self._call_moves(move.tool_calls[0], move.content)
                continue
            yield move
            if (action := self._asked.get(move.text)) is not None:
                self._world.execute(action.name, action.arguments, action.requestor)

    def _call_moves(self, call: ToolCall, note: str | None) -> Iterator[AssistantMessage]:
        """Make a call until it is certain that it was made once."""
        writes = self._world.writes(call.name)
        for _ in range(ATTEMPTS):
            yield self._say(call, note)
            note = None
            answer = self._answer()
            if answer is None:
                return
            lost = answer.error and _LOST.search(answer.content or "") is not None
            if lost and writes:
                if (yield from self._has_happened(call)):
                    break
            elif not lost and not (answer.error and _REFUSED.search(answer.content or "")):
                if answer.error and self._strict:
                    raise AgentFault(f"the gold action {call.name} failed: {answer.content}")
                break
        self._world.execute(call.name, call.arguments)

    def _has_happened(self, call: ToolCall) -> Any:
        """Find out whether a change happened, by reading; yields the calls that it takes."""
        after = self._world.copy()
        if after.execute(call.name, call.arguments).error:
            return True  # it fails by itself, which changes nothing
        found = self._telling(call, after)
        if found is None:
            once = after.state()
            after.execute(call.name, call.arguments)
            return after.state() != once  # a second time would do harm: better to trust that it went through
        look, not_done, done = found
        seen = unchanged = 0
        for _ in range(ATTEMPTS * LOOKS):
            yield self._say(look, None)
            answer = self._answer()
            told = None if answer is None or answer.error else json_or_text(answer.content or "")
            seen += told == done
            unchanged = unchanged + (told == not_done) if told != done else 0
            if seen == TWICE or unchanged == LOOKS:
                break
        return seen == TWICE

    def _telling(self, call: ToolCall, after: Environment) -> tuple[ToolCall, Any, Any] | None:
        """A reading call whose answer shows whether a change happened, with both answers."""
        for look in self._looks(call):
            before = self._world.execute(look.name, look.arguments)
            then = after.execute(look.name, look.arguments)
            if not before.error and not then.error and before.content != then.content:
                return look, json_or_text(before.content), json_or_text(then.content)
        return None

    def _looks(self, call: ToolCall) -> Iterator[ToolCall]:
        """Reading calls that could show a change: those of the gold path, then what its own values can be put into."""
        names = {spec.name for spec in self._reads}
        for action in self._gold:
            if action.name in names and action.requestor == "assistant":
                yield ToolCall(name=action.name, arguments=action.arguments)
        known = {key: value for action in self._gold for key, value in action.arguments.items()} | call.arguments
        ids = [value for value in known.values() if isinstance(value, str)]
        for spec in self._reads:
            yield from (
                ToolCall(name=spec.name, arguments=arguments) for arguments in _fill_arguments(spec, known, ids)
            )

    def _say(self, call: ToolCall, note: str | None) -> AssistantMessage:
        self._number += 1
        made = call.model_copy(update={"id": f"careful_{self._number}"})
        return AssistantMessage(content=note, tool_calls=[made], cost=0.0)

    def _answer(self) -> ToolMessage | None:
        """The result of the last call; None where the conversation has taken it for its end, as ``done`` is."""
        last = self._messages[-1] if self._messages else None
        return last if isinstance(last, ToolMessage) else None


def _fill_arguments(spec: ToolSpec, known: dict[str, Any], ids: list[str]) -> Iterator[dict[str, Any]]:
    """Arguments for a reading tool: by name, or each known text for its only one."""
    needed = [name for name, one in spec.signature.parameters.items() if one.default is one.empty]
    if all(name in known for name in needed):
        yield {name: known[name] for name in needed}
    elif len(needed) == 1:
        yield from ({needed[0]: value} for value in dict.fromkeys(ids))
