"""A comparison in words: what is shown on these tasks first, what it says of others last."""

from pytest_tau.metrics.compare import Counts, compare
from pytest_tau.metrics.comparison_told import clauses


def told(before: dict[str, Counts], after: dict[str, Counts], *, each_way: bool = False) -> list[str]:
    found = compare(before, after)
    assert found is not None
    return clauses(found, each_way=each_way)


def test_a_regression_names_the_tasks_that_fell_and_comes_to_other_tasks_last() -> None:
    before = dict.fromkeys(("d/a", "d/b", "d/c", "e/other"), (4, 4))
    first, *rest, others = told(before, {"d/a": (0, 4), "d/b": (3, 4), "d/c": (1, 4), "d/new": (4, 4)})
    assert first.startswith(
        "worse: pass^1 100.0 % → 33.3 % over 3 common tasks, -66.7 points, more than chance explains ("
    )
    assert "P(drop" not in first
    assert rest == [
        "fell: d/c 4 of 4 → 1 of 4, d/b 4 of 4 → 3 of 4",
        "2 tasks are in one run only, or have too few trials",
        "from always to never: d/a",
    ]
    assert others.startswith("[-89.4 … ")
    assert others.endswith(", 90 % interval] for tasks like these")


def test_an_open_one_says_what_fell_and_how_many_trials_would_settle_it() -> None:
    first, fell, settle = told({"d/a": (4, 4), "d/b": (2, 4)}, {"d/a": (3, 4), "d/b": (2, 4)})
    assert first.startswith("inconclusive: pass^1 75.0 % → 62.5 % over 2 common tasks, -12.5 points [")
    assert "which chance may explain (p " in first
    assert fell == "fell: d/a 4 of 4 → 3 of 4"
    assert settle.endswith("trials a task in both runs would settle it")


def test_a_gain_names_nothing_that_fell() -> None:
    before = {f"d/{number}": (1, 4) for number in range(8)}
    first, others = told(before, {**dict.fromkeys(before, (4, 4)), "d/0": (0, 4)})
    assert first.startswith("better: ")
    assert others.endswith("for tasks like these")


def test_whoever_wants_both_ways_reads_what_fell_and_what_rose_of_a_gain() -> None:
    before = {f"d/{number}": (1, 4) for number in range(8)}
    after = {**dict.fromkeys(before, (4, 4)), "d/0": (0, 4), "d/1": (3, 4)}
    _, fell, rose, _ = told({**before, "d/never": (0, 4)}, {**after, "d/never": (4, 4)}, each_way=True)[:4]
    assert fell == "fell: d/0 1 of 4 → 0 of 4"
    assert rose == "rose: d/2 1 of 4 → 4 of 4, d/3 1 of 4 → 4 of 4, d/4 1 of 4 → 4 of 4 and 4 more"
