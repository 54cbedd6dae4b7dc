"""TRAJECTORY: calls made and not made, facts looked up before reasons were given."""

from pytest_tau.evaluation.criteria.trajectory import trajectory
from tests.builders import asks, says, task
from tests.evaluation.criteria.trajectories import EVIDENCE, FAILED, LOOKED, REASON, only, run


class TestEvidence:
    def test_before_the_reason(self) -> None:
        assert only([*LOOKED, says("It was used")], EVIDENCE, REASON) == (True, "")

    def test_after_the_reason(self) -> None:
        late = only([says("It was used"), *LOOKED], EVIDENCE, REASON)
        assert late == (False, "looked up in turn 1, after the reason was given in turn 0")
        assert run([asks("Hi"), says("It was used"), *LOOKED], EVIDENCE, REASON)[0].turn == 1

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
