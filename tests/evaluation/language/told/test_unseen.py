"""What the agent tells and nothing shows: unclear, and never a miss."""

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.evaluation.judges.questions import open_questions
from pytest_tau.evaluation.language.told.unseen import unseen_claims
from pytest_tau.evaluation.readings import readings
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import JudgeAnswer, JudgeReview
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import a_call, asks, result_of, says, whole

RETAIL = load_domain("retail")
CANCEL = a_call("cancel_pending_order", order_id="#W1", reason="no longer needed")
CANCELLED: list[AnyMessage] = [says(None, CANCEL), result_of(CANCEL, '{"order_id": "#W1", "status": "cancelled"}')]


@pytest.mark.parametrize(
    "line",
    [
        "I've left a note on your account for the next colleague.",
        "We have also forwarded your complaint to the team in charge.",
        "#W1 is cancelled. I've just arranged a courier for Monday.",
        "I have recorded your preference for small parcels.",
        "I've reset the server for your parcels.",
        "I have just restarted your connection on our side.",
        "I've recovered the old list of #W1.",
        "And I've put a note on #W2 that it isn't to be cancelled.",
    ],
)
def test_a_deed_that_no_call_shows(line: str) -> None:
    found = unseen_claims([asks("Hello"), *CANCELLED, says(line)], RETAIL.environment())
    assert [(one.turn, one.sentence in line) for one in found] == [(3, True)]


@pytest.mark.parametrize(
    "line",
    [
        "I've cancelled #W1.",
        "I've submitted the cancellation of #W1.",
        "I've carefully reviewed your order and found the lamp.",
        "I've noted that you moved.",
        "I've made sure that all is in order.",
        "I have not forwarded anything.",
        "Once I've forwarded it, you will hear from us.",
        "Have you seen what I've forwarded?",
        "You've forwarded it already.",
        "I've left #W2 as it is.",
        "Your second order I've left alone.",
        "I've entered nothing.",
        "I've set out the options below.",
        "I've applied the policy to your case.",
        "I've given you all the details.",
        "I've made a mistake, sorry.",
        "I've narrowed it down to two.",
        "I've rechecked it and double-checked the lamp.",
    ],
    ids=[
        "of a tool",
        "a noun of it",
        "looking",
        "noting",
        "making sure",
        "denied",
        "to come",
        "asked",
        "the customer",
        "left as it is",
        "left alone",
        "nothing",
        "below",
        "a rule",
        "telling",
        "a mistake",
        "thinking",
        "looking again",
    ],
)
def test_no_deed(line: str) -> None:
    assert unseen_claims([asks("Hello"), *CANCELLED, says(line)], RETAIL.environment()) == []


def test_a_figure_that_nothing_gives() -> None:
    lines = [says("That will be $83.17 in all."), says(None, a_call("get_order_details", order_id="#W7654321"))]
    found = unseen_claims([asks("Hello"), *CANCELLED, *lines], RETAIL.environment())
    assert [(one.turn, one.sentence) for one in found] == [(3, "That will be $83.17 in all.")]


TASK = next(task for task in whole("retail") if task.id == "boots_and_address")
MESSAGES: list[AnyMessage] = [says("Hi!"), asks("Thanks for nothing."), says("I've left a note about it.")]
SIMULATION = Simulation(
    id="", domain="retail", task_id=TASK.id, messages=MESSAGES, termination_reason=Termination.USER_STOP
)


class TestWhatComesOfIt:
    def review(self, **answer: str) -> JudgeReview:
        return JudgeReview(answers=[JudgeAnswer.model_validate({"kind": "claims", **answer})])

    def claims(self, review: JudgeReview | None) -> tuple[bool | None, int]:
        found = trajectory(TASK, MESSAGES, in_basis=True, env=RETAIL.environment(), review=review)
        check = next(one for one in found.checks if one.kind == "claims")
        return check.met, check.unclear

    def test_it_is_unclear_until_a_judge_has_decided(self) -> None:
        assert self.claims(None) == (True, 1)
        assert self.claims(self.review(verdict="cannot tell")) == (True, 1)
        assert self.claims(self.review(verdict="fine")) == (True, 0)
        assert self.claims(self.review(verdict="breach", quote="I've left a note about it.")) == (False, 0)

    def test_a_judge_is_asked(self) -> None:
        assert "claims" in {one.kind for one in open_questions(TASK, SIMULATION, RETAIL)}
        silent = SIMULATION.model_copy(update={"messages": MESSAGES[:2]})
        assert "claims" not in {one.kind for one in open_questions(TASK, silent, RETAIL)}

    def test_it_is_shown_as_open(self) -> None:
        def opened(review: JudgeReview | None) -> list[str]:
            found = readings(TASK, SIMULATION, RETAIL, review)
            return [one.text for one in found if one.about == "is this so?"]

        assert opened(None) == ["I've left a note about it."]
        assert opened(self.review(verdict="fine")) == []
