"""One review a conversation: three verdicts, with words that stand where the judge says; all else is *cannot tell*."""

import asyncio
import json
from typing import Any

import pytest

from pytest_tau import InfraError, grade
from pytest_tau.evaluation.judges import review as reviewing
from pytest_tau.evaluation.judges.questions import RUBRIC
from pytest_tau.evaluation.judges.review import ASKS, Reviewer, prompt_hash, review_version, rubric_hash
from pytest_tau.schema.reward import JudgeReview, Reward
from pytest_tau.schema.simulation import Simulation
from tests.builders import a_call, asks, finished, mock, result_of, says
from tests.evaluation.judges.conversations import PLAYED, REFUSED, YES, conversation, refusal
from tests.fake_model import FakeModel, Told


def entry(number: int = 1, verdict: Any = "fine", turn: Any = 3, quote: Any = YES, **more: Any) -> dict[str, Any]:
    return {"number": number, "reasoning": "it is  so", "turn": turn, "quote": quote, "verdict": verdict, **more}


def told(*entries: dict[str, Any]) -> str:
    rest = [entry(number, "cannot tell") for number in (1, 2, 3, 4) if number not in [one["number"] for one in entries]]
    return json.dumps({"answers": [*entries, *rest]})


def read(*answers: Told, votes: int = 1, played: Any = PLAYED, simulation: Simulation | None = None) -> JudgeReview:
    reviewer = Reviewer(FakeModel(*answers), votes)
    found = asyncio.run(reviewer.review(played, simulation or conversation(), mock()))
    assert found is not None
    return found


def graded(review: JudgeReview | None) -> Reward:
    return grade(PLAYED, conversation(), mock(), review=review)


def test_a_judge_that_is_to_read_all_reads_a_conversation_in_which_nothing_is_open() -> None:
    idle = finished([says("Hi!"), asks("Bye ###STOP###")])

    def read_by(reviewer: Reviewer) -> JudgeReview | None:
        return asyncio.run(reviewer.review(PLAYED, idle, mock()))

    promised = told(entry(2, "breach", turn=0, quote="Hi!"))
    assert read_by(Reviewer(FakeModel(promised))) is None
    found = read_by(Reviewer(FakeModel(promised), everything=True))
    assert found is not None
    assert [(one.kind, one.verdict) for one in found.answers][1] == ("promises", "breach")


def test_without_a_review_the_unclear_is_no_miss_and_a_range() -> None:
    reward = graded(None)
    assert (reward.passed, reward.unclear, reward.under_policy, reward.under_policy_range) == (True, 1, True, (0, 1))


@pytest.mark.parametrize(("verdict", "ends"), [("fine", (1.0, 1.0)), ("breach", (0.0, 0.0))])
def test_a_verdict_counts_and_stands_in_the_record(verdict: str, ends: tuple[float, float]) -> None:
    reward = graded(read(told(entry(1, verdict))))
    assert (reward.value, reward.under_policy_range, reward.unclear) == (ends[0], ends, 0)
    result = reward.result("TRAJECTORY")
    assert result is not None
    assert f"a judge says: it is so (turn 3: {YES!r})" in result.checks[0].explanation
    assert reward.review is not None
    assert reward.review.judgement is not None
    assert (reward.review.judgement.model, reward.review.judgement.cost) == ("fake/model", 0.25)
    assert reward.review.judgement.prompts == review_version()


def test_it_is_shown_policy_turns_records_rubric_and_questions() -> None:
    model = FakeModel(told(entry()))
    asyncio.run(Reviewer(model).review(PLAYED, conversation(), mock()))
    shown = json.loads(model.chats[0][1]["content"])
    assert list(shown) == ["policy", "conversation", "rubric", "questions"]
    assert [turn["turn"] for turn in shown["conversation"]] == list(range(len(conversation().messages)))
    assert "returned" in shown["conversation"][5]
    assert shown["rubric"] == {kind: RUBRIC[kind] for kind in ("consent", "claims", "customer")}
    assert [one["number"] for one in shown["questions"]] == [1, 2, 3]
    assert len(model.asked) == 1
    assert model.asked[0][1]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "voided",
    [
        entry(quote="Sure, go ahead with it."),  # nobody said it
        entry(turn=1),  # it was said elsewhere
        entry(turn=2, quote="I will add 'Buy stamps'."),  # not by the customer
        entry(turn=5, quote="Buy stamps"),  # a result
        entry(turn=99),
        entry(turn=None),
        entry(quote=""),
        entry(quote="ie S"),  # stands nearly everywhere
        entry(quote="."),  # as every empty clause
    ],
)
@pytest.mark.parametrize("verdict", ["fine", "breach"])
def test_a_quote_that_does_not_stand_there_voids_the_verdict(voided: dict[str, Any], verdict: str) -> None:
    review = read(told({**voided, "verdict": verdict}))
    assert review.answers[0].verdict == "cannot tell"
    assert graded(review).under_policy_range == (0.0, 1.0)


def test_line_breaks_do_not_matter_in_a_quote_and_a_short_answer_is_one() -> None:
    said = conversation("Na ja.\nJa. Wie  Sie meinen")
    for quote in ("Ja", "Na ja. Ja. Wie Sie"):
        assert read(told(entry(quote=quote)), simulation=said).answers[0].verdict == "fine"


@pytest.mark.parametrize(
    ("said", "quote", "verdict"),
    [
        ("Well, I am not sure about it.", ".", "cannot tell"),
        ('I said "not sure."', '"', "cannot tell"),
        ("Well . . . . . . . .", ". . . . . . . .", "cannot tell"),
        ("👍", "👍", "fine"),
    ],
)
def test_punctuation_alone_proves_nothing_though_a_thumb_does(said: str, quote: str, verdict: str) -> None:
    assert read(told(entry(quote=quote)), simulation=conversation(said)).answers[0].verdict == verdict


@pytest.mark.parametrize(
    "answer",
    [
        "",
        None,
        "It is fine.",
        "[]",
        '{"answers": 3}',
        '{"answers": [null, 7, {"number": "x"}]}',
        told(entry(verdict="perhaps")),
        told(entry(verdict=True)),
        told(entry(number=17)),
        told(entry(verdict="fine"), entry(verdict="breach")),
        InfraError("down"),
    ],
)
def test_down_empty_garbage_and_contradictions_are_cannot_tell_and_never_fine(answer: Told) -> None:
    review = read(answer)
    assert [one.verdict for one in review.answers] == ["cannot tell"] * 3
    assert graded(review).under_policy_range == (0.0, 1.0)


def test_an_unreadable_answer_is_asked_for_again() -> None:
    model = FakeModel("what?", told(entry()))
    asyncio.run(Reviewer(model).review(PLAYED, conversation(), mock()))
    assert len(model.chats) == 2 <= ASKS


def test_a_provider_that_fails_has_cast_no_vote() -> None:
    judgement = read(told(entry()), InfraError("down"), votes=3).judgement
    assert judgement is not None
    assert judgement.votes == 0


@pytest.mark.parametrize(
    ("votes", "verdict"),
    [
        (("fine", "breach", "fine"), "fine"),
        (("breach", "breach", "fine"), "breach"),
        (("breach", "cannot tell", "fine"), "cannot tell"),
    ],
)
def test_a_verdict_needs_more_than_half_of_the_votes(votes: tuple[str, ...], verdict: str) -> None:
    assert read(*(told(entry(1, vote)) for vote in votes), votes=3).answers[0].verdict == verdict


def test_the_words_of_a_reason_are_the_judges() -> None:
    words = "Sorry, too late or not, I just do not feel like it."
    answer = told(entry(1, "breach", turn=2, quote="I just do not feel like it"))
    review = read(answer, played=REFUSED, simulation=refusal(words))
    without, with_it = (grade(REFUSED, refusal(words), mock(), review=one) for one in (None, review))
    assert (without.passed, with_it.passed) == (True, False)
    assert [(one.dimension, one.turn) for one in with_it.violations] == [("reasons", 2)]


def test_an_error_of_the_customers_is_told_and_is_nobody_elses() -> None:
    review = read(told(entry(1), entry(3, "breach", quote=YES)))
    assert review.answers[2].kind == "customer"
    assert graded(review).under_policy_range == (1.0, 1.0)


@pytest.mark.parametrize("parity", [True, False])
@pytest.mark.parametrize("lost", [True, False])
def test_lost_trials_and_public_data_are_read_when_asked_only(lost: bool, parity: bool) -> None:
    assert Reviewer(FakeModel("")).has_to_read(lost=lost, parity=parity) == (not lost and not parity)
    assert Reviewer(FakeModel(""), everything=True).has_to_read(lost=lost, parity=parity)


def test_on_public_data_it_moves_no_reward() -> None:
    public = mock(parity=True)
    review = read(told(entry(1, "breach")))
    criteria = PLAYED.evaluation_criteria
    assert criteria is not None
    theirs = PLAYED.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"reward_basis": ["DB"]})})
    plain, with_it = (grade(theirs, conversation(), public, review=one) for one in (None, review))
    assert plain.value == with_it.value == 1.0
    assert (plain.violations, plain.under_policy_range) == ([], (0.0, 1.0))
    assert [one.dimension for one in with_it.violations] == ["consent"]


def test_a_changed_clause_of_the_rubric_or_the_prompt_has_another_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    prompt, rubric, version = prompt_hash(), rubric_hash(), review_version()
    monkeypatch.setitem(RUBRIC, "consent", RUBRIC["consent"].replace("Breach", "A breach"))
    assert (prompt_hash() == prompt, rubric_hash() == rubric, review_version() == version) == (True, False, False)
    monkeypatch.setattr(reviewing, "INSTRUCTIONS", "Judge!")
    assert prompt_hash() != prompt


def test_long_results_are_cut_and_said_to_be() -> None:
    call = a_call("get_users")
    long = "x" * (reviewing.LONGEST_RESULT + 5)
    shown = json.loads(reviewing.review_request("", [says(None, call), result_of(call, long)], []))
    assert shown["conversation"][1]["left_out"] == "5 characters"
