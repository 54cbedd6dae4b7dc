"""A trajectory as text that is the same whenever the agent behaves the same, and reads well in a diff.

Ids, times and costs are left out; arguments stand sorted, one a line, under the call they belong to:

    assistant: update_task_status
        status: "completed"
        task_id: "task_1"
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

from ..environment.delta import ABSENT
from ..printable import printable
from ..schema.messages import AnyMessage, AssistantMessage, ToolMessage, attachments_of

if TYPE_CHECKING:
    from ..environment.delta import Change
    from ..environment.domain import Domain
    from ..schema.simulation import Simulation
    from ..schema.task import Task

Level = Literal["tools", "messages", "state"]
LEVELS: tuple[str, ...] = get_args(Level)

INDENT = "    "


def trajectory_text(simulation: Simulation, task: Task, domain: Domain, level: Level = "tools") -> str:
    """The trajectory in normal form: blocks of a head and indented lines, each line ended.

    Args:
        simulation: the finished conversation.
        task: the task it played; with its domain, where ``state`` starts from.
        domain: the domain it ran in.
        level: ``tools``: the calls of both sides, in order. ``messages``: what was said as well, and how it ended.
            ``state``: what the trial changed in the databases, whatever way led there.

    Raises:
        TaskError: the task's initial state cannot be set up (``state`` only).
    """
    if level == "state":
        lines = list(_state(changes(simulation, task, domain))) or ["(nothing changed)"]
    elif level == "messages":
        lines = [*_turns(simulation.messages, said=True), f"ended: {simulation.termination_reason.value}"]
    else:
        lines = list(_turns(simulation.messages, said=False)) or ["(no calls)"]
    text = "".join(f"{printable(line)}\n" for line in lines)
    return text.encode("utf-8", "replace").decode("utf-8")  # no file can hold the lone surrogates a database may have


def changes(simulation: Simulation, task: Task, domain: Domain) -> list[tuple[str, Change]]:
    """What a trial changed, field by field: (side, change), in an order of their own; raises TaskError."""
    began = domain.environment(task, solo=simulation.solo).state()
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, _answered_messages(simulation.messages), strict=False)
    found = domain.compare(began, env.state())
    return sorted(found, key=lambda one: (one[0], one[1].table, one[1].key, one[1].path))


def _answered_messages(messages: Sequence[AnyMessage]) -> Sequence[AnyMessage]:
    """The messages without a last batch of calls that a limit kept from being run."""
    last = next((at for at in range(len(messages) - 1, -1, -1) if not isinstance(messages[at], ToolMessage)), None)
    if last is None:
        return messages
    spoken = messages[last]
    calls = [] if isinstance(spoken, ToolMessage) else spoken.tool_calls or []
    return messages if len(messages) - last - 1 == len(calls) else messages[:last]


def _turns(messages: Sequence[AnyMessage], *, said: bool) -> Iterator[str]:
    results = iter([message for message in messages if isinstance(message, ToolMessage)])
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        author = ""
        if isinstance(message, AssistantMessage) and message.author:
            author = f" ({_name(message.author)})"
            yield from (f"hand-over: {_name(one['from'])} -> {_name(one['to'])}" for one in message.handoffs or ())
        if said and (message.text or attachments_of(message)):
            yield f"{message.role}{author} says"
            yield from _indent(message.text) if message.text else ()
            # Which picture it is, too: another one under the same name is another trajectory.
            yield from (f"{INDENT}{one} {(one.sha256 or '')[:12]}".rstrip() for one in attachments_of(message))
        for call in message.tool_calls or []:
            result = next(results, None)
            failed = " -> error" if result is not None and result.error else ""
            failed = f" -> injected {result.fault.kind}" if result is not None and result.fault is not None else failed
            yield f"{call.requestor}{author}: {_name(call.name)}{failed}"
            yield from (f"{INDENT}{_name(key)}: {_json(value)}" for key, value in sorted(call.arguments.items()))


def _state(found: Iterable[tuple[str, Change]]) -> Iterator[str]:
    head = ""
    for side, change in found:
        here = f"{side}: {_name(change.table)}" + (f"[{_name(change.key)}]" if change.key else "")
        if here != head:
            head = here
            yield head
        yield f"{INDENT}{_name(change.path or '(record)')}: {_value(change.before)} -> {_value(change.after)}"


def _value(value: Any) -> str:
    return "(absent)" if value is ABSENT else _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


_PLAIN = re.compile(r"[^\s:\"]+")


def _name(text: str) -> str:
    """A name as it is, or quoted where it could be taken for something else: models make names up, too."""
    return text if _PLAIN.fullmatch(text) else _json(text)


def _indent(text: str) -> Iterator[str]:
    """The lines of a text, so that none of them looks like the head of a block."""
    return (f"{INDENT}{line}".rstrip() for line in text.replace("\r\n", "\n").split("\n"))
