"""What the HTML report says of all trials together: rows of the heat map, what the browser is given, distributions."""

from collections.abc import Callable
from typing import Any

import pytest

from pytest_tau import Task
from pytest_tau.metrics.totals import Totals
from pytest_tau.reports.page import MEASURES, Baseline, Page
from pytest_tau.schema.record import Outcome, TrialRecord, Variant
from pytest_tau.schema.reward import Reward, Violation
from pytest_tau.schema.simulation import UserFinding
from tests.builders import a_call, asks, result_of, says, task
from tests.reports.runs import HOSTILE, hostile_run, hostile_tasks, record, simulation, small_run, small_tasks

PASSED, MISSED, BROKE = Outcome.PASSED, Outcome.MISSED, Outcome.INFRA_ERROR


def page(
    *records: TrialRecord,
    tasks: dict[tuple[str, str], Task] | None = None,
    baseline: Baseline | None = None,
    policies: dict[str, str] | None = None,
    totals: Totals | None = None,
) -> Page:
    made = Page(tasks or {}, totals or Totals(), baseline or {}, policies or {}, count=totals is None)
    for one in records:
        made.add(one)
    return made


def test_a_row_counts_the_trials_with_a_verdict_and_shows_all() -> None:
    (row,) = page(record("t", 3, BROKE), record("t", 1), record("t", 2, MISSED)).groups()["mock"]
    assert (row.name, row.graded) == ("mock/t", (1, 2))
    assert row.cells == [(1, 1, "passed"), (2, 2, "missed"), (3, 0, "infra_error")]


def test_rows_stand_in_groups_in_the_order_of_appearance() -> None:
    made = page(record("b"), record("x", domain="shop"), record("a"), record("b", 2))
    assert {domain: [row.task_id for row in rows] for domain, rows in made.groups().items()} == {
        "mock": ["b", "a"],
        "shop": ["x"],
    }
    assert [row.number for row in made.rows()] == [0, 1, 2]
    assert [trial["task"] for trial in made.trials] == [0, 1, 2, 0]


@pytest.mark.parametrize(
    ("outcomes", "before", "change", "turned"),
    [
        ([PASSED, PASSED], (0, 4), 1.0, "never → always"),
        ([MISSED], (2, 2), -1.0, "always → never"),
        ([PASSED, MISSED], (1, 4), 0.25, ""),
        ([PASSED, MISSED], (1, 2), 0.0, ""),
        ([PASSED], (0, 0), None, ""),
        ([BROKE], (2, 2), None, ""),
        ([PASSED], None, None, ""),
    ],
)
def test_how_much_more_often_a_task_passes_than_in_the_baseline(
    outcomes: list[Outcome], before: tuple[int, int] | None, change: float | None, turned: str
) -> None:
    records = [record("t", number, outcome) for number, outcome in enumerate(outcomes, start=1)]
    made = page(*records, baseline={} if before is None else {("mock", "t"): before})
    (row,) = made.rows()
    assert (row.change, row.turned) == (change, turned)
    word = {True: "better", False: "worse"}[change > 0] if change else ""
    assert [view["change"] for view in made.index()["tasks"]] == [word]


def told(trial: int, outcome: Outcome = PASSED) -> TrialRecord:
    """A trial of the task in other words."""
    made = record("t", trial, outcome, variant=Variant(label="typos", told="typos"))
    return made.model_copy(update={"nodeid": f"tasks/mock/t.json::test_task[typos-trial{trial}]"})


def test_a_variant_of_a_task_has_a_row_and_a_baseline_of_its_own() -> None:
    baseline = {("mock", "t"): (1, 1), ("mock, typos", "t"): (0, 1)}
    made = page(record("t"), told(1), baseline=baseline, tasks={("mock", "t"): task(id="t", tags=["easy"])})
    plain, varied = made.rows()
    assert (plain.domain, varied.domain, varied.home) == ("mock", "mock, typos", "mock")
    assert (plain.change, varied.change) == (0.0, 1.0)
    assert (plain.tags, varied.tags) == (["easy"], ["easy"])
    assert [len(view["parts"]) for view in made.index()["tasks"]] == [1, 1]  # what it is about is known of both
    assert made.totals.domains() == ["mock", "mock, typos"]


def test_an_agent_of_several_has_rows_of_its_own_beside_one_baseline() -> None:
    labelled = [
        record("t", label=name).model_copy(update={"nodeid": f"tasks/mock/t.json::test_task[{name}-trial1]"})
        for name in ("one", "two")
    ]
    made = page(*labelled, baseline={("mock", "t"): (0, 1)})
    assert [(row.domain, row.change) for row in made.rows()] == [("mock, one", 1.0), ("mock, two", 1.0)]


def test_a_test_in_python_has_rows_and_a_baseline_of_its_own() -> None:
    tested = [
        record("t", trial).model_copy(update={"nodeid": f"test_x.py::{test}[t-trial{trial}]"})
        for test in ("test_a", "test_b")
        for trial in (1, 2)
    ]
    baseline = {("mock, test_a", "t"): (2, 2), ("mock, test_b", "t"): (0, 2)}
    made = page(*tested, baseline=baseline, tasks={("mock", "t"): task(id="t", tags=["easy"])})
    assert [(row.name, row.graded, row.change) for row in made.rows()] == [
        ("mock, test_a/t", (2, 2), 0.0),
        ("mock, test_b/t", (2, 2), 1.0),
    ]
    assert {(*row.tags, row.home) for row in made.rows()} == {("easy", "mock")}
    assert made.totals.domains() == ["mock, test_a", "mock, test_b"]


def test_the_browser_knows_of_each_trial_what_it_filters_by() -> None:
    calls = [says(None, a_call("pay")), result_of(a_call("pay")), asks(None, a_call("look")), says(None, a_call("pay"))]
    broken = [
        Violation(dimension="consent", severity=1.0, text="no yes"),
        Violation(dimension="consent", severity=0.5, text="x"),
    ]
    finding = UserFinding(rule="invented fact", turn=1, text="x")
    trial = record(
        "t",
        2,
        MISSED,
        simulation=simulation(messages=calls, user_findings=[finding]),
        reward=Reward(value=0.0, violated=broken),
    )
    (found,) = page(trial).trials
    assert found["tools"] == ["look", "pay"]
    assert found["faults"] == ["partly done", "customer: invented fact", "rule broken: consent"]
    assert (found["trial"], found["outcome"], found["id"]) == (2, "missed", trial.nodeid)


def test_what_is_measured_of_a_trial() -> None:
    played = simulation(agent_cost=None, duration=0.0, steps=7)
    usage: dict[str, Any] = {"simulation": simulation(messages=[says("Hi!")], steps=0)}
    found = page(record(), record("u", simulation=played), record("v", **usage), record("w", simulation=None))
    assert list(MEASURES) == ["agent cost", "time", "steps", "tokens"]
    assert [trial["measures"] for trial in found.trials] == [
        (0.01, 12.0, 5, 1020),
        (None, None, 7, 1020),
        (0.01, 12.0, 1, None),
        (None, None, None, None),
    ]
    assert found.seconds == 24.0


def test_quantities_that_scatter_have_a_picture() -> None:
    alike, apart = [
        page(*(record("t", n, simulation=simulation(duration=seconds)) for n, seconds in enumerate(times, start=1)))
        for times in ([5.0] * 4, [1.0, 2.0, 4.0, 8.0])
    ]
    assert [one.name for one in alike.histograms()] == []
    assert [one.name for one in apart.histograms()] == ["time"]
    assert page().histograms() == []


def test_the_policy_of_a_domain_goes_with_each_of_its_rows() -> None:
    made = page(record("t"), told(1), record("x", domain="shop"), policies={"mock": "Be kind.", "other": "Be quick."})
    assert made.index()["policies"] == {"mock": "Be kind.", "mock, typos": "Be kind.", "other": "Be quick."}


@pytest.mark.parametrize(("seconds", "text"), [(89.94, "89.9 s"), (91.0, "2 min")])
def test_times_are_written_in_seconds_or_minutes(seconds: float, text: str) -> None:
    written: Callable[[float], str] = MEASURES["time"]
    assert written(seconds) == text


def test_totals_that_are_given_are_not_counted_again() -> None:
    totals = Totals()
    totals.plan("mock", "t", 4)
    assert page(record("t"), totals=totals).totals.done() == 0
    assert page(record("t"), told(1)).totals.done() == 2


def test_of_what_is_hostile_nothing_but_text_is_handed_on() -> None:
    made = page(*hostile_run(), tasks=hostile_tasks(), policies={text: text for text in HOSTILE})
    index = made.index()
    assert len(index["tasks"]) == len(index["trials"]) == len(HOSTILE)
    texts = [view["name"] for view in index["tasks"]] + [tool for trial in index["trials"] for tool in trial["tools"]]
    assert not [text for text in texts + list(index["policies"]) if {"\x00", "\x1b", "\u202e"} & set(text)]


def test_a_small_run_by_tags() -> None:
    made = page(*small_run(), tasks=small_tasks())
    assert {row.task_id: (row.tags, row.graded) for row in made.rows()} == {
        "always": (["easy"], (2, 2)),
        "sometimes": (["hard"], (1, 2)),
        "never": (["hard"], (0, 1)),
    }
