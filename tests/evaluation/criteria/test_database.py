"""DB: the state reached against the gold state."""

from typing import Any

import pytest

from pytest_tau import Simulation, Task, grade, load_domain
from pytest_tau.environment.environment import Environment
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.schema.reward import CriterionResult
from tests.builders import CREATE, a_call, action, finished, mock, played_calls, task, u_call

CREATED = a_call("create_task", **CREATE)
DISMISSED = u_call("dismiss_notification", notification_id="notif_1")


def result(played: Task, sim: Simulation) -> CriterionResult:
    found = grade(played, sim, mock()).result("DB")
    assert found is not None
    return found


def db_task(*actions: dict[str, Any], **more: Any) -> Task:
    return task(criteria={"actions": list(actions), "reward_basis": ["DB"]}, **more)


def after(*calls: Any, **fields: Any) -> Simulation:
    return finished(played_calls(mock(), *calls, solo=fields.get("solo", False)), **fields)


def test_the_path_does_not_matter() -> None:
    played = db_task(action("create_task", **CREATE))
    there_and_back = [a_call("update_task_status", task_id="task_1", status=s) for s in ("completed", "pending")]
    assert result(played, after(a_call(), *there_and_back, CREATED)).value == 1.0


def test_both_sides_count() -> None:
    played = db_task(
        action("create_task", **CREATE), action("dismiss_notification", requestor="user", notification_id="notif_1")
    )
    assert result(played, after(CREATED, DISMISSED)).value == 1.0
    missed = result(played, after(CREATED))
    assert missed.value == 0.0
    (difference,) = missed.differences
    assert (difference.side, difference.table, difference.key, difference.path) == (
        "user",
        "notifications",
        "notif_1",
        "status",
    )
    assert (difference.expected, difference.actual) == ("read", "unread")


def test_absent_records_are_marked() -> None:
    extra = result(db_task(), after(CREATED)).differences
    missing = result(db_task(action("create_task", **CREATE)), finished()).differences
    flags = [(d.table, d.key, d.expected_absent, d.actual_absent) for d in (*extra, *missing) if d.table == "tasks"]
    assert flags == [("tasks", "task_4", True, False), ("tasks", "task_4", False, True)]


def test_no_actions_and_no_assertions_compare_nothing() -> None:
    sim = after(CREATED)
    free = result(task(criteria={"reward_basis": ["DB"]}), sim)
    assert (free.value, free.note) == (1.0, "No expected actions or env assertions")
    assert result(db_task(), sim).value == 0.0
    assert result(task(criteria={"env_assertions": [], "reward_basis": ["DB"]}), sim).value == 0.0


def test_gold_calls_that_fail_are_part_of_the_path() -> None:
    played = db_task(action("create_task", user_id="x", title="T"), action("create_task", **CREATE))
    assert result(played, after(CREATED)).value == 1.0


def test_the_initial_state_is_on_both_sides() -> None:
    played = db_task(
        action("update_task_status", task_id="task_4", status="completed"),
        initial_state={
            "initialization_actions": [{"env_type": "assistant", "func_name": "create_task", "arguments": CREATE}]
        },
    )
    env = mock().environment(played)
    call = a_call("update_task_status", task_id="task_4", status="completed")
    content = env.call(call.name, call.arguments).content
    messages = played_calls(mock(), call)
    messages[1] = messages[1].model_copy(update={"content": content, "error": False})
    assert result(played, finished(messages)).value == 1.0


def test_in_solo_the_agent_may_do_the_users_part() -> None:
    played = db_task(action("dismiss_notification", requestor="user", notification_id="notif_1"))
    by_agent = a_call("dismiss_notification", notification_id="notif_1")
    assert result(played, after(by_agent, solo=True)).value == 1.0
    assert result(played, after(by_agent)).value == 0.0


def test_numbers_of_another_type_differ() -> None:
    """25 and 25.0 are two states, as they are in a hash of the JSON text."""
    domain = load_domain("mock", parity=True)
    played = db_task(action("update_task_status", task_id="task_1", status=1))
    for status, value in ((1, 1.0), (1.0, 0.0), (True, 0.0)):
        call = a_call("update_task_status", task_id="task_1", status=status)
        assert grade(played, finished(played_calls(domain, call)), domain).value == value


def test_the_gold_state_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    played = db_task(action("create_task", **CREATE), id="computed_once")
    called = []
    original = Environment.call

    def counting(self: Environment, name: str, *args: Any) -> Any:
        called.append(name)
        return original(self, name, *args)

    monkeypatch.setattr(Environment, "call", counting)
    first = gold_state(played, mock())
    assert gold_state(played, mock()) is first
    assert called == ["create_task"]
    # Another task of the same id is another task.
    other = db_task(id="computed_once")
    assert gold_state(other, mock()) != first


OTHER = {"user_id": "user_1", "title": "Buy envelopes"}


def accepting(*paths: list[dict[str, Any]], basis: tuple[str, ...] = ("DB",)) -> Task:
    gold = [action("create_task", **CREATE)]
    return task(criteria={"actions": gold, "accept": list(paths), "reward_basis": list(basis)})


def test_a_task_may_end_as_one_of_several_paths_does() -> None:
    other = [action("create_task", **OTHER)]
    played = accepting([], other, basis=("DB", "ACTION"))
    assert grade(played, after(CREATED), mock()).passed
    reward = grade(played, after(a_call("create_task", **OTHER)), mock())
    assert reward.passed
    assert reward.progress == 1.0
    assert grade(played, after(), mock()).passed
    both = grade(played, after(CREATED, a_call("create_task", id="c2", **OTHER)), mock())
    assert both.value == 0.0
    assert "task_5" in [d.key for d in both.results[0].differences]


def test_only_the_gold_path_counts_where_no_other_is_accepted() -> None:
    assert grade(accepting(), after(), mock()).value == 0.0
