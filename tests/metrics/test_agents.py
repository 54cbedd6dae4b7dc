"""Several agents side by side: rows, ranks, costs, pairs."""

import pytest

from pytest_tau.metrics.agents import side_by_side
from pytest_tau.metrics.compare import Verdict
from pytest_tau.metrics.shared_tasks import shared_row
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from tests.metrics.agents import totals


@pytest.mark.parametrize(
    ("row", "shared"),
    [
        ("retail, gpt", "retail"),
        ("retail, gpt-typos", "retail, typos"),
        ("retail, test_x, gpt", "retail, test_x"),
        ("retail, test_x, gpt-slow", "retail, test_x, slow"),
    ],
)
def test_rows_are_shared_without_the_agents_label(row: str, shared: str) -> None:
    assert shared_row(row, "gpt") == shared


def test_a_run_of_one_agent_has_no_such_table() -> None:
    one = Totals()
    one.add(TrialFacts("retail", "t", "passed"))
    assert side_by_side(one) is None


def test_ranks_costs_and_pairs() -> None:
    good, bad = [[1, 1]] * 20, [[0, 1]] * 10 + [[0, 0]] * 10
    found = side_by_side(totals({"good": good, "bad": bad, "same": good}))
    assert found is not None
    assert [(one.name, one.passed, one.ranks) for one in found.agents] == [
        ("good", 40, ((1, 2), (1, 2))),
        ("bad", 10, ((3, 3), (3, 3))),
        ("same", 40, ((1, 2), (1, 2))),
    ]
    assert [one.cost_per_pass for one in found.agents] == [1.0, 4.0, 1.0]
    assert found.agents[0].cost_per_reliability(2) == 1.0
    assert found.agents[1].cost_per_reliability(2) is None  # pass^2 is 0
    verdicts = {pair.names: pair.found.verdict for pair in found.pairs}
    assert verdicts == {
        ("good", "bad"): Verdict.WORSE,
        ("good", "same"): Verdict.UNCHANGED,
        ("bad", "same"): Verdict.BETTER,
    }
    assert all(pair.found.family == 3 for pair in found.pairs)


def test_trials_without_a_verdict_count_as_missed() -> None:
    found = totals({"a": [[1, 1]] * 4, "b": [[1, 1]] * 4})
    found.plan("retail, b", "t0", 2)
    side = side_by_side(found)
    assert side is not None
    assert side.pairs[0].found.difference < 0


def test_tasks_that_were_told_otherwise_are_not_compared() -> None:
    found = totals({"a": [[1]], "b": [[1]]})
    found.add(TrialFacts("retail, a-typos", "t0", "missed", label="a", variant={"label": "typos"}))
    side = side_by_side(found)
    assert side is not None
    assert [(one.trials, one.passed, one.curve[0].value) for one in side.agents] == [(1, 1, 1.0)] * 2


def test_agents_without_a_common_task_are_not_compared() -> None:
    apart = totals({"a": [[1]]})
    apart.add(TrialFacts("airline, b", "t9", "passed", label="b"))
    side = side_by_side(apart)
    assert side is not None
    assert (side.pairs, [one.ranks for one in side.agents]) == ((), [(), ()])
