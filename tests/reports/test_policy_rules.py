"""The rules of a policy beside the results of the tasks that rest on them, and the table of changed policies."""

import pytest

from pytest_tau.environment.rules import read_rules
from pytest_tau.metrics.totals import Totals
from pytest_tau.reports.mutants import mutant_lines, mutant_numbers, mutant_page
from pytest_tau.reports.policy_rules import policy_rules
from tests.builders import task
from tests.metrics.mutants import totals, trial

POLICY = read_rules("<!-- rule: kind --> Be kind. <!-- rule: brief --> Be brief. <!-- unguarded: a fact --> It rains.")


def test_rules_with_the_tasks_of_a_run() -> None:
    tasks = {("shop", "one"): task(id="one", rules=["kind"]), ("shop", "two"): task(id="two", rules=["kind", "brief"])}
    found = Totals()
    found.add(trial("shop", "one", "passed"))
    found.add(trial("shop", "one", "missed"))
    [shown] = policy_rules(found, tasks, {"shop": POLICY})
    assert [(row["rule"].id, row["tasks"], row["rate"], row["state"]) for row in shown["rows"][:2]] == [
        ("kind", 1, 0.5, "guarded"),
        ("brief", 0, None, "open"),
    ]
    assert shown["rows"][2]["state"] == "free"
    assert (shown["guarded"], shown["open"]) == (1, 1)
    assert policy_rules(found, {}, {"shop": POLICY}) == []


def test_a_deletion_that_helps_is_warned_of() -> None:
    found = totals("missed", "passed")
    for _ in range(14):  # what was never passed can show no change
        found.add(trial("shop", "one", "missed"))
        found.add(trial("shop, delete:kind", "one", "passed", "delete:kind"))
    assert "Warning" not in str(mutant_lines(found))
    better = Totals()
    better.add(trial("shop", "one", "passed"))
    better.add(trial("shop, delete:kind", "one", "passed", "delete:kind"))
    for _ in range(14):
        better.add(trial("shop", "one", "missed"))
        better.add(trial("shop, delete:kind", "one", "passed", "delete:kind"))
    assert "Warning: without the rule 'kind' the agent does better: Be kind." in str(mutant_lines(better))
    assert mutant_numbers(better)[0]["rules"][0]["reading"] == "better without"
    assert mutant_page(better)[0]["table"][1][1] == "better without"


@pytest.mark.parametrize("written", ["**Be kind.** Always.", "| Be kind. Always. |"])
def test_a_sentence_is_shown_without_the_signs_of_markdown(written: str) -> None:
    found = Totals()
    found.variants["shop, delete:kind"] = {"label": "delete:kind", "policy": "delete:kind", "sentence": written}
    found.plan("shop, delete:kind", "one", 1)
    assert mutant_page(found)[0]["table"][1][-1] == "Be kind. Always."
    assert mutant_numbers(found)[0]["rules"][0]["sentence"] == written
