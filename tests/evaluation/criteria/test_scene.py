"""Which calls a pattern finds in a conversation, as it is written or as their tool takes them."""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.criteria.scene import Scene, has_argument, turns_showing
from pytest_tau.schema.checks import CallPattern, Evidence
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, mock, result_of, says, task, u_call
from tests.evaluation.criteria.trajectories import FAILED, LOOK, LOOKED, only, run

NEW = a_call("look", "c2", order_id="O2")


class TestThePattern:
    @pytest.mark.parametrize(
        ("fields", "met"),
        [
            ({}, True),
            ({"arguments": {"order_id": "O1"}}, True),
            ({"arguments": {"order_id": "o1"}}, True),
            ({"arguments": {"order_id": "O2"}}, False),
            ({"arguments": {"other": None}}, False),
            ({"requestor": "user"}, False),
        ],
    )
    def test_which_calls_count(self, fields: dict[str, Any], met: bool) -> None:
        assert only(LOOKED, {"check": "called", "name": "look", **fields})[0] is met
        assert only(LOOKED, {"check": "not_called", "name": "look", **fields})[0] is not met

    @pytest.mark.parametrize(
        ("made", "wanted", "met"),
        [
            ({}, {"limit": 12}, True),  # by default
            ({}, {"limit": 3}, False),
            ({"limit": "3"}, {"limit": 3}, True),  # as the tool takes it
            ({"limit": 3}, {"limit": "3"}, True),
            ({"limit": "all"}, {"limit": 12}, False),  # which the tool refuses
            ({"limit": None}, {"limit": 12}, False),
        ],
    )
    def test_an_argument_is_what_the_tool_takes_it_for(
        self, made: dict[str, Any], wanted: dict[str, Any], met: bool
    ) -> None:
        call = a_call("get_bills_for_customer", customer_id="C1", **made)
        bills: list[AnyMessage] = [says(None, call), result_of(call, "[]")]
        check = {"name": call.name, "arguments": wanted}
        telecom = load_domain("telecom")
        assert only(bills, {"check": "called", **check}, env=telecom.environment())[0] is met
        assert only(bills, {"check": "not_called", **check}, env=telecom.environment())[0] is not met
        # Where the world is not known, and on public data, as it is written.
        assert only(bills, {"check": "called", **check})[0] is (made == wanted)

    @pytest.mark.parametrize(
        ("author", "met"), [("refunds", True), ("orders", False), ("!orders", True), ("!refunds", False)]
    )
    def test_who_of_several_in_one_made_the_call(self, author: str, met: bool) -> None:
        signed = [LOOKED[0].model_copy(update={"author": "refunds"}), *LOOKED[1:]]
        check = {"name": "look", "author": author}
        (found,) = run(signed, {"check": "called", **check})
        assert (found.met, found.name) == (met, f"called: look() by {author.replace('!', 'another than ')}")
        assert only(signed, {"check": "not_called", **check})[0] is not met
        assert only(LOOKED, {"check": "called", **check})[0] is author.startswith("!")

    def test_in_solo_the_side_does_not_matter(self) -> None:
        check = {"check": "called", "name": "look", "requestor": "user"}
        assert only(LOOKED, check, solo=True)[0]
        assert not only(LOOKED, {**check, "check": "not_called"}, solo=True)[0]

    def test_the_users_calls(self) -> None:
        call = u_call("look")
        assert only([asks(None, call), result_of(call)], {"check": "called", "name": "look", "requestor": "user"})[0]

    def test_each_call_has_its_own_result_and_one_that_failed_has_none(self) -> None:
        messages: list[AnyMessage] = [asks("Hi"), says(None, LOOK, NEW), *FAILED[1:], result_of(NEW, "new"), *LOOKED]
        found = Scene(task(), messages, [], None).matching_calls(CallPattern(name="look"))
        assert [(turn, result and result.content) for turn, result in found] == [
            (1, None),
            (1, "new"),
            (4, '{"status": "used"}'),
        ]

    def test_the_author_is_the_agents_last_whoever_spoke_since(self) -> None:
        by_user = u_call("look")
        signed = says("Please look.").model_copy(update={"author": "refunds"})
        later = says("Thanks.").model_copy(update={"author": "orders"})
        spoke: list[AnyMessage] = [signed, asks(None, by_user), result_of(by_user), later]
        pattern = CallPattern(name="look", requestor="user", author="refunds")
        assert len(Scene(task(), spoke, [], None).matching_calls(pattern)) == 1
        assert Scene(task(), spoke[1:], [], None).matching_calls(pattern) == []

    @pytest.mark.parametrize("parity", [False, True])
    def test_on_public_data_an_argument_is_what_is_written(self, parity: bool) -> None:
        env = mock(parity=parity).environment()
        made = a_call("create_task", user_id="user_1", title="Buy stamps")
        assert has_argument(made, "description", None, env) is not parity
        assert has_argument(made, "title", "buy STAMPS", env)

    def test_a_tool_that_is_not_there_takes_nothing_for_another_thing(self) -> None:
        assert not has_argument(a_call("look", limit="3"), "limit", 3, mock().environment())

    def test_a_text_in_place_of_another_is_no_question_for_the_tool(self) -> None:
        bills = a_call("get_bills_for_customer", customer_id="C1", limit="03")
        env = load_domain("telecom").environment()
        assert not has_argument(bills, "limit", "3", env)
        assert has_argument(bills, "limit", 3, env)


class TestWhatShowsAFact:
    def turns(self, messages: list[AnyMessage], **more: Any) -> list[int]:
        evidence = Evidence.model_validate({"check": "evidence", "name": "look", **more})
        return list(turns_showing(evidence, messages, solo=False))

    def test_every_look_that_succeeded_and_shows_it_in_order(self) -> None:
        messages: list[AnyMessage] = [*FAILED, *LOOKED, says(None, NEW), result_of(NEW, "new"), *LOOKED]
        assert self.turns(messages) == [2, 4, 6]
        assert self.turns(messages, shows="used") == [2, 6]
        assert self.turns(messages, shows="Error") == []

    def test_a_call_that_nothing_came_back_from_shows_nothing(self) -> None:
        assert self.turns([says(None, LOOK)]) == []

    def test_each_way_has_a_text_of_its_own(self) -> None:
        other = a_call("other", "c3")
        messages: list[AnyMessage] = [*LOOKED, says(None, other), result_of(other, "used")]
        ways = {"shows": "used", "alternatives": [{"name": "other", "shows": "new"}]}
        assert self.turns(messages, **ways) == [0]
        assert self.turns(messages, **{**ways, "alternatives": [{"name": "other"}]}) == [0, 2]


class TestTheTools:
    def test_to_look_into_the_documents_is_neither_to_read_nor_to_write(self) -> None:
        scene = Scene(task(), [], [], load_domain("insurance").environment())
        assert "get_claim" in scene.tools("read")
        assert "calculate" not in scene.tools("read", "write")
        assert not {"search_documents", "grep_documents", "read_document"} & set(scene.tools("read", "write"))

    def test_of_a_world_that_is_not_known_there_are_none(self) -> None:
        assert Scene(task(), [], [], None).tools("read", "write") == []
        assert Scene(task(), [], [], mock().environment()).tools("write") == ["create_task", "update_task_status"]
