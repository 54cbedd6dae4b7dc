"""What a trial of a journal counts as: its row, and the end that it had last."""

from typing import Any

import pytest

from pytest_tau.metrics.tally import in_ids, out_of_ids, row_of_trial, tally
from pytest_tau.metrics.trial_facts import TrialFacts


@pytest.mark.parametrize(
    ("nodeid", "row"),
    [
        ("tau/retail/lamp.json::test_task[trial2]", "retail"),
        ("tasks/all.json::test_task[lamp-trial2]", "retail"),
        ("tasks/all.json::test_task[gpt-lamp-trial12]", "retail, gpt"),
        ("tasks/all.json::test_task[gpt-typos-trial1]", "retail, gpt-typos"),
        ("tau/retail/lamp.json::test_task[floorlamp-trial1]", "retail, floorlamp"),
        ("test_x.py::test_lamp[trial1]", "retail, test_lamp"),
        ("test_x.py::TestShop::test_lamp[big-trial1]", "retail, TestShop::test_lamp, big"),
        ("test_x.py::test_lamp[gr\\xfc\\xdfe-trial1]", "retail, test_lamp, grüße"),
        ("test_x.py::test_lamp[trial0]", "retail"),
        ("test_x.py::test_lamp", "retail"),
        ("", "retail"),
    ],
)
def test_the_row_of_a_test(nodeid: str, row: str) -> None:
    assert row_of_trial(nodeid, TrialFacts("retail", "lamp", "")) == row


def test_tests_of_one_name_are_told_apart_by_their_files() -> None:
    trial = TrialFacts("retail", "lamp", "", file_in_row=True)
    assert row_of_trial("a/test_x.py::test_lamp[lamp-trial1]", trial) == "retail, a/test_x.py::test_lamp"
    lines = [line(1, test=f"{file}.py::test_x", file_in_row=file != "c") for file in "abc"]
    assert [row for row, _ in tally(lines, 1).tasks] == ["mock, a.py::test_x", "mock, b.py::test_x", "mock, test_x"]


@pytest.mark.parametrize("escaped", ["l\\xe4mpchen_\\u4efb", "lämpchen_任"])  # an ini value of pytest decides
def test_letters_beyond_ascii_make_no_row_of_their_own(escaped: str) -> None:
    trial = TrialFacts("retail", "lämpchen_任", "")
    assert row_of_trial(f"tasks/all.json::test_task[{escaped}-trial1]", trial) == "retail"
    assert row_of_trial(f"tasks/all.json::test_task[gpt-{escaped}-trial1]", trial) == "retail, gpt"


@pytest.mark.parametrize(
    ("ids", "task_id", "label", "variant", "row"),
    [
        ("gpt-4", "4", "gpt-4", "", "gpt-4"),  # the only task of its file
        ("gpt-4-4", "4", "gpt-4", "", "gpt-4"),
        ("4-4", "4", "4", "", "4"),
        ("typos", "os", "", "typos", "typos"),
        ("gpt-4-typos", "typos", "gpt-4", "typos", "gpt-4-typos"),
        ("gr\\xfcn-4", "4", "grün-4", "", "grün-4"),
        ("big-gpt-4", "4", "gpt-4", "", "big-gpt-4"),
        ("gpt-4-mock/4", "4", "gpt-4", "", "gpt-4"),  # of a suite that has another 4
        ("gpt-turbo", "bo", "", "", "gpt-turbo"),  # of a run that has told less
    ],
)
def test_labels_that_end_like_a_task_keep_their_end(ids: str, task_id: str, label: str, variant: str, row: str) -> None:
    trial = TrialFacts("mock", task_id, "", label=label, variant={"label": variant} if variant else None)
    assert row_of_trial(f"tasks/mock/t.json::test_task[{ids}-trial1]", trial) == f"mock, {row}"


@pytest.mark.parametrize("task_id", ["lämpchen_任", "back\\slash", "plain", "\\x", "two\nlines"])
def test_ids_come_out_of_node_ids_as_they_went_in(task_id: str) -> None:
    assert out_of_ids(in_ids(task_id)) == task_id


@pytest.mark.parametrize("text", ["lämpchen", "a\\", "\\q"])
def test_what_pytest_has_not_escaped_stays(text: str) -> None:
    assert out_of_ids(text) == text


def line(trial: int = 1, outcome: str = "passed", *, test: str = "t.json::test_task", **fields: Any) -> dict[str, Any]:
    known = {"nodeid": f"{test}[trial{trial}]", "domain": "mock", "task_id": "t", "trial": trial}
    return {**known, "outcome": outcome, **fields}


def counted(*lines: dict[str, Any], k: int = 1, **options: Any) -> tuple[int, int]:
    """Passed trials of the only task, and how many of it are planned; 0 where it is as many as there were."""
    totals = tally(lines, k, **options)
    [found] = totals.tasks.values()
    return found.passed, found.planned


def test_the_cost_of_a_trial_that_was_played_again_is_counted() -> None:
    broken = {"agent_cost": 0.5, "user_cost": None}
    lines = [
        line(outcome="infra_error", simulation=broken),
        line(outcome="infra_error"),  # of which nothing is known
        line(simulation={"agent_cost": 0.25, "user_cost": 0.125}),
    ]
    totals = tally(lines, 1)
    assert (totals.replays(), totals.cost()) == (2, 0.875)
    # A verdict that took the place of another one was not paid for to get this one.
    assert tally([line(outcome="missed", simulation=broken), lines[2]], 1).cost() == 0.375


def test_a_trial_counts_as_it_ended_last() -> None:
    assert counted(line(outcome="missed"), line(outcome="passed")) == (1, 1)
    assert counted(line(outcome="passed"), line(outcome="missed")) == (0, 1)


def test_trials_that_never_came_are_due_all_the_same() -> None:
    assert counted(line(1), line(2), k=4) == (2, 4)
    [task] = tally([line(1), line(2)], 4, decided=True).tasks.values()
    assert (task.spared, task.to_play) == (2, 2)


def test_of_a_test_in_python_as_many_are_due_as_there_were() -> None:
    assert counted(line(1, test="t.py::test_x"), k=4) == (1, 0)


def planned(plan: dict[str, int], *lines: dict[str, Any], k: int = 2) -> dict[str, int]:
    """How many trials of each task are planned of a run that was to play these, where these have ended."""
    return {"/".join(key): task.planned for key, task in tally(lines, k, plan=plan).tasks.items()}


def test_tasks_that_were_never_begun_are_due_all_the_same() -> None:
    plan = {"mock/t.json::test_task[": 2, "mock/u.json::test_task[": 2, "shop/all.json::test_task[l\\xe4mpchen-": 3}
    begun = line(test="mock/t.json::test_task")
    assert planned(plan, begun) == {"mock/t": 2, "mock/u": 2, "shop/lämpchen": 3}
    assert planned({}, begun) == {"mock/t": 2}
    decided = tally([begun], 2, plan=plan, decided=True)
    assert [task.spared for task in decided.tasks.values()] == [1, 2, 3]
    assert [(one.low, one.high) for one in decided.pass_hat()] == [(1.0, 1.0)]  # an estimate without an interval


def test_of_a_shard_or_a_selection_as_many_are_due_as_it_was_to_play() -> None:
    begun = line(test="mock/t.json::test_task")
    assert planned({"mock/t.json::test_task[": 1}, begun) == {"mock/t": 1}
    assert planned({"mock/t.json::test_task[": 0}, begun) == {"mock/t": 2}  # as plans were once kept


def test_tests_in_python_are_due_as_often_as_they_were_planned() -> None:
    plan = {f"t.py::test_{one}-": 3 for one in ("x[small-t", "x[small-u", "x[big-t", "y[t")}
    lines = line(test="t.py::test_x")
    lines["nodeid"] = "t.py::test_x[small-t-trial1]"
    # Whether "big" is a part of an id nobody knows yet, nor whether test_y is about tasks.
    assert planned(plan, lines) == {"mock, test_x, small/t": 3, "mock, test_x, small/u": 3}


def test_a_variant_or_an_agent_that_has_not_played_yet_is_no_task() -> None:
    ids = {"t": ["", "typos-"], "u": ["", "typos-"], "all": ["a-", "b-", "typos-a-", "typos-b-"]}
    plan = {f"mock/{file}.json::test_task[{one}": 2 for file, each in ids.items() for one in each}
    begun = line(test="mock/t.json::test_task")
    assert planned(plan, begun).keys() == {"mock/t", "mock/u", "mock/a", "mock/b"}
    told = {**begun, "nodeid": "mock/t.json::test_task[typos-trial1]", "variant": {"label": "typos"}}
    both = planned(plan, begun, told)
    assert both.keys() == {f"mock{told}/{task}" for told in ("", ", typos") for task in "tuab"}
    agent = {**begun, "nodeid": "mock/t.json::test_task[gpt-trial1]", "label": "gpt"}
    agents = {f"mock/{file}.json::test_task[{one}-": 2 for file in "tu" for one in ("gpt", "gpt-typos", "claude")}
    assert planned(agents, agent).keys() == {"mock, gpt/t", "mock, gpt/u"}


def test_changed_policies_are_due_as_they_were_begun() -> None:
    """Whose rule is decided, nobody plays any more."""
    plan = {f"mock/{file}.json::test_task[{one}": 2 for file in "tu" for one in ("", "yes-")}
    told = {"nodeid": "mock/t.json::test_task[yes-trial1]", "variant": {"label": "yes", "policy": "yes"}}
    assert planned(plan, line(test="mock/t.json::test_task"), {**line(), **told}).keys() == {
        "mock/t", "mock/u", "mock, yes/t",
    }  # fmt: skip


@pytest.mark.parametrize(("outcome", "due", "unneeded"), [("missed", 12, 18), ("infra_error", 30, 0)])
def test_of_a_changed_policy_whose_rule_is_decided_no_more_trials_are_due(
    outcome: str, due: int, unneeded: int
) -> None:
    plan = {"mock/t.json::test_task[": 30, "mock/t.json::test_task[delete:kind-": 30}
    told = {"variant": {"label": "delete:kind", "policy": "delete:kind"}}
    trials = [line(number, test="mock/t.json::test_task") for number in range(1, 13)]
    trials += [
        {**line(number, outcome), "nodeid": f"mock/t.json::test_task[delete:kind-trial{number}]", **told}
        for number in range(1, 13)
    ]
    totals = tally(trials, 30, plan=plan)
    assert (totals.planned("mock"), totals.planned("mock, delete:kind"), totals.unneeded) == (30, due, unneeded)


def test_tests_and_tasks_have_rows_of_their_own() -> None:
    found = tally([line(1), line(1, test="t.py::test_x"), line(1, test="t.py::test_y")], 1)
    assert {row for row, _ in found.tasks} == {"mock", "mock, test_x", "mock, test_y"}


def test_rows_tasks_and_agents_come_as_they_were_planned_whichever_ended_first() -> None:
    tests = [f"tau/mock/{task}.json::test_task[{label}-" for task in ("a", "b") for label in ("weak", "best")]
    ended = [
        {
            "nodeid": f"{test}trial1]",
            "domain": "mock",
            "task_id": test[9],
            "trial": 1,
            "outcome": "passed",
            "label": label,
        }
        for test in reversed(tests[:3])
        for label in ("weak" if "weak" in test else "best",)
    ]
    totals = tally(ended, 1, plan=dict.fromkeys(tests, 1))
    assert list(totals.tasks) == [(f"mock, {label}", task) for task in ("a", "b") for label in ("weak", "best")]
    assert list(totals.by_agent()) == ["weak", "best"]
