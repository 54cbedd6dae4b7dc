"""The memorisation gap: an original and its ghost, paired by task."""

from pytest_tau.metrics.memorisation import memorisation_gaps
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.notes import memorisation_lines


def played(**passed: list[list[int]]) -> Totals:
    """Totals by row: for each task, its trials."""
    totals = Totals()
    for row, tasks in passed.items():
        for number, trials in enumerate(tasks):
            for trial in trials:
                totals.add(TrialFacts(row, f"t{number}", "passed" if trial else "missed"))
    return totals


def test_the_gap_is_paired_by_task_at_the_largest_common_k() -> None:
    totals = played(retail=[[1, 1], [1, 1], [1, 0], [0, 0]], retail_ghost=[[1, 0], [0, 0], [1, 0]])
    (gap,) = memorisation_gaps(totals)
    assert (gap.row, gap.ghost, gap.found.k, gap.found.tasks) == ("retail", "retail_ghost", 2, 3)
    assert round(gap.value, 6) == round(2 / 3 - 0, 6)
    low, high = gap.interval
    assert -1 <= low < gap.value < high <= 1


def test_an_agent_that_reads_the_policy_has_none() -> None:
    same = [[1, 1], [0, 1], [1, 1], [0, 0]] * 5
    (gap,) = memorisation_gaps(played(airline=same, airline_ghost_7=same))
    assert gap.value == 0
    assert gap.interval[0] < 0 < gap.interval[1]


def test_there_is_none_without_both_or_without_common_tasks() -> None:
    assert not list(memorisation_gaps(played(retail_ghost=[[1]])))
    assert not list(memorisation_gaps(played(retail=[[1]], airline_ghost=[[1]], ghost=[[1]])))


def test_a_ghost_of_what_is_called_like_a_ghost_belongs_to_that_alone() -> None:
    one, other = [[1, 1]] * 3, [[1, 0]] * 3
    found = memorisation_gaps(played(shop=one, shop_ghost=one, shop_ghost_ghost=other, shop_ghost_7_ghost_8=other))
    assert [(gap.row, gap.ghost) for gap in found] == [("shop", "shop_ghost"), ("shop_ghost", "shop_ghost_ghost")]


def test_the_table_has_a_note_of_it() -> None:
    (line,) = memorisation_lines(played(retail=[[1, 1]] * 4, retail_ghost=[[0, 0]] * 4))
    assert line.startswith("Memorisation gap, retail − retail_ghost: +100.0 points [")
    assert "pass^2 (100.0 % − 0.0 %), paired over 4 tasks" in line
