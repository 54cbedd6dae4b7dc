"""What judges have said of a trial that is taken up again: none is asked twice, and what one took in vain counts.

A trial is taken up again where one of its judges has said nothing: its provider failed, or the budget was used up.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from ...schema.spending import total_spent

if TYPE_CHECKING:
    from ...schema.record import Fault
    from ...schema.reward import CriterionResult, Judgement, JudgeReview, Satisfaction

    Judged = TypeVar("Judged", CriterionResult, JudgeReview, Satisfaction)


def has_spoken(judgement: Judgement | None) -> bool:
    """Whether somebody has judged; no votes: the judge was asked, and said nothing."""
    return judgement is not None and judgement.votes > 0


def with_earlier(judgement: Judgement | None, before: Judgement | None) -> Judgement | None:
    """A judgement with what an earlier one took added to its price."""
    if judgement is None or before is None:
        return judgement
    return judgement.model_copy(update=total_spent([judgement, before]))


async def ask_once(ask: Callable[[], Awaitable[Judged | None]], before: Judged | None) -> Judged | None:
    """What a judge says, or what it has said before."""
    if before is not None and has_spoken(before.judgement):
        return before
    found = await ask()
    if found is None or before is None:
        return found
    return found.model_copy(update={"judgement": with_earlier(found.judgement, before.judgement)})


async def explain_once(explain: Callable[[], Awaitable[Fault]], fault: Fault, before: Fault | None) -> Fault:
    """The fault with what a judge says of it, or has said before of the same one."""
    if before is None:
        return await explain()
    known = before.model_copy(update={"explanation": None, "explained_by": None})
    if known == fault and has_spoken(before.explained_by):
        return before
    found = await explain()
    return found.model_copy(update={"explained_by": with_earlier(found.explained_by, before.explained_by)})
