"""Judges of a trial that is taken up again: who has spoken is not asked, and what was spent in vain is billed."""

import asyncio
from collections.abc import Awaitable

import pytest

from pytest_tau.plugin.playing.asked_before import ask_once, explain_once, has_spoken, with_earlier
from pytest_tau.schema.record import Fault, FaultKind
from pytest_tau.schema.reward import Judgement, Satisfaction


def judged(votes: int, cost: float | None) -> Judgement:
    return Judgement(model="judge", prompts="1", votes=votes, cost=cost)


SPOKE, IN_VAIN = judged(1, 0.25), judged(0, 0.5)


class Asked:
    """A judge that says one thing, and counts how often it is asked."""

    def __init__(self, answer: Satisfaction | None) -> None:
        self.times, self._answer = 0, answer

    async def __call__(self) -> Satisfaction | None:
        self.times += 1
        return self._answer


def once(judge: Asked, before: Satisfaction | None) -> Satisfaction | None:
    async def asked() -> Satisfaction | None:
        return await ask_once(judge, before)

    return asyncio.run(asked())


@pytest.mark.parametrize(("judgement", "spoke"), [(None, False), (IN_VAIN, False), (SPOKE, True)])
def test_a_judge_without_votes_has_said_nothing(judgement: Judgement | None, spoke: bool) -> None:
    assert has_spoken(judgement) is spoke


def test_who_has_spoken_is_not_asked() -> None:
    judge, before = Asked(Satisfaction(score=1, judgement=SPOKE)), Satisfaction(score=5, judgement=SPOKE)
    assert once(judge, before) == before
    assert judge.times == 0


@pytest.mark.parametrize(
    ("before", "cost"), [(None, 0.25), (Satisfaction(), 0.25), (Satisfaction(judgement=IN_VAIN), 0.75)]
)
def test_who_has_not_is_and_what_it_took_before_counts(before: Satisfaction | None, cost: float) -> None:
    judge = Asked(Satisfaction(score=4, judgement=SPOKE))
    found = once(judge, before)
    assert found is not None
    assert found.judgement is not None
    assert (found.score, found.judgement.votes, found.judgement.cost, judge.times) == (4, 1, cost, 1)


def test_a_judge_that_is_not_to_say_anything_says_nothing() -> None:
    assert once(Asked(None), Satisfaction(judgement=IN_VAIN)) is None


def test_a_price_that_is_not_known_leaves_the_sum_unknown() -> None:
    known = with_earlier(SPOKE, judged(0, None))
    assert known is not None
    assert known.cost is None
    assert with_earlier(None, SPOKE) is None


FAULT = Fault(kind=FaultKind.OTHER, evidence="DB")
EXPLAINED = FAULT.model_copy(update={"explanation": "It left.", "explained_by": SPOKE})


@pytest.mark.parametrize(
    ("before", "said", "cost"),
    [
        (EXPLAINED, "It left.", 0.25),
        (EXPLAINED.model_copy(update={"evidence": "another"}), "New.", 0.5),
        (EXPLAINED.model_copy(update={"explanation": None, "explained_by": IN_VAIN}), "New.", 0.75),
        (None, "New.", 0.25),
    ],
    ids=["the same", "another fault", "in vain", "never"],
)
def test_the_same_fault_is_explained_once(before: Fault | None, said: str, cost: float) -> None:
    async def explain() -> Fault:
        return FAULT.model_copy(update={"explanation": "New.", "explained_by": SPOKE})

    async def explained() -> Fault:
        asked: Awaitable[Fault] = explain_once(explain, FAULT, before)
        return await asked

    found = asyncio.run(explained())
    assert found.explained_by is not None
    assert (found.explanation, found.explained_by.cost) == (said, cost)
