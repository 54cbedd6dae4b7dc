"""What the processes of a run tell each other of models that refuse for good."""

from math import inf
from pathlib import Path

import pytest

from pytest_tau.plugin.playing import model_refusals
from pytest_tau.plugin.playing.model_refusals import Refusals, forget_refusals

WHY = "openai/gone: 404: there is no such model"


def test_what_one_process_was_refused_another_hears(tmp_path: Path) -> None:
    ours, theirs = Refusals(tmp_path), Refusals(tmp_path)
    assert ours.first([None, WHY, "another"]) == WHY
    assert theirs.first([None]) == WHY


def test_the_first_sentence_stays(tmp_path: Path) -> None:
    Refusals(tmp_path).first([WHY])
    assert Refusals(tmp_path).first(["another"]) == "another"
    assert Refusals(tmp_path).first([]) == WHY


@pytest.mark.parametrize(("again", "heard"), [(0, WHY), (inf, None)])
def test_others_are_asked_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, again: float, heard: str | None
) -> None:
    monkeypatch.setattr(model_refusals, "_LOOK_AGAIN", again)
    ours = Refusals(tmp_path)
    assert ours.first([]) is None
    Refusals(tmp_path).first([WHY])
    assert ours.first([]) == heard


def test_one_trial_of_the_run_shows_it(tmp_path: Path) -> None:
    assert [Refusals(tmp_path).is_first_to_show() for _ in range(3)] == [True, False, False]
    assert Refusals(tmp_path / "gone").is_first_to_show()


def test_a_new_run_knows_of_none(tmp_path: Path) -> None:
    Refusals(tmp_path).first([WHY])
    Refusals(tmp_path).is_first_to_show()
    forget_refusals(tmp_path)
    assert Refusals(tmp_path).first([]) is None
    assert Refusals(tmp_path).is_first_to_show()
