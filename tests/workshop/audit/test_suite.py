"""The audit finds each kind of fault, and none in our suites but those that are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Domain, Task, load_domain, load_tasks
from pytest_tau.cli import main
from pytest_tau.diagnosis.reach import reach
from pytest_tau.printable import columns_of
from tau_workshop.audit.suite import TaskAudit, audit, audit_task, render
from tests.builders import CREATE, action, core, mock, task, whole
from tests.environment.folders import write_domain
from tests.environment.test_shared_database import DOMAIN, TOOLS
from tests.pictures import picture_task

LOOK = action("get_users")
ADD = action("create_task", **CREATE)
NO_HAND_OVER = {"check": "not_called", "name": "transfer_to_human_agents"}
SOUND: dict[str, Any] = {
    "actions": [LOOK, ADD],
    "trajectory": [NO_HAND_OVER],
    "reward_basis": ["DB", "TRAJECTORY"],
}
SCENARIO = {"instructions": "I am user_1. Add a task."}


def findings(criteria: dict[str, Any] | None, *, number: int = 0, **fields: Any) -> list[str]:
    played = task(criteria=criteria, **{"user_scenario": SCENARIO, **fields})
    return audit_task(played, mock(), number=number).findings


def test_a_sound_task_has_none() -> None:
    found = audit_task(task(criteria=SOUND, user_scenario=SCENARIO), mock())
    assert found.findings == []
    assert found.trivial == []
    assert found.mutation.made >= 15


def test_survivors_that_differ_in_their_moment_alone_are_said_once() -> None:
    weak = {**SOUND, "reward_basis": ["COMMUNICATE"], "communicate_info": ["add"]}
    found = audit_task(task(criteria=weak, user_scenario=SCENARIO), mock(), number=200)
    assert found.mutation is not None
    assert len(found.mutation.survivors) > len(set(map(str, found.mutation.survivors)))
    assert len(found.findings) == len(set(found.findings))


@pytest.mark.parametrize("every", [12, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("suite", ["mock", "retail", "airline"])
def test_our_suites(suite: str, every: int) -> None:
    """With few mutants, so that the test is quick: all omissions, and some wrong arguments and unrequested writes."""
    tasks = core(suite)
    found = list(audit(tasks[::every] if len(tasks) > 20 else tasks, load_domain(suite), number=6))
    assert [(one.task_id, one.findings) for one in found if one.findings] == []


def test_what_survives_in_telecom_is_what_its_policy_lets_an_agent_try() -> None:
    """A bill that is overdue may be paid also where the phone cannot be helped; nothing obliges anybody to."""
    tasks = [t for t in whole("telecom") if "lock_sim" in t.id or "contract_end" in t.id][:1]
    for found in audit(tasks, load_domain("telecom")):
        assert found.trivial == []
        assert len(found.findings) == len(found.mutation.survivors)
        for survivor in found.mutation.survivors:
            assert survivor.detail.startswith(("send_payment_request", "resume_line"))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"reward_basis": ["ENV_ASSERTION"]}, "trajectory has no effect, because TRAJECTORY is not in the"),
        ({"communicate_info": ["7"]}, "communicate_info has no effect, because COMMUNICATE is not in the"),
        ({"trajectory": [NO_HAND_OVER, NO_HAND_OVER]}, "trajectory holds {"),
        ({"trajectory": [{"check": "not_called", "name": "create_task"}]}, "forbids create_task, which is a gold"),
        (
            {"trajectory": [{"check": "not_called", "name": "x"}, {"check": "called", "name": "x"}]},
            "trajectory[0]: forbids x, which another check demands",
        ),
        (
            {"communicate_info": ["12 boxes"], "trajectory": [{"check": "not_said", "texts": ["12"]}]},
            "trajectory[0]: forbids to say '12', which has to be said",
        ),
        ({"trajectory": [{"check": "called", "name": "get_user"}]}, "there is no assistant tool 'get_user'"),
        ({"actions": []}, "the trivial agent 'noop' passes"),
        ({"communicate_info": ["12"], "trajectory": [{"check": "called", "name": "get_nothing"}]}, "the oracle, which"),
    ],
)
def test_criteria(changes: dict[str, Any], expected: str) -> None:
    found = findings({**SOUND, **changes})
    assert any(expected in finding for finding in found), found


def test_assertions_that_contradict_each_other() -> None:
    call = {"env_type": "assistant", "func_name": "assert_number_of_tasks"}
    arguments = {"user_id": "user_1", "expected_number": 3}
    both = [{**call, "arguments": arguments, "assert_value": value} for value in (True, False)]
    found = findings({**SOUND, "env_assertions": both, "reward_basis": ["ENV_ASSERTION", "TRAJECTORY"]})
    assert any("demand both that assistant: assert_number_of_tasks" in finding for finding in found)


def test_no_criteria() -> None:
    assert "has no evaluation_criteria, so everybody passes" in findings(None)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ("Every task needs a title", []),
        ("to-do list: how to help", ["to-do list"]),
        ("Deleting", ["deleting"]),
        ("Every task needs a title; Every task needs a colour", ["every task needs a colour"]),
    ],
)
def test_sections_of_the_policy(named: str, expected: list[str]) -> None:
    found = findings(SOUND, description={"relevant_policies": named})
    assert found == [f"description.relevant_policies: the policy has no section '{part}'" for part in expected]


def test_headings_and_leads_of_the_policy() -> None:
    airline = whole("airline")[0]
    for named, count in [("Changing a reservation (Flights, Cabin); Booking", 0), ("Changing (Flights, Cabins)", 2)]:
        assert airline.description is not None
        described = airline.description.model_copy(update={"relevant_policies": named})
        found = audit_task(airline.model_copy(update={"description": described}), load_domain("airline"), number=0)
        assert len(found.findings) == count


def test_an_id_that_nobody_can_know() -> None:
    look = {"action_id": "1", "name": "get_users", "arguments": {}}
    unknown = action("create_task", user_id="user_7", title="x")
    found = findings({**SOUND, "actions": [look, unknown]})
    why = "user_id 'user_7' is neither said by the customer nor returned by a look-up that was tried"
    assert f"evaluation_criteria.actions[1]: {why}" in found


def test_an_id_that_can_be_looked_up() -> None:
    assert findings({**SOUND, "actions": [ADD]}, user_scenario={"instructions": "I am Nadia. Add a task."}) == []


def test_looking_up_goes_from_what_is_said_to_what_is_shown() -> None:
    played = next(t for t in whole("telecom") if t.id == "mobile_data_issue.data_usage_exceeded.easy")
    found = reach(played, load_domain("telecom"))
    assert {"line_id", "bill_id", "customer_id"} <= {name for name, values in found.pool.items() if values}


def test_tools_that_are_no_function_of_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = mock()
    counter = iter(range(1000))
    monkeypatch.setattr(domain.spec.tools, "transfer_to_human_agents", lambda self, summary: str(next(counter)))
    handed = action("transfer_to_human_agents", summary="x")
    assert any("returns something else" in found for found in _replayed(domain, handed))


def test_a_read_that_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    domain = mock()

    def get_users(self: Any) -> str:
        self.db.tasks["task_1"].status = "completed"
        return "done"

    monkeypatch.setattr(domain.spec.tools, "get_users", get_users)
    assert any("get_users changes the world, but does not declare" in found for found in _replayed(domain, LOOK))


def test_a_tool_of_the_customer_that_is_named_as_a_look_up_of_the_agent(tmp_path: Path) -> None:
    tools = TOOLS.replace("def look(", "def cancel(").replace("@tool(reads=True)", "@tool(writes=True)")
    agents, customers = tools.split("class CustomerTools")
    agents = agents.replace("@tool(writes=True)\n", "@tool(reads=True)\n", 1).replace('["status"] = "cancelled"', "")
    customers = customers.replace('return self.db.orders[order_id]["status"]', "self.db.orders.clear()")
    written = write_domain(tmp_path / "shop", domain=DOMAIN, tools=f"{agents}class CustomerTools{customers}")
    made = {**action("cancel", order_id="O1"), "requestor": "user"}
    assert not any("does not declare" in found for found in _replayed(load_domain(written), made))


def _replayed(domain: Domain, *actions: dict[str, Any]) -> list[str]:
    return audit_task(task(criteria={"actions": list(actions)}, user_scenario=SCENARIO), domain, number=0).findings


def test_a_task_that_cannot_be_set_up() -> None:
    call = {"env_type": "user", "func_name": "no_such_method", "arguments": {}}
    found = findings(SOUND, initial_state={"initialization_actions": [call]})
    assert "has no method 'no_such_method'" in found[0]
    assert "initialization_actions[0] (no_such_method) failed" in found[-1]


def test_the_table_lines_up_whatever_letters_are_in_it() -> None:
    lines = list(render("shop", [TaskAudit("返品する商品"), TaskAudit("plain")]))
    assert {columns_of(line) for line in lines[:3]} == {columns_of(lines[0])}


def test_the_table() -> None:
    lines = list(render("shop", [TaskAudit("a"), TaskAudit("b", ["is wrong"], ["noop"])]))
    assert lines[1].split() == ["a", "-", "0/0", "-"]
    assert lines[2].split() == ["b", "noop", "0/0", "1"]
    assert lines[4:] == [
        "shop: 2 tasks; trivial floor 50.0 %; mutation score none made",
        "b: is wrong",
        "shop: 1 finding",
    ]


class TestCommand:
    def test_without_findings(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["audit", "mock", "--mutants", "4"]) == 0
        out = capsys.readouterr().out
        assert "mock: 6 tasks; trivial floor 0.0 %; mutation score 100.0 % (24 of 24)" in out
        assert out.endswith("mock: no findings\n")

    def test_with_findings(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        weak: Task = task(criteria={"actions": []})
        path = tmp_path / "weak.json"
        path.write_text(weak.model_dump_json(), encoding="utf-8")
        assert main(["audit", "mock", "--tasks", str(path), "--mutants", "0"]) == 1
        assert "t: the trivial agent 'noop' passes" in capsys.readouterr().out

    def test_the_seed_decides(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        weak = task(criteria={"actions": [LOOK, ADD], "reward_basis": ["COMMUNICATE"]})
        path = tmp_path / "weak.json"
        path.write_text(weak.model_dump_json(), encoding="utf-8")
        printed = []
        for seed in ("1", "1", "2"):
            main(["audit", "mock", "--tasks", str(path), "--seed", seed, "--mutants", "8"])
            printed.append(capsys.readouterr().out)
        assert printed[0] == printed[1] != printed[2]

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            (["nowhere"], "there is no domain 'nowhere'"),
            (["mock", "--mutants", "-1"], "--mutants must not be negative"),
            (["mock", "--tasks", "nowhere.json"], "nowhere.json"),
            (["mock", "--tasks", "tasks/retail_desk"], "is of the domain 'retail_desk', and this is 'mock'"),
        ],
    )
    def test_what_it_refuses(self, arguments: list[str], problem: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["audit", *arguments]) == 2
        assert problem in capsys.readouterr().err


class TestPictures:
    def found(self, folder: Path, **one: Any) -> TaskAudit:
        file = picture_task(folder, when="asked_for")
        content = json.loads(file.read_text())
        content["user_scenario"]["attachments"][0] |= one
        content["user_scenario"]["instructions"]["known_info"] += " I think about BREAD."
        file.write_text(json.dumps(content))
        (read,) = load_tasks(file)
        return audit_task(read, mock(), number=2)

    def test_seen_and_told_pass_and_guessed_does_not(self, tmp_path: Path) -> None:
        found = self.found(tmp_path)
        assert found.pictures == ["send", "alt"]
        assert not [finding for finding in found.findings if "picture" in finding]
        assert "pictures: 1 task; passed seeing 1, told 1, blind 0" in list(render("s", [found, TaskAudit("other")]))

    @pytest.mark.parametrize(
        ("one", "finding"),
        [
            ({"decides": None}, "decides nothing, so the oracle does not need it"),
            ({"decides": None}, "an agent that does not see the pictures and guesses passes"),
            ({"alt": None}, "has no alt, so nobody can say whether the task can be solved without seeing"),
            ({"alt": None}, "an agent that is told what the pictures show misses"),
            ({"decides": ["user_id"]}, "is to tell user_id 'user_1', which the customer says anyway"),
        ],
    )
    def test_what_is_wrong_with_a_picture(self, tmp_path: Path, one: dict[str, Any], finding: str) -> None:
        assert any(finding in text for text in self.found(tmp_path, **one).findings)

    def test_a_task_without_pictures_says_nothing_of_them(self) -> None:
        assert audit_task(task(criteria={"reward_basis": ["DB"]}), mock(), number=1).pictures is None
