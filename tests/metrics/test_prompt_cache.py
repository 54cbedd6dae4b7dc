"""What came from providers' caches, in a trial and in a run."""

from typing import Any

import pytest

from pytest_tau.metrics.prompt_cache import CachedPrompts
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.notes import first_notes


def usage(read: int, cached: int | None, saved: float | None = None) -> dict[str, Any]:
    told = {"prompt_tokens": read, "completion_tokens": 5, "cached_tokens": cached, "saved": saved}
    return {"usage": {name: value for name, value in told.items() if value is not None}}


def test_only_calls_whose_provider_tells_count() -> None:
    attempts = [{"messages": [usage(100, 80, 0.5), usage(50, None), {}]}, {"messages": [usage(10, 0)]}, {}]
    assert CachedPrompts.of(attempts, [usage(20, 10)]) == CachedPrompts(130, 90, 0.5)
    assert CachedPrompts.of([{"messages": [usage(50, None)]}], []) == CachedPrompts()


def test_no_more_comes_from_a_cache_than_was_read() -> None:
    """As agents tell it that take the numbers of a provider which counts what it has cached apart."""
    for read in (0, 12):
        assert CachedPrompts.of([{"messages": [usage(read, 9_000), usage(100, 80)]}], []) == CachedPrompts(100, 80)


@pytest.mark.parametrize(
    "broken",
    [
        *({"usage": "none"}, {"usage": {"cached_tokens": "80"}}, {"usage": {"cached_tokens": 3}}),
        {"usage": {"cached_tokens": 3, "prompt_tokens": float("inf")}},
    ],
)
def test_a_journal_that_somebody_edited_is_read_as_far_as_it_goes(broken: dict[str, Any]) -> None:
    assert CachedPrompts.of([{"messages": [broken]}], []).read == 0


def test_the_summary_says_what_the_cache_saved() -> None:
    totals = Totals()
    trial = {"domain": "mock", "task_id": "a", "outcome": "passed"}
    for _ in range(2):
        totals.add(TrialFacts.of({**trial, "simulation": {"messages": [usage(10_000, 9_000, 0.25)]}}))
    assert "Prompt cache: 90.0 % of 20,000 prompt tokens came from a cache, which saved $0.50." in first_notes(totals)


def test_the_summary_says_nothing_of_a_cache_that_there_is_not() -> None:
    totals = Totals()
    totals.add(
        TrialFacts.of(
            {"domain": "mock", "task_id": "a", "outcome": "passed", "simulation": {"messages": [usage(9, 0)]}}
        )
    )
    assert not any("cache" in line for line in first_notes(totals))
