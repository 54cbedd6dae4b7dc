"""``--tau-bless``: an action, so it has no ini twin."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.options.usage import refused
from tests.plugin.inner import AGENTS, mock_run, workers, write
from tests.plugin.parts import mock_play

FILE = "evals/mock.json"
BLESS = (f"--tau-baseline={FILE}", "--tau-bless")
OK, FAILED, USAGE = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.USAGE_ERROR


def written(pytester: pytest.Pytester) -> dict[str, Any] | None:
    path = pytester.path / FILE
    content: dict[str, Any] | None = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None
    return content


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, pytest.param(workers, marks=pytest.mark.slow)])
def test_writes_what_the_run_has_shown(pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]) -> None:
    pytester.makepyfile(agents=AGENTS)
    args = (*BLESS, "--tau-agent=agents:Completes", "--tau-k=2", "--tau-gate=pass^1 >= 0")
    result = run(pytester, "--tau-domain=mock", *args)
    assert result.ret == OK
    result.stdout.fnmatch_lines([f"baseline written: {pytester.path}*mock.json"])
    content = written(pytester)
    assert content is not None
    assert content["agent"] == "agents:Completes"
    assert content["options"]["user"] == "scripted"
    assert {"policy.md of mock", "tools.py of mock", "db.json of mock", "version of pytest-tau"} <= set(
        content["parts"]
    )
    counts = {key: (task["successes"], task["trials"]) for key, task in content["tasks"].items()}
    assert counts["mock/complete_a_task"] == (2, 2)
    assert counts["mock/count_my_tasks"] == (0, 2)
    assert len(counts) == 6


def test_replaces_the_old_one_without_comparing(pytester: pytest.Pytester) -> None:
    two = (*BLESS, "--tau-tasks=2")
    assert mock_play(pytester, *two, "--tau-agent=oracle").ret == OK
    result = mock_play(pytester, *two, "--tau-agent=noop", "--tau-gate=no regression")
    assert result.ret == OK
    result.stdout.fnmatch_lines(["gate no regression: HELD: not compared: this run becomes the baseline"])
    content = written(pytester)
    assert content is not None
    assert {task["successes"] for task in content["tasks"].values()} == {0}


def test_changes_nothing_about_other_gates_and_misses(pytester: pytest.Pytester) -> None:
    one = (*BLESS, "--tau-tasks=1", "--tau-agent=noop")
    assert mock_play(pytester, *one, "--tau-gate=pass^1 > 0").ret == FAILED
    assert mock_play(pytester, *one).ret == FAILED
    assert written(pytester) is not None


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (("--tau-agent=agents:Provider",), "some planned trials have no verdict"),
        (("--tau-agent=noop", "-x"), "the run was stopped early (*)"),
    ],
)
def test_a_run_with_gaps_is_not_written(pytester: pytest.Pytester, args: tuple[str, ...], reason: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    run = mock_run if "-x" in args else mock_play
    result = run(pytester, *BLESS, "--tau-tasks=2", *args, "--tau-gate=no regression", "--tau-min-coverage=0")
    assert result.ret == FAILED
    result.stdout.fnmatch_lines([f"*mock.json: not written: {reason}"])
    assert written(pytester) is None


def test_a_place_that_cannot_be_written_is_told(pytester: pytest.Pytester) -> None:
    pytester.makefile(".txt", file="not a folder")
    said = refused(
        pytester, "--tau-domain=mock", "--tau-baseline=file.txt/mock.json", "--tau-bless", "--tau-agent=noop"
    )
    said.fnmatch_lines(
        ["ERROR: --tau-baseline *mock.json: cannot be written: *file.txt is no folder; name another file"]
    )


def test_needs_a_file(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-bless", "--tau-agent=oracle").fnmatch_lines(
        ["ERROR: --tau-bless writes a baseline: name its file with --tau-baseline FILE"]
    )


def test_collecting_writes_nothing(pytester: pytest.Pytester) -> None:
    assert mock_play(pytester, *BLESS, "--tau-agent=oracle", "--collect-only").ret == OK
    assert written(pytester) is None


def test_has_no_ini_twin(pytester: pytest.Pytester) -> None:
    write(pytester.path, "pytest.ini", f"[pytest]\ntau_bless = true\ntau_baseline = {FILE}\n")
    refused(pytester, "--tau-domain=mock", "--tau-agent=oracle").fnmatch_lines(["ERROR: *there is no baseline; *"])
