"""Gates as units: from totals to exit status, lines and baseline; whole runs are in tests/options/test_gate.py."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.metrics.robustness import TrialConduct
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, Measures, TrialFacts
from pytest_tau.plugin.reporting.gates import Gates
from pytest_tau.plugin.run import Run
from pytest_tau.plugin.settings.reading import Settings
from pytest_tau.reports.comparisons import compared_runs
from tests.plugin.conftest import MakeRun

OK, FAILED, USAGE, NONE = (
    pytest.ExitCode.OK,
    pytest.ExitCode.TESTS_FAILED,
    pytest.ExitCode.USAGE_ERROR,
    pytest.ExitCode.NO_TESTS_COLLECTED,
)
HELD, BROKEN, DOUBT = "pass^1 >= 50 %", "pass^1 > 50 %", "cost <= 5"
Make = Callable[..., Gates]


@pytest.fixture
def make(make_run: MakeRun) -> Make:
    """Gates of a run with these settings, by an agent that is named unless they say otherwise."""
    return lambda **chosen: Gates(make_run(**{"agent": "my:Agent", **chosen}))


def totals(*outcomes: str, agent: str = "my:Agent", planned: int = 1) -> Totals:
    """Of a run with a task for each outcome; nobody knows what it cost."""
    made = Totals()
    for number, outcome in enumerate(outcomes):
        made.plan("mock", f"task_{number}", planned)
        made.add(TrialFacts("mock", f"task_{number}", outcome, costs=Costs(None), agent=agent, user="scripted"))
    return made


HALF = totals("passed", "missed")


@pytest.mark.parametrize("only_misses", [True, False])
@pytest.mark.parametrize(
    ("gates", "inconclusive", "status"),
    [
        ((HELD,), "fail", OK),
        ((BROKEN,), "fail", FAILED),
        ((BROKEN,), "pass", FAILED),
        ((DOUBT,), "fail", FAILED),
        ((DOUBT,), "pass", OK),
        ((HELD, DOUBT), "pass", OK),
        ((HELD, DOUBT), "fail", FAILED),
        ((HELD, BROKEN), "pass", FAILED),
        ((DOUBT, BROKEN), "pass", FAILED),
    ],
)
@pytest.mark.parametrize("before", [OK, FAILED])
def test_gates_decide_and_make_nothing_good_but_misses(
    make: Make, gates: tuple[str, ...], inconclusive: str, status: int, only_misses: bool, before: int
) -> None:
    made = make(gate=gates, inconclusive=inconclusive)
    made.decide(HALF, {}, {}, None)
    assert made.exit_status(before, only_misses=only_misses) == (status if only_misses else FAILED)


@pytest.mark.parametrize("status", [OK, FAILED])
def test_without_a_gate_pytests_own_status_stands(make: Make, status: int) -> None:
    made = make(baseline="b.json", bless=True)
    made.decide(HALF, {}, {}, None)
    assert made.exit_status(status, only_misses=True) == status


@pytest.mark.parametrize("outcome", ["infra_error", "invalid", "error"])
@pytest.mark.parametrize(("coverage", "status"), [(1.0, FAILED), (0.51, FAILED), (0.5, OK), (0.0, OK)])
def test_trials_without_a_verdict_are_missing(make: Make, outcome: str, coverage: float, status: int) -> None:
    made = make(gate=(HELD,), min_coverage=coverage)
    made.decide(totals("passed", outcome), {}, {}, None)
    assert made.exit_status(FAILED, only_misses=True) == status
    [line] = made.lines()
    missing = "FAILED: no gate holds: 1 of 2 planned trials have a verdict (50.0 %)"
    assert line.startswith(f"gate {HELD}: {'HELD' if status == OK else missing}")


@pytest.mark.parametrize("why", ["the run was interrupted", "the run was stopped early (stopping after 1 failures)"])
def test_a_spoiled_run_holds_no_gate_and_is_no_baseline(make: Make, why: str) -> None:
    made = make(gate=("pass^1 >= 0", DOUBT), min_coverage=0.0, inconclusive="pass", baseline="b.json", bless=True)
    made.decide(HALF, {}, {}, why)
    assert [line.partition(": ")[2] for line in made.lines()[:2]] == [f"FAILED: no gate holds: {why}"] * 2
    assert made.lines()[2].endswith(f"b.json: not written: {why}")
    assert made.exit_status(OK, only_misses=True) == FAILED


def test_the_oracle_that_a_conftest_left_to_play_is_found_out(pytester: pytest.Pytester) -> None:
    pytester.mkdir("tests").joinpath("conftest.py").touch()  # which might have named an agent
    run = Run(pytester.parseconfig())
    run.settings = Settings(gate=(HELD,))
    made = Gates(run)
    made.decide(totals("passed", "passed", agent="oracle"), {}, {}, None)
    assert made.exit_status(OK, only_misses=True) == USAGE
    assert made.lines()[0].startswith("gates and baselines need an agent, and the oracle that plays by default")


@pytest.mark.parametrize(
    ("chosen", "sentence"),
    [
        ({"gate": ("pass^1",)}, "gate 'pass^1': 'pass^1' compares nothing; *"),
        ({"gate": ("pass^1 >= 80",)}, "gate 'pass^1 >= 80': 80 is more than all; write such as 0.80 or 80 %"),
        ({"gate": ("no regression",)}, "gate 'no regression': name the run to compare with by --tau-baseline FILE"),
        ({"bless": True}, "--tau-bless writes a baseline: name its file with --tau-baseline FILE"),
        ({"baseline": "b.json"}, "*b.json: there is no baseline; write one with --tau-bless"),
        (
            {"gate": ("moc: pass^1 >= 0",), "domain": ("mock", "retail")},
            "gate 'moc: pass^1 >= 0': the run has no domain 'moc'; it has mock, retail",
        ),
        (
            {"gate": ("mock, timeout: pass^1 >= 0",), "domain": ("mock",), "faults": "timeout:0.3"},
            "gate 'mock, timeout: *': the run has no domain 'mock, timeout'; it has mock, 'mock, timeout:0.3'",
        ),
    ],
)
def test_what_could_never_be_decided_is_refused(make: Make, chosen: dict[str, Any], sentence: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        make(**chosen)
    pytest.LineMatcher([str(refused.value)]).fnmatch_lines([sentence])


def test_more_trials_than_are_planned_of_any_task_are_refused(make: Make) -> None:
    gates = make(gate=("pass^3 >= 0",))
    gates.check_trials([])  # nothing is known yet
    gates.check_trials([1, 3])
    with pytest.raises(pytest.UsageError, match=r"needs 3 trials of a task, and this run has 2; run with --tau-k 3"):
        gates.check_trials([2, 1])


@pytest.mark.parametrize(
    ("shard", "instead"),
    [
        ((1, 2), "leave the gate to the merged run"),
        (None, "select all trials of a task, or raise the k of its test's marker"),
    ],
)
def test_where_k_is_enough_more_of_it_is_no_way_out(make: Make, shard: tuple[int, int] | None, instead: str) -> None:
    gates = make(gate=("pass^3 >= 0",), k=4, shard=shard)
    with pytest.raises(pytest.UsageError, match=rf"needs 3 trials of a task, and this run has 2; {instead}$"):
        gates.check_trials([2, 1])


def test_a_blessed_run_is_what_the_next_one_is_compared_with(make: Make) -> None:
    tasks, parts = {"mock/task_0": "1"}, {"policy.md of mock": "2"}
    first = make(baseline="b.json", bless=True, gate=("no regression", HELD))
    first.decide(HALF, tasks, parts, None)
    assert first.lines()[0] == "gate no regression: HELD: not compared: this run becomes the baseline"
    assert first.lines()[1].startswith(f"gate {HELD}: HELD: ")
    assert first.lines()[2] == f"baseline written: {first.blessed}"
    second = make(baseline="b.json", gate=("no regression",))
    assert dict(second.counts()) == {"mock/task_0": (1, 1), "mock/task_1": (0, 1)}
    second.decide(HALF, tasks, parts, None)
    assert second.lines()[0].startswith("gate no regression: HELD: unchanged: ")
    stale = make(baseline="b.json", gate=("pass^1 >= 0",), max_steps=150)
    stale.decide(HALF, tasks, parts, None)
    assert stale.counts() == {}  # no report compares with what was refused
    assert stale.exit_status(OK, only_misses=True) == FAILED
    assert stale.lines()[0].endswith(
        "b.json: this baseline is stale: max_steps was 200 and is 150; write a new one with --tau-bless"
    )


def test_two_baselines_of_tests_whose_tasks_have_slashes_compare_all_tasks(make: Make) -> None:
    found = Totals()
    for row in ("mock, test_it, x", "mock, test_it, y/z"):
        for task in ("one/1", "two/1", "three"):
            found.plan(row, task, 1)
            found.add(TrialFacts(row, task, "missed" if task == "one/1" else "passed", agent="my:Agent"))
    written = []
    for name in ("a.json", "b.json"):
        made = make(baseline=name, bless=True)
        made.decide(found, {}, {}, None)
        written.append(str(made.blessed))
    lines, _ = compared_runs(written)
    assert lines[0].startswith("unchanged: pass^1 66.7 % → 66.7 % over 3 common tasks")


def test_a_run_with_gaps_is_no_baseline(make: Make) -> None:
    made = make(baseline="b.json", bless=True)
    made.decide(totals("passed", planned=2), {}, {}, None)
    assert made.lines()[0].endswith("b.json: not written: some planned trials have no verdict")
    assert made.blessed is None
    assert made.exit_status(OK, only_misses=True) == FAILED


def test_what_was_not_needed_is_no_gap_and_stands_in_no_baseline(make: Make) -> None:
    """Tasks under a changed policy whose rule was decided before any of their trials."""
    made, found = make(baseline="b.json", bless=True), totals("passed")
    found.plan("mock, delete:kind", "task_0", 0)
    made.decide(found, {}, {}, None)
    assert made.lines() == [f"baseline written: {made.blessed}"]
    assert dict(make(baseline="b.json").counts()) == {"mock/task_0": (1, 1)}


def test_gates_of_each_of_several_agents_see_its_variants(make: Make) -> None:
    made = Totals()
    for label, typos in (("a", "passed"), ("b", "missed")):
        for row, outcome, variant in (("", "passed", None), ("-typos", typos, {"label": "typos"})):
            conduct = TrialConduct(outcome == "passed")
            scores = Measures(scores={"flip": conduct, "robust": conduct})
            facts = TrialFacts(f"mock, {label}{row}", "t", outcome, costs=Costs(1.0), agent=label, label=label)
            made.add(replace(facts, variant=variant, measures=scores))
    gates = make(gate=("cost <= 1", "replays <= 0", "flip <= 0.5", "mock: pass^1 >= 1", "mock, typos: pass^1 >= 1"))
    gates.decide(made, {}, {}, None)
    assert gates.lines() == [
        "gate a: cost <= 1: FAILED: the run cost $2.00; at most $1.00 allowed",
        "gate a: replays <= 0: HELD: 0 of 2 trials were played again (0.0 %); at most 0.0 % allowed",
        "gate a: flip <= 0.5: HELD: flip is 0.0 % over 1 variant of 1 task; at most 50.0 % allowed",
        "gate a: mock: pass^1 >= 1: HELD: pass^1 is 100.0 %: 1 of 1 task solved; 100.0 % required",
        "gate a: mock, typos: pass^1 >= 1: HELD: pass^1 is 100.0 %: 1 of 1 task solved; 100.0 % required",
        "gate b: cost <= 1: FAILED: the run cost $2.00; at most $1.00 allowed",
        "gate b: replays <= 0: HELD: 0 of 2 trials were played again (0.0 %); at most 0.0 % allowed",
        "gate b: flip <= 0.5: FAILED: flip is 100.0 % over 1 variant of 1 task; at most 50.0 % allowed",
        "gate b: mock: pass^1 >= 1: HELD: pass^1 is 100.0 %: 1 of 1 task solved; 100.0 % required",
        "gate b: mock, typos: pass^1 >= 1: FAILED: pass^1 is 0.0 %: 0 of 1 task solved; 100.0 % required",
    ]


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (".", "it is a folder"),
        ("/dev/null", "it is a device, pipe or socket, and no file"),
        ("file.txt/b.json", "file.txt is no folder"),
    ],
)
def test_a_baseline_that_cannot_be_written_is_refused_before_anything_is_played(
    make: Make, tmp_path: Path, file: str, why: str
) -> None:
    (tmp_path / "file.txt").touch()
    with pytest.raises(pytest.UsageError, match=f"--tau-baseline .*: cannot be written: .*{why}; name another file"):
        make(baseline=file, bless=True)
    make(baseline="new/folder/b.json", bless=True)


def test_a_gate_names_a_domain_of_the_tasks_of_a_suite(make: Make) -> None:
    make(domain=("retail_long",), gate=("retail: pass^1 >= 0",))
    with pytest.raises(pytest.UsageError, match="the run has no domain 'retail_long'; it has retail"):
        make(domain=("retail_long",), gate=("retail_long: pass^1 >= 0",))
