"""What the grades of a suite are worth, in lines below the table."""

from typing import Any

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.notes import notes
from pytest_tau.reports.task_worth import LISTED, worth_lines


def totals(*audits: dict[str, Any]) -> Totals:
    made = Totals()
    for number, audit in enumerate(audits):
        made.add(TrialFacts("mock", f"t{number}", "passed", audit=audit))
    return made


def test_nothing_is_said_of_what_nobody_audited() -> None:
    assert list(worth_lines(totals(), "mock")) == []
    assert list(worth_lines(totals({"floor_only": True}), "retail")) == []


def test_the_trivial_floor_is_asked_for_only_where_it_is_not_zero() -> None:
    fine, bad = {"floor_only": True}, {"floor_only": True, "trivial": ["noop", "dump"]}
    one_that = "1 by one that reads out all that it finds, 1 by one that says one polite sentence"
    what = "trivial floor: 0.0 % (0 of 1 task is passed by an agent that solves nothing)."
    assert list(worth_lines(totals(fine), "mock")) == [(False, what)]
    assert list(worth_lines(totals(fine, bad), "mock")) == [
        (True, f"trivial floor: 50.0 % (1 of 2 tasks are passed by an agent that solves nothing: {one_that}).")
    ]


def test_a_whole_audit_lists_so_many_findings() -> None:
    audit = {"mutants": 4, "noticed": 3, "findings": [f"finding {n}" for n in range(LISTED + 2)], "pictures": ["send"]}
    lines = [line for _, line in worth_lines(totals(audit), "mock")]
    assert lines[0] == (
        f"audit: trivial floor 0.0 % (0 of 1 task); mutation score 75.0 % (3 of 4); {LISTED + 2} findings."
    )
    assert lines[1] == "pictures of 1 task: the oracle passes seeing 1, told 0, blind 0."
    assert (lines[2], lines[-1]) == ("t0: finding 0", "… and 2 more, which pytest-tau audit lists.")


def test_a_task_that_several_agents_have_played_is_one_whoever_met_it_first() -> None:
    made = Totals()
    for row, task_id, audit in (("mock, a", "t0", True), ("mock, b", "t0", False), ("mock, b", "t1", True)):
        worth = {"floor_only": True} if audit else None
        made.add(TrialFacts(row, task_id, "passed", label=row[-1], audit=worth))
    what = "trivial floor: 0.0 % (0 of 2 tasks are passed by an agent that solves nothing)."
    assert [line for line in notes(made) if "floor" in line] == [what]
    made.add(TrialFacts("shop, a", "t0", "passed", label="a", audit={"floor_only": True}))
    assert [line.partition(":")[0] for line in notes(made) if "floor" in line] == [
        "trivial floor, mock", "trivial floor, shop",
    ]  # fmt: skip
