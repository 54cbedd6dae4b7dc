"""What a customer withholds, denies to know, or says too soon."""

import pytest

from pytest_tau import Task, load_domain
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.diagnosis.withheld import DENIED, LEFT_OUT, TOO_EARLY
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, action, asks, result_of, says

RETAIL = load_domain("retail")
MADE = a_call("modify_pending_order_payment", order_id="#W1001", payment_method_id="gift_card_1")
LATER = {"when": "done", "say": "By the way, could the parcel with the garden hose go to my neighbour?"}
SCENARIO = {
    "domain": "retail",
    "reason_for_call": "Please cancel order #W1001. The reason is that it was ordered by mistake.",
    "known_info": "My e-mail address is ada.brook@example.com. The office is at 12 Quay Road.",
    "task_instructions": "You want nothing else.",
}


def broken(*messages: AnyMessage, gold: dict[str, dict[str, str]] | None = None, **scenario: object) -> list[str]:
    """The rules of this file that a customer broke, who ended the conversation."""
    actions = [action(name, **arguments) for name, arguments in (gold or {}).items()]
    task = Task.model_validate(
        {
            "id": "t",
            "domain": "retail",
            "user_scenario": {"instructions": SCENARIO | scenario},
            "evaluation_criteria": {"actions": actions},
        }
    )
    told = [*messages, asks("Thanks, bye! ###STOP###")]
    played = Simulation(id="", domain="retail", task_id="t", messages=told, termination_reason=Termination.USER_STOP)
    rules = {one.rule for one in user_audit(task, played, RETAIL)}
    return sorted(rules & {LEFT_OUT, DENIED, TOO_EARLY})


def changed() -> list[AnyMessage]:
    """The agent has changed something."""
    return [says(None, MADE), result_of(MADE, "{}")]


class TestLeftOut:
    def test_a_wish_for_later_that_never_came(self) -> None:
        began: list[AnyMessage] = [asks("Cancel #W1001, please."), *changed(), says("It is cancelled.")]
        assert broken(*began, later=[LATER]) == [LEFT_OUT]
        assert broken(*began, asks("And the hose, can that parcel go to a neighbour?"), later=[LATER]) == []

    def test_a_wish_that_the_agent_came_to(self) -> None:
        began: list[AnyMessage] = [asks("Cancel #W1001, please."), *changed()]
        offered = says("Shall the parcel with the garden hose go to your neighbour?")
        assert broken(*began, offered, asks("Oh yes."), later=[LATER]) == []

    def test_a_change_that_only_the_customer_could_ask_for(self) -> None:
        gold = {"modify_pending_order_address": {"order_id": "#W1001", "address1": "12 Quay Road"}}
        began: list[AnyMessage] = [asks("Hello, about #W1001."), *changed()]
        assert broken(*began, says("What can I do?"), gold=gold) == [LEFT_OUT]
        assert broken(*began, says("I cannot send it to an office."), gold=gold) == []
        assert broken(*began, asks("To 12 Quay Road, please."), gold=gold) == []
        assert broken(*began, asks("Can it go to my work address?"), says("No."), gold=gold) == []  # in other words
        assert broken(*began, says("Is the address right?"), asks("Yes."), gold=gold) == [LEFT_OUT]
        assert broken(*began, says("And?"), asks("My e-mail address is a@b.com."), gold=gold) == [LEFT_OUT]

    def test_who_gets_nothing_done_has_no_reason_to_go_on(self) -> None:
        assert broken(asks("Cancel #W1001, please."), says("I am sorry."), later=[LATER]) == []

    def test_who_is_handed_over_has_no_time_for_it(self) -> None:
        over = a_call("transfer_to_human_agents", summary="x")
        assert (
            broken(asks("Hi"), *changed(), says(None, over), result_of(over, "Transfer successful"), later=[LATER])
            == []
        )

    @pytest.mark.parametrize(
        ("told", "found"),
        [
            ([], [LEFT_OUT]),
            ([asks("And #W2002 as well.")], []),
            ([says(None, a_call("get_order_details", order_id="#W2002"))], []),
        ],
        ids=["never", "by the customer", "looked up"],
    )
    def test_a_record_that_it_is_there_for(self, told: list[AnyMessage], found: list[str]) -> None:
        wish = "Please cancel order #W1001. And order #W2002 has one lamp too many."
        assert broken(asks("Cancel #W1001, please."), *changed(), *told, reason_for_call=wish) == found


class TestDenied:
    @pytest.mark.parametrize(
        ("said", "denied"),
        [
            ("I don't know my e-mail address.", True),
            ("My e-mail address I don't know.", True),
            ("I don't have the zip code here, but my e-mail address is ada.brook@example.com.", False),
            ("I don't know what you mean; the e-mail comes later.", False),
            ("It is ada.brook@example.com.", False),
            ("ada_brook_44. The e-mail address I don't have.", True),
            ("I don't remember which e-mail I used; try ada.brook@example.com.", False),
            ("My e-mail? I never had to give my e-mail before. It's ada.brook@example.com.", False),
            ("I don't have another e-mail.", False),
            ("I can't find my confirmation e-mail.", False),
            ("I don't have the e-mail in front of me.", False),
        ],
    )
    def test_what_the_scenario_gives(self, said: str, denied: bool) -> None:
        found = broken(asks("Hello."), says("Your e-mail address, please?"), asks(said))
        assert found == ([DENIED] if denied else [])

    def test_what_it_does_not_give(self) -> None:
        known = "I have several, and don't remember my e-mail address: is it ada.brook@example.com?"
        said: list[AnyMessage] = [
            asks("Hello."),
            says("Your e-mail address, please?"),
            asks("I don't know my e-mail address."),
        ]
        assert broken(*said, known_info=known) == []


class TestTooEarly:
    def test_what_is_for_later_comes_before_anything_was_done(self) -> None:
        said = asks("Cancel #W1001, and the parcel with the garden hose could go to my neighbour.")
        assert broken(said, *changed(), later=[LATER]) == [TOO_EARLY]
        assert broken(asks("Cancel #W1001."), *changed(), said, later=[LATER]) == []

    def test_only_in_the_first_line(self) -> None:
        """Who is refused at once has nothing to wait for."""
        said = asks("Then the parcel with the garden hose could go to my neighbour.")
        assert broken(asks("Cancel #W1001."), says("I cannot."), said, *changed(), later=[LATER]) == []

    def test_an_id_that_is_for_later(self) -> None:
        later = [LATER | {"say": "By the way, where is the parcel of order #W2002?"}]
        early, known = asks("Cancel #W1001. And #W2002, where is that?"), asks("Cancel #W1001, please.")
        assert broken(early, *changed(), later=later) == [TOO_EARLY]
        assert broken(known, *changed(), asks("Where is the parcel of #W2002?"), later=later) == []
        assert broken(early, *changed(), later=later, known_info="I know of #W1001 and #W2002.") == []
