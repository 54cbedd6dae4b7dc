"""A finished trial as spans, by OpenTelemetry's conventions for generative AI: trial, turn, calls, grade.

Plain data: :mod:`pytest_tau.plugin.integrations.otel` sends them. Spans are made when a trial is over, from the times
that its messages bear, so a trial costs the same with tracing and without, and every worker's trials are sent by one
process. What was said is left out unless it is asked for, as the conventions want it.

    tau trial retail/moved_house
    ├── invoke_agent llm openai/gpt-4.1          one for each turn of the agent
    │   ├── chat gpt-4.1
    │   ├── execute_tool get_order_details
    │   └── chat gpt-4.1
    ├── tau customer                              one for each turn of the customer
    └── tau grade                                 an event for each criterion
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from ..schema.messages import AssistantMessage, ToolMessage

if TYPE_CHECKING:
    from ..schema.messages import AnyMessage, SpokenMessage, ToolCall
    from ..schema.record import TrialRecord
    from ..schema.simulation import Simulation
    from .run_facts import Fact

_NANOSECONDS = 1_000_000_000
_BEYOND = 2**63
_LATEST = 2**64  # OTLP's times have 64 bits; a single one out of range loses all spans that are sent with it


@dataclass(frozen=True)
class Span:
    """One span: times in nanoseconds since 1970, attributes without None.

    ``is_call``: something outside of the agent is called. ``events``: name and attributes, at the end of the span.
    """

    name: str
    start: int
    end: int
    attributes: Mapping[str, Any]
    children: tuple[Span, ...] = ()
    error: str | None = None
    is_call: bool = False
    events: tuple[tuple[str, Mapping[str, Any]], ...] = ()


@dataclass
class _Turn:
    """One side's messages in a row, or one author's of several inside the agent, with the results of its calls."""

    role: str
    author: str | None
    messages: list[AnyMessage] = field(default_factory=list)


def trial_span(record: TrialRecord, *, content: bool = False, facts: Iterable[Fact] = ()) -> Span | None:
    """A trial with all below it; None for one that was not played.

    Args:
        record: the trial.
        content: with what was said.
        facts: how the run's numbers come about.
    """
    played = record.simulation
    if played is None or not played.start_time:
        return None
    # Of a recording the start may be no time: then it is the first that is one.
    known = (_at(text, 0) for text in (played.start_time, *(one.timestamp for one in played.messages)))
    start, end = next(filter(None, known), 0), _at(played.end_time, 0)
    turns = list(_turns(played, start, content=content))
    end = max([end, *(turn.end for turn in turns)])
    attributes = {
        "gen_ai.operation.name": "invoke_workflow",
        "gen_ai.conversation.id": played.id,
        "tau.domain": record.domain,
        "tau.task_id": record.task_id,
        "tau.trial": record.trial,
        "tau.label": record.label,
        "tau.variant": None if record.variant is None else record.variant.label,
        "tau.nodeid": record.nodeid,
        "tau.outcome": record.outcome.value,
        "tau.reward": None if record.reward is None else record.reward.value,
        "tau.ended_by": played.termination_reason.value,
        "tau.fault": None if record.fault is None else record.fault.kind.value,
        "tau.seed": played.seed,
        "tau.agent_cost_usd": played.agent_cost,
        "tau.user_cost_usd": played.user_cost,
        **{f"tau.run.{label.replace(' ', '_')}": value for label, value in facts},
    }
    outcome = record.outcome.value
    why = str(record.fault or outcome) if outcome == "missed" else record.note or outcome
    return Span(
        f"tau trial {record.domain}/{record.task_id}",
        start,
        end,
        _known(attributes),
        (*turns, *_grade(record, end)),
        why if outcome in ("missed", "error", "infra_error") else None,
    )


def _turns(played: Simulation, start: int, *, content: bool) -> Iterator[Span]:
    found: list[_Turn] = []
    for message in played.messages:
        role = message.requestor if isinstance(message, ToolMessage) else message.role
        author = message.author if isinstance(message, AssistantMessage) else None
        if not found or found[-1].role != role or (author and found[-1].author != author):
            found.append(_Turn(role, author))
        found[-1].messages.append(message)
    now, before = start, 0
    for turn in found:
        heard = played.messages[:before] if content else None
        yield (span := _turn(turn, played, max(now, _begin(turn.messages[0], now)), heard))
        now, before = span.end, before + len(turn.messages)


def _begin(message: AnyMessage, earliest: int) -> int:
    """When a message was begun: what lies before, such as the making of an agent, belongs to no side's turn."""
    seconds = 0.0 if isinstance(message, ToolMessage) else message.generation_time_seconds or 0.0
    return _at(message.timestamp, earliest) - int(seconds * _NANOSECONDS) if seconds else earliest


def _turn(turn: _Turn, played: Simulation, start: int, heard: list[AnyMessage] | None) -> Span:
    """One turn; ``heard``: the messages before it, where what was said is asked for."""
    content = heard is not None
    is_agent = turn.role == "assistant"
    told = played.agent_parameters if is_agent else played.user_parameters
    calls = {call.id: call for m in turn.messages if not isinstance(m, ToolMessage) for call in m.tool_calls or []}
    children: list[Span] = []
    now = start
    for place, message in enumerate(turn.messages):
        made: Span | None
        if isinstance(message, ToolMessage):
            made = _tool(message, calls.get(message.id), now, content=content)
        else:
            made = _chat(message, told, now, None if heard is None else [*heard, *turn.messages[:place]])
            now = max(now, _at(message.timestamp, now))
        if made is not None:
            children.append(made)
            now = max(now, made.end)
    usages = [m.usage for m in turn.messages if not isinstance(m, ToolMessage) and m.usage is not None]
    attributes = {
        "gen_ai.operation.name": "invoke_agent" if is_agent else None,
        "gen_ai.agent.name": (turn.author or played.agent) if is_agent else None,
        "gen_ai.conversation.id": played.id,
        "gen_ai.usage.input_tokens": sum(u.prompt_tokens for u in usages) if usages else None,
        "gen_ai.usage.output_tokens": sum(u.completion_tokens for u in usages) if usages else None,
    }
    name = f"invoke_agent {turn.author or played.agent}" if is_agent else "tau customer"
    spoken = [message for message in turn.messages if isinstance(message, AssistantMessage)]
    handoffs = [
        ("tau.handoff", {f"tau.handoff.{key}": value for key, value in one.items()})
        for message in spoken
        for one in message.handoffs or ()
    ]
    return Span(name, start, max(start, now), _known(attributes), tuple(children), events=tuple(handoffs))


def _chat(
    message: SpokenMessage, told: Mapping[str, Any], earliest: int, heard: list[AnyMessage] | None
) -> Span | None:
    """The model call behind a message; None where no model was asked. ``heard``: what it had read, if that is told."""
    model = told.get("model")
    if model is None and message.usage is None:
        return None
    provider, _, name = str(model or "unknown").rpartition("/")
    end = max(earliest, _at(message.timestamp, earliest))
    start = max(earliest, end - int((message.generation_time_seconds or 0.0) * _NANOSECONDS))
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": provider or "unknown",
        "gen_ai.request.model": name,
        "gen_ai.request.temperature": told.get("temperature"),
        "gen_ai.usage.input_tokens": message.usage.prompt_tokens if message.usage else None,
        "gen_ai.usage.output_tokens": message.usage.completion_tokens if message.usage else None,
        "gen_ai.response.finish_reasons": ["tool_calls" if message.tool_calls else "stop"],
        "tau.cost_usd": message.cost,
        "gen_ai.input.messages": None if heard is None else _as_json(heard, message.role),
        "gen_ai.output.messages": None if heard is None else _as_json([message], message.role),
    }
    return Span(f"chat {name}", start, end, _known(attributes), is_call=True)


def _as_json(messages: Sequence[AnyMessage], side: str) -> str:
    """Messages in the form that the conventions have for them, as the model of one side reads them."""
    found = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.requestor == side:
                part = {"type": "tool_call_response", "id": message.id, "response": message.content}
                found.append({"role": "tool", "parts": [part]})
            continue
        parts: list[dict[str, Any]] = [{"type": "text", "content": message.text}] if message.text else []
        for call in (message.tool_calls or []) if message.role == side else []:
            parts.append({"type": "tool_call", "id": call.id, "name": call.name, "arguments": call.arguments})
        if parts:
            found.append({"role": "assistant" if message.role == side else "user", "parts": parts})
    return json.dumps(found, ensure_ascii=False, default=repr)


def _tool(message: ToolMessage, call: ToolCall | None, earliest: int, *, content: bool) -> Span:
    name = call.name if call is not None else "unknown"
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": message.id,
        "error.type": "tool_error" if message.error else None,
        "gen_ai.tool.call.arguments": json.dumps(call.arguments, default=repr) if content and call else None,
        "gen_ai.tool.call.result": message.content if content else None,
    }
    end = max(earliest, _at(message.timestamp, earliest))
    error = (message.content or "the call failed") if message.error else None
    return Span(f"execute_tool {name}", earliest, end, _known(attributes), error=error, is_call=True)


def _grade(record: TrialRecord, end: int) -> Iterable[Span]:
    if record.reward is None:
        return []
    events = tuple(
        (
            "gen_ai.evaluation.result",
            _known(
                {
                    "gen_ai.evaluation.name": str(result.criterion),
                    "gen_ai.evaluation.score.value": result.value,
                    "gen_ai.evaluation.score.label": {1.0: "met", None: "ungraded"}.get(result.value, "missed"),
                    "gen_ai.evaluation.explanation": result.note,
                }
            ),
        )
        for result in record.reward.results
    )
    return [Span("tau grade", end, end, _known({"tau.reward": record.reward.value}), events=events)]


def _at(text: str | None, otherwise: int) -> int:
    """A local time as nanoseconds since 1970; ``otherwise`` for none, or none that can be read and sent."""
    try:
        found = int(datetime.fromisoformat(text or "").timestamp() * _NANOSECONDS)
    except (ValueError, OverflowError, OSError):
        return otherwise
    return found if 0 <= found < _LATEST else otherwise


def _known(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes without None. OTLP has whole numbers of 64 bits with a sign; one beyond that is sent as text."""
    return {
        name: str(value) if isinstance(value, int) and not -_BEYOND <= value < _BEYOND else value
        for name, value in attributes.items()
        if value is not None
    }
