"""What a judge's review changes about the TRAJECTORY checks, and what it adds to the rules that were broken.

A rule's *no* stands, whatever a judge says. What a rule calls unclear is decided by the judge's verdict; the reason
of a refusal can also be called wrong where a rule has found the words of the due one. Where the judge cannot tell, the
check stays as the rules have left it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...schema.reward import Check, JudgeAnswer, JudgeReview, QuestionKind, Violation

_READ: dict[str, QuestionKind] = {"reason": "reason", "claims": "claims", "not_promised": "promises"}


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


def beside_checks(review: JudgeReview | None, checks: list[Check]) -> Iterator[Violation]:
    """Breaches by the agent that a judge has seen and no check is about."""
    about = {_READ.get(check.kind) for check in checks}
    for one in review.answers if review is not None else []:
        if one.verdict == "breach" and one.kind in ("claims", "promises") and one.kind not in about:
            yield Violation(dimension="claims", severity=1.0, turn=one.said, text=f"{one.kind}: {explanation(one)}")
