"""What the tests of the plugin share: projects to run pytest in, and readers of what a run prints and keeps.

The heavy modules are imported here, so that they stay imported: each run of pytest inside our process forgets the
modules that it was the first to import.
"""

import asyncio  # noqa: F401 (imported twice in one process, its exceptions would not be caught)
import importlib
import json
import pkgutil
import re
import textwrap
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import getdoc
from pathlib import Path
from typing import Any, Protocol

import pytest

import pytest_tau
from pytest_tau import load_domain, load_journal
from pytest_tau.plugin import hookspecs
from pytest_tau.plugin.workers import forking
from pytest_tau.schema.record import TrialRecord
from tests.plugin.copies import Shared, copied, copy_workers

importlib.import_module("jinja2")
with suppress(ModuleNotFoundError):  # of an extra; its parts know each other, and must not be imported twice
    importlib.import_module("PIL.Image").preinit()
# Environments are made of other packages' classes, which take long to import and need not be installed.
OTHERS = {f"pytest_tau.adapters.{name}" for name in ("gymnasium", "openenv", "verifiers")}
for module in pkgutil.walk_packages(pytest_tau.__path__, "pytest_tau."):
    if module.name not in OTHERS:
        with suppress(ModuleNotFoundError):  # of an extra that a framework's own environment does not have
            importlib.import_module(module.name)
for name in ("airline", "mock", "retail", "telecom"):
    load_domain(name)


def until(done: Callable[[], bool]) -> None:
    """Look again and again, for as long as a slow machine may take."""
    for _ in range(1200):
        if done():
            return
        time.sleep(0.05)
    pytest.fail("it did not come to that")


def example(hook: str) -> str:
    """The code in the docstring of a hook's specification."""
    _, found, code = (getdoc(getattr(hookspecs, hook)) or "").partition(".. code-block:: python\n")
    assert found, f"{hook} has no example"
    return textwrap.dedent(code)


SHOP = '''
from pydantic import BaseModel

from pytest_tau.environment import Database, DomainSpec, Table, Toolkit, tool


class Item(BaseModel):
    item_id: str
    stock: int


class ShopDB(Database):
    items: Table[Item]


class ShopTools(Toolkit):
    db: ShopDB

    @tool(writes=True)
    def sell(self, item_id: str, number: int = 1) -> Item:
        """Sell an item."""
        item = self.db.items[item_id]
        item.stock -= number
        return item


domain = DomainSpec(tools=ShopTools)
'''

AGENTS = '''
import asyncio
import os

from pytest_tau import AgentFault, AssistantMessage, InfraError, ToolCall


class Polite:
    """Does nothing, as a class that is its own factory."""

    def __init__(self, context):
        self.context = context
        self.asked = 0

    def reply(self, messages):
        self.asked += 1
        return "Goodbye."


class Completes(Polite):
    """Does what the task complete_a_task (and ours) wants."""

    def reply(self, messages):
        super().reply(messages)
        if self.asked > 1:
            return "Goodbye."
        call = ToolCall(id="1", name="update_task_status", arguments={"task_id": "task_1", "status": "completed"})
        return AssistantMessage(tool_calls=[call], cost=0.25)


class Raises(Polite):
    def reply(self, messages):
        raise ValueError("a bug in the agent")


class Asserts(Polite):
    def reply(self, messages):
        assert messages == "never so"


class Faults(Polite):
    def reply(self, messages):
        raise AgentFault("the agent gave up")


class Provider(Polite):
    def reply(self, messages):
        raise InfraError("the provider is down")


class Hangs(Polite):
    async def reply(self, messages):
        await asyncio.Event().wait()


class Loops(Polite):
    """Asks for ever, so that only a limit ends the conversation."""

    def reply(self, messages):
        return AssistantMessage(tool_calls=[ToolCall(id=str(len(messages)), name="get_users", arguments={})])


class Errs(Polite):
    def reply(self, messages):
        return AssistantMessage(tool_calls=[ToolCall(id=str(len(messages)), name="no_such_tool", arguments={})])


class Dies(Polite):
    """Takes its process down on one task."""

    def reply(self, messages):
        if self.context.task_id == "count_my_tasks" and self.context.trial == 1:
            os._exit(3)
        return super().reply(messages)


class Escapes(Polite):
    def reply(self, messages):
        return "\\x1b[2J\\x1b]0;owned\\x07 \\u202e Goodbye."


class Strange(Polite):
    """Puts what is no JSON into a call."""

    def reply(self, messages):
        if super().reply(messages) and self.asked > 1:
            return "Goodbye."
        return AssistantMessage(tool_calls=[ToolCall(id="1", name="get_users", arguments={"x": object()})])


def nothing(context):
    return 3


class Numbers(Polite):
    def reply(self, messages):
        return 3


class Broken:
    def __init__(self, context):
        raise ValueError("no such model")


number = 3
shared = Polite(None)


class Leaves:
    """A customer who hangs up at once."""

    def __init__(self, context):
        self.scenario = context.scenario

    def reply(self, messages):
        return "Never mind. ###STOP###"


class Silent(Leaves):
    def reply(self, messages):
        return ""
'''


def task(task_id: str = "one", **changes: Any) -> dict[str, Any]:
    """A task of the mock domain, as JSON data: tick off task_1."""
    action = {"action_id": "a", "name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}
    return {
        "id": task_id,
        "domain": "mock",
        "user_scenario": {"instructions": {"domain": "mock", "reason_for_call": "Done!", "task_instructions": "None."}},
        "evaluation_criteria": {"actions": [action], "reward_basis": ["DB"]},
        **changes,
    }


def shop_task(task_id: str = "sell_one", **changes: Any) -> dict[str, Any]:
    """A task of the shop."""
    action = {"action_id": "a", "name": "sell", "arguments": {"item_id": "kettle"}}
    criteria = {"actions": [action], "reward_basis": ["DB"]}
    return {**task(task_id), "domain": "shop", "evaluation_criteria": criteria, **changes}


def write(folder: Path, name: str, content: Any) -> Path:
    """A file: text as it is (without indentation), anything else as JSON."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(textwrap.dedent(content) if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def make_shop(root: Path) -> None:
    """A project with a domain of its own and one task."""
    write(root, "domains/shop/domain.py", SHOP)
    write(root, "domains/shop/policy.md", "Sell what is asked for.\n")
    write(root, "domains/shop/db.json", {"items": {"kettle": {"item_id": "kettle", "stock": 3}}})
    write(root, "tasks/shop/sell_one.json", shop_task())


def mock_run(pytester: pytest.Pytester, *args: str, plugins: Sequence[object] = ()) -> pytest.RunResult:
    """Run the built-in mock suite in this process."""
    return pytester.runpytest("--tau-domain=mock", *args, plugins=plugins)


def apart(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    """Run pytest in a process of its own, where that can be as a copy of one that has all imported."""
    with pytest.MonkeyPatch.context() as patch:
        if forking.can_fork():
            patch.setattr(pytester, "popen", copied)
        return pytester.runpytest_subprocess(*args)


def workers(pytester: pytest.Pytester, *args: str, number: int = 1) -> pytest.RunResult:
    """Run pytest with workers, whose controlling process is ours: each process more takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        if forking.can_fork():
            patch.setattr(forking, "ForkServer", Shared)
            patch.setattr(forking, "fork_workers", copy_workers)
        return pytester.runpytest(*args, f"-n{number}")


class Printed(Protocol):
    """What a run has printed."""

    @property
    def outlines(self) -> list[str]:
        """Its lines."""


def rows(result: Printed, first: str = "domain") -> dict[str, dict[str, str]]:
    """A Markdown table of the terminal: row by its first cell, cell by its head.

    Of the main one with the columns that stand in lines below it; outcomes that none had are not told there.
    """
    lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in result.outlines if line[:2] == "| "]
    start = next((number for number, cells in enumerate(lines) if cells[0] == first), None)
    if start is None:
        return {}
    table = {}
    for cells in lines[start + 2 :]:
        if len(cells) != len(lines[start]):
            break
        table[cells[0]] = dict(zip(lines[start], cells, strict=True))
    return _with_the_lines_below(table, result.outlines) if first == "domain" else table


def _with_the_lines_below(table: dict[str, dict[str, str]], outlines: Sequence[str]) -> dict[str, dict[str, str]]:
    for line in outlines:
        head, found, told = line.partition(": ")
        if not found or not re.fullmatch(r"tasks|missed|infra|invalid|errors|ungraded|steps|progress|pass\^\d+", head):
            continue
        for row in table:
            cell = told if len(table) == 1 else f", {told}, ".partition(f", {row} ")[2].partition(", ")[0]
            table[row].setdefault(head, cell)
    return {
        row: {**cells, **{name: "0" for name in ("missed", "infra") if name not in cells}}
        for row, cells in table.items()
    }


def journal(root: Path) -> list[TrialRecord]:
    """The trials of the latest run of a project."""
    return load_journal(root / ".tau")


def outcomes(root: Path) -> dict[str, str]:
    """What became of each task in the latest run of a project, for runs of one trial each."""
    return {record.task_id: record.outcome.value for record in journal(root)}


def collected(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The node IDs that pytest finds."""
    lines = pytester.runpytest("--collect-only", "-q", *args).outlines
    return [line for line in lines if "::" in line and not line.startswith(("ERROR", "FAILED"))]


class Found:
    """A plugin for one run: the tests that it is about to run, with their markers, and what became of each."""

    def __init__(self) -> None:
        self.markers: dict[str, set[str]] = {}
        self.outcomes: dict[str, str] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.markers = {item.nodeid: {marker.name for marker in item.iter_markers()} for item in session.items}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A test that is set up and then fails is of the latter outcome."""
        if report.when == "call" or not report.passed:
            self.outcomes[report.nodeid] = report.outcome

    @property
    def nodeids(self) -> list[str]:
        """In the order in which they are run."""
        return list(self.markers)


def what_counts(records: list[TrialRecord]) -> list[Any]:
    """All of a run that a replay has to give again: not when it was, nor how long a script thought."""
    kept = []
    for record in sorted(records, key=lambda record: (record.task_id, record.trial)):
        content = record.model_dump(mode="json")
        for name in ("id", "start_time", "end_time", "duration"):
            del content["simulation"][name]
        for message in content["simulation"]["messages"]:
            del message["timestamp"]
            if message["role"] == "user" and not content["simulation"]["user_parameters"]:
                message.pop("generation_time_seconds", None)
        kept.append(content)
    return kept
