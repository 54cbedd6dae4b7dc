"""One trial as the HTML report shows it: plain strings and numbers, ready for a browser that only sets text.

Values are rendered here and not in the browser, which would round large integers and refuse NaN.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from ..metrics.authors import shares
from ..printable import cut, printable
from ..schema.messages import (
    AnyMessage,
    AssistantMessage,
    InjectedFault,
    SpokenMessage,
    ToolMessage,
    UserMessage,
    attachments_of,
)
from .incidents import by_author, incidents_told
from .long_episodes import clock
from .milestone_status import progress_line
from .terminal import money

if TYPE_CHECKING:
    from ..schema.record import TrialRecord
    from ..schema.reward import CriterionResult, Difference, MilestoneStatus, Reading, Reward, Violation
    from ..schema.simulation import Simulation
    from ..schema.task import Task

LIMIT = 100_000
_KEPT = {(1.0, 1.0): "yes", (0.0, 0.0): "no", (0.0, 1.0): "yes or no: something is unclear"}

View = dict[str, Any]


def visible_text(text: str) -> str:
    """Text as the report shows it: control characters visible, and not endless."""
    text = printable(text)
    return cut(text, LIMIT, f" … ({len(text)} characters; the journal has them all)")


def embed_json(value: Any) -> str:
    """JSON that can stand in a script element of an HTML page, whatever its strings say."""
    text = json.dumps(value, separators=(",", ":"))  # ASCII, so line separators and lone surrogates are escaped as well
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def trial_view(record: TrialRecord, readings: Sequence[Reading] = ()) -> View:
    """Everything the page shows of a trial when it is opened; ``readings``: what its sentences were read as."""
    played, reward = record.simulation, record.reward
    view: View = {
        "nodeid": visible_text(record.nodeid),
        "notes": [],
        "facts": [],
        "criteria": [],
        "stations": [],
        "messages": [],
    }
    notes = [_graded_again(record), record.note, reward.note if reward else None, played.note if played else None]
    if played is not None:
        notes += incidents_told(played.incidents)
        notes += _about_the_customer(played)
    view["notes"] = [visible_text(note) for note in dict.fromkeys(notes) if note]
    if record.fault is not None:
        view["facts"].append(["fault", visible_text(str(record.fault))])
        if (lost := record.fault.no_return) is not None:
            view["facts"].append(["point of no return", visible_text(f"turn {lost.turn}: {lost.text}")])
        if record.fault.repair is not None:
            view["facts"].append(["smallest repair", visible_text(str(record.fault.repair))])
    if reward is not None:
        view["facts"].append(["reward", "open" if reward.value is None else f"{reward.value:g}"])
        if told := progress_line(reward):
            view["facts"].append(["progress", visible_text(told)])
        view["facts"] += _about_the_effort(reward)
        view["stations"] = [_milestone_view(status) for status in reward.stations]
        if reward.retrieval is not None:
            view["facts"].append(["documents", visible_text(str(reward.retrieval))])
        if reward.violated is not None:
            view["facts"].append(["policy kept", _KEPT[reward.under_policy_range]])
        if reward.violated:
            view["facts"].append(["rules broken", visible_text("; ".join(map(_violation_text, reward.violated)))])
        view["criteria"] = [_criterion(result) for result in reward.results]
    if played is not None:
        view["facts"] += _facts(played)
        if any(isinstance(message, AssistantMessage) and message.author for message in played.messages):
            parts = shares(record.model_dump(mode="json", include={"outcome", "fault", "simulation"}))
            view["facts"].append(["by author", visible_text(by_author(parts))])
        view["messages"] = list(_messages(played.messages, played.episodes))
        lost_at = record.fault.no_return.turn if record.fault is not None and record.fault.no_return else None
        for message in view["messages"]:
            # Above a sentence that is right in itself it would blame the wrong words; the facts name the turn anyhow.
            if message["turn"] == lost_at and message["calls"]:
                message["mark"] = "point of no return: from here on the trial could not pass"
                if record.fault is not None and record.fault.repair is not None:
                    message["mark"] += visible_text(f"; it would have passed with {record.fault.repair.text}")
            if reward is not None and (broken := [v for v in reward.violated or [] if v.turn == message["turn"]]):
                message["breach"] = visible_text("; ".join(map(_violation_text, broken)))
            if read := [_reading(one) for one in readings if one.turn == message["turn"]]:
                message["read"] = [*message.get("read", []), *read]
        view["facts"] += [["left open", _reading(one)] for one in readings if one.turn is None]
    return view


def _reading(one: Reading) -> str:
    quote = f" “{one.text}”" if one.text else ""
    about = f": {one.about}" if one.about else ""
    why = f" ({one.why})" if one.why else ""
    return visible_text(f"{one.kind}, by {one.by}{about}{quote}{why}")


def _violation_text(violation: Violation) -> str:
    where = "" if violation.turn is None else f" (turn {violation.turn})"
    return f"{violation.dimension}, severity {violation.severity:g}: {violation.text}{where}"


def _about_the_effort(reward: Reward) -> Iterator[list[str]]:
    """What the trial cost its customer, what the agent forgot, and the judge's rating."""
    if (found := reward.effort) is not None:
        yield [
            "handle time",
            f"{clock(found.handle_time)} (virtual, not the clock's), waiting {clock(found.wait_seconds)}",
        ]
        counts = {
            "question asked twice": found.asked_twice,
            "fact asked though told": found.asked_though_told,
            "apology without a deed": found.apologies,
        }
        if told := ", ".join(f"{number} × {what}" for what, number in counts.items() if number):
            yield ["effort", told]
    for one in reward.forgotten:
        yield ["forgotten", visible_text(f"{one.value}, told in turn {one.told}: turn {one.turn} has {one.got}")]
    if (rated := reward.satisfaction) is not None and rated.score is not None:
        yield ["satisfaction", visible_text(f"{rated.score} of 5: {rated.reasons}")]


def _milestone_view(status: MilestoneStatus) -> View:
    """A milestone on the line of a trial: reached in a turn or not; a minefield hit or not."""
    kind = (
        ("hit" if status.turn is not None else "clear") if status.mine else "got" if status.turn is not None else "lost"
    )
    return {"name": visible_text(status.name), "kind": kind, "turn": status.turn}


def _graded_again(record: TrialRecord) -> str | None:
    before, now = record.recorded_reward, record.reward.value if record.reward else None
    if before is None or now is None or before == now:
        return None
    return f"The recorded reward was {before:g}; graded again it is {now:g}."


def _about_the_customer(played: Simulation) -> Iterator[str]:
    """What the user audit found in the conversation, and in those that were played again because of it."""
    for finding in played.user_findings or []:
        yield f"user audit: {finding.rule} in turn {finding.turn}: {finding.text}"
    for number, earlier in enumerate(played.discarded or [], start=1):
        found = "; ".join(f"{one.rule} in turn {one.turn}: {one.text}" for one in earlier.user_findings or [])
        yield f"attempt {number} was played again, and stands in the journal: {found}"


def task_view(task: Task) -> View:
    """What the customer wants and what an agent should do."""
    scenario, criteria = task.user_scenario, task.evaluation_criteria
    parts: list[tuple[str, str | None]] = [
        ("Purpose", task.description.purpose if task.description else None),
        ("Scenario", scenario.render()),
        *(("Next conversation", follow_up.user_scenario.render()) for follow_up in task.episodes or []),
        ("Ticket", task.ticket),
        ("Gold actions", "\n".join(f"{action.requestor}: {action}" for action in task.gold_actions)),
        ("To be said", "\n".join(criteria.communicate_info or []) if criteria else None),
    ]
    return {"parts": [[title, visible_text(text)] for title, text in parts if text]}


def _criterion(result: CriterionResult) -> View:
    verdict = {1.0: "met", None: "open"}.get(result.value, "missed")
    return {
        "name": visible_text(result.criterion),
        "verdict": verdict,
        "basis": result.in_basis,
        "note": visible_text(result.note or ""),
        "checks": [
            [
                {True: "met", None: "open"}.get(check.met, "missed"),
                visible_text(check.name),
                visible_text(check.explanation),
            ]
            for check in result.checks
        ],
        "records": list(_records(result.differences)),
    }


def _records(differences: Sequence[Difference]) -> Iterator[View]:
    """Differences, those of one record together."""
    records: dict[tuple[str, str, str], list[list[str | None]]] = {}
    for d in differences:
        expected = None if d.expected_absent else _value(d.expected)
        actual = None if d.actual_absent else _value(d.actual)
        fields = records.setdefault((d.side, d.table, d.key), [])
        if isinstance(d.expected, list) and isinstance(d.actual, list):
            fields += list(_elements(visible_text(d.path), d.expected, d.actual))
        else:
            fields.append([visible_text(d.path), expected, actual])
    for (side, table, key), fields in records.items():
        where = f"{table}[{key}]" if key else table
        yield {"name": visible_text(where), "side": visible_text(side), "fields": fields}


def _elements(path: str, expected: Sequence[Any], actual: Sequence[Any]) -> Iterator[list[str | None]]:
    """The elements in which two lists differ, each with its place in the list that has it."""
    before, now = [_value(one) for one in expected], [_value(one) for one in actual]
    for kind, a, b, c, d in SequenceMatcher(a=before, b=now, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for offset in range(max(b - a, d - c)):
            here = a + offset if a + offset < b else c + offset
            yield [
                f"{path}[{here}]",
                before[a + offset] if a + offset < b else None,
                now[c + offset] if c + offset < d else None,
            ]


def _facts(played: Simulation) -> list[list[str]]:
    spoken = [message for message in played.messages if not isinstance(message, ToolMessage)]
    facts = [
        ("ended by", played.termination_reason.value.replace("_", " ")),
        ("steps", str(steps_of(played))),
        ("tool errors", str(played.errors)),
        ("time", _seconds(played.duration) if played.duration else ""),  # 0 where a recording does not say
        ("agent cost", money(played.agent_cost)),
        ("user cost", money(played.user_cost)),
        ("tokens", _tokens(spoken)),
        ("seed", "" if played.seed is None else str(played.seed)),
        ("agent", _player(played.agent, played.agent_parameters)),
        ("user", _player(played.user, played.user_parameters)),
    ]
    return [[name, visible_text(value)] for name, value in facts if value]


def steps_of(played: Simulation) -> int:
    """Steps of a conversation: as it was played, or its messages where a recording does not say."""
    return played.steps or len(played.messages)


def _player(name: str, parameters: dict[str, Any]) -> str:
    settings = ", ".join(f"{key} {_value(value)}" for key, value in parameters.items())
    return f"{name} ({settings})" if settings else name


def _tokens(spoken: Sequence[SpokenMessage]) -> str:
    usages = [message.usage for message in spoken if message.usage]
    if not usages:
        return ""
    read, written = sum(u.prompt_tokens for u in usages), sum(u.completion_tokens for u in usages)
    return f"{read:,} read, {written:,} written"


def _heard(message: SpokenMessage) -> View:
    """What the agent read in place of what the customer said."""
    heard = message.heard if isinstance(message, UserMessage) else None
    return {"read": [visible_text(f"the agent heard: {heard}")]} if heard is not None else {}


def _messages(messages: Sequence[AnyMessage], episodes: Sequence[int] = ()) -> Iterator[View]:
    """The turns of the conversation, each call together with its result."""
    began = _time(messages[0].timestamp) if messages else None
    waiting: list[View] = []
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            target = waiting.pop(0) if waiting else None
            if target is not None:
                target["result"], target["error"] = _pretty(message.content or ""), message.error
                if message.fault is not None:
                    target["injected"] = visible_text(fault_told(message.fault))
                target |= _pictures(message)
            continue
        waiting = [_call(call.name, call.arguments) for call in message.tool_calls or []]
        yield {
            "turn": turn,
            "who": "agent" if message.role == "assistant" else "user",
            "text": visible_text(message.text),
            **_pictures(message),
            **_heard(message),
            "calls": waiting[:],
            "meta": " · ".join(filter(None, ["next conversation" * (turn in episodes), _meta(message, began)])),
        }


def fault_told(fault: InjectedFault) -> str:
    """What was injected into a result, and what really happened, for people."""
    told = [f"injected {fault.kind.replace('_', ' ')}"]
    if fault.detail:
        told.append(fault.detail)
    if fault.seconds:
        told.append(f"{fault.seconds:g} s later, counted and not waited for")
    elif not fault.happened:
        told.append("the call did not reach the tool")
    elif fault.result is not None and fault.detail is None:
        told.append(f"the tool had returned: {fault.result}")
    return "; ".join(told)


def _pictures(message: AnyMessage) -> View:
    """The pictures of a message, if it has any; the bytes stand elsewhere in the page, once for all trials."""
    shown_here = [
        {"hash": one.sha256 or "", "name": visible_text(str(one)), "alt": visible_text(one.alt or ""), "size": one.size}
        for one in attachments_of(message)
    ]
    return {"pictures": shown_here} if shown_here else {}


def _call(name: str, arguments: dict[str, Any]) -> View:
    short = ", ".join(f"{key}={_value(value)}" for key, value in arguments.items())
    return {"name": visible_text(name), "short": visible_text(short)[:200], "arguments": _value(arguments, indent=2)}


def _meta(message: SpokenMessage, began: datetime | None) -> str:
    parts = []
    if isinstance(message, AssistantMessage) and message.author:
        told = [
            f"{one['from']} → {one['to']}{': ' * ('reason' in one)}{one.get('reason', '')}"
            for one in message.handoffs or ()
        ]
        parts.append(visible_text("; ".join([message.author, *told])))
    now = _time(message.timestamp)
    if began is not None and now is not None and (now.tzinfo is None) == (began.tzinfo is None):
        parts.append(f"+{_seconds((now - began).total_seconds())}")
    if (message.generation_time_seconds or 0.0) >= 0.05:
        parts.append(f"thought {_seconds(message.generation_time_seconds or 0.0)}")
    if message.usage:
        parts.append(f"{message.usage.prompt_tokens:,} → {message.usage.completion_tokens:,} tokens")
    if message.cost:
        parts.append(money(message.cost))
    if message.cut_off:
        parts.append("cut off at the token limit")
    if message.text_calls:
        parts.append(f"tool call as text{', run' if message.text_calls_run else ', not run'}")
    if message.asked_again:
        parts.append(f"asked again: {'; '.join(message.asked_again)}")
    if message.role_lost:
        parts.append(f"out of its role: {message.role_lost}")
    if message.mended_end:
        parts.append("end mark in another form")
    return " · ".join(parts)


def _time(stamp: str | None) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp) if stamp else None
    except ValueError:
        return None


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 90 else f"{seconds / 60:.1f} min"


def _value(value: Any, indent: int | None = None) -> str:
    return visible_text(json.dumps(value, ensure_ascii=False, indent=indent))


def _pretty(content: str) -> str:
    """A tool's result, indented when it is JSON."""
    try:
        value = json.loads(content)
        return _value(value, indent=2) if isinstance(value, (dict, list)) else visible_text(content)
    except (ValueError, RecursionError):
        return visible_text(content)
