"""``--tau-snapshot``: collected tasks against their snapshots, without a test being written."""

from collections.abc import Callable
from functools import partial

import pytest

from pytest_tau import simulate
from pytest_tau.plugin.integrations.snapshot_files import stale
from pytest_tau.reports.trajectory_text import LEVELS, Level, trajectory_text
from tests.builders import mock, whole
from tests.conftest import PLUGINS, Shared
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, journal, make_shop, mock_run, outcomes, shop_task, task, workers, write
from tests.plugin.parts import collect

TOOLS, UPDATE = "--tau-snapshot=tools", "--snapshot-update"
ONE = "--tau-tasks=complete_a_task"
FOLDER = "snapshots/tau/mock"
STALE, NO_CALLS = "removed_task.tools.txt", "(no calls)\n"
TWO = "--tau-tasks=complete_a_task,add_a_task"
VARIES = '''
from pytest_tau import AssistantMessage, InfraError, ToolCall

CALLS = [("get_users", {}), ("update_task_status", {"task_id": "task_1", "status": "completed"})]


class Varies:
    """Does the same in another order in its second trial; where tasks are counted, its provider is down."""

    def __init__(self, context):
        self.down = context.task_id == "count_my_tasks"
        self.calls = CALLS[:: -1 if context.trial == 2 else 1]

    def reply(self, messages):
        if self.down:
            raise InfraError("the provider is down")
        if not self.calls:
            return "Goodbye."
        name, arguments = self.calls.pop(0)
        return AssistantMessage(tool_calls=[ToolCall(id=name, name=name, arguments=arguments)])
'''


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    return (*PLUGINS, "syrupy")


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS, varies=VARIES)


@pytest.fixture(scope="module")
def written(shared_run: Shared) -> dict[str, str]:
    """The snapshots that a run of the mock suite writes, by name."""
    with shared_run() as pytester:
        mock_run(pytester, "-psyrupy", TOOLS, UPDATE).assert_outcomes(passed=6)
        return {path.name: path.read_text("utf-8") for path in (pytester.path / FOLDER).iterdir()}


def keep(pytester: pytest.Pytester, files: dict[str, str]) -> None:
    """Put snapshots into a project."""
    for name, text in files.items():
        write(pytester.path, f"{FOLDER}/{name}", text)


def files(pytester: pytest.Pytester, folder: str = "tau/mock") -> list[str]:
    return sorted(path.name for path in (pytester.path / "snapshots" / folder).glob("*"))


def test_of_a_built_in_suite_lies_in_the_project(written: dict[str, str]) -> None:
    assert len(written) == 6
    text = written["complete_a_task.tools.txt"]
    assert 'assistant: update_task_status\n    status: "completed"\n    task_id: "task_1"\n' in text


@pytest.mark.parametrize("level", LEVELS)
def test_each_level_holds_what_it_says(level: Level) -> None:
    (played,) = [task for task in whole("mock") if task.id == "complete_a_task"]
    text = trajectory_text(simulate(played, mock(), "oracle"), played, mock(), level)
    assert ("###STOP###" in text) == (level == "messages")
    assert ("assistant: update_task_status" in text) == (level != "state")
    assert ("agent: tasks[task_1]" in text) == (level == "state")


def test_the_ini_value_names_the_level_and_no_secret_is_written(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]\ntau_snapshot = messages")
    monkeypatch.setenv("SHOP_API_KEY", "update_task_status")  # as if a model had said it
    mock_run(pytester, ONE, UPDATE)
    assert files(pytester) == ["complete_a_task.messages.txt"]
    text = (pytester.path / FOLDER / "complete_a_task.messages.txt").read_text(encoding="utf-8")
    assert "###STOP###" in text
    assert "update_task_status" not in text
    assert "assistant: [key]" in text
    mock_run(pytester, ONE).assert_outcomes(passed=1)


def test_what_differs_is_told_with_the_miss_what_is_missing_with_how_to_write_it(
    pytester: pytest.Pytester, written: dict[str, str]
) -> None:
    """And a miss that is as in the snapshot is a miss."""
    kept = {"complete_a_task.tools.txt": written["complete_a_task.tools.txt"], "count_my_tasks.tools.txt": NO_CALLS}
    keep(pytester, kept)
    result = mock_run(pytester, f"{TWO},count_my_tasks", TOOLS, "--tau-agent=noop")
    result.stdout.fnmatch_lines(
        [
            "no snapshot yet: snapshots/tau/mock/add_a_task.tools.txt; write it with *",
            "snapshot differs: 2 removed (*)",
            "missed DB*",
            "Run exactly this trial again: *tools*",
            "missed COMMUNICATE*",
        ]
    )
    assert outcomes(pytester.path) == {"add_a_task": "error", "complete_a_task": "error", "count_my_tasks": "missed"}
    assert files(pytester) == list(kept)


RUNS = pytest.mark.parametrize(
    "run", [pytest.Pytester.runpytest, pytest.param(partial(workers, number=2), marks=pytest.mark.slow)]
)
Run = Callable[..., pytest.RunResult]


def test_another_order_of_calls_is_named(pytester: pytest.Pytester, written: dict[str, str]) -> None:
    keep(pytester, written)
    args = (ONE, TOOLS, "--tau-agent=varies:Varies", "--tau-k=2", "--tau-gate=pass^1 >= 0", "--tau-min-coverage=0")
    result = mock_run(pytester, *args)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["snapshot differs: 1 moved (*)", "moved: assistant: update_task_status (from 2 to 1)"])
    assert {record.trial: record.outcome.value for record in journal(pytester.path)} == {1: "passed", 2: "error"}
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@RUNS
def test_on_update_trials_that_differ_are_named_and_fail_the_run(pytester: pytest.Pytester, run: Run) -> None:
    """One that was not finished is not compared, and leaves the file as it is."""
    keep(pytester, {"count_my_tasks.tools.txt": "as it was\n"})
    args = ("--tau-domain=mock", f"{ONE},count_my_tasks", TOOLS, "--tau-agent=varies:Varies", "--tau-k=3", UPDATE)
    result = run(pytester, *args, "--tau-gate=pass^1 >= 0", "--tau-min-coverage=0.5")
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(["snapshots/tau/mock/*.txt: it is trial 1's, and not what happened in trial 2"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = (pytester.path / FOLDER / "complete_a_task.tools.txt").read_text(encoding="utf-8")
    assert text.startswith("assistant: get_users\n")
    assert {record.outcome.value for record in journal(pytester.path) if record.task_id != "complete_a_task"} == {
        "infra_error"
    }
    assert (pytester.path / FOLDER / "count_my_tasks.tools.txt").read_text(encoding="utf-8") == "as it was\n"


def test_on_update_without_trial_1_nothing_is_written_and_nothing_else_deleted(pytester: pytest.Pytester) -> None:
    keep(pytester, {STALE: "old\n"})
    one = "tau/mock/complete_a_task.json::test_task[trial2]"
    result = pytester.runpytest(one, TOOLS, "--tau-k=2", UPDATE)
    result.stdout.fnmatch_lines(["*: not written, since trial 1 was not there to take it from; left out: trial 2"])
    result.stdout.no_fnmatch_line("*unused*")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert files(pytester) == [STALE]


@pytest.mark.parametrize(
    "narrowed",
    [
        ("--tau-domain=mock", ONE),
        ("--tau-domain=mock", "-k", "complete"),
        ("--tau-domain=mock", "-m", "write and not search"),
        ("tau/mock",),
        ("--tau-domain=mock", "--deselect=tau/mock/add_a_task.json"),
        ("tau/mock/complete_a_task.json::test_task[trial1]",),
    ],
)
def test_a_partial_run_calls_none_stale(
    pytester: pytest.Pytester, written: dict[str, str], narrowed: tuple[str, ...]
) -> None:
    """What it calls so is what syrupy reports, and deletes on update."""
    keep(pytester, {**written, STALE: "old\n"})
    (of_all, *_) = collect(pytester, "--tau-domain=mock", TOOLS).items
    assert stale(of_all) == [pytester.path / FOLDER / STALE]
    items = collect(pytester, *narrowed, TOOLS).items
    assert items
    assert [stale(item) for item in items] == [[]] * len(items)


def test_a_partial_run_neither_reports_nor_deletes_others(pytester: pytest.Pytester, written: dict[str, str]) -> None:
    keep(pytester, {**written, STALE: "old\n"})
    result = mock_run(pytester, "-k", "complete", TOOLS, UPDATE)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.no_fnmatch_line("*unused*")
    assert len(files(pytester)) == 7


@RUNS
def test_a_whole_run_reports_what_no_task_has_and_deletes_it_on_update(
    pytester: pytest.Pytester, written: dict[str, str], run: Run
) -> None:
    """What is stale fails a run whose gates hold, unless it is only to be told."""
    args = ("--tau-domain=mock", TOOLS)
    keep(pytester, {**written, STALE: "old\n", "removed_task.state.txt": "(nothing changed)\n", "notes.txt": "mine\n"})
    write(pytester.path, f"snapshots/tau/shop/{STALE}", "of a suite that is not run\n")
    gated = (*args, "--tau-agent=oracle", "--tau-gate=pass^1 >= 0.9", "--snapshot-details")
    result = run(pytester, *gated)
    result.stdout.fnmatch_lines(["6 snapshots passed. 2 snapshots unused.", f"Unused removed_task.tools (*{STALE})"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert run(pytester, *gated, "--snapshot-warn-unused").ret == pytest.ExitCode.OK
    run(pytester, *args, UPDATE).stdout.fnmatch_lines(["*2 unused snapshots deleted."])
    assert len(files(pytester)) == 7
    assert files(pytester, "tau/shop") == [STALE]


def test_what_one_of_several_agents_did_is_stale_in_no_run_of_others(pytester: pytest.Pytester) -> None:
    """In a file of several tasks an agent's name stands before the id, and would look like a task that is gone."""
    make_shop(pytester.path)
    (pytester.path / "tasks/shop/sell_one.json").unlink()
    write(pytester.path, "tasks/shop/all.json", [shop_task(id="one"), shop_task(id="two")])
    shop = ("--tau-domain=shop", TOOLS, "--tau-agent=oracle")
    pytester.runpytest(*shop, UPDATE).assert_outcomes(passed=2)
    pytester.runpytest(*shop, "--tau-agent=other=oracle", UPDATE).assert_outcomes(passed=4)

    for others in ((), ("--tau-agent=third=oracle",)):
        result = pytester.runpytest(*shop, *others, UPDATE)
        result.stdout.no_fnmatch_line("*unused*")
    assert files(pytester, "tasks/shop/all") == ["one.tools.txt", "two.tools.txt"]
    assert len(files(pytester, "variants/tasks/shop/all")) == 6


def test_a_miss_is_written_and_compared_as_what_it_is(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    args = ("--tau-domain=shop", TOOLS, "--tau-agent=noop", "--tau-gate=pass^1 >= 0")
    for update in ([UPDATE], []):
        result = pytester.runpytest(*args, *update)
        result.stdout.fnmatch_lines(["missed DB*"])
        assert outcomes(pytester.path) == {"sell_one": "missed"}
        assert result.ret == pytest.ExitCode.OK
        assert (pytester.path / "snapshots/tasks/shop/sell_one.tools.txt").read_text(encoding="utf-8") == NO_CALLS


def test_ids_that_mean_harm_stay_within_the_folder(pytester: pytest.Pytester) -> None:
    """And tasks that a hook leaves out still have theirs."""
    ids = ["../../../../escape", "a/b", "x" * 300, "nul", "A", "a", "::b[c]", "line\nbreak \x1b[2J"]
    write(pytester.path, "tasks/mock/all.json", [task(task_id) for task_id in ids])
    before = set(pytester.path.parent.glob("*"))
    for args in ([UPDATE], []):
        result = pytester.runpytest("--tau-domain=mock", TOOLS, *args)
        result.assert_outcomes(passed=len(ids))
    assert len(files(pytester, "tasks/mock/all")) == len(ids)
    assert set(pytester.path.parent.glob("*")) == before
    pytester.makeconftest("def pytest_tau_modify_tasks(tasks): del tasks[1:]")
    (item,) = collect(pytester, "--tau-domain=mock", TOOLS).items
    assert stale(item) == []


def test_one_that_cannot_be_read_is_told(pytester: pytest.Pytester) -> None:
    folder = pytester.path / FOLDER
    (folder / "add_a_task.tools.txt").mkdir(parents=True)
    (folder / "complete_a_task.tools.txt").write_bytes(b"\xff\xfe")
    said = "snapshots/tau/mock/{}.tools.txt: the snapshot cannot be read or written: *Error: *"
    for args in ([], ["--tau-k=2", UPDATE]):
        result = mock_run(pytester, TWO, TOOLS, *args)
        result.stdout.fnmatch_lines([said.format("add_a_task"), *([] if args else [said.format("complete_a_task")])])
        result.stdout.no_fnmatch_line("*INTERNALERROR*")
        assert set(outcomes(pytester.path).values()) == {"error"} or args


def test_new_ones_only(pytester: pytest.Pytester, written: dict[str, str]) -> None:
    """Others are compared, and those that are as they were pass in every trial."""
    keep(pytester, {"complete_a_task.tools.txt": "assistant: other\n"})
    keep(pytester, {name: text for name, text in written.items() if name.startswith("delete")})
    result = mock_run(pytester, f"{TWO},delete_a_task", TOOLS, "--tau-k=2", "--snapshot-update-new-only")
    result.assert_outcomes(passed=4, failed=2)
    assert len(files(pytester)) == 3


def test_without_syrupy_it_is_a_usage_error(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", TOOLS, "-p", "no:syrupy").fnmatch_lines(
        ["ERROR: --tau-snapshot needs syrupy, which is *: pip install 'pytest-tau?snapshot?'"]
    )


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("snapshot", "calls", "must be one of tools, messages, state, not 'calls'")
