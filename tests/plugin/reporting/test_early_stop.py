"""When a run that stops early does; whole runs are in tests/options/test_stop.py."""

from collections.abc import Iterable

import pytest

from pytest_tau.manifest import early_decisions
from pytest_tau.metrics.baseline import Baseline, TaskCounts, save_baseline
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.plugin.reporting.early_stop import EarlyStop, check_stop
from pytest_tau.plugin.reporting.gates import Gates
from pytest_tau.plugin.run import Run

STOP = ("--tau-agent=noop", "--tau-stop", "--tau-gate=pass^1 >= 0.8")
TASKS = [f"tasks/mock/{name}.json::test_task" for name in "abcdef"]


def stopping(pytester: pytest.Pytester, *args: str, tasks: Iterable[str] = TASKS, k: int = 4) -> tuple[EarlyStop, Run]:
    run = Run(pytester.parseconfig(*STOP, f"--tau-k={k}", *args))
    made = EarlyStop(run, Gates(run))
    made.plan(dict.fromkeys(tasks, k), lambda task: ("mock", task))
    return made, run


def misses(made: EarlyStop) -> int:
    """How many first trials are missed until all is decided; all where it never is."""
    for number, task in enumerate(TASKS, 1):
        made.add(task, f"{task}[trial1]", "missed", ("mock", task))
        if made.decided is not None:
            return number
    return len(TASKS) + 1


def test_it_ends_where_no_other_trial_can_change_a_gate(pytester: pytest.Pytester) -> None:
    made, run = stopping(pytester)
    run.folder.mkdir(parents=True)
    assert misses(made) == 5
    assert made.problem is None
    assert [result.state.value for _, result in made.results()] == ["failed"]
    assert early_decisions(run.folder)[0].startswith("gate pass^1 >= 0.8: FAILED: certain after 5 of 24 trials")


def test_a_shard_that_does_not_know_all_trials_goes_on(pytester: pytest.Pytester) -> None:
    in_python, _ = stopping(pytester, "--tau-shard=1/2", tasks=[*TASKS, "test_it.py::test_it"])
    assert misses(in_python) > len(TASKS)
    many_parts, _ = stopping(pytester, "--tau-shard=1/8")
    assert misses(many_parts) > len(TASKS)
    assert misses(stopping(pytester, "--tau-shard=1/2")[0]) == 5


def test_where_there_are_no_looks_comparisons_are_adjusted_for_each_other(pytester: pytest.Pytester) -> None:
    tasks = {f"{row}/{name}": TaskCounts(successes=4, trials=4, hash="") for row in ("a", "b") for name in "stuv"}
    save_baseline(Baseline(created="2026-01-01", tasks=tasks), pytester.path / "b.json")
    gates = [f"--tau-gate={row}: no regression" for row in ("a", "b")]
    shard = ("--tau-agent=noop", "--tau-stop", "--tau-baseline=b.json", "--tau-shard=1/8")  # which has too few trials
    run = Run(pytester.parseconfig(*shard, *gates))
    made, totals = Gates(run), Totals()
    for row in ("a", "b"):
        for name in "stuv":
            totals.add(TrialFacts(row, name, "missed"))
    early = EarlyStop(run, made)
    early.plan(dict.fromkeys(TASKS, 1), lambda task: ("a", task))
    made.decide(totals, {}, {}, None, early)
    assert [result.comparison.family for result in made.results if result.comparison] == [2, 2]


def test_without_trials_nothing_is_decided(pytester: pytest.Pytester) -> None:
    made, _ = stopping(pytester, "--collect-only")
    assert misses(made) > len(TASKS)
    assert list(made.results()) == []


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--tau-stop",), "--tau-stop stops playing when every gate is decided: give one with --tau-gate"),
        (
            ("--tau-stop", "--tau-gate=cost <= 5", "--tau-gate=under policy >= 0.9"),
            "--tau-stop: none of the gates can be decided before the end of the run, as they look at what was played; "
            "add one on pass\\^k, or leave out --tau-stop",
        ),
        ((*STOP, "--tau-bless"), "--tau-bless: a baseline needs all trials; leave out --tau-stop"),
        ((*STOP, "--tau-rescore=run.json"), "--tau-rescore plays nothing, so there is nothing to stop"),
    ],
)
def test_what_cannot_be_stopped_is_refused(pytester: pytest.Pytester, args: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(pytest.UsageError, match=sentence):
        check_stop(Run(pytester.parseconfig(*args)))
