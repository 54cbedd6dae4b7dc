"""TRAJECTORY: calls made and not made, facts looked up before reasons were given."""

from typing import Any

import pytest

from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Check
from tests.builders import a_call, asks, result_of, says, task, u_call

LOOK = a_call("look", order_id="O1")
LOOKED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, '{"status": "used"}')]
FAILED: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, "Error: x", error=True)]
EVIDENCE = {"check": "evidence", "name": "look", "shows": "used"}
REASON = {"check": "reason", "any_of": ["it was used", ["too", "late"]]}


def run(messages: list[AnyMessage], *checks: dict[str, Any], solo: bool = False) -> list[Check]:
    found = trajectory(task(criteria={"trajectory": list(checks)}), messages, in_basis=True, solo=solo)
    assert found.value == float(all(check.met for check in found.checks))
    return found.checks


def only(
    messages: list[AnyMessage], check: dict[str, Any], *others: dict[str, Any], solo: bool = False
) -> tuple[Any, str]:
    first = run(messages, check, *others, solo=solo)[0]
    return first.met, first.explanation


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


class TestEvidence:
    def test_before_the_reason(self) -> None:
        assert only([*LOOKED, says("It was used")], EVIDENCE, REASON) == (True, "")

    def test_after_the_reason(self) -> None:
        late = only([says("It was used"), *LOOKED], EVIDENCE, REASON)
        assert late == (False, "looked up in turn 1, after the reason was given in turn 0")

    def test_a_guess_that_is_looked_up_and_then_said_again(self) -> None:
        guess = says("If it was used, I cannot. Let me look.")
        assert only([guess, *LOOKED, says("It was used")], EVIDENCE, REASON) == (True, "")
        late = only([guess, says("It was used"), *LOOKED, says("Goodbye")], EVIDENCE, REASON)
        assert late == (False, "looked up in turn 2, after the reason was given in turn 1")

    def test_every_reason_is_given_after_looking(self) -> None:
        other = {"check": "reason", "any_of": ["too late"]}
        unseen = only([says("It is too late"), *LOOKED, says("It was used")], EVIDENCE, REASON, other)
        assert unseen == (False, "looked up in turn 1, after the reason was given in turn 0")

    def test_again_after_the_reason(self) -> None:
        assert only([*LOOKED, says("It was used"), *LOOKED], EVIDENCE, REASON)[0]

    def test_without_a_reason_any_time_will_do(self) -> None:
        assert only(LOOKED, EVIDENCE)[0]
        assert only(LOOKED, EVIDENCE, REASON)[0]

    def test_what_it_must_show(self) -> None:
        assert only(LOOKED, {**EVIDENCE, "shows": "new"}) == (False, "turn 0 did not show it")
        assert only(LOOKED, {"check": "evidence", "name": "look"})[0]

    def test_another_look_that_proves_as_much(self) -> None:
        either = {
            "check": "evidence",
            "name": "ask",
            "shows": "old",
            "alternatives": [{"name": "look", "shows": "used"}],
        }
        assert only([*LOOKED, says("It was used")], either, REASON) == (True, "")
        assert only([says("It was used"), *LOOKED], either, REASON)[1].startswith(
            "looked up in turn 1, after the reason"
        )
        neither = {**either, "alternatives": [{"name": "look", "shows": "new"}]}
        assert only(LOOKED, neither) == (False, "turn 0 did not show it")
        assert only([], either) == (False, "no such call was made")

    def test_no_look_up(self) -> None:
        assert only([], EVIDENCE) == (False, "no such call was made")
        assert only(FAILED, {**EVIDENCE, "shows": "Error"}) == (False, "no such call succeeded")


def test_nothing_wanted() -> None:
    found = trajectory(task(criteria={}), [], in_basis=False)
    assert (found.value, found.note, found.in_basis) == (1.0, "No trajectory checks to evaluate", False)
