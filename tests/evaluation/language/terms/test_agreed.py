"""What was said of a call, by whom and since when, and what was done beside it."""

import json
from collections.abc import Sequence

import pytest

from pytest_tau.evaluation.language.naming import subject_of
from pytest_tau.evaluation.language.terms.agreed import Agreed, Reported, is_said, json_of, number_in, whole_line
from pytest_tau.schema.messages import AnyMessage, ToolCall
from tests.builders import a_call, asks, result_of, says

CANCEL = a_call("cancel_pending_order", order_id="#W1001", reason="no longer needed")
OTHER = a_call("cancel_pending_order", "c2", order_id="#W2002", reason="no longer needed")
LOOK = a_call("get_order_details", "c3", order_id="#W1001")
ADDRESS = a_call("modify_user_address", "c4", user_id="ann_lee_1", zip="19901")


def agreed(messages: Sequence[AnyMessage], call: ToolCall = CANCEL, changes: Sequence[int] = ()) -> Agreed:
    turn = _turn_of(messages, call)
    return Agreed(call, turn, messages, subject_of(call, messages[:turn]), changes, {})


def reported(*after: AnyMessage) -> Reported:
    """What the agent tells of a call."""
    messages = [asks("Cancel it."), says("#W1001, okay?"), asks("Yes."), says(None, CANCEL), result_of(CANCEL), *after]
    return Reported(CANCEL, 3, messages, subject_of(CANCEL, messages[:3]), (), {})


def _turn_of(messages: Sequence[AnyMessage], call: ToolCall) -> int:
    return next(at for at, one in enumerate(messages) if one.role != "tool" and call in (one.tool_calls or ()))


class TestWhatWasSaid:
    def test_the_latest_comes_first_and_what_came_after_the_call_is_not_in_it(self) -> None:
        found = agreed([asks("Cancel #W1001."), says("Shall I?"), asks("Yes."), says(None, CANCEL), says("Done.")])
        assert found.lines == ((2, False, "Yes."), (1, True, "Shall I?"), (0, False, "Cancel #W1001."))
        assert [line.text for line in found.said] == ["Cancel #W1001.", "Shall I?", "Yes."]

    def test_what_was_said_before_an_earlier_change_was_about_that(self) -> None:
        before: list[AnyMessage] = [asks("Cancel both."), says("#W2002 first?"), asks("Yes."), says(None, OTHER)]
        after: list[AnyMessage] = [result_of(OTHER), says("Now #W1001?"), asks("Yes."), says(None, CANCEL)]
        assert [turn for turn, *_ in agreed([*before, *after], changes=[3]).lines] == [6, 5]
        assert [turn for turn, *_ in agreed([*before, *after]).lines] == [6, 5, 2, 0]

    def test_a_change_upon_the_same_answer_was_agreed_in_the_same_lines(self) -> None:
        both: list[AnyMessage] = [asks("Cancel both."), says("Shall I?"), asks("Yes."), says(None, OTHER)]
        found = agreed([*both, result_of(OTHER), says(None, CANCEL)], changes=[3])
        assert [turn for turn, *_ in found.lines] == [2, 1, 0]

    def test_of_a_line_about_several_orders_what_follows_its_own_id_counts(self) -> None:
        line = "#W2002 costs $9. It is late. For #W1001 you get $20. That takes a week. #W2002 stays."
        found = agreed([asks("And?"), says(line), asks("Yes."), says(None, CANCEL)])
        assert found.lines[1] == (1, True, "For #W1001 you get $20.\nThat takes a week.")
        assert whole_line(found, 1) == line

    def test_a_line_about_another_order_alone_says_nothing_of_it(self) -> None:
        found = agreed([asks("And?"), says("#W2002 costs $9."), asks("Yes."), says(None, CANCEL)])
        assert [turn for turn, *_ in found.lines] == [2, 0]

    def test_a_line_beside_a_call_is_said_but_puts_nothing_forward(self) -> None:
        found = agreed([asks("Cancel #W1001."), says("I look it up.", LOOK), result_of(LOOK), says(None, CANCEL)])
        assert [turn for turn, *_ in found.lines] == [0]
        assert is_said(found, "look it up")

    def test_the_last_exchange_is_four_messages_long(self) -> None:
        said: list[AnyMessage] = [asks("Hi."), says("Hello."), asks("Cancel #W1001."), says("Okay?"), asks("Yes.")]
        found = agreed([*said, says(None, CANCEL)])
        assert [turn for turn, *_ in found.last_exchange] == [4, 3, 2, 1]

    @pytest.mark.parametrize(
        ("said", "taken"),
        [
            ("Yes, please.", True),
            ("Sure.", True),
            ("No.", False),
            ("Hm.", False),
            ("Yes. Wait, no.", False),
            ("Yes, and please also cancel #W2002.", False),
            ("Yes. Please go on with everything else.", False),
            ("Yes, and please cancel #W2002 too.", False),
            ("Yes, but take the one with the paper filter.", False),
        ],
    )
    def test_a_proposal_is_taken_up_by_a_yes_that_wishes_nothing_else(self, said: str, taken: bool) -> None:
        found = agreed([asks("Cancel #W1001."), says("Okay?"), asks(said), says(None, CANCEL)])
        assert found.taken_up(1) is taken
        assert not found.taken_up(2)  # nobody has said anything since


class TestTheCall:
    def test_its_values_are_those_inside_lists_too_and_its_own_subject_is_without_them(self) -> None:
        send = a_call("return_delivered_order_items", order_id="#W1001", item_ids=["7001", "7002"])
        found = agreed([asks("Both."), says(None, send)], send)
        assert found.values == [("order_id", "#W1001"), ("item_ids", "7001"), ("item_ids", "7002")]
        assert found.subject.keys == {"#W1001", "7001", "7002"}
        assert found.own_subject.keys == {"#W1001"}
        alone = agreed([asks("It."), says(None, CANCEL)])
        assert alone.own_subject is alone.subject

    def test_its_result_is_its_own(self) -> None:
        messages: list[AnyMessage] = [asks("Yes."), says(None, OTHER, CANCEL), result_of(OTHER, "1")]
        found = agreed([*messages, result_of(CANCEL, "2")]).result
        assert found is not None
        assert found.content == "2"
        assert agreed(messages).result is None

    def test_its_records_are_what_earlier_results_showed_of_it_the_latest_first(self) -> None:
        shown = [{"order_id": name, "status": status} for name, status in (("#W1001", "new"), ("#W2002", "new"))]
        messages: list[AnyMessage] = [asks("Hi.")]
        for record in (*shown, {**shown[0], "status": "sent"}):
            messages += [says(None, LOOK), result_of(LOOK, json.dumps(record))]
        messages += [says(None, CANCEL), result_of(CANCEL, json.dumps({**shown[0], "status": "cancelled"}))]
        assert [record["status"] for record in agreed(messages).records] == ["sent", "new"]

    @pytest.mark.parametrize(
        ("beside", "alone", "sole"),
        [((), True, True), ((LOOK,), True, True), ((OTHER,), False, False), ((ADDRESS,), True, False)],
        ids=["nothing", "a look-up", "one of the kind", "another change"],
    )
    def test_whether_others_were_made_upon_the_same_answer(
        self, beside: tuple[ToolCall, ...], alone: bool, sole: bool
    ) -> None:
        made = [message for call in (*beside, CANCEL) for message in (says(None, call), result_of(call))]
        found = agreed([asks("Do it."), says("Okay?"), asks("Yes."), *made])
        assert (found.alone, found.sole) == (alone, sole)

    def test_another_answer_is_another_matter(self) -> None:
        before: list[AnyMessage] = [asks("Both."), says(None, OTHER), result_of(OTHER), asks("And the other.")]
        found = agreed([*before, says(None, CANCEL), result_of(CANCEL), asks("And?"), says(None, ADDRESS)])
        assert (found.alone, found.sole) == (True, True)

    def test_the_numbers_of_other_calls_may_be_what_was_spoken_of(self) -> None:
        paid = a_call("send_certificate", "c5", user_id="ann_lee_1", amount="70.004")
        own = a_call("send_certificate", "c6", user_id="ann_lee_1", amount=30)
        found = agreed([asks("Both."), says(None, own), result_of(own), says(None, paid, ADDRESS)], own)
        assert found.elsewhere == {70.0, 19901.0}


class TestTheReport:
    def test_it_is_the_agents_next_line_without_what_it_says_of_other_orders(self) -> None:
        found = reported(says("#W2002 is as it was. You get $20 for #W1001."), asks("Thanks."), says("Bye."))
        assert found.report == "#W2002 is as it was. You get $20 for #W1001."
        assert found.lines == ((5, True, "You get $20 for #W1001."),)
        assert found.last_exchange == [*found.lines]
        assert [line.turn for line in found.said] == [0, 1, 2, 5]

    def test_it_waits_for_other_calls_and_nobody_has_to_agree_to_it(self) -> None:
        found = reported(says(None, LOOK), result_of(LOOK), says("It is done."))
        assert (found.report, found.taken_up(7)) == ("It is done.", True)

    @pytest.mark.parametrize(
        "after",
        [[], [asks("And?"), says("It is done.")], [says("It is done, and I look.", LOOK), result_of(LOOK)]],
        ids=["nobody speaks", "the customer is first", "beside a call"],
    )
    def test_where_nothing_is_told_of_it_there_is_none(self, after: list[AnyMessage]) -> None:
        found = reported(*after)
        assert (found.report, found.lines, found.last_exchange) == ("", (), [])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "nan", "-inf", 10**400, None, True, "ten", []])
def test_what_is_no_amount(value: object) -> None:
    assert number_in(value) is None


def test_amounts_written_as_texts() -> None:
    assert number_in("20.505") == 20.5


def test_a_result_that_is_a_plain_text_has_no_json() -> None:
    assert [json_of(content) for content in ("ok", None, "", "null")] == [None] * 4
    assert json_of('{"charge": 5}') == {"charge": 5}
