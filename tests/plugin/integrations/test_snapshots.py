"""The fixture ``tau_snapshot``, with syrupy; the option has tests of its own."""

from collections.abc import Iterable

import pytest
import syrupy.session  # noqa: F401  (see inner.py: what a run within our process imports first, it forgets)

from pytest_tau.plugin.integrations.snapshot_files import stale
from pytest_tau.reports.trajectory_text import LEVELS
from tests.builders import whole
from tests.conftest import PLUGINS, Shared
from tests.plugin.inner import AGENTS, outcomes, workers
from tests.plugin.parts import collect
from tests.plugin.playing.test_from_recording import project  # noqa: F401 (a fixture)

MARKED = """
    import pytest

    @pytest.mark.tau(domain="mock", tasks={tasks!r})
    def test_it(tau_simulation, tau_snapshot):
        {body}
"""
FROM_TURN = """
    import pytest

    @pytest.mark.tau(domain="shop")
    def test_it(tau_conversation, tau_snapshot):
        tau_conversation.from_recording("log.jsonl#conversation-O7", turn=7)
        assert tau_conversation.simulation == tau_snapshot
"""
FOLDER = "snapshots/test_it/test_it"
TWO = ["complete_a_task", "count_my_tasks"]
SAME = "assert tau_simulation == tau_snapshot"
UPDATE = "--snapshot-update"


@pytest.fixture
def inner_plugins() -> tuple[str, ...]:
    return (*PLUGINS, "syrupy")


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)


def write(pytester: pytest.Pytester, body: str = SAME, tasks: list[str] | None = None) -> None:
    pytester.makepyfile(test_it=MARKED.format(tasks=tasks or TWO, body=body))


@pytest.fixture(scope="module")
def written(shared_run: Shared) -> dict[str, str]:
    """The snapshots of two tasks, as a run writes them, by name."""
    with shared_run() as pytester:
        write(pytester)
        pytester.runpytest("-psyrupy", UPDATE).assert_outcomes(passed=2)
        return {path.name: path.read_text("utf-8") for path in (pytester.path / FOLDER).iterdir()}


def keep(pytester: pytest.Pytester, written: Iterable[tuple[str, str]]) -> None:
    """Put snapshots into a project."""
    for name, text in written:
        path = pytester.path / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def files(pytester: pytest.Pytester) -> list[str]:
    folder = pytester.path / "snapshots"
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt"))


def test_the_first_run_says_how_to_write_it_and_the_next_ones_compare(
    pytester: pytest.Pytester, written: dict[str, str]
) -> None:
    write(pytester)
    result = pytester.runpytest("-k", "complete")
    result.stdout.fnmatch_lines(
        ["no snapshot yet: snapshots/test_it/test_it/complete_a_task.tools.txt; write it with *"]
    )
    assert outcomes(pytester.path) == {"complete_a_task": "error"}
    assert files(pytester) == []
    assert sorted(written) == [f"{name}.tools.txt" for name in TWO]
    keep(pytester, written.items())
    pytester.runpytest("--tau-k=2").assert_outcomes(passed=4)


def test_a_difference_is_an_error_and_no_miss_that_a_gate_lets_pass(
    pytester: pytest.Pytester, written: dict[str, str]
) -> None:
    write(pytester)
    keep(pytester, written.items())
    result = pytester.runpytest("--tau-agent=agents:Completes", "--tau-gate=pass^1 >= 0", "--tau-min-coverage=0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert outcomes(pytester.path) == {"complete_a_task": "error", "count_my_tasks": "error"}
    result.stdout.fnmatch_lines(
        [
            "snapshot differs: 1 removed (snapshots/test_it/test_it/complete_a_task.tools.txt)",
            "removed: assistant: get_users (was at 1)",
            "-assistant: get_users",
            "If this is how it should be, run again with --snapshot-update*",
        ]
    )


def test_levels_lie_side_by_side(pytester: pytest.Pytester) -> None:
    body = "\n        ".join(f"assert tau_simulation == tau_snapshot(level={level!r})" for level in LEVELS)
    write(pytester, body, TWO[:1])
    pytester.runpytest(UPDATE).assert_outcomes(passed=1)
    assert files(pytester) == [f"test_it/test_it/complete_a_task.{level}.txt" for level in sorted(LEVELS)]
    pytester.runpytest().assert_outcomes(passed=1)


def test_what_cannot_be_compared_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    marked = MARKED.format(tasks=TWO[:1], body="assert tau_snapshot(level='all')")
    pytester.makepyfile(test_level=marked, test_text=MARKED.format(tasks=TWO[:1], body="assert 'text' == tau_snapshot"))
    result = pytester.runpytest()
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        [
            "tau_snapshot: level must be one of tools, messages, state, not 'all'",
            "tau_snapshot is compared with tau_simulation, not with *str*",
        ]
    )


def test_without_syrupy_only_the_tests_that_need_it_fail(pytester: pytest.Pytester) -> None:
    write(pytester)
    result = pytester.runpytest("-p", "no:syrupy", "--tau-domain=mock", "--tau-tasks=1", ".")
    result.assert_outcomes(passed=1, errors=2)
    result.stdout.fnmatch_lines(["the fixture tau_snapshot needs syrupy, *pip install 'pytest-tau?snapshot?'"])


def test_a_task_that_is_gone_is_reported_by_whole_runs_and_deleted_on_update(
    pytester: pytest.Pytester, written: dict[str, str]
) -> None:
    write(pytester)
    keep(pytester, [*written.items(), ("add_a_task.tools.txt", "old\n")])
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["2 snapshots passed. 1 snapshot unused."])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert pytester.runpytest(UPDATE).ret == pytest.ExitCode.OK
    assert files(pytester) == [f"test_it/test_it/{name}.tools.txt" for name in TWO]


def test_a_partial_run_calls_none_stale(pytester: pytest.Pytester, written: dict[str, str]) -> None:
    """What it calls so is what syrupy reports, and deletes on update."""
    write(pytester)
    keep(pytester, [*written.items(), ("add_a_task.tools.txt", "old\n")])
    items = collect(pytester).items
    assert [stale(item) for item in items] == [[pytester.path / FOLDER / "add_a_task.tools.txt"]] * 2
    for partial in ("test_it.py", "test_it.py::test_it[complete_a_task-trial1]"):
        items = collect(pytester, partial).items
        assert items
        assert [stale(item) for item in items] == [[]] * len(items)


def test_a_trial_that_never_got_to_its_snapshot_does_not_make_it_stale(
    pytester: pytest.Pytester, written: dict[str, str]
) -> None:
    write(pytester)
    keep(pytester, written.items())
    result = pytester.runpytest("--tau-agent=agents:Provider", UPDATE)
    result.assert_outcomes(errors=2)
    result.stdout.no_fnmatch_line("*unused*")
    assert len(files(pytester)) == 2


@pytest.mark.parametrize("left_out", ["hook", "mode"])
def test_a_task_that_a_hook_or_a_mode_leaves_out_is_not_gone(pytester: pytest.Pytester, left_out: str) -> None:
    pytester.makepyfile(test_it=MARKED.format(tasks=None, body=SAME))
    keep(pytester, [(f"{task.id}.tools.txt", "as it was\n") for task in whole("mock")])
    if left_out == "hook":
        pytester.makeconftest("def pytest_tau_modify_tasks(tasks): del tasks[1:]")
    items = collect(pytester, *(["--tau-mode=solo"] if left_out == "mode" else [])).items
    assert 0 < len(items) < 6
    assert [stale(item) for item in items] == [[]] * len(items)


@pytest.mark.slow
def test_in_workers(pytester: pytest.Pytester) -> None:
    write(pytester)
    workers(pytester, "--tau-k=2", UPDATE, number=2).assert_outcomes(passed=4)
    write(pytester, tasks=TWO[:1])
    result = workers(pytester, "--tau-k=2", "--tau-agent=noop", "--tau-gate=pass^1 >= 0", UPDATE)
    result.stdout.fnmatch_lines(["1 snapshot updated. 1 unused snapshot deleted."])
    write(pytester)
    pytester.runpytest(UPDATE)
    write(pytester, tasks=TWO[:1])
    result = workers(pytester, "--tau-k=2", "--tau-agent=oracle", "--tau-gate=pass^1 >= 0")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["2 snapshots passed. 1 snapshot unused.", "gate pass^1 >= 0: HELD*"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_other_peoples_snapshots_are_none_of_ours(pytester: pytest.Pytester) -> None:
    write(pytester)
    pytester.makepyfile(test_other="def test_other(snapshot): assert snapshot == 1")
    pytester.runpytest(UPDATE).assert_outcomes(passed=3)
    result = pytester.runpytest()
    result.stdout.fnmatch_lines(["3 snapshots passed."])
    assert result.ret == pytest.ExitCode.OK
    # A run of the other test alone, and one that does not reach ours.
    pytester.runpytest("test_other.py", UPDATE)
    pytester.runpytest("--ignore=test_it.py", UPDATE)
    assert len(files(pytester)) == 2


def test_a_test_that_begins_in_a_log(project: pytest.Pytester) -> None:  # noqa: F811
    project.makepyfile(test_it=FROM_TURN)
    args = ("-psyrupy", "--tau-agent=oracle")
    project.runpytest(*args, UPDATE).assert_outcomes(passed=1)
    project.runpytest(*args).assert_outcomes(passed=1)
    [written] = (project.path / "snapshots").rglob("*.txt")
    assert "cancel_order" in written.read_text(encoding="utf-8")
    project.runpytest("-psyrupy", "--tau-agent=noop").assert_outcomes(failed=1)
