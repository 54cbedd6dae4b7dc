"""What is wrong with the changes of a conversation, held against those of the gold path."""

from pathlib import Path

from pytest_tau import grade
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.schema.messages import InjectedFault
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, says, task
from tests.diagnosis.missed import ADD, AGAIN, COMPLETED, CREATED, DONE, PROPOSED, calls, fault
from tests.environment.folders import TOOLS, shop


class TestState:
    def test_another_argument(self) -> None:
        found = fault({"actions": [ADD]}, *calls(a_call("create_task", user_id="user_1", title="Buy ink")))
        assert str(found) == "wrong argument: create_task: title is 'Buy ink', not 'Buy stamps' (turn 1)"

    def test_another_argument_that_was_refused(self) -> None:
        found = fault({"actions": [ADD]}, *calls(a_call("create_task", user_id="nobody", title="Buy stamps")))
        assert found.kind == "wrong_argument"

    def test_what_was_put_right_later_is_none(self) -> None:
        first = a_call("create_task", user_id="user_9", title="Buy stamps")
        found = fault({"actions": [ADD, DONE]}, *calls(first, a_call("create_task", id="c3", **CREATE)))
        assert (found.kind, found.turn) == ("partly_done", None)
        assert found.evidence.startswith("1 of 2 changes not made: update_task_status")

    def test_an_argument_left_out_is_as_good_as_null(self) -> None:
        call = a_call("create_task", **CREATE, description=None)
        assert fault({"actions": [ADD, DONE]}, *calls(call)).kind == "partly_done"

    def test_a_default_that_was_left_out_is_not_what_went_wrong(self, tmp_path: Path) -> None:
        two = TOOLS.replace(
            "def cancel(self, order_id: str)", 'def cancel(self, order_id: str, how: str = "cancelled")'
        )
        domain = shop(tmp_path, tools=two, db='{"orders": {"O1": {"status": "open"}, "O2": {"status": "open"}}}')
        played = task(
            criteria={"actions": [action("cancel", order_id="O1", how="cancelled")]},
            user_scenario={"instructions": "Cancel O1."},
        )
        simulation = finished([*played_calls(domain, a_call("cancel", order_id="O2"))])
        found = find_fault(played, simulation, grade(played, simulation, domain), domain)
        assert found is not None
        assert found.evidence == "cancel: order_id is 'O2', not 'O1'"

    def test_another_tool_for_the_same_thing(self) -> None:
        delete = action("update_task_status", task_id="task_1", status="completed")
        call = a_call("create_task", user_id="user_1", title="task_1")
        found = fault({"actions": [delete]}, *calls(call))
        assert found.kind == "wrong_tool"
        assert found.evidence.endswith('where update_task_status(task_id="task_1", status="completed") was due')

    def test_a_change_too_many(self) -> None:
        found = fault({"actions": [ADD]}, *calls(CREATED, COMPLETED))
        assert (found.kind, found.turn) == ("unintended_write", 3)
        assert fault({"actions": []}, *calls(CREATED)).kind == "unintended_write"
        twice = [CREATED, a_call("create_task", id="c3", **CREATE)]
        assert fault({"actions": [ADD]}, *calls(*twice)).kind == "unintended_write"

    def test_a_change_of_the_history_is_none_of_the_agents(self) -> None:
        history = calls(CREATED)
        state = {"message_history": [message.model_dump() for message in history]}
        played = task(criteria={"actions": [DONE]}, initial_state=state)
        sim = finished([*history, says("Bye."), asks("###STOP###")])
        found = find_fault(played, sim, grade(played, sim, mock()), mock())
        assert found is not None
        assert found.kind == "premature_end"

    def test_nothing_tried(self) -> None:
        found = fault({"actions": [ADD]}, says("I cannot."))
        assert found.kind == "premature_end"
        assert found.evidence.startswith("the customer ended it before the due change was tried: ")
        assert found.evidence.endswith("; the agent called no tool")

    def test_a_call_that_a_fault_kept_from_its_tool_is_not_made(self) -> None:
        call, result = calls(CREATED)
        marks = [InjectedFault(kind="timeout", happened=happened, result=result.content) for happened in (True, False)]
        lost, kept = (result.model_copy(update={"error": True, "fault": mark}) for mark in marks)
        assert fault({"actions": [ADD, DONE]}, call, lost).kind == "partly_done"
        found = fault({"actions": [ADD]}, call, kept)
        assert (found.kind, found.turn) == ("premature_end", 3)
        assert found.evidence.startswith("the customer ended it before the due change was tried again: create_task(")
        assert found.evidence.endswith("; a fault had kept it from its tool")

    def test_a_look_up_that_a_fault_kept_from_its_tool_has_no_wrong_argument(self) -> None:
        wanted = {"actions": [action("get_users")], "reward_basis": ["ACTION"]}
        call, result = calls(a_call("get_users"))
        kept = result.model_copy(update={"error": True, "fault": InjectedFault(kind="timeout", happened=False)})
        assert str(fault(wanted, call, kept)) == "partly done: no call of get_users()"

    def test_part_of_it(self) -> None:
        assert fault({"actions": [ADD, DONE]}, *calls(CREATED)).kind == "partly_done"

    def test_another_order(self) -> None:
        again = a_call("update_task_status", id="c3", task_id="task_1", status="pending")
        found = fault({"actions": [DONE, AGAIN, ADD]}, *calls(again, CREATED, COMPLETED))
        assert (found.kind, found.turn) == ("wrong_order", 1)

    def test_a_customer_who_agrees_and_hangs_up(self) -> None:
        played = task(criteria={"actions": [ADD]})
        for last, kind in (
            ("Yes, please. ###STOP###", "user_fault"),
            ("###OUT-OF-SCOPE###", "user_fault"),
            ("No, thank you. ###STOP###", "premature_end"),
        ):
            sim = finished([says("Hi!"), *PROPOSED, asks(last)])
            told = find_fault(played, sim, grade(played, sim, mock()), mock())
            assert told is not None
            assert told.kind == kind

    def test_a_call_that_only_its_criterion_asks_for(self) -> None:
        criteria = {"actions": [action("get_task_details", task_id="task_1")], "reward_basis": ["ACTION"]}
        assert fault(criteria, says("Bye.")).kind == "partly_done"


def test_a_hand_over_in_the_place_of_the_due_change() -> None:
    criteria = {"actions": [action("create_task", **CREATE)]}
    found = fault(criteria, *calls(a_call("transfer_to_human_agents", summary="x")))
    assert found.kind == "needless_hand_over"
    assert fault(criteria, *calls(a_call("transfer_to_human_agents"))).kind == "premature_end"  # which failed


def test_a_gold_value_that_nobody_could_know() -> None:
    criteria = {"actions": [action("create_task", user_id="user_1", title="Call 555-0199")]}
    other = calls(a_call("create_task", user_id="user_1", title="Call home"))
    found = fault(criteria, *other)
    why = "suspect gold: create_task: neither the scenario nor any look-up shows 'Call 555-0199'"
    assert str(found).startswith(why)
