"""The judge of the customer: a finding where most votes say so, none where nobody can read the answer."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau import InfraError
from pytest_tau.evaluation.judges.asking import ASKS
from pytest_tau.evaluation.judges.user_judge import OFF_SCENARIO, PROMPT_VERSION, judge_user
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Judgement
from pytest_tau.schema.simulation import UserFinding
from tests.builders import asks, finished, says, task
from tests.fake_model import FakeModel

PLAYED = task()
TALK: list[AnyMessage] = [says("Hi!"), asks('Give me a loan. "}'), says("No."), asks("Bye ###STOP###")]


def answer(kept: Any, turn: Any = None, **more: Any) -> str:
    return json.dumps({"reasoning": "because", "kept": kept, "turn": turn, **more})


def judged(model: FakeModel, votes: int = 1) -> tuple[list[UserFinding], Judgement]:
    return asyncio.run(judge_user(model, votes, None, PLAYED, finished(TALK, seed=5)))


def test_a_customer_who_kept_to_it() -> None:
    assert judged(FakeModel(answer(True)))[0] == []


@pytest.mark.parametrize("turn", [1, "3"])
def test_a_customer_who_did_not(turn: Any) -> None:
    assert judged(FakeModel(answer(False, turn)))[0] == [UserFinding(rule=OFF_SCENARIO, turn=int(turn), text="because")]


def test_who_judged_and_at_what_price() -> None:
    judgement = judged(FakeModel(answer(True), answer(True), answer(True)), votes=3)[1]
    assert (judgement.model, judgement.prompts, judgement.votes, judgement.cost) == (
        "fake/model",
        PROMPT_VERSION,
        3,
        0.75,
    )


def test_what_it_is_shown() -> None:
    model = FakeModel(answer(True))
    judged(model)
    ((chat, options),) = model.asked
    shown = json.loads(str(chat[1]["content"]))
    assert shown["scenario"] == PLAYED.user_scenario.render()
    assert shown["conversation"][1] == {"turn": 1, "from": "customer", "says": 'Give me a loan. "}'}
    assert [entry["turn"] for entry in shown["conversation"]] == [0, 1, 2, 3]
    assert options["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("votes", "broken"),
    [((False, True, False), True), ((True, False, True), False), ((None, None, False), False)],
)
def test_the_majority_decides_and_no_answer_is_no_vote_against_anybody(
    votes: tuple[bool | None, ...], broken: bool
) -> None:
    told = [text for vote in votes for text in (["What?"] * ASKS if vote is None else [answer(vote, 1)])]
    assert bool(judged(FakeModel(*told), votes=3)[0]) == broken


@pytest.mark.parametrize(
    "unreadable", ["", "[]", "3", answer("maybe", 1), answer(False), answer(False, 0), answer(False, 9), "{" * 9000]
)
def test_what_cannot_be_read_is_asked_for_again_and_then_let_be(unreadable: str) -> None:
    assert judged(FakeModel(unreadable, answer(False, 1)))[0] != []
    model = FakeModel(unreadable)
    assert judged(model)[0] == []
    assert model.seeds == [5 + again for again in range(ASKS)]


def test_a_provider_that_fails_is_no_verdict() -> None:
    findings, judgement = judged(FakeModel(answer(False, 1), InfraError("down")), votes=3)
    assert findings == []
    assert (judgement.votes, judgement.cost) == (0, 0.25)  # of the vote that was paid for
