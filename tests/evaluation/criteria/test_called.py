"""Whether a call was made, with success or at all, and what is said where it was not."""

from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says
from tests.evaluation.criteria.trajectories import FAILED, LOOK, LOOKED, only


class TestCalled:
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


def test_evidence_that_json_writes_with_escapes() -> None:
    messages: list[AnyMessage] = [says(None, LOOK), result_of(LOOK, r'{"name": "Zo\u00eb"}')]
    assert only(messages, {"check": "evidence", "name": "look", "shows": '"name": "Zoë"'})[0]
    assert only(messages, {"check": "identified", "by": ["look"], "shows": "Zoë"})[0]
    assert not only(messages, {"check": "evidence", "name": "look", "shows": "Zoe"})[0]
