"""A judge's passport: what it counts, when it is stale, when gates refuse it, and the file."""

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import RecordingError
from pytest_tau.metrics.passport import (
    Judged,
    Passport,
    load_passport,
    measurements,
    passport_lines,
    refusal,
    save_passport,
    stale,
)

JUDGE: dict[str, Any] = {"model": "m", "parameters": {"temperature": 0}, "votes": 1, "prompt": "p", "rubric": "r"}


def passport(found: int = 36, breaches: int = 40, passed: int = 55, fines: int = 60) -> Passport:
    judged = [Judged("breach", "breach" if n < found else "fine") for n in range(breaches)]
    judged += [Judged("fine", "fine" if n < passed else "breach") for n in range(fines)]
    return Passport(created="2026-01-01", conversations=measurements(judged), **JUDGE)


def test_rates_and_gates_rest_on_as_many_as_are_independent() -> None:
    """Ten tasks with ten conversations each, about which the judge is always or never right."""
    judged = [
        Judged(label, label if task else "cannot", task=f"t{task}")
        for label in ("breach", "fine")
        for task in range(10)
        for _ in range(10)
    ]
    few = [
        one._replace(verdict={"breach": "fine", "fine": "breach"}[one.label]) if one.task < "t4" else one
        for one in judged
    ]
    found = Passport(created="2026-01-01", conversations=measurements(few), **JUDGE)
    assert (found.conversations.sensitivity.of, found.errors.breaches, found.errors.found) == (100, 10, 6)
    why = refusal(found)
    assert why is not None
    assert why.endswith("and it has 200, which say as much as 20 of as many tasks")


def test_shares_are_of_what_it_decided_and_of_labels_that_are_clear() -> None:
    found = measurements(
        [
            Judged("breach", "breach", ("breach",)),
            Judged("breach", "fine", ("breach",)),
            Judged("breach", "cannot tell", ("cannot tell",)),
            Judged("fine", "fine"),
            Judged("cannot tell", "breach"),
        ]
    )
    assert (found.sensitivity.hits, found.sensitivity.of) == (1, 2)
    assert (found.specificity.hits, found.specificity.of) == (1, 1)
    assert (found.cannot_tell.hits, found.cannot_tell.of) == (1, 4)
    assert found.consistency is not None
    assert (found.consistency.hits, found.consistency.of) == (2, 3)
    assert measurements([Judged("fine", "fine")]).consistency is None


@pytest.mark.parametrize(
    ("other", "clause"),
    [
        ({"model": "n"}, "it is of m, and the judge is n"),
        ({"parameters": {"temperature": 1}}, "the parameter temperature was 0 and is 1"),
        ({"parameters": {"temperature": 0, "top_p": 1}}, "the parameter top_p was unset and is 1"),
        ({"votes": 3}, "it had 1 votes and has 3"),
        ({"prompt": "q"}, "the prompt has changed"),
        ({"rubric": "s"}, "the rubric has changed"),
    ],
)
def test_whatever_is_another_makes_it_stale(other: dict[str, Any], clause: str) -> None:
    assert stale(passport(), **JUDGE) == []
    changed = stale(passport(), **{**JUDGE, **other})
    assert changed == [clause]
    why = refusal(passport(), changed)
    assert why is not None
    assert clause in why


def test_a_gate_takes_a_judge_that_tells_breaches_apart_and_no_other() -> None:
    assert refusal(passport()) is None
    missing, weak = refusal(None), refusal(passport(5, 8, 6, 8))
    assert missing is not None
    assert weak is not None
    assert "has no passport (judge.json)" in missing
    assert "about 210 labelled conversations, half of them breaches, would be enough" in missing
    assert "not known to tell a breach from none" in weak
    assert "labelled conversations, half of them breaches, would be enough, and it has 16" in weak


@pytest.mark.parametrize(
    ("numbers", "said"), [((20, 40, 30, 60), "take another judge"), ((0, 0, 5, 5), "no labelled breach")]
)
def test_a_judge_like_chance_and_labels_of_one_kind(numbers: tuple[int, int, int, int], said: str) -> None:
    why = refusal(passport(*numbers))
    assert why is not None
    assert said in why


def test_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sub" / "judge.json"
    assert load_passport(path) is None
    save_passport(passport(), path)
    assert load_passport(path) == passport()
    assert (passport().errors.found, passport().errors.fines) == (36, 60)
    assert passport_lines(passport())[1][:2] == ["conversation", "90 % [77–96] of 40"]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("{", "is not valid JSON"),
        ("[]", "this is not a judge's passport; write a new one with pytest-tau judge"),
        ('{"format": "pytest-tau judge", "version": 9}', "written in version 9, and this reads 1"),
        ('{"format": "pytest-tau judge", "version": 1}', "created: Field required"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, written: str, said: str) -> None:
    path = tmp_path / "judge.json"
    path.write_text(written, encoding="utf-8")
    with pytest.raises(RecordingError, match=said):
        load_passport(path)


@pytest.mark.parametrize("edited", [{"hits": 41}, {"hits": -1}, {"hits": 0, "of": 0, "worth": 1}, {"worth": -1}])
def test_shares_that_nobody_can_have_counted_are_refused(tmp_path: Path, edited: dict[str, float]) -> None:
    path = tmp_path / "judge.json"
    save_passport(passport(), path)
    written = json.loads(path.read_text(encoding="utf-8"))
    written["conversations"]["sensitivity"] |= edited
    path.write_text(json.dumps(written), encoding="utf-8")
    with pytest.raises(RecordingError, match=r"conversations\.sensitivity.*; write a new one with pytest-tau judge"):
        load_passport(path)
