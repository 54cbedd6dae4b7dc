"""``--tau-snapshot``: collected tasks against their snapshots, without a test being written."""

import shutil
from collections.abc import Callable
from functools import partial

import pytest

from tests.cli.usage import assert_refused, refused
from tests.conftest import PLUGINS
from tests.plugin.inner import AGENTS, journal, make_shop, mock_run, outcomes, shop_task, task, workers, write

TOOLS, UPDATE = "--tau-snapshot=tools", "--snapshot-update"
ONE = "--tau-tasks=complete_a_task"
TWO = "--tau-tasks=complete_a_task,add_a_task"
VARIES = '''
from pytest_tau import AssistantMessage, ToolCall

CALLS = [("get_users", {}), ("update_task_status", {"task_id": "task_1", "status": "completed"})]


class Varies:
    """Does the same in another order in its second trial."""

    def __init__(self, context):
        self.calls = CALLS[:: -1 if context.trial == 2 else 1]

    def reply(self, messages):
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


def files(pytester: pytest.Pytester, folder: str = "tau/mock") -> list[str]:
    return sorted(path.name for path in (pytester.path / "snapshots" / folder).glob("*"))


def test_of_a_built_in_suite_lies_in_the_project(pytester: pytest.Pytester) -> None:
    mock_run(pytester, TWO, TOOLS, UPDATE).assert_outcomes(passed=2)
    assert len(files(pytester)) == 2
    text = (pytester.path / "snapshots/tau/mock/complete_a_task.tools.txt").read_text(encoding="utf-8")
    assert 'assistant: update_task_status\n    status: "completed"\n    task_id: "task_1"\n' in text
    result = mock_run(pytester, TWO, TOOLS, "--tau-k=2")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["4 snapshots passed."])


def test_holds_no_secret(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "update_task_status")  # as if a model had said it
    mock_run(pytester, ONE, TOOLS, UPDATE)
    text = (pytester.path / "snapshots/tau/mock/complete_a_task.tools.txt").read_text(encoding="utf-8")
    assert "update_task_status" not in text
    assert "assistant: [key]" in text


@pytest.mark.parametrize("level", ["tools", "messages", "state"])
def test_each_level_holds_what_it_says(pytester: pytest.Pytester, level: str) -> None:
    pytester.makeini(f"[pytest]\ntau_snapshot = {level}")
    mock_run(pytester, ONE, UPDATE)
    (name,) = files(pytester)
    assert name == f"complete_a_task.{level}.txt"
    text = (pytester.path / "snapshots/tau/mock" / name).read_text(encoding="utf-8")
    assert ("###STOP###" in text) == (level == "messages")
    assert ("assistant: update_task_status" in text) == (level != "state")
    assert ("agent: tasks[task_1]" in text) == (level == "state")
    mock_run(pytester, ONE).assert_outcomes(passed=1)


def test_a_missing_one_is_an_error_that_says_how_to_write_it(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, ONE, TOOLS)
    result.stdout.fnmatch_lines(["no snapshot yet: snapshots/tau/mock/complete_a_task.tools.txt; write it with *"])
    assert outcomes(pytester.path) == {"complete_a_task": "error"}
    assert files(pytester) == []


RUNS = pytest.mark.parametrize(
    "run", [pytest.Pytester.runpytest, pytest.param(partial(workers, number=2), marks=pytest.mark.slow)]
)
Run = Callable[..., pytest.RunResult]


def test_another_order_of_calls_is_named(pytester: pytest.Pytester) -> None:
    args = (ONE, TOOLS, "--tau-agent=varies:Varies")
    assert mock_run(pytester, *args, UPDATE).ret == pytest.ExitCode.OK
    result = mock_run(pytester, *args, "--tau-k=2", "--tau-gate=pass^1 >= 0", "--tau-min-coverage=0")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["snapshot differs: 1 moved (*)", "moved: assistant: update_task_status (from 2 to 1)"])
    assert {record.trial: record.outcome.value for record in journal(pytester.path)} == {1: "passed", 2: "error"}
    assert result.ret == pytest.ExitCode.TESTS_FAILED


@RUNS
def test_on_update_trials_that_differ_are_named_and_fail_the_run(pytester: pytest.Pytester, run: Run) -> None:
    args = ("--tau-domain=mock", ONE, TOOLS, "--tau-agent=varies:Varies", "--tau-k=3", UPDATE)
    result = run(pytester, *args, "--tau-gate=pass^1 >= 0")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["snapshots/tau/mock/*.txt: it is trial 1's, and not what happened in trial 2"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    text = (pytester.path / "snapshots/tau/mock/complete_a_task.tools.txt").read_text(encoding="utf-8")
    assert text.startswith("assistant: get_users\n")


def test_on_update_without_trial_1_nothing_is_written(pytester: pytest.Pytester) -> None:
    one = "tau/mock/complete_a_task.json::test_task[trial2]"
    result = pytester.runpytest(one, TOOLS, "--tau-k=2", UPDATE)
    result.stdout.fnmatch_lines(["*: not written, since trial 1 was not there to take it from; left out: trial 2"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert files(pytester) == []


def test_a_difference_is_told_before_a_miss_and_with_it(pytester: pytest.Pytester) -> None:
    mock_run(pytester, ONE, TOOLS, UPDATE)
    result = mock_run(pytester, ONE, TOOLS, "--tau-agent=noop")
    result.stdout.fnmatch_lines(
        ["snapshot differs: 2 removed (*)", "missed DB*", "Run exactly this trial again: *tools*"]
    )
    assert outcomes(pytester.path) == {"complete_a_task": "error"}


def test_a_miss_that_is_as_in_the_snapshot_is_a_miss(pytester: pytest.Pytester) -> None:
    for args in ([UPDATE], []):
        result = mock_run(pytester, ONE, TOOLS, "--tau-agent=noop", *args)
        result.stdout.fnmatch_lines(["missed DB*"])
        assert outcomes(pytester.path) == {"complete_a_task": "missed"}
    assert (pytester.path / "snapshots/tau/mock" / files(pytester)[0]).read_text(encoding="utf-8") == "(no calls)\n"


def test_a_trial_that_was_not_finished_is_not_compared(pytester: pytest.Pytester) -> None:
    mock_run(pytester, ONE, TOOLS, UPDATE)
    mock_run(pytester, ONE, TOOLS, UPDATE, "--tau-agent=agents:Provider")
    assert outcomes(pytester.path) == {"complete_a_task": "infra_error"}
    assert len(files(pytester)) == 1


STALE = "removed_task.tools.txt"


def test_a_partial_run_neither_reports_nor_deletes_others(pytester: pytest.Pytester) -> None:
    mock_run(pytester, TOOLS, UPDATE)
    write(pytester.path, f"snapshots/tau/mock/{STALE}", "old\n")
    for narrowed in (
        ("--tau-domain=mock", ONE),
        ("--tau-domain=mock", ONE, UPDATE),
        ("--tau-domain=mock", "-k", "complete", UPDATE),
        ("--tau-domain=mock", "-m", "write and not search", UPDATE),
        ("tau/mock", UPDATE),
        ("--tau-domain=mock", "--deselect=tau/mock/add_a_task.json", UPDATE),
        ("tau/mock/complete_a_task.json::test_task[trial1]", UPDATE),
    ):
        result = pytester.runpytest(*narrowed, TOOLS)
        assert result.ret == pytest.ExitCode.OK
        result.stdout.no_fnmatch_line("*unused*")
        assert len(files(pytester)) == 7, narrowed


@RUNS
def test_a_whole_run_reports_what_no_task_has_and_deletes_it_on_update(pytester: pytest.Pytester, run: Run) -> None:
    args = ("--tau-domain=mock", TOOLS)
    pytester.runpytest(*args, UPDATE)
    write(pytester.path, f"snapshots/tau/mock/{STALE}", "old\n")
    write(pytester.path, "snapshots/tau/mock/removed_task.state.txt", "(nothing changed)\n")
    write(pytester.path, "snapshots/tau/mock/notes.txt", "somebody's\n")
    write(pytester.path, "snapshots/tau/shop/removed_task.tools.txt", "of a suite that is not run\n")
    result = run(pytester, *args, "--tau-agent=oracle", "--tau-gate=pass^1 >= 0.9", "--snapshot-details")
    result.stdout.fnmatch_lines(["6 snapshots passed. 2 snapshots unused.", f"Unused removed_task.tools (*{STALE})"])
    run(pytester, *args, UPDATE).stdout.fnmatch_lines(["*2 unused snapshots deleted."])
    assert len(files(pytester)) == 7
    assert files(pytester, "tau/shop") == ["removed_task.tools.txt"]


def test_a_stale_one_fails_a_run_whose_gates_hold(pytester: pytest.Pytester) -> None:
    args = (TOOLS, "--tau-agent=noop", "--tau-gate=pass^1 >= 0")
    make_shop(pytester.path)
    pytester.runpytest("--tau-domain=shop", *args, UPDATE)
    assert pytester.runpytest("--tau-domain=shop", *args).ret == pytest.ExitCode.OK
    write(pytester.path, f"snapshots/tasks/shop/{STALE}", "old\n")
    assert pytester.runpytest("--tau-domain=shop", *args).ret == pytest.ExitCode.TESTS_FAILED
    assert pytester.runpytest("--tau-domain=shop", *args, "--snapshot-warn-unused").ret == pytest.ExitCode.OK


def test_tasks_that_a_hook_or_a_mode_leaves_out_still_have_theirs(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    shutil.move(pytester.path / "tasks/shop/sell_one.json", pytester.path / "single.json")
    write(pytester.path, "tasks/shop/all.json", [shop_task("one"), shop_task("Two / [x]"), shop_task("three")])
    assert pytester.runpytest("--tau-domain=shop", TOOLS, UPDATE).ret == pytest.ExitCode.OK
    assert len(files(pytester, "tasks/shop/all")) == 3
    pytester.makeconftest("def pytest_tau_modify_tasks(tasks): del tasks[1:]")
    result = pytester.runpytest("--tau-domain=shop", TOOLS)
    result.stdout.fnmatch_lines(["1 snapshot passed."])
    assert result.ret == pytest.ExitCode.OK


def test_ids_that_mean_harm_stay_within_the_folder(pytester: pytest.Pytester) -> None:
    ids = ["../../../../escape", "a/b", "x" * 300, "nul", "A", "a", "::b[c]", "line\nbreak \x1b[2J"]
    write(pytester.path, "tasks/mock/all.json", [task(task_id) for task_id in ids])
    before = set(pytester.path.parent.glob("*"))
    for args in ([UPDATE], []):
        result = pytester.runpytest("--tau-domain=mock", TOOLS, *args)
        result.assert_outcomes(passed=len(ids))
    assert len(files(pytester, "tasks/mock/all")) == len(ids)
    assert set(pytester.path.parent.glob("*")) == before


@pytest.mark.parametrize("content", [b"\xff\xfe", None])
def test_one_that_cannot_be_read_is_told(pytester: pytest.Pytester, content: bytes | None) -> None:
    path = pytester.path / "snapshots/tau/mock/complete_a_task.tools.txt"
    path.parent.mkdir(parents=True)
    path.mkdir() if content is None else path.write_bytes(content)
    for args in ([], ["--tau-k=2", UPDATE]):
        result = mock_run(pytester, ONE, TOOLS, *args)
        result.stdout.fnmatch_lines(["snapshots/tau/mock/*.txt: the snapshot cannot be read or written: *Error: *"])
        result.stdout.no_fnmatch_line("*INTERNALERROR*")
        assert set(outcomes(pytester.path).values()) == {"error"} or args


def test_new_ones_only(pytester: pytest.Pytester) -> None:
    mock_run(pytester, ONE, TOOLS, UPDATE)
    write(pytester.path, "snapshots/tau/mock/complete_a_task.tools.txt", "assistant: other\n")
    result = mock_run(pytester, TWO, TOOLS, "--tau-k=2", "--snapshot-update-new-only")
    result.assert_outcomes(passed=2, failed=2)
    assert len(files(pytester)) == 2


def test_without_syrupy_it_is_a_usage_error(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", TOOLS, "-p", "no:syrupy").fnmatch_lines(
        ["ERROR: --tau-snapshot needs syrupy, which is *: pip install 'pytest-tau?snapshot?'"]
    )


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("snapshot", "calls", "must be one of tools, messages, state, not 'calls'")
