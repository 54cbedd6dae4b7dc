"""Which conversations a person is asked about, in what order, and what comes of the answers."""

from dataclasses import replace

import pytest

from pytest_tau.evaluation.judges.questions import OpenQuestion
from pytest_tau.recordings.rescored import Recording
from pytest_tau.schema.record import Variant
from pytest_tau.schema.reward import JudgeVerdict
from pytest_tau.schema.simulation import Termination
from tau_workshop.judging.labelling import (
    Candidate,
    again,
    agreements,
    as_graded,
    candidates,
    label_conversation,
    sample,
    trial_id,
    under_policy,
)
from tests.builders import asks, finished, mock, task

CONSENT = OpenQuestion("consent", "Did the customer agree?", "cancel_order(O1)", 4)


def candidate(number: int, stratum: str = "unclear by rule", *, kept: bool = True, may_keep: bool = True) -> Candidate:
    asked = () if stratum == "clear by rule" else (CONSENT,)
    return Candidate(f"shop/t{number}/1", f"shop/t{number}", "Be kind.", (), asked, stratum, kept, may_keep)


def test_the_name_of_a_trial() -> None:
    assert [trial_id("shop", "t", 2), trial_id("shop", "t", 2, "gpt")] == ["shop/t/2", "shop/t/gpt-2"]
    assert trial_id("shop", "t", 2, "gpt", Variant(label="typos")) == "shop/t/gpt-typos-2"


def test_trials_of_several_variants_have_names_of_their_own() -> None:
    played = task(id="t")
    variants = [None, Variant(label="typos"), Variant(label="letters")]
    recordings = [Recording(played, finished([asks("Hi.")]), mock(), 1.0, variant) for variant in variants]
    assert [one.id.rpartition("/")[2] for one in candidates(recordings, {})] == ["1", "typos-1", "letters-1"]


@pytest.mark.parametrize(
    ("ended", "reward", "number"),
    [
        ("infrastructure_error", None, 0),
        ("user_error", None, 0),
        ("timeout", None, 0),
        ("timeout", 0.0, 1),
        ("user_stop", None, 1),
    ],
)
def test_what_has_no_verdict_is_in_no_rate(ended: str, reward: float | None, number: int) -> None:
    simulation = finished([asks("Hi.")]).model_copy(update={"termination_reason": Termination(ended)})
    assert len(list(candidates([Recording(task(id="t"), simulation, mock(), reward)], {}))) == number


def test_those_in_doubt_come_first_and_those_that_a_label_decides_before_others() -> None:
    found = [
        candidate(1, "judge: fine"),
        candidate(2, "judge: cannot tell"),
        candidate(3, "judge: cannot tell", may_keep=False),
        candidate(4, "clear by rule"),
    ]
    assert [one.task[-1] for one in sample(found, 9, seed=1)] == ["2", "1", "3"]
    assert [one.task[-1] for one in sample(found, 2, seed=1)] == ["2", "1"]


def test_the_same_seed_gives_the_same_sample() -> None:
    found = [candidate(number) for number in range(30)]
    assert sample(found, 5, seed=1) == sample(found, 5, seed=1) != sample(found, 5, seed=2)


def test_two_raters_are_held_against_each_other_over_what_both_answered() -> None:
    found = [candidate(number) for number in range(4)]
    first = [label_conversation(one, ["fine"], "ann") for one in found]
    second = [label_conversation(one, ["fine"], again("ann")) for one in found[:3]]
    [(one, other, _)] = agreements([*first, *second])
    assert (one, other) == ("ann", "ann (again)")
    assert agreements(first) == []


def test_labels_of_another_run_are_none_of_this_one() -> None:
    before, now = candidate(1), replace(candidate(1), messages=(asks("Hi."),))
    labels = [label_conversation(before, ["breach"], "ann"), label_conversation(now, ["fine"], "bob")]
    assert under_policy([now], labels[:1]) is None
    assert under_policy([before], labels[:1]) is not None
    assert agreements(labels) == []


@pytest.mark.parametrize(("verdict", "value"), [("fine", 1.0), ("breach", 0.0), ("cannot tell", 1.0)])
def test_labels_correct_what_rules_have_counted(verdict: JudgeVerdict, value: float) -> None:
    found = [candidate(number) for number in range(4)]
    labels = [label_conversation(one, [verdict], "ann") for one in found]
    corrected = under_policy(found, labels)
    assert corrected is not None
    assert corrected.value == pytest.approx(value)
    assert under_policy(found, []) is None


def test_trials_of_a_variant_are_none_of_their_task() -> None:
    plain = candidate(1)
    told_otherwise = replace(candidate(1, kept=False), id="shop/t1/typos-1", as_it_is=False)
    labels = [label_conversation(one, ["fine"], "ann") for one in (plain, told_otherwise)]
    assert as_graded([plain, told_otherwise]) == 1.0
    assert under_policy([plain, told_otherwise], labels) == under_policy([plain], labels[:1])
    assert under_policy([told_otherwise], labels) is None
    variants = [None, Variant(label="typos")]
    recordings = [Recording(task(id="t"), finished([asks("Hi.")]), mock(), 1.0, variant) for variant in variants]
    assert [one.as_it_is for one in candidates(recordings, {})] == [True, False]
