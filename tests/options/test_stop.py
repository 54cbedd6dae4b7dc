"""``--tau-stop``: plays in rounds, and no more than it takes to decide every gate; what was spared is no miss."""

import json
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.journal import read_trials
from tests.options.usage import refused
from tests.plugin.inner import rows, workers
from tests.plugin.parts import mock_play, play

STOP = ("--tau-domain=mock", "--tau-k=4", "--tau-agent=noop", "--tau-stop", "--tau-gate=pass^1 >= 0.8")
DECIDED = (
    "gate pass^1 >= 0.8: FAILED: certain after * of 24 trials: whatever the others do, pass^1 ends between 0.0 % and *"
)


def trials(pytester: pytest.Pytester, results: str = ".tau") -> list[str]:
    return [str(content["nodeid"]) for content in read_trials(pytester.path / results / "latest")]


def test_plays_in_rounds_until_the_gate_is_certain(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    result = pytester.runpytest(*STOP, "--junitxml=junit.xml")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["19 of 24 trials were not played: every gate is decided (--tau-stop).", DECIDED])
    assert [nodeid.rpartition("trial")[2] for nodeid in trials(pytester)] == ["1]"] * 5
    assert rows(result)["mock"]["trials"] == "5"
    assert rows(result)["mock"]["pass^1"] == "0.0 % over 5"  # without an interval
    result.stdout.fnmatch_lines(["Estimates of a run that was stopped, without intervals; *"])
    result.stdout.no_fnmatch_line("*leaves out*")
    result.assert_outcomes(skipped=19, failed=0)
    assert 'skipped="19"' in (pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert_it_is_compared_by_what_was_played(capsys)
    before = trials(pytester)
    again = play(pytester, *STOP, "--tau-resume")
    assert again.ret == pytest.ExitCode.TESTS_FAILED
    assert trials(pytester) == before
    again.stdout.fnmatch_lines([DECIDED])


def assert_it_is_compared_by_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", ".tau", ".tau"]) == 0
    assert "have no verdict" not in capsys.readouterr().out
    lines = json.loads(Path(".tau/latest/decided.json").read_text(encoding="utf-8"))
    assert lines[0].startswith("gate pass^1 >= 0.8: FAILED: certain after 5 of 24 trials")


@pytest.mark.slow
def test_with_workers_a_resumed_run_says_the_same_and_plays_nothing(pytester: pytest.Pytester) -> None:
    first = workers(pytester, *STOP)
    before = trials(pytester)
    assert 5 <= len(before) < 24
    again = workers(pytester, *STOP, "--tau-resume")
    assert again.ret == first.ret == pytest.ExitCode.TESTS_FAILED
    assert trials(pytester) == before
    again.stdout.fnmatch_lines([DECIDED])


def test_a_run_that_was_stopped_goes_on_with_the_option_only(pytester: pytest.Pytester) -> None:
    play(pytester, *STOP, "--tau-tasks=1")
    without = [argument for argument in STOP if argument != "--tau-stop"]
    refused(pytester, *without, "--tau-tasks=1", "--tau-resume").fnmatch_lines(["*--tau-stop was true and is false*"])
    more = [argument.replace("--tau-k=4", "--tau-k=8") for argument in STOP]
    refused(pytester, *more, "--tau-tasks=1", "--tau-resume").fnmatch_lines(
        ["*--tau-k was 4 and is 8, and the looks of --tau-stop were planned for it*"]
    )


def test_a_run_that_goes_on_with_another_gate_is_played_until_that_is_decided(pytester: pytest.Pytester) -> None:
    play(pytester, *STOP)
    other = [*STOP[:-1], "--tau-gate=pass^1 >= 0.1", "--tau-gate=pass^4 >= 0"]
    result = play(pytester, *other, "--tau-resume")
    assert len(trials(pytester)) > 10
    result.stdout.fnmatch_lines(["gate pass^1 >= 0.1: FAILED: certain after * of 24 trials: *", "gate pass^4 >= 0: *"])
    assert "0.1: FAILED" in (pytester.path / ".tau/latest/decided.json").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_comparison_is_decided_at_a_bound(pytester: pytest.Pytester) -> None:
    retail = ("--tau-domain=retail", "--tau-k=4", "--tau-baseline=base.json")
    pytester.runpytest(*retail, "--tau-agent=oracle", "--tau-bless", "--tau-results=before")
    gates = ("--tau-gate=no regression", "--tau-gate=cost <= 5")
    result = pytester.runpytest(*retail, "--tau-agent=noop", "--tau-stop", *gates)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        [
            "gate no regression: FAILED: decided after round 1 of 4 at an O'Brien-Fleming bound: worse: *",
            "gate cost <= 5: HELD: the run cost $0.00; at most $5.00 allowed",
        ]
    )
    assert len(trials(pytester)) < 60


def test_trials_that_ran_ahead_are_played_to_their_end_and_count(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest(*STOP, "--tau-concurrency=3")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    played = trials(pytester)
    assert 5 <= len(played) <= 5 + 2 * 3
    result.assert_outcomes(skipped=24 - len(played))
    result.stdout.fnmatch_lines([f"{24 - len(played)} of 24 trials were not played: *", DECIDED])


def test_a_run_that_nothing_decides_is_played_to_its_end(pytester: pytest.Pytester) -> None:
    two = ("--tau-tasks=2", "--tau-k=2")
    result = mock_play(pytester, *two, "--tau-agent=oracle", "--tau-stop", "--tau-gate=pass^1 >= 1")
    assert result.ret == pytest.ExitCode.OK
    assert len(trials(pytester)) == 4
    result.stdout.fnmatch_lines(["gate pass^1 >= 1: HELD: pass^1 is 100.0 %: * 100.0 % required"])


def test_a_shard_stops_where_the_others_cannot_change_it(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in (1, 2):
        result = play(pytester, *STOP, f"--tau-shard={part}/2", f"--tau-results=shard-{part}")
        result.stdout.fnmatch_lines(["7 of 12 trials were not played: *", DECIDED])
    assert main(["merge", "shard-1", "shard-2", "-o", "merged"]) == 0
    told = capsys.readouterr().out
    assert "| mock   |     6 |     10 |" in told
    assert "14 of 24 trials were not played: every gate is decided (--tau-stop)." in told
    assert " [0–" not in told
    result = play(pytester, *STOP, "--tau-resume", "--tau-results=merged")
    result.stdout.fnmatch_lines(["14 of 24 trials were not played: *", DECIDED])
    assert len(trials(pytester, "merged")) == 10


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "--tau-stop stops playing when every gate is decided: give one with --tau-gate"),
        (
            ("--tau-gate=pass^1 > 0", "--tau-bless", "--tau-baseline=b.json"),
            "--tau-bless: a baseline needs all trials; leave out --tau-stop",
        ),
    ],
)
def test_what_cannot_be_stopped_is_refused(
    pytester: pytest.Pytester, arguments: tuple[str, ...], sentence: str
) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-agent=noop", "--tau-stop", *arguments).fnmatch_lines(
        [f"ERROR: {sentence}"]
    )
