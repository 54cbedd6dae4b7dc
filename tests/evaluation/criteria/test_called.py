"""Which calls a check of the trajectory counts."""

from typing import Any

import pytest

from pytest_tau import load_domain
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says, u_call
from tests.evaluation.criteria.trajectories import FAILED, LOOK, LOOKED, only, run


class TestCalled:
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

    def test_explanations(self) -> None:
        check = {"check": "called", "name": "look"}
        assert only([], check) == (False, "no such call was made")
        assert only(FAILED, check) == (False, "no such call succeeded")
        assert only(FAILED + LOOKED, check) == (True, "")

    def test_a_failed_attempt_is_a_call_too(self) -> None:
        assert only([asks("Hi"), *FAILED], {"check": "not_called", "name": "look"}) == (False, "called in turn 1")

    def test_parallel_calls_have_their_own_results(self) -> None:
        other = a_call("other", id="c2")
        messages: list[AnyMessage] = [says(None, LOOK, other), result_of(LOOK, error=True), result_of(other)]
        assert only(messages, {"check": "called", "name": "other"})[0]
        assert not only(messages, {"check": "called", "name": "look"})[0]

    def test_in_solo_the_side_does_not_matter(self) -> None:
        check = {"check": "called", "name": "look", "requestor": "user"}
        assert only(LOOKED, check, solo=True)[0]
        assert not only(LOOKED, {**check, "check": "not_called"}, solo=True)[0]

    def test_the_users_calls(self) -> None:
        call = u_call("look")
        assert only([asks(None, call), result_of(call)], {"check": "called", "name": "look", "requestor": "user"})[0]
