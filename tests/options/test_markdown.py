"""``--tau-markdown``, and the summary page of a job on GitHub."""

from collections.abc import Callable

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import AGENTS, make_shop, workers
from tests.plugin.parts import mock_play, play

COMPLETES = ("--tau-agent=agents:Completes", "--tau-tasks=complete_a_task,count_my_tasks", "--tau-k=2")
GATES = ("--tau-gate=pass^1 >= 0.5", "--tau-gate=every task: pass^1 > 0")


@pytest.fixture(autouse=True)
def _project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    pytester.makepyfile(agents=AGENTS)


def written(pytester: pytest.Pytester, name: str = "run.md") -> list[str]:
    return (pytester.path / name).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_holds_the_table_the_gates_and_the_misses(
    pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]
) -> None:
    result = run(pytester, "--tau-domain=mock", *COMPLETES, *GATES, "--tau-markdown=out/run.md")
    result.stdout.fnmatch_lines([f"written: {pytester.path / 'out' / 'run.md'}"])
    lines = written(pytester, "out/run.md")
    assert lines[0] == "## mock: agents:Completes, k 2"
    assert [line for line in lines if line in result.outlines and line.startswith("| mock ")]
    assert (
        r"- gate pass^1 \>= 0.5: HELD: pass^1 is 50.0 %: 2 of 4 conversations succeeded (2 tasks); 50.0 % required"
        in lines
    )
    assert [line for line in lines if line.startswith(r"- gate every task: pass^1 \> 0: FAILED: 1 of 2 tasks break it")]
    missed = [line for line in lines if line.startswith("- `tau/mock/count_my_tasks.json::test_task[trial")]
    assert len(missed) == 2
    assert all(line.partition(": ")[2].startswith("unintended write: update\\_task\\_status") for line in missed)
    assert "Agent: `agents:Completes`. User: `scripted`." in lines
    assert "<details><summary>All 2 tasks</summary>" in lines
    assert "- domains: `mock (built in)`" in lines
    assert any(line.startswith("- command: `pytest --tau-domain=mock --tau-agent=agents:Completes") for line in lines)


def test_replaces_what_stood_there_and_is_silent_about_gates_and_misses_where_there_are_none(
    pytester: pytest.Pytester,
) -> None:
    mock_play(pytester, *COMPLETES, "--tau-markdown=run.md")
    mock_play(pytester, "--tau-tasks=1", "--tau-markdown=run.md")
    assert not [line for line in written(pytester) if line.startswith("###")]
    assert "Agent: `oracle`. User: `scripted`." in written(pytester)
    assert [line for line in written(pytester) if line.startswith("## ")] == ["## mock: oracle, k 1"]


def test_a_jobs_summary_grows_with_each_run(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    (pytester.path / "summary.md").write_text("## Build\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    mock_play(pytester, *COMPLETES, *GATES)
    mock_play(pytester, "--tau-tasks=1")
    lines = written(pytester, "summary.md")
    assert lines[0] == "## Build"
    headings = ["## Build", "## mock: agents:Completes, k 2", "## mock: oracle, k 1"]
    assert [line for line in lines if line.startswith("## ")] == headings
    assert lines.count("### Gates") == 1


def test_a_jobs_summary_is_about_runs_of_suites(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    make_shop(pytester.path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    play(pytester, "tasks").assert_outcomes(passed=1)
    assert not (pytester.path / "summary.md").exists()


def test_a_summary_that_cannot_be_written_is_told(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "nowhere" / "summary.md"))
    result = mock_play(pytester, "--tau-tasks=1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED  # who asks for a report relies on it
    result.stdout.fnmatch_lines(["not written: *summary.md: *"])


def test_an_empty_value_is_a_usage_error() -> None:
    assert_refused("markdown", " ", "must not be empty")


def test_says_how_it_scatters_and_groups_the_tasks(pytester: pytest.Pytester) -> None:
    two = ("--tau-agent=faulty:rate=0.5", "--tau-k=2", "--tau-tasks=complete_a_task,count_my_tasks")
    result = mock_play(pytester, *two, "-v", "--tau-markdown=run.md")
    lines = written(pytester)
    assert "<details><summary>How it scatters, and groups of tasks</summary>" in lines
    for start in ("pass@1 ", "tasks' pass rates: ", "noise floor: "):
        (line,) = [line for line in result.outlines if line.startswith(start)]
        assert f"- {line}" in [shown.replace("\\", "").replace("\u2060", "") for shown in lines]
    assert [line for line in lines if line.startswith("- pass rate of each trial over the tasks: ")]
    assert [line for line in lines if line.startswith("| gold path: 1 write ")]
