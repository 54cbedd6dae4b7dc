"""The profile of people: how good the shipped classifier is on dialogues that nothing was fitted to."""

import json
import sys
from pathlib import Path

import pytest

from pytest_tau.metrics.likeness import FILE, auc, people
from pytest_tau.users import people as writing
from tau_workshop.customers import __main__ as classifier
from tau_workshop.customers import profile
from tau_workshop.customers.corpus import is_kept_back
from tests.shared import shared


@pytest.mark.slow
def test_people_who_were_kept_back_look_like_people() -> None:
    kept = [found for name, found in classifier.of_people(shared("human", "star.jsonl.gz")) if is_kept_back(name)]
    known = people()
    assert auc([known.score(one) for one in kept], known.scores) == pytest.approx(0.5, abs=0.03)


def test_a_model_s_customers_who_were_kept_back_do_not() -> None:
    found = classifier.of_recording(shared("recordings", "tau1_airline_gpt4o.json"))
    known = people()
    scores = [known.score(one) for name, one in found if is_kept_back(name)]
    assert auc(scores, known.scores) > 0.97


@pytest.mark.slow
def test_the_script_makes_the_file_that_is_shipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    shipped, made = FILE.read_text(encoding="utf-8"), tmp_path / "made.json"
    monkeypatch.setattr(classifier, "FILE", made)
    monkeypatch.setattr(classifier, "SEEDS", ())
    recordings = sorted(shared("recordings").glob("tau*.json"))
    monkeypatch.setattr(sys, "argv", ["customers", str(shared("human", "star.jsonl.gz")), *map(str, recordings)])
    classifier.main()
    assert "AUC of people who were kept back (1448): 0.4" in capsys.readouterr().out
    assert made.read_text(encoding="utf-8") == shipped


@pytest.mark.slow
def test_the_profile_people_are_drawn_from_is_what_its_script_makes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("numpy", reason="numpy is not installed")
    monkeypatch.setattr(profile, "FILE", tmp_path / "made.json")
    monkeypatch.setattr(sys, "argv", ["profile", str(shared("human", "star.jsonl.gz"))])
    profile.main()
    made = json.loads((tmp_path / "made.json").read_text(encoding="utf-8"))
    assert made == json.loads(writing.FILE.read_text(encoding="utf-8"))
    assert "| words a turn, the median | 7.64 | 7 | 4–10 |" in capsys.readouterr().out
