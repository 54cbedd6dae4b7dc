"""Why a trial did not pass, in words: criteria, state expected and reached, what was not said, the last turns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..printable import cut, one_line
from ..schema.calls import render_call
from ..schema.messages import AnyMessage, AssistantMessage, ToolMessage, with_names
from ..schema.record import Fault
from ..schema.reward import Check, CriterionResult, Difference, Reward
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from .incidents import incidents_told
from .milestone_status import progress_line

LAST_TURNS = 6
WIDTH = 300


def verdict(
    task: Task, simulation: Simulation, reward: Reward | None, *, trial: int, rerun: str, fault: Fault | None = None
) -> str:
    """The whole text for a trial without full reward; every model-written part is made safe for a terminal."""
    value = "not graded" if reward is None or reward.value is None else f"reward {reward.value:g}"
    # pytest shows the first line beside the node ID in its short summary, so it says what the ID does not.
    lines = [f"{_headline(reward)} ({value}, ended by {simulation.termination_reason.value})"]
    lines.append(f"  {simulation.domain}/{task.id}, trial {trial}")
    if task.description and task.description.purpose:
        lines.append(f"  purpose: {task.description.purpose}")
    if fault is not None:
        lines.append(f"  fault: {fault}")
        if fault.repair is not None:
            lines.append(f"  repair: {fault.repair}")
    if reward is not None and reward.note and fault is None:  # which says it in our words
        lines.append(f"  {reward.note}")
    if reward is not None and (told := progress_line(reward)):
        lines.append(f"  progress: {told}")
    if simulation.termination_reason is Termination.TIMEOUT:
        took = (
            f"  The trial took {simulation.duration:.0f} s: --tau-timeout says how many seconds a trial may take, and"
        )
        lines.append(f"{took} --tau-timeout-as whether one that takes longer is an infra error or a miss.")
    lines += [f"  {sentence}" for sentence in incidents_told(simulation.incidents)]
    if cut := cut_off(simulation.messages):
        lines.append(f"  {cut}")
    if reward is not None and reward.retrieval is not None:
        lines.append(f"  documents: {reward.retrieval}")
    for result in reward.results if reward else []:
        lines += criterion_lines(result)
    if simulation.messages:
        lines += ["", f"Last turns of {len(simulation.messages)}:", *_turns(simulation.messages)]
    lines += ["", f"Run exactly this trial again:  {rerun}"]
    return "\n".join(one_line(line) for line in lines)


def cut_off(messages: Sequence[AnyMessage]) -> str:
    """A sentence about the turns in which a model reached its token limit, "" when none did."""
    turns = [str(turn) for turn, m in enumerate(messages) if not isinstance(m, ToolMessage) and m.cut_off]
    return f"The model reached its token limit in turn {', '.join(turns)} (finish_reason: length)." if turns else ""


def _headline(reward: Reward | None) -> str:
    missed = [result.criterion for result in reward.missed] if reward else []
    return f"missed {', '.join(missed)}" if missed else "not finished"


def criterion_lines(result: CriterionResult) -> Iterator[str]:
    """What became of one criterion, with the checks that were missed and the records that differ."""
    met = sum(check.met is True for check in result.checks)
    counted = f" ({met} of {len(result.checks)} met)" if result.checks else ""
    role = "" if result.in_basis else ", not part of the reward"
    state = {1.0: "met", 0.0: "MISSED", None: "open"}.get(result.value, str(result.value))
    yield f"  {result.criterion}: {state}{counted}{role}"
    if result.value != 1.0:
        yield from (f"    {line}" for line in differences(result.differences))
        yield from (f"    {_check(check)}" for check in result.checks if check.met is not True)


def _check(check: Check) -> str:
    return f"- {check.finding}"


def differences(found: Sequence[Difference]) -> Iterator[str]:
    """Differences by record, then by field, expected before actual."""
    record = ""
    for d in found:
        here = f"{d.side} database, {d.table}[{d.key}]" if d.key else f"{d.side} database, {d.table}"
        if here != record:
            record = here
            yield record
        yield f"  {d.path or '(record)'}"
        yield f"    expected: {'(absent)' if d.expected_absent else _json(d.expected)}"
        yield f"    actual:   {'(absent)' if d.actual_absent else _json(d.actual)}"


def _turns(messages: Sequence[AnyMessage]) -> Iterator[str]:
    for turn, message in list(enumerate(messages))[-LAST_TURNS:]:
        if isinstance(message, ToolMessage):
            yield f"  [{turn}] tool: {_short(with_names(message))}"
            continue
        author = message.author if isinstance(message, AssistantMessage) else None
        who = f"{message.role} ({author})" if author else message.role
        if shown := with_names(message):
            yield f"  [{turn}] {who}: {_short(shown)}"
        for call in message.tool_calls or []:
            yield f"  [{turn}] {who} calls {_short(render_call(call.name, call.arguments))}"


def _json(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False))


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return cut(flat, WIDTH, f" … ({len(flat)} characters)")
