"""Robustness and the grid of perturbation by faults, read off the totals of a run."""

from typing import Any

from pytest_tau.metrics.robust_totals import grid, robustness
from pytest_tau.metrics.robustness import Robustness, conduct_of
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import Measures, TrialFacts


def run(*rows: tuple[str, dict[str, Any] | None, tuple[str, ...]]) -> Totals:
    """Totals of the trials of one task: (row, how it was played, the outcomes)."""
    totals = Totals()
    for row, variant, outcomes in rows:
        for outcome in outcomes:
            flip = conduct_of({"outcome": outcome, "variant": variant})
            totals.add(
                TrialFacts(row, "t", outcome, variant=variant, measures=Measures({"flip": flip} if flip else {}))
            )
    return totals


def variant(label: str, told: str = "", faults: str = "") -> dict[str, Any]:
    return {"label": label, "told": told, "faults": faults}


def test_totals_keep_variants_apart_from_tasks_as_they_are() -> None:
    totals = run(
        ("shop", None, ("passed", "passed")),
        ("shop, typos", variant("typos", "typos"), ("missed", "missed")),
    )
    assert totals.without_variants().domains() == ["shop"]
    assert totals.plain_row("shop, typos") == "shop"
    (one,) = robustness(totals).variants
    assert (one.row, one.ratio, one.flip, one.flip_by_chance) == ("shop", 0.0, 1.0, 0.0)
    assert robustness(totals.without_variants()) == Robustness()


def test_the_grid_has_a_cell_for_each_pair_that_was_played() -> None:
    totals = run(
        ("shop", None, ("passed", "passed")),
        ("shop, typos", variant("typos", "typos"), ("passed", "missed")),
        ("shop, stale", variant("stale", "", "stale"), ("missed", "missed")),
        ("shop, typos+stale", variant("typos+stale", "typos", "stale"), ("passed", "passed")),
        ("toys", None, ("missed", "missed")),
        ("toys, rude", variant("rude", "rude"), ("infra_error", "infra_error")),
    )
    cells = {("", ""): 1.0, ("typos", ""): 0.5, ("", "stale"): 0.0, ("typos", "stale"): 1.0}
    assert grid(robustness(totals), totals, "shop", 1) == cells
    assert grid(robustness(totals), totals, "shop", 2) == {**cells, ("typos", ""): 0.0}
    assert grid(robustness(totals), totals, "toys", 1) == {("", ""): 0.0}  # of the other no trial was graded
