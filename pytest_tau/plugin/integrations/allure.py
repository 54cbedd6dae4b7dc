"""Trials in Allure: what each was about, its conversation, what it changed, its reward, and a step for each turn.

The run's facts are in ``environment.properties``. Registered only where ``--alluredir`` is given. What the parameter
``tau_slot`` holds (test, task and trial) keeps a trial's history together; agent, seed and the like are shown and left
out of it, so that another model goes on with it.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import allure
import allure_commons
import pytest

from ...errors import TauError
from ...printable import cut, printable
from ...reports.run_facts import Fact
from ...reports.verdict import differences
from ...schema.calls import render_call
from ...schema.messages import ToolMessage, with_names
from ...schema.record import TrialRecord
from ...scrub import conceal
from ..playing.handle import HANDLE
from ..workers.transport import TRIAL, look

if TYPE_CHECKING:
    from ...schema.messages import AnyMessage
    from ...schema.reward import Reward
    from ...schema.simulation import Simulation
    from ..collecting.slot import Slot

_WIDTH = 120
_PREFIX = "tau."  # of our lines in environment.properties


class AllureTrials:
    """Adds to Allure's result of a test what is known of its trial."""

    def __init__(self) -> None:
        allure_commons.plugin_manager.register(self)

    @pytest.hookimpl
    def pytest_unconfigure(self) -> None:
        """Leave Allure to others."""
        allure_commons.plugin_manager.unregister(self)

    @allure_commons.hookimpl(tryfirst=True)
    def report_result(self, result: Any) -> None:
        """Keep keys out of what Allure itself says of a failure, and what no file holds, before it is written."""
        for one in (result, *result.steps):
            _clean(one.statusDetails)

    @allure_commons.hookimpl(tryfirst=True)
    def report_container(self, container: Any) -> None:
        """The same for what a fixture has raised."""
        for one in (*container.befores, *container.afters):
            _clean(one.statusDetails)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Look at the report once the trial is on it, while Allure still has the test open."""
        report = yield
        if (line := look(report, TRIAL)) is not None:
            _tell(TrialRecord.of_line(line), item.stash[HANDLE].request.slot)
        return report


def _clean(told: Any) -> None:
    """Take keys and lone surrogates out of what Allure says of a failure."""
    for name in ("message", "trace") if told is not None else ():
        if text := getattr(told, name):
            setattr(told, name, conceal(text).encode("utf-8", "backslashreplace").decode("utf-8"))


def write_environment(folder: Path, facts: Sequence[Fact]) -> Path:
    """Write how the numbers came about where Allure's report shows it; what others say there stays. Raises OSError."""
    file = folder / "environment.properties"
    theirs = file.read_bytes().splitlines() if file.exists() else []
    ours = [f"{_PREFIX}{label.replace(' ', '_')}={_property(value)}".encode() for label, value in facts]
    lines = [line for line in theirs if not line.startswith(_PREFIX.encode())] + ours
    folder.mkdir(parents=True, exist_ok=True)
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    return file


def _property(value: str) -> str:
    """A value as Java reads it: on one line, with escapes for all but ASCII."""
    return json.dumps(printable(value))[1:-1].replace('\\"', '"')


def _tell(record: TrialRecord, slot: Slot) -> None:
    from ...reports.conversation import conversation_html

    _label(record, slot)
    if (played := record.simulation) is not None:
        _steps(played.messages)
        allure.attach(conversation_html(record, slot.task), "conversation", allure.attachment_type.HTML)
        allure.attach(_database(played, record.reward, slot), "database difference", allure.attachment_type.TEXT)
    if record.reward is not None:
        allure.attach(record.reward.model_dump_json(indent=2), "reward", allure.attachment_type.JSON)


def _label(record: TrialRecord, slot: Slot) -> None:
    task, played = slot.task, record.simulation
    wanted = task.user_scenario.instructions
    about = (task.description.purpose if task.description else None) or (
        wanted if isinstance(wanted, str) else wanted.reason_for_call
    )
    show: Any = allure.dynamic  # whose methods have no types
    show.epic("tau")
    show.feature(record.domain)
    show.story(_short(about) or printable(task.id))
    way = {"label": record.label, "variant": record.variant and record.variant.label}
    told = {name: value for name, value in way.items() if value}  # else trials of all agents would look alike
    name = ", ".join([f"{record.domain}/{task.id}", *told.values(), f"trial {record.trial}"])
    show.title(printable(name))
    show.parameter("tau_slot", printable(f"{record.domain}/{task.id}"))  # shown instead of a key of ours
    shown: dict[str, Any] = {**told, "trial": record.trial}
    if played is not None:
        shown |= {"agent": played.agent, "user": played.user, "seed": played.seed}
    for name, value in shown.items():
        show.parameter(name, value, excluded=True)
    for one in dict.fromkeys(v.dimension for v in (record.reward.violated if record.reward else None) or []):
        show.label("tau_violation", printable(one))
    if task.safety is not None:
        show.label("tau_safety", task.safety.category)


def _steps(messages: list[AnyMessage]) -> None:
    """A step for each turn; within it one for each call, with what it returned."""
    results = iter([message for message in messages if isinstance(message, ToolMessage)])
    for message in messages:
        if isinstance(message, ToolMessage):
            continue
        calls = message.tool_calls or []
        names = ", ".join(call.name for call in calls)
        with allure.step(_short(f"{message.role}: {with_names(message) or names}")):
            for call in calls:
                result = next(results, None)
                failed = result is not None and result.error
                with allure.step(_short(("failed: " if failed else "") + render_call(call.name, call.arguments))):
                    if result is not None:
                        allure.attach(printable(result.content or ""), "result", allure.attachment_type.TEXT)


def _database(played: Simulation, reward: Reward | None, slot: Slot) -> str:
    """What the trial changed, then where that is not what was expected."""
    from ...reports.trajectory_text import trajectory_text

    try:
        changed = trajectory_text(played, slot.task, slot.domain, "state")
    except TauError as error:
        changed = f"not known: {printable(str(error))}\n"
    graded = reward.result("DB") if reward else None
    lines = [printable(line) for line in differences(graded.differences)] if graded else []
    return f"Changed by the trial:\n\n{changed}" + "\n".join(["\nNot as expected:\n", *lines] if lines else [])


def _short(text: str) -> str:
    return cut(printable(" ".join(text.split())), _WIDTH)
