"""Where a customer may end the conversation, and where that is too early."""

from pathlib import Path

import pytest

from pytest_tau import Task, load_domain
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.task import EvaluationCriteria
from tests.builders import a_call, action, asks, mock, result_of, says
from tests.diagnosis.audited import CLEAN, WRITE, played, simulation, stamps
from tests.environment.folders import TOOLS, shop


class TestStopped:
    def test_names_the_turn_and_the_question(self) -> None:
        messages = [*CLEAN[:5], asks("Thank you so much! ###STOP###")]
        (found,) = user_audit(stamps(), simulation(messages))
        assert (found.rule, found.turn) == ("stopped early", 5)
        assert found.text == "stopped at 'Shall I?'"

    def test_who_agrees_to_leave_all_as_it_is_may_go(self) -> None:
        asked = says("Shall I leave the list as it is?")
        assert user_audit(stamps(), simulation([*CLEAN[:4], asked, asks("Yes, please. Bye. ###STOP###")])) == []

    def test_who_says_yes_and_hangs_up_lets_nothing_be_done(self) -> None:
        (found,) = user_audit(stamps(), simulation([*CLEAN[:5], asks("Yes, please go ahead. ###STOP###")]))
        assert (found.rule, found.turn) == ("stopped early", 5)
        assert found.text.startswith("said yes and hung up at once")

    def test_who_takes_an_offer_and_hangs_up_though_it_was_asked_for_more(self) -> None:
        offer = says("Shall I create the task, or is there anything else I can help you with?")
        assert played([*CLEAN[:4], offer, asks("Yes, create it. ###STOP###")]) == [("stopped early", 5)]
        assert played([*CLEAN[:4], offer, asks("No, nothing else. ###STOP###")]) == []

    def test_who_agrees_to_a_transfer_that_nobody_wants_spoils_nothing(self) -> None:
        offer = says("Shall I transfer you to a person, so that the change is made there?")
        assert played([*CLEAN[:4], offer, asks("Yes. ###TRANSFER###")]) == [("left before a transfer", 5)]

    @pytest.mark.parametrize(
        ("said", "early"),
        [("Yes please. Bye! ###STOP###", True), ("No, thanks. ###STOP###", False), ("Yes. ###TRANSFER###", True)],
    )
    def test_who_agrees_to_be_handed_over_has_to_stay_for_it(self, said: str, early: bool) -> None:
        gold = [action("create_task", **WRITE.arguments), action("transfer_to_human_agents", summary="a parcel")]
        criteria = EvaluationCriteria.model_validate({"actions": gold})
        task = stamps().model_copy(update={"evaluation_criteria": criteria})
        offer = says("I cannot post a parcel. I can transfer you to a person. Shall I?")
        found = user_audit(task, simulation([*CLEAN[:9], asks("And a parcel?"), offer, asks(said)]), mock())
        assert [(one.rule, one.turn) for one in found] == ([("stopped early", 11)] if early else [])

    @pytest.mark.parametrize(
        ("offer", "found"),
        [
            ("Would you like me to transfer you to a person?", [("left before a transfer", 5)]),
            (
                "If you'd rather speak with a human agent, say transfer. What is it to be?",
                [("left before a transfer", 5)],
            ),
            ("Please hold on while I transfer you to a person. Is that all?", []),
            ("I am transferring you now.", []),
        ],
    )
    def test_who_takes_an_offer_for_the_transfer_itself(self, offer: str, found: list[tuple[str, int]]) -> None:
        assert played([*CLEAN[:4], says(offer), asks("Yes, transfer me. ###TRANSFER###")]) == found

    @pytest.mark.parametrize(
        "last",
        [
            "No, thank you. ###STOP###",
            "I'll think about it. ###STOP###",
            "Never mind, bye. ###STOP###",
            "Let's drop it. ###STOP###",
        ],
    )
    def test_who_declines_has_answered(self, last: str) -> None:
        assert played([*CLEAN[:5], asks(last)]) == []

    @pytest.mark.parametrize("said", ["Thank you! ###STOP###", "No. ###STOP###", "###STOP###", "###TRANSFER###"])
    def test_who_leaves_with_its_first_words(self, said: str) -> None:
        assert played([CLEAN[0], asks(said)]) == [("stopped early", 1)]
        assert played([asks(said)]) == [("stopped early", 0)]  # without the greeting, as others record it
        assert played([CLEAN[0], asks("###OUT-OF-SCOPE###")]) == []

    def test_once_the_gold_writes_are_made_anybody_may_go(self) -> None:
        assert played([*CLEAN[:8], says("Done. What else, please tell me?"), asks("Bye. ###STOP###")]) == []

    def test_a_refusal_without_a_question(self) -> None:
        messages = [*CLEAN[:4], says("I am sorry, I cannot do that."), asks("Too bad. ###STOP###")]
        assert played(messages) == []

    def test_who_is_asked_in_circles_may_go(self) -> None:
        circle: list[AnyMessage] = [CLEAN[4], asks("Yes."), CLEAN[4], asks("Yes!"), CLEAN[4], asks("Fine. ###STOP###")]
        assert played([*CLEAN[:4], *circle]) == []

    def test_transferred_without_a_transfer(self) -> None:
        assert played([*CLEAN[:4], says("One second."), asks("###TRANSFER###")]) == [("stopped early", 5)]
        assert played([*CLEAN[:4], says("I am transferring you now."), asks("###TRANSFER###")]) == []

    def test_whose_money_was_transferred_is_not_handed_over(self, tmp_path: Path) -> None:
        domain = shop(tmp_path, tools=TOOLS.replace("def cancel(", "def transfer_money("))
        call = a_call("transfer_money", order_id="O1")
        messages: list[AnyMessage] = [*CLEAN[:4], says(None, call), result_of(call), CLEAN[4], asks("Bye! ###STOP###")]
        found = user_audit(stamps(), simulation(messages), domain)
        assert [(one.rule, one.turn) for one in found] == [("stopped early", 7)]

    @pytest.mark.parametrize(
        ("asked", "early"),
        [
            ("That has to be reset. Reset the APN settings, then restart the phone.", True),
            ("Your APN settings are right.", False),
            ("To reset the APN settings won't help.", False),
            ("I am sorry, I cannot help.", False),
            ("I cannot reset your APN settings from here.", False),
            ("The reset of the APN settings was done this morning.", False),
            ("Because the APN settings are reset, all is well.", False),
            ("In future you can reset the APN settings yourself.", False),
        ],
    )
    def test_with_a_deed_of_its_own_to_do(self, asked: str, early: bool) -> None:
        criteria = {"actions": [action("reset_apn_settings", requestor="user")]}
        task = Task.model_validate({"id": "t", "user_scenario": {"instructions": "x"}, "evaluation_criteria": criteria})
        messages: list[AnyMessage] = [asks("No service."), says(asked), asks("I'll do that, thank you! ###STOP###")]
        found = user_audit(task, simulation(messages), load_domain("telecom"))
        assert [(one.rule, one.turn) for one in found] == ([("stopped early", 2)] if early else [])

    def test_a_deed_whose_name_has_only_words_that_stand_anywhere(self) -> None:
        criteria = {"actions": [action("get_up", requestor="user")]}
        task = Task.model_validate({"id": "t", "user_scenario": {"instructions": "x"}, "evaluation_criteria": criteria})
        messages: list[AnyMessage] = [asks("No service."), says("I am sorry, I cannot."), says("It is the mast.")]
        assert user_audit(task, simulation([*messages, asks("I see. ###STOP###")])) == []

    def test_the_agent_or_the_clock_ended_it(self) -> None:
        assert played([*CLEAN[:5], asks("Bye ###STOP###")], ended="max_steps") == []


class TestNeverEnded:
    AGAIN: tuple[AnyMessage, ...] = (says("All is done. Thank you."), asks("I want stamps, please."))

    @pytest.mark.parametrize("said", ["Thanks! And envelopes as well.", "Thank you, but I need the date."])
    def test_not_who_thanks_and_wishes_for_something(self, said: str) -> None:
        lines = [said, "Thanks, I'm waiting.", "Thank you."]
        told = [line for one in lines for line in (says("It is noted."), asks(one))]
        assert played([*CLEAN[:8], *told], ended="max_steps") == []

    def test_who_takes_leave_again_and_again(self) -> None:
        told = [line for one in ("Thank you!", "Take care!", "Bye!") for line in (says("You too."), asks(one))]
        assert played([*CLEAN[:8], *told], ended="max_steps") == [("never ended", 9)]

    @pytest.mark.parametrize("ended", ["max_steps", "stalled"])
    def test_who_says_the_same_when_all_is_done(self, ended: str) -> None:
        assert played([*CLEAN[:8], *self.AGAIN * 3], ended=ended) == [("never ended", 9)]

    def test_not_while_something_is_to_be_done(self) -> None:
        assert played([*CLEAN[:5], *self.AGAIN * 3], ended="max_steps") == []

    def test_not_who_is_asked(self) -> None:
        asked = (says("Which day do you want it on?"), self.AGAIN[1])
        assert ("never ended", 9) not in played([*CLEAN[:8], *asked * 3], ended="max_steps")

    def test_not_who_says_something_else(self) -> None:
        said = [one for text in ("And envelopes?", "Blue ones.", "What of ink?") for one in (says("No."), asks(text))]
        assert ("never ended", 9) not in played([*CLEAN[:8], *said], ended="max_steps")


@pytest.mark.parametrize(
    ("asked", "last", "early"),
    [
        ("Do you approve the change? Please reply yes.", "Yes, go ahead. ###STOP###", True),
        ("Do you approve the change? Please reply yes.", "###STOP###", True),
        ("What is the address?", "I will send it later, no rush. ###STOP###", True),
        ("What is the address?", "I'll send it in a moment, that's all for now. ###STOP###", True),
        ("Would you like me to change it?", "No need, leave it as is. ###STOP###", False),
        ("If you'd like, I can list more. Tell me which.", "Thanks! ###STOP###", False),
        ("Please check with your bank.", "###STOP###", False),
        ("Reply yes, or say transfer and I will get a human agent.", "Transfer me. ###TRANSFER###", False),
    ],
)
def test_where_a_conversation_may_stop(asked: str, last: str, early: bool) -> None:
    found = played([*CLEAN[:4], says(asked), asks(last)])
    assert [rule for rule, _ in found] == (["stopped early"] if early else [])
