"""Several agents as lines of text: the table, ranks, costs, and a line about each pair."""

from pytest_tau.metrics.agents import side_by_side
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Costs, TrialFacts
from pytest_tau.reports.agents import LISTED, agent_tables, table
from pytest_tau.reports.terminal import summary_table
from tests.metrics.agents import totals

GOOD, BAD = [[1, 1]] * 20, [[0, 1]] * 10 + [[0, 0]] * 10


def rows(found: Totals) -> list[list[str]]:
    side = side_by_side(found)
    assert side is not None
    return table(side)


def test_a_run_of_one_agent_has_no_such_table() -> None:
    one = Totals()
    one.add(TrialFacts("retail", "t", "passed"))
    assert agent_tables(one) == []


def test_the_table_says_unknown_costs_and_leaves_out_a_mixed_row() -> None:
    both = totals({"a": [[1], [0]], "b": [[0], [0]]}, cost=None)
    lines, pairs = agent_tables(both)
    assert [line.split(" | ")[-1].strip("| ") for line in lines[2:]] == ["unknown", "unknown"]
    assert "2 common tasks" in pairs[0]
    assert pairs[1].startswith("a → b: inconclusive, -50.0 points [")
    assert [line.split(" | ")[0].strip("| ") for line in summary_table(both)[2:]] == ["retail, a", "retail, b"]


def test_agents_without_a_common_task_have_rows_and_no_pairs() -> None:
    apart = totals({"a": [[1]]})
    apart.add(TrialFacts("airline, b", "t9", "passed", label="b"))
    lines, pairs = agent_tables(apart)
    assert len(lines) == 4
    assert pairs == ["The agents have no task in common that could be compared."]
    assert [row[2] for row in rows(apart)] == ["rank^1", "–", "–"]


def test_each_k_has_its_value_with_the_interval_and_the_ranks_that_are_possible() -> None:
    head, good, bad, same = rows(totals({"good": GOOD, "bad": BAD, "same": GOOD}))
    assert head == ["agent", "pass^1", "rank^1", "pass^2", "rank^2", "cost", "cost per passed trial", "cost ÷ pass^2"]
    assert good[0] == "good"
    assert good[1].startswith("100.0 % [")
    assert good[1].endswith("–100]")
    assert [good[2], bad[2], same[2]] == ["1–2", "3", "1–2"]
    assert bad[1].startswith("25.0 % [")
    assert bad[5:] == ["$40.00", "$4.00", "–"]  # pass^2 is 0: reliability is not to be had


def test_of_one_trial_each_there_is_one_column() -> None:
    assert rows(totals({"a": [[1]], "b": [[0]]}))[0] == [
        "agent", "pass^1", "rank^1", "cost", "cost per passed trial", "cost ÷ pass^1",
    ]  # fmt: skip


def test_the_price_of_reliability_is_that_of_the_k_in_its_head() -> None:
    both = totals({"a": [[1, 1]], "b": [[1]]})
    both.plan("retail, b", "t0", 1)
    both.add(TrialFacts("retail, b", "t0", "infra_error", costs=Costs(), label="b"))
    head, a, b = rows(both)
    assert (head[-1], a[-1], b[-1]) == ("cost ÷ pass^2", "$1.00", "–")  # of b nobody knows pass^2
    more = totals({"a": [[1, 1, 0]], "b": [[1, 1]]})
    head, a, b = rows(more)
    assert (head[-1], a[-1], b[-1]) == ("cost ÷ pass^2", "$3.00", "$1.00")


def test_an_agent_that_played_nothing_as_it_is_leaves_the_heads_whole() -> None:
    both = totals({"a": [[1]]})
    both.add(TrialFacts("retail, b-typos", "t0", "passed", costs=Costs(), label="b", variant={"label": "typos"}))
    assert rows(both)[0][-1] == "cost ÷ pass^1"


def test_a_pair_is_told_from_the_earlier_to_the_later() -> None:
    _, pairs = agent_tables(totals({"good": GOOD, "bad": BAD}))
    assert "1 pair by pass^1 of 20 common tasks" in pairs[0]
    assert pairs[1].startswith("good → bad: worse, -75.0 points [")
    assert pairs[1].endswith("], p below 0.001")


def test_of_very_many_pairs_the_first_are_listed() -> None:
    names = "abcdefgh"  # 28 pairs
    assert len(agent_tables(totals({name: [[1]] for name in names}))[1]) == 1 + LISTED
    _, pairs = agent_tables(totals({name: [[1]] for name in f"{names}i"}))
    assert len(pairs) == 1 + LISTED + 1
    assert "36 pairs" in pairs[0]
    assert pairs[-1] == "… and 8 more, which --tau-export stats:FILE has."
