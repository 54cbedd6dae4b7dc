"""The judge that says how content the customer will be."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau import InfraError
from pytest_tau.evaluation.judges.asking import ASKS
from pytest_tau.evaluation.progress.satisfaction import PROMPT_VERSION, rate_satisfaction
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import Satisfaction
from tests.builders import a_call, asks, finished, result_of, says
from tests.fake_model import FakeModel

CALL = a_call()
TALK: list[AnyMessage] = [says("Hi!"), asks("Help."), says(None, CALL), result_of(CALL), says("Done."), asks("Thanks.")]


def rated(*answers: Any) -> Satisfaction:
    return asyncio.run(rate_satisfaction(FakeModel(*answers), None, finished(TALK, seed=5)))


def answer(score: Any, reasons: str = "Quick, in turn 4.") -> str:
    return json.dumps({"reasons": reasons, "score": score})


def test_a_score_with_its_reasons() -> None:
    found = rated(answer(4))
    assert (found.score, found.reasons) == (4, "Quick, in turn 4.")
    assert found.judgement is not None
    assert (found.judgement.prompts, found.judgement.votes, found.judgement.cost) == (PROMPT_VERSION, 1, 0.25)


@pytest.mark.parametrize("bad", [answer(0), answer(6), answer("very"), "no JSON", "[]"])
def test_what_is_no_answer_is_asked_again(bad: str) -> None:
    assert rated(bad, answer("5")).score == 5
    nothing = rated(*[bad] * ASKS)
    assert nothing.score is None
    assert nothing.judgement is not None
    assert nothing.judgement.votes == 0


def test_a_provider_that_fails_leaves_it_open() -> None:
    assert rated(InfraError("down")).score is None


def test_it_is_shown_what_the_customer_saw() -> None:
    model = FakeModel(answer(3))
    asyncio.run(rate_satisfaction(model, None, finished(TALK, seed=5)))
    [(chat, _)] = model.asked
    shown = json.loads(str(chat[1]["content"]))
    assert [entry.get("says") for entry in shown["conversation"]] == ["Hi!", "Help.", "Done.", "Thanks."]
    assert set(shown) == {"conversation"}
