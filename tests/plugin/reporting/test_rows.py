"""What a node ID tells of a trial that never reported."""

import pytest

from pytest_tau.metrics.tally import TRIAL
from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts
from pytest_tau.plugin.reporting.rows import Rows
from pytest_tau.plugin.run import Run


def rows(pytester: pytest.Pytester, *args: str) -> Rows:
    return Rows(Run(pytester.parseconfig(*args)), Totals())


@pytest.mark.parametrize(
    ("task", "label"),
    [
        ("tau/retail/exchange_lamp.json::test_task[", ("retail", "exchange_lamp")),
        ("tasks/telecom/base.json::test_task[no_service-", ("telecom", "no_service")),
        ("tau/recorded.jsonl::airline::test_task[a-b-", ("airline", "a-b")),
        ("test_it.py::test_it[a-", None),  # some other project's parameter
    ],
)
def test_a_node_id_says_row_and_task(pytester: pytest.Pytester, task: str, label: tuple[str, str] | None) -> None:
    assert rows(pytester).of_task(task) == label


def test_agents_and_variants_are_rows_of_their_own(pytester: pytest.Pytester) -> None:
    known = rows(pytester, "--tau-agent=oracle", "--tau-agent=noop", "--tau-perturb=typos")
    assert known.of_task("tau/retail/a.json::test_task[noop-") == ("retail, noop", "a")
    assert known.of_task("tau/retail/a.json::test_task[noop-typos-") == ("retail, noop-typos", "a")


def test_the_first_trial_of_a_test_tells_what_the_others_are(pytester: pytest.Pytester) -> None:
    known = rows(pytester)
    found = TRIAL.match("test_it.py::test_it[a-trial1]")
    assert found is not None
    label = ("retail, test_it", "a")
    assert [known.learn(found, label, TrialFacts("retail", "a", "passed")) for _ in range(2)] == [True, False]
    assert known.knows("test_it.py::test_it[a-")
    assert known.of_task("test_it.py::test_it[a-") == label
    assert known.of_task("test_it.py::test_it[b-") == ("retail, test_it", "b")


def test_a_rule_that_was_not_played_has_its_words(pytester: pytest.Pytester) -> None:
    known = rows(pytester, "--tau-policy-mutants=never-deleted=delete")
    for suite in ("mock", "no_such_domain"):
        row, _ = known.of_task(f"tau/{suite}/delete_a_task.json::test_task[delete:never-deleted-") or ("", "")
        said = known._totals.variants[row]["sentence"]
        assert str(said).startswith("Tasks are never deleted") == (suite == "mock")
