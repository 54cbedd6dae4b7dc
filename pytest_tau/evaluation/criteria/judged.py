"""What a judge decides: NL_ASSERTION, and by a review some TRAJECTORY checks, and rules that no check is about.

A rule's *no* stands, whatever a judge says. What a rule calls unclear is decided by the judge's verdict; the reason
of a refusal can also be called wrong where a rule has found the words of the due one. Where the judge cannot tell, the
check stays as the rules have left it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...schema.reward import Check, CriterionResult, JudgeAnswer, JudgeReview, QuestionKind, Violation
from ...schema.task import Task

_READ: dict[str, QuestionKind] = {"reason": "reason", "claims": "claims", "not_promised": "promises"}


def assertions_of(task: Task) -> list[str]:
    """The statements about the conversation that only a judge can decide."""
    return list((task.evaluation_criteria and task.evaluation_criteria.nl_assertions) or [])


def nl_assertions(task: Task, verdict: CriterionResult | None = None, *, in_basis: bool) -> CriterionResult:
    """A judge's verdict; without one every assertion, and with it the criterion, stays open. No assertions are met."""
    wanted = assertions_of(task)
    if verdict is not None and wanted:
        return verdict.model_copy(update={"in_basis": in_basis})
    checks = [Check(name=assertion, met=None, explanation="needs a judge") for assertion in wanted]
    return CriterionResult(
        criterion="NL_ASSERTION",
        value=None if checks else 1.0,
        in_basis=in_basis,
        checks=checks,
        note=None if checks else "No nl_assertions to evaluate",
    )


def apply_review(check: Check, review: JudgeReview) -> Check:
    """A check as the judge's answer leaves it; ``confirmed`` asks for each of its calls by itself."""
    kind = _READ.get(check.kind)
    found = None if kind is None or check.met is False else review.of(kind, check.name if kind == "reason" else "")
    if found is None:
        return check
    remark = "; ".join(filter(None, [check.explanation, explanation(found)]))
    if found.verdict == "breach":
        return check.model_copy(
            update={"met": False, "unclear": 0, "turn": found.said, "explanation": explanation(found)}
        )
    return check.model_copy(update={"met": True, "unclear": 0, "explanation": remark})


def explanation(answer: JudgeAnswer) -> str:
    """An answer with its quote, as explanations have it."""
    quote = f" (turn {answer.said}: {answer.quote!r})" if answer.quote else ""
    return f"a judge says: {answer.why}{quote}"


def beside_checks(review: JudgeReview, checks: list[Check]) -> Iterator[Violation]:
    """Breaches by the agent that a judge has seen and no check is about."""
    about = {_READ.get(check.kind) for check in checks}
    for one in review.answers:
        if one.verdict == "breach" and one.kind in ("claims", "promises") and one.kind not in about:
            yield Violation(dimension="claims", severity=1.0, turn=one.said, text=f"{one.kind}: {explanation(one)}")
