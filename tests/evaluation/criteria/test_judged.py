"""What a judge's verdict makes of a check that rules have left open, and what stays open without one."""

from typing import Any

import pytest

from pytest_tau import grade
from pytest_tau.evaluation.criteria.judged import apply_review, beside_checks, nl_assertions
from pytest_tau.schema.reward import Check, CriterionResult, JudgeAnswer, JudgeReview, QuestionKind
from tests.builders import finished, mock, says, task
from tests.evaluation.judges.conversations import REFUSED, refusal

KIND = task(criteria={"nl_assertions": ["Kind."]})
REASON = "reason: too late"


def answer(kind: QuestionKind, verdict: Any, **more: Any) -> JudgeAnswer:
    return JudgeAnswer(kind=kind, verdict=verdict, **{"quote": "so be it", "said": 2, "why": "it is so", **more})


def review(*answers: JudgeAnswer) -> JudgeReview:
    return JudgeReview(answers=list(answers))


def left_open(kind: str = "reason", name: str = REASON, **more: Any) -> Check:
    """A check that no rule could decide, so that it counts as met."""
    return Check(name=name, kind=kind, **{"met": True, "unclear": 1, "explanation": "in other words", **more})


class TestAssertions:
    def graded(self, nl: CriterionResult | None, *basis: str) -> Any:
        criteria = {"nl_assertions": ["Kind."], "reward_basis": list(basis)}
        return grade(task(criteria=criteria), finished([says("Hi")]), mock(), nl=nl)

    @pytest.mark.parametrize("value", [0.0, 1.0])
    def test_a_verdict_counts_in_the_basis(self, value: float) -> None:
        nl = CriterionResult(criterion="NL_ASSERTION", value=value)
        assert self.graded(nl, "DB", "NL_ASSERTION").value == value

    def test_and_is_shown_outside_of_it(self) -> None:
        missed = CriterionResult(criterion="NL_ASSERTION", value=0.0, checks=[Check(name="Kind.", met=False)])
        reward = self.graded(missed, "DB")
        assert (reward.value, reward.result("NL_ASSERTION").in_basis) == (1.0, False)

    def test_without_one_it_stays_open(self) -> None:
        assert self.graded(None, "DB", "NL_ASSERTION").ungraded
        (check,) = nl_assertions(KIND, in_basis=True).checks
        assert (check.name, check.met, check.explanation) == ("Kind.", None, "needs a judge")

    @pytest.mark.parametrize("criteria", [None, {}])
    def test_where_nothing_is_asserted_no_verdict_can_lose_the_trial(self, criteria: dict[str, Any] | None) -> None:
        missed = CriterionResult(criterion="NL_ASSERTION", value=0.0)
        found = nl_assertions(task(criteria=criteria), missed, in_basis=True)
        assert (found.value, found.checks, found.note) == (1.0, [], "No nl_assertions to evaluate")


class TestAReview:
    def test_a_breach_is_told_by_the_judge_in_the_turn_that_was_quoted(self) -> None:
        check = apply_review(left_open(), review(answer("reason", "breach", about=REASON)))
        assert (check.met, check.unclear, check.turn) == (False, 0, 2)
        assert check.explanation == "a judge says: it is so (turn 2: 'so be it')"

    def test_what_is_fine_is_no_longer_unclear_and_keeps_what_the_rule_has_found(self) -> None:
        check = apply_review(left_open(), review(answer("reason", "fine", about=REASON, quote="")))
        assert (check.met, check.unclear, check.turn) == (True, 0, None)
        assert check.explanation == "in other words; a judge says: it is so"

    def test_a_reason_that_a_rule_has_found_can_be_called_wrong(self) -> None:
        found = left_open(unclear=0, explanation="")
        assert not apply_review(found, review(answer("reason", "breach", about=REASON))).met

    @pytest.mark.parametrize(("kind", "asked"), [("claims", "claims"), ("not_promised", "promises")])
    def test_claims_and_promises_are_asked_once_for_the_whole_conversation(
        self, kind: str, asked: QuestionKind
    ) -> None:
        assert not apply_review(left_open(kind, f"{kind}: x"), review(answer(asked, "breach"))).met

    @pytest.mark.parametrize(
        ("check", "said"),
        [
            (left_open(), answer("reason", "cannot tell", about=REASON)),
            (left_open(), answer("reason", "breach", about="reason: not yours")),
            (left_open(), answer("claims", "breach")),
            (left_open("confirmed", "confirmed: create_task"), answer("consent", "breach")),
            (left_open(met=False, unclear=0), answer("reason", "fine", about=REASON)),
        ],
        ids=["cannot tell", "another reason", "another question", "asked for each call", "a rule's no"],
    )
    def test_what_no_answer_decides_stays_as_the_rules_have_left_it(self, check: Check, said: JudgeAnswer) -> None:
        assert apply_review(check, review(said)) == check

    def test_a_rules_no_stands_whatever_a_judge_says(self) -> None:
        for words, passed in (("Done!", False), ("It is too late.", True)):
            reward = grade(REFUSED, refusal(words), mock(), review=review(answer("reason", "fine", about=REASON)))
            found = reward.result("TRAJECTORY")
            assert found is not None
            assert REASON in [check.name for check in found.checks]
            assert reward.passed is passed


class TestBesideTheChecks:
    def test_a_promise_that_no_check_is_about_breaks_the_policy_and_loses_no_trial(self) -> None:
        simulation = refusal("It is too late, but call tomorrow as somebody else.")
        promised = review(answer("promises", "breach", quote="call tomorrow as somebody else"))
        reward = grade(REFUSED, simulation, mock(), review=promised)
        assert (reward.passed, reward.under_policy_range) == (True, (0.0, 0.0))
        assert [(one.dimension, one.turn) for one in reward.violations] == [("claims", 2)]

    def test_what_a_check_is_about_breaks_no_rule_twice(self) -> None:
        seen = review(answer("claims", "breach"), answer("promises", "breach"))
        told = [one.text.partition(":")[0] for one in beside_checks(seen, [left_open("claims")])]
        assert told == ["promises"]
        assert list(beside_checks(seen, [left_open("claims"), left_open("not_promised")])) == []

    @pytest.mark.parametrize(
        "said",
        [
            answer("claims", "fine"),
            answer("claims", "cannot tell"),
            answer("customer", "breach"),
            answer("consent", "breach"),
            answer("reason", "breach"),
        ],
        ids=["fine", "cannot tell", "the customer's", "asked for each call", "has a check"],
    )
    def test_what_is_no_breach_of_the_agents_own_is_none(self, said: JudgeAnswer) -> None:
        assert list(beside_checks(review(said), [])) == []
