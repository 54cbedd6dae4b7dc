"""The judge: a verdict for every assertion or none, failing closed, asked again by itself."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau import InfraError, Task
from pytest_tau.errors import SettingsError
from pytest_tau.evaluation.judges.asking import ASKS
from pytest_tau.evaluation.judges.nl_assertions import PROMPT_VERSION, TONE, Judge, read_verdicts
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import CriterionResult
from pytest_tau.schema.spending import Usage
from tests.builders import a_call, asks, finished, result_of, says, task
from tests.fake_model import FakeModel, Told, reply

TWO = task(criteria={"nl_assertions": ["The agent greets.", "The agent is kind."], "reward_basis": ["NL_ASSERTION"]})
LOOK = a_call("get_users", limit=2)
TALK: list[AnyMessage] = [
    says("Hi!"),
    asks('Bye "all"} met ###STOP###'),
    says("Wait", LOOK),
    result_of(LOOK, "no", error=True),
]


def answer(*mets: Any, **more: Any) -> str:
    """An answer with verdicts on the assertions in order."""
    entries = [{"number": n, "reasoning": f"because {n}", "met": met} for n, met in enumerate(mets, 1)]
    return json.dumps({"results": entries, **more})


def judged(model: FakeModel, votes: int = 1, played: Task = TWO) -> CriterionResult:
    return asyncio.run(Judge(model, votes).verdict(played, finished(TALK, seed=5)))


def mets(result: CriterionResult) -> list[bool | None]:
    return [check.met for check in result.checks]


class TestVerdict:
    def test_each_assertion_has_its_own(self) -> None:
        result = judged(FakeModel(answer(True, False)))
        assert (result.value, mets(result)) == (0.0, [True, False])
        assert [(c.name, c.explanation) for c in result.checks] == [
            ("The agent greets.", "because 1"),
            ("The agent is kind.", "because 2"),
        ]

    def test_all_must_be_met(self) -> None:
        assert judged(FakeModel(answer(True, True))).value == 1.0

    def test_who_judged_and_at_what_price(self) -> None:
        judgement = judged(FakeModel(answer(True, True))).judgement
        assert judgement is not None
        assert judgement.model_dump() == {
            "model": "fake/model",
            "prompts": PROMPT_VERSION,
            "votes": 1,
            "cost": 0.25,
            "usage": Usage(prompt_tokens=10, completion_tokens=5).model_dump(),
        }

    def test_what_it_is_shown(self) -> None:
        model = FakeModel(answer(True, True))
        judged(model)
        ((chat, options),) = model.asked
        assert json.loads(str(chat[1]["content"])) == {
            "conversation": [
                {"from": "agent", "says": "Hi!"},
                {"from": "customer", "says": 'Bye "all"} met ###STOP###'},
                {"from": "agent", "says": "Wait", "calls": [{"name": "get_users", "arguments": {"limit": 2}}]},
                {"from": "tool", "failed": "no"},
            ],
            "expectations": [
                {"number": 1, "expectation": "The agent greets."},
                {"number": 2, "expectation": "The agent is kind."},
            ],
        }
        assert (options["seed"], options["response_format"]) == (5, {"type": "json_object"})

    @pytest.mark.parametrize("criteria", [None, {"nl_assertions": []}, {}])
    def test_nothing_to_judge_asks_nobody(self, criteria: dict[str, Any] | None) -> None:
        model = FakeModel(answer())
        result = judged(model, played=task(criteria=criteria))
        assert (result.value, result.judgement, model.asked) == (1.0, None, [])


class TestFailsClosed:
    @pytest.mark.parametrize("bad", ["", "All fine!", answer(True), answer(True, None), '{"results": []}', "[" * 9999])
    def test_a_bad_answer_is_asked_for_again(self, bad: str) -> None:
        model = FakeModel(bad, answer(True, True))
        result = judged(model)
        assert (result.value, len(model.asked)) == (1.0, 2)
        assert result.judgement is not None
        assert result.judgement.cost == 0.5
        assert model.seeds == [5, 6]

    def test_what_stays_open_is_not_met(self) -> None:
        model = FakeModel("Hm", answer(True), "Hm")
        result = judged(model)
        assert (result.value, mets(result), len(model.asked)) == (0.0, [True, False], ASKS)
        assert result.checks[1].explanation == "the judge gave no verdict"

    def test_a_reason_that_was_given_stands_before_a_vote_that_could_not_be_read(self) -> None:
        model = FakeModel(*["Hm"] * ASKS, answer(True, False), answer(True, True))
        result = judged(model, votes=3)
        assert mets(result) == [True, False]
        assert result.checks[1].explanation == "2 of 3 votes: because 2"

    def test_the_providers_failure_is_nobodys_verdict(self) -> None:
        result = judged(FakeModel(answer(True, True), InfraError("it is gone")), votes=3)
        assert (result.value, mets(result)) == (None, [None, None])
        assert result.note == "the judge gave no verdict: it is gone"
        assert result.judgement is not None
        assert (result.judgement.votes, result.judgement.cost) == (0, 0.25)  # of the vote that was paid for


class TestVotes:
    def test_the_majority_decides_on_each(self) -> None:
        model = FakeModel(answer(True, False), answer(True, True), answer(False, False))
        result = judged(model, votes=3)
        assert mets(result) == [True, False]
        assert [check.explanation for check in result.checks] == ["2 of 3 votes: because 1", "2 of 3 votes: because 2"]
        assert result.judgement is not None
        assert (result.judgement.votes, result.judgement.cost) == (3, 0.75)
        assert len(set(model.seeds)) == 3

    def test_no_verdict_is_a_vote_against(self) -> None:
        told: list[Told] = [answer(True, True), *["Hm"] * ASKS, answer(True, False)]
        assert mets(judged(FakeModel(*told), votes=3)) == [True, False]

    @pytest.mark.parametrize("votes", [0, 2, -1])
    def test_an_even_number_is_refused(self, votes: int) -> None:
        with pytest.raises(SettingsError, match=f"must be an odd number, not {votes}"):
            Judge(FakeModel("Hm"), votes)

    def test_an_unknown_price(self) -> None:
        judgement = judged(FakeModel(reply(answer(True, True), cost=None))).judgement
        assert judgement is not None
        assert judgement.cost is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (answer(True, False), {1: True, 2: False}),
        (f"```json\n{answer(True, False)}\n```", {1: True, 2: False}),
        (f"I looked at turn [2]. {answer(True, False)}", {1: True, 2: False}),
        ('[{"number": "2", "met": "False"}, {"number": 1, "met": " true "}]', {1: True, 2: False}),
        ('[{"number": 3, "met": true}, {"number": 0, "met": true}, {"number": 1.5, "met": true}]', {}),
        ('[{"number": 1, "met": true}, {"number": 1, "met": true}]', {1: True}),
        ('[{"number": 1, "met": true}, {"number": 1, "met": false}]', {}),
        ('[{"number": true, "met": true}, {"met": true}, true, {"number": 1, "met": 1}]', {}),
        ('{"results": {"number": 1, "met": true}}', {}),
        ('"yes"', {}),
    ],
)
def test_read_verdicts(text: str, found: dict[int, bool]) -> None:
    assert {number: met for number, (met, _) in read_verdicts(text, 2).items()} == found


class TestTone:
    def test_it_is_a_remark_that_decides_nothing(self) -> None:
        found = asyncio.run(Judge(FakeModel(answer(True, False))).tone(TWO, finished(TALK, seed=5)))
        assert found is not None
        assert (found.criterion, found.in_basis, found.value) == ("TONE", False, 0.0)
        assert [check.name for check in found.checks] == list(TONE)

    def test_a_provider_that_fails_makes_no_remark(self) -> None:
        failing = Judge(FakeModel(InfraError("down")))
        assert asyncio.run(failing.tone(TWO, finished(TALK, seed=5))) is None
