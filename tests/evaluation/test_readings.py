"""What a conversation's sentences were read as, by whom, and what stayed open."""

from typing import Any

from pytest_tau.evaluation.readings import readings
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import JudgeAnswer, JudgeReview, Reading
from pytest_tau.schema.simulation import Simulation
from tests.builders import CREATE, a_call, asks, finished, mock, played_calls, says, task

PLAYED = task(criteria={"trajectory": [{"check": "confirmed"}], "reward_basis": ["TRAJECTORY"]})
REFUSED = task(criteria={"trajectory": [{"check": "reason", "any_of": ["too late"]}], "reward_basis": ["TRAJECTORY"]})
CALL = 'create_task(user_id="user_1", title="Buy stamps", description="For the letters")'


def agreed(answer: str) -> Simulation:
    said: list[AnyMessage] = [
        says("Hi!"),
        asks("Add it."),
        says("I will create the task 'Buy stamps'. Shall I?"),
        asks(answer),
    ]
    done = says("I have created the task for you.")
    return finished([*said, *played_calls(mock(), a_call("create_task", **CREATE)), done, asks("Bye ###STOP###")])


def read(*arguments: Any) -> list[tuple[str, int | None, str]]:
    return [(one.kind, one.turn, one.text) for one in readings(*arguments)]


def test_proposal_answer_and_claim() -> None:
    found = read(PLAYED, agreed("Yes, please do."), mock())
    assert ("proposal", 2, "I will create the task 'Buy stamps'.") in found
    assert ("yes", 3, "Yes, please do.") in found
    assert ("claim", 6, "I have created the task for you.") in found
    assert [turn for _, turn, _ in found] == sorted(turn for _, turn, _ in found if turn is not None)


def test_what_no_rule_can_tell_is_open_until_a_judge_has_decided() -> None:
    played = agreed("Wie Sie meinen, es ist mir egal.")
    [left] = [one for one in readings(PLAYED, played, mock()) if one.kind == "open"]
    assert (left.turn, left.by) == (4, "rule")
    about = left.about.removeprefix("was ").removesuffix(" agreed?")
    answer = JudgeAnswer(kind="consent", about=about, turn=4, verdict="fine", quote="Wie Sie meinen", said=3, why="yes")
    decided = readings(PLAYED, played, mock(), JudgeReview(answers=[answer]))
    assert "open" not in {one.kind for one in decided}
    assert Reading(kind="yes", turn=3, text="Wie Sie meinen", by="judge", about=about, why="fine: yes") in decided


def test_a_judge_that_cannot_tell_leaves_it_open_and_a_breach_is_a_no() -> None:
    played = agreed("Wie Sie meinen, es ist mir egal.")
    breach = JudgeAnswer(kind="consent", about="x", turn=4, verdict="breach", quote="egal", said=3, why="no yes")
    found = readings(PLAYED, played, mock(), JudgeReview(answers=[breach, JudgeAnswer(kind="claims", why="unsure")]))
    assert Reading(kind="no", turn=3, text="egal", by="judge", about="x", why="breach: no yes") in found
    assert found[-1] == Reading(kind="open", turn=None, by="judge", about="claim", why="unsure")


def test_refusal_and_reason() -> None:
    played = finished(
        [says("Hi!"), asks("Change it."), says("Sorry, I cannot. It is too late."), asks("OK ###STOP###")]
    )
    found = read(REFUSED, played, mock())
    assert ("refusal", 2, "Sorry, I cannot.") in found
    assert ("reason", 2, "It is too late.") in found


def test_alone_with_a_ticket_nobody_says_anything() -> None:
    assert readings(PLAYED, agreed("Yes.").model_copy(update={"solo": True}), mock()) == []
