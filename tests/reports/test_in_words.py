"""A run in one sentence."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.in_words import in_words


def totals(*tasks: str) -> Totals:
    """Of each task its trials, as letters: p passed, m missed, i infra error."""
    outcomes = {"p": "passed", "m": "missed", "i": "infra_error"}
    made = Totals()
    for number, trials in enumerate(tasks):
        for letter in trials:
            made.add(TrialFacts("retail", f"t{number}", outcomes[letter], agent="mine"))
    return made


def test_tasks_that_are_always_sometimes_and_never_solved() -> None:
    said = "1 of 3 tasks solved in every conversation, 1 in some of them, and 1 in none."
    assert in_words(totals("pp", "pm", "mm")) == said


def test_with_one_trial_of_each() -> None:
    assert in_words(totals("m", "m", "m")) == "0 of 3 tasks solved."
    assert in_words(totals("p")) == "1 of 1 task solved."


def test_a_task_of_several_tests_is_one() -> None:
    several = Totals()
    for tone, task_id, outcome in (
        ("a", "t", "passed"),
        ("b", "t", "missed"),
        ("a", "u", "passed"),
        ("b", "u", "passed"),
    ):
        several.add(TrialFacts(f"mock, test_it, {tone}", task_id, outcome, agent="mine"))
    assert in_words(several) == "1 of 2 tasks solved in every conversation, 1 in some of them, and 0 in none."


def test_of_what_has_no_verdict_nothing_is_said() -> None:
    assert in_words(totals("i")) == ""
    assert in_words(totals("p", "i")) == "1 of 1 task solved."
    several = totals("p")
    several.add(TrialFacts("airline", "t", "missed", agent="yours"))
    assert in_words(several) == ""
