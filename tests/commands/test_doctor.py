"""``pytest-tau doctor``: how it shows what was found, and its exit status."""

import json

import pytest

from pytest_tau.cli import doctor, main
from pytest_tau.plugin.doctoring import MARK
from tests.doctor.patients import healthy, no_tool_parser
from tests.options.models import Serve

RUN = ["doctor", "--tau-domain", "mock", "--tau-tasks", "1", "--tau-agent-llm", "openai/patient", "--trials", "0"]


@pytest.mark.slow  # each is a pytest of its own
@pytest.mark.parametrize("as_json", [False, True])
def test_a_fault_is_shown_with_what_to_do(
    pytester: pytest.Pytester, serve: Serve, capfd: pytest.CaptureFixture[str], as_json: bool
) -> None:
    serve(no_tool_parser)
    assert main([*RUN, *["--json"] * as_json]) == 1
    said = capfd.readouterr().out
    if as_json:
        data = json.loads(said)
        assert data["status"] == "failed"
        assert [one["check"] for one in data["findings"] if one["status"] == "failed"] == ["tool calls"]
        assert data["findings"][-1]["figures"]["trials"] == 1
        return
    assert "FAILED   tool calls      the call came as text" in said
    assert "-> the server was started without a tool-call parser: llama.cpp --jinja" in said
    assert "the run would be worthless: 1 failed" in said


@pytest.mark.slow
def test_a_healthy_model_is_ready(pytester: pytest.Pytester, serve: Serve, capfd: pytest.CaptureFixture[str]) -> None:
    serve(healthy)
    assert main(RUN) == 0
    assert "\nready: 0 failed" in capfd.readouterr().out


class Child:
    """A pytest that writes this and is gone."""

    def __init__(self, *lines: str) -> None:
        self.stdout = lines

    def __enter__(self) -> "Child":
        return self

    def __exit__(self, *raised: object) -> None:
        pass


def test_a_pytest_that_died_before_it_was_done_is_no_healthy_model(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    finding = json.dumps({"side": "agent", "check": "answers", "status": "ok", "text": "within 0.1 s"})
    child = Child(f"{MARK}{finding}\n", "Fatal Python error: Segmentation fault\n")
    monkeypatch.setattr("pytest_tau.cli.doctor.subprocess.Popen", lambda *given, **more: child)
    assert main(RUN) == 2
    said = capsys.readouterr()
    assert "ready" not in said.out
    assert "Segmentation fault" in said.err


def test_it_says_that_it_is_at_work(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(doctor, "_SILENT", 0.01)
    said = ""
    with (life := doctor.SignOfLife()):
        life.doing = "tool calls of the agent's model"
        while "nothing new for" not in said:
            said += capfd.readouterr().err
    assert "still at tool calls of the agent's model, and nothing new for " in said


@pytest.mark.slow
def test_what_pytest_refuses_is_told(pytester: pytest.Pytester, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--tau-k", "none"]) == 2
    assert "argument --tau-k: must be a whole number" in capfd.readouterr().err
