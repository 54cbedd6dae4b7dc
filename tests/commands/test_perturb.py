"""``pytest-tau perturb``: a model on loopback writes paraphrases; what does not keep to the original is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.cli import main
from pytest_tau.environment.tasks import load_tasks, read_tasks
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.variants import perturb
from tests.builders import mock
from tests.fake_model import FakeModel
from tests.llm.server import Answer, ChatServer, Request, says

GOOD = "Put a task 'Water the plants' on the list of user_1, would you?"


def answer(texts: list[str]) -> Callable[[Request], Answer]:
    """Writes these texts in turn; reads back that the same is meant, unless one speaks of cats."""
    left = list(texts)

    def respond(request: Request) -> Answer:
        asked = json.loads(request.messages[-1]["content"])
        if "second" in asked:
            same = "cat" not in asked["second"]["reason_for_call"]
            return says(json.dumps({"difference": "none" if same else "a cat", "same": same}))
        return says(left.pop(0) if len(left) > 1 else left[0])

    return respond


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    task = {
        "id": "plants",
        "domain": "mock",
        "user_scenario": {
            "instructions": {
                "domain": "mock",
                "reason_for_call": "Please add a task 'Water the plants' for user_1.",
                "task_instructions": "Nothing else.",
            }
        },
        "evaluation_criteria": {
            "actions": [
                {
                    "action_id": "a",
                    "name": "create_task",
                    "arguments": {"user_id": "user_1", "title": "Water the plants"},
                }
            ]
        },
    }
    folder = tmp_path / "tasks" / "mock"
    folder.mkdir(parents=True)
    (folder / "plants.json").write_text(json.dumps(task), encoding="utf-8")
    return folder


def as_text(text: str) -> str:
    return json.dumps({"reason_for_call": text})


def test_what_keeps_to_the_original_is_kept_and_the_rest_is_named(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("litellm")
    written = [
        "no JSON",
        as_text("Please water the plants for me."),
        as_text("Add 'Water the plants' for user_1 before 17:00."),
        as_text("Call create_task with 'Water the plants' for user_1."),
        as_text("Add 'Water the plants' for user_1 and feed the cat."),
        as_text(GOOD),
    ]
    with ChatServer(answer(written)) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-1")
        out = suite / "reworded.json"
        status = main(["perturb", str(suite), "--domain", "mock", "--n", "2", "--llm", "openai/writer", "-o", str(out)])
    said = capsys.readouterr().out
    assert status == 1  # one of the two that were asked for
    assert "plants: refused: the answer is not a JSON object" in said
    assert "refused: it has lost user_1" in said
    assert "refused: it has 17:00, which the original has not" in said
    assert "refused: it names the tool create_task" in said or "refused: it has create_task" in said
    assert "refused: read back it says something else: a cat" in said
    assert json.loads(out.read_text(encoding="utf-8")) == {"plants": [{"reason_for_call": GOOD}]}
    (task,) = load_tasks(suite)
    assert GOOD in perturb(task, mock(), "reworded").user_scenario.render()
    assert [one.id for one in read_tasks(suite / "plants.json")] == ["plants"]


def test_what_was_paid_for_is_kept_when_it_is_interrupted(
    suite: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each task's paraphrases are in the file before the next task is worded."""
    other = json.loads((suite / "plants.json").read_text(encoding="utf-8")) | {"id": "weeds"}
    (suite / "weeds.json").write_text(json.dumps(other), encoding="utf-8")
    out = suite / "reworded.json"

    class Interrupted(FakeModel):
        async def complete(self, *given: Any, **more: Any) -> ModelReply:
            if out.exists():
                raise KeyboardInterrupt
            return await super().complete(*given, **more)

    model = Interrupted(as_text(GOOD), json.dumps({"difference": "none", "same": True}))
    monkeypatch.setattr("pytest_tau.llm.client.LiteLLMClient", lambda name: model)
    assert main(["perturb", str(suite), "--domain", "mock", "--n", "1", "--llm", "any", "-o", str(out)]) == 130
    assert json.loads(out.read_text(encoding="utf-8")) == {"plants": [{"reason_for_call": GOOD}]}


def test_a_file_of_another_kind_is_refused_before_anything_is_asked(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (out := tmp_path / "out.json").write_text("[]", encoding="utf-8")
    assert main(["perturb", str(suite), "--domain", "mock", "--llm", "no/model", "-o", str(out)]) == 2
    assert "must be an object with a list of paraphrases" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kinds", "typos"], "only reworded is made before a run"),
        (["--n", "0"], "--n must be 1 or more"),
        (["--tasks", "nobody"], "has no task 'nobody'"),
    ],
)
def test_what_cannot_be_is_refused(
    suite: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["perturb", str(suite), "--llm", "openai/x", "-o", "x.json", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_task_that_names_a_path_as_its_domain_is_refused(
    suite: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evil = tmp_path / "evil"
    evil.mkdir()
    (evil / "domain.py").write_text("raise SystemExit('it was run')", "utf-8")
    for file in suite.glob("*.json"):
        file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "domain": str(evil)}), "utf-8")
    assert main(["perturb", str(suite), "--llm", "openai/none", "-o", str(tmp_path / "o.json")]) == 2
    assert "is not a domain name: a file may name a domain, never a path" in capsys.readouterr().err
