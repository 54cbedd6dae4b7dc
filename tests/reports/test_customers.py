"""A run's customers beside people, as lines and as a table."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.reports.customers import customer_lines, likeness_of
from tests.builders import asks
from tests.reports.runs import record, simulation


def totals(conversations: int) -> Totals:
    made = Totals()
    for number in range(conversations):
        said = [asks(f"Hello, I would like to change my order W{number}, please.")] * 3
        made.add(TrialFacts.of(record(f"t{number}", simulation=simulation(messages=said)).model_dump(mode="json")))
    return made


def test_a_sentence_and_a_line_for_each_feature() -> None:
    first, *table = customer_lines(totals(6))
    assert first.startswith("Customers: AUC ")
    assert "6 conversations beside 1,477 of people" in first
    assert any(line.startswith("| words a turn, the median") and " 10 (" in line for line in table)


def test_a_handful_of_conversations_says_nothing() -> None:
    assert likeness_of(totals(4)) is None
    assert customer_lines(totals(4)) == []
