"""The passport of a judge whose errors are known: it says what they are."""

from typing import Any

import pytest

from pytest_tau import InfraError
from pytest_tau.errors import SettingsError
from pytest_tau.evaluation.judges.labels import Label, LabelledConversation
from pytest_tau.evaluation.judges.review import prompt_hash, rubric_hash
from pytest_tau.metrics.passport import Passport, refusal
from tau_workshop.judging.measuring import make_passport
from tests.builders import a_call, asks, result_of, says
from tests.fake_model import FakeModel
from tests.workshop.judging.scripted import ScriptedJudge

CALL = a_call()


def conversation(number: int) -> LabelledConversation:
    """Every other one has a breach of consent."""
    verdict: Any = "breach" if number % 2 else "fine"
    said = "Please wait." if number % 2 else "Yes, do it, please."
    return LabelledConversation(
        id=str(number),
        messages=[says("Shall I look?"), asks(f"Number {number}. {said}"), says(None, CALL), result_of(CALL)],
        labels=[
            Label(kind="consent", verdict=verdict, about="get_users()", turn=2),
            Label(kind="claims", verdict="fine"),
        ],
        source="planted: consent",
    )


KEPT = Label(kind="promises", verdict="fine")


def wrong(label: Label) -> Label:
    return label.model_copy(update={"verdict": "fine" if label.verdict == "breach" else "breach"})


KNOWN = [conversation(number) for number in range(120)]


def measured(**judge: Any) -> Passport:
    return make_passport(ScriptedJudge(KNOWN, **judge), KNOWN, parameters={"temperature": 0, "api_key": "sk-123456789"})


def test_a_judge_that_is_right_and_whom_it_holds_for() -> None:
    found = measured()
    assert (found.conversations.sensitivity.value, found.conversations.specificity.value) == (1.0, 1.0)
    assert (found.model, found.votes, found.repeats, found.sources) == ("scripted/judge", 1, 2, {"planted": 120})
    assert (found.prompt, found.rubric) == (prompt_hash(), rubric_hash())
    assert "sk-123456789" not in found.model_dump_json()
    assert list(found.kinds) == ["consent", "claims"]
    assert found.kinds["consent"].kappa.value == 1.0
    assert found.kinds["claims"].sensitivity.value is None  # there was no breach of that kind
    assert refusal(found) is None


def test_a_judge_that_errs_is_found_out_with_its_intervals() -> None:
    found = measured(sensitivity=0.7, specificity=0.9, seed=4).kinds["consent"]
    for share, truth in ((found.sensitivity, 0.7), (found.specificity, 0.9)):
        assert share.of == 60
        assert share.low <= truth <= share.high
    assert found.consistency is not None
    assert found.consistency.value is not None
    assert found.consistency.value < 1.0


def test_what_several_have_labelled_is_read_and_counted_once_as_the_first_had_it() -> None:
    other = [
        one.model_copy(update={"rater": "me (again)", "labels": [KEPT, wrong(one.labels[0])]}) for one in KNOWN[:10]
    ]
    found = make_passport(ScriptedJudge(KNOWN), [*KNOWN, *other], parameters={})
    assert found.conversations == measured().conversations
    assert found.kinds["consent"].sensitivity.of == 60
    assert found.kinds["promises"].cannot_tell.of == 10


def test_conversations_of_one_task_are_no_independent_ones() -> None:
    same = [one.model_copy(update={"task": f"t{int(one.id) // 6}"}) for one in KNOWN]
    found = make_passport(ScriptedJudge(KNOWN), same, parameters={}).conversations.sensitivity
    assert (found.of, found.worth) == (60, 20)


def test_a_judge_like_chance_is_refused() -> None:
    why = refusal(measured(sensitivity=0.5, specificity=0.5))
    assert why is not None
    assert "not known to tell a breach from none" in why


def test_quotes_that_nobody_said_make_all_of_it_cannot_tell() -> None:
    found = measured(invents=True)
    assert found.kinds["consent"].cannot_tell.value == 1.0
    assert refusal(found) == "the judge has decided no labelled breach: its passport has none, or it could not tell"


def test_nothing_more_is_asked_of_a_judge_that_is_down() -> None:
    down = FakeModel(InfraError("down"))
    with pytest.raises(InfraError, match="made 0 of 40 readings"):
        make_passport(down, KNOWN[:20], parameters={}, at_once=1)
    assert len(down.asked) == 3


def test_a_judge_that_is_down_and_what_cannot_be_measured() -> None:
    with pytest.raises(InfraError, match=r"fake/model made 0 of 4 .* '0': the judge did not answer: down; start again"):
        make_passport(FakeModel(InfraError("down")), KNOWN[:2], parameters={})
    with pytest.raises(SettingsError, match="there are none"):
        make_passport(FakeModel(""), [], parameters={})
    with pytest.raises(SettingsError, match="an odd number, not 2"):
        make_passport(FakeModel(""), KNOWN[:2], parameters={}, votes=2)
