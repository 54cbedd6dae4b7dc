"""What is heard of a customer's lines, kept in the task."""

import json
import shutil
from pathlib import Path

import pytest

from pytest_tau.cli import main
from pytest_tau.environment.domain import load_domain
from pytest_tau.environment.tasks import load_tasks, read_tasks
from pytest_tau.schema.messages import UserMessage
from pytest_tau.variants import apply_doses, joined_doses
from tau_workshop.speech.freezing import as_said, lines_of, with_heard
from tau_workshop.speech.line import SpeechLine, spoken
from tau_workshop.speech.rates import beside, rates
from tests.variants.telling import customer

TASK = customer("Please cancel order #W6587265.", "My zip code is 28804.")


class Deaf(SpeechLine):
    """A line on which each text is heard as its length."""

    def hear(self, text: str, number: int = 0) -> str:
        return f"{len(text)} letters"


def test_what_was_heard_is_what_the_agent_reads() -> None:
    kept = with_heard(TASK, Deaf(str), 0)
    found = apply_doses(kept, load_domain("mock"), joined_doses("spoken"), 1)
    assert found is not None
    assert found.view is not None
    said = UserMessage(content="My zip code is 28804.")
    assert found.view.message(said).content == f"{len(as_said(said.text))} letters"
    assert "two eight eight" in (found.view.message(UserMessage(content="It is 28804.")).content or "")


def test_later_conversations_are_heard_as_well() -> None:
    task = next(one for one in load_tasks("retail_long") if one.episodes)
    kept = with_heard(task, Deaf(str), 0)
    for scenario in (kept.user_scenario, *(one.user_scenario for one in kept.episodes or [])):
        assert set(scenario.heard or {}) == set(lines_of(scenario)) != set()


def test_ids_are_said_as_people_say_them() -> None:
    assert as_said("Order #W65872, zip 28804.") == "Order w six five eight seven two, zip two eight eight zero four."


def test_rates_count_what_was_heard_as_something_else() -> None:
    from collections import Counter

    found = rates(Counter([*beside("w123", "w124"), *beside("b5", "d5"), *beside("12", "1")]))
    assert (found["letter"], found["digit"]) == (0.5, 0.2)
    assert found["as"] == {"3": {"4": 1}, "b": {"d": 1}}


def test_without_what_it_needs_it_says_what_to_install(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out.json"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["speak", "mock", "-o", str(out)]) == 2
    assert "espeak-ng is not installed" in capsys.readouterr().err
    assert main(["speak", "mock", "--tasks", "none", "-o", str(out)]) == 2
    assert "mock has no task 'none'" in capsys.readouterr().err


def test_no_other_file_is_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Mine.", encoding="utf-8")
    assert main(["speak", "mock", "-o", str(notes)]) == 2
    assert "tasks would take its place: name another file" in capsys.readouterr().err
    assert notes.read_text(encoding="utf-8") == "Mine."


def test_a_suite_through_a_synthesiser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    pytest.importorskip("numpy", reason="numpy is not installed")
    sound = spoken("six five", "en-us", 150)
    assert len(sound) > 8000
    assert 0.01 < abs(sound).max() <= 1.0
    line = SpeechLine(lambda samples: f"{len(samples)} SAMPLES")
    monkeypatch.setattr("tau_workshop.speech.line.open_line", lambda model: line)
    assert main(["speak", "mock", "--tasks", "add_a_task", "-o", str(tmp_path / "tasks.json")]) == 0
    [task] = read_tasks(tmp_path / "tasks.json")
    assert all(one.endswith(" samples") for one in (task.user_scenario.heard or {}).values())
    assert len(json.loads((tmp_path / "tasks.json").read_text())) == 1
