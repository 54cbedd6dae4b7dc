"""Several comparisons at once: Holm against statsmodels, verdicts of a family, ranks and how often they are wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pytest_tau.metrics.compare import Verdict, compare
from pytest_tau.metrics.family import as_family, holm, ranks


@pytest.mark.parametrize(
    ("values", "adjusted"),
    [
        ([0.03], [0.03]),
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.001, 0.4, 0.02, 0.02], [0.8, 0.005, 0.8, 0.08, 0.08]),
        ([0.9, 0.8], [1.0, 1.0]),
    ],
)
def test_holm(values: list[float], adjusted: list[float]) -> None:
    assert holm(values) == pytest.approx(adjusted)


def test_holm_is_that_of_statsmodels() -> None:
    made = json.loads(Path(__file__).with_name("holm.json").read_text(encoding="utf-8"))
    assert len(made["cases"]) == 20
    for case in made["cases"]:
        assert holm(case["values"]) == pytest.approx(case["adjusted"]), case


def test_a_family_of_one_is_the_comparison_itself() -> None:
    found = compare({"a": (4, 4), "b": (4, 4)}, {"a": (0, 4), "b": (4, 4)})
    assert found is not None
    (same,) = as_family([found])
    assert same.adjusted == (found.p_regression, found.p_better)
    assert same.verdict is found.verdict


def drawn(rng: random.Random, rates: list[float]) -> dict[str, tuple[int, int]]:
    return {str(task): (sum(rng.random() < rate for _ in range(4)), 4) for task, rate in enumerate(rates)}


def test_equal_runs_may_have_any_rank_in_most_cases() -> None:
    rng, wrong = random.Random(5), 0
    for _ in range(60):
        rates = [rng.betavariate(1.6, 0.4) for _ in range(30)]
        found = ranks({name: drawn(rng, rates) for name in "abcd"})
        assert found is not None
        wrong += any((one.best, one.worst) != (1, 4) for one in found[0])
    assert wrong / 60 <= 0.1


def test_clear_differences_have_clear_ranks() -> None:
    rng = random.Random(6)
    rates = [rng.betavariate(6, 4) for _ in range(60)]
    runs = {
        name: drawn(rng, [rate * kept for rate in rates]) for name, kept in (("low", 0.3), ("top", 1), ("mid", 0.6))
    }
    found = ranks(runs)
    assert found is not None
    ranked, pairs = found
    assert [(one.name, one.best, one.worst) for one in ranked] == [("top", 1, 1), ("mid", 2, 2), ("low", 3, 3)]
    assert pairs["low", "top"].verdict is Verdict.BETTER
    assert {one.family for one in pairs.values()} == {3}


def test_runs_without_a_common_task_have_no_ranks() -> None:
    assert ranks({"a": {"x": (1, 1)}, "b": {"y": (1, 1)}, "c": {"x": (1, 1)}}) is None
