"""The page about models, followed against a server on loopback: every command runs, and prints what the page shows."""

import re
import shlex

import pytest

from tests.llm.server import Answer, Request, says
from tests.options.models import Serve
from tests.plugin.parts import play

from .markdown import ROOT, Session, files, sessions

PAGE = ROOT / "docs" / "models.md"
LOCAL = "http://localhost:8000/v1"
PYTEST = [session for session in sessions(PAGE) if session.command.startswith("pytest ")]
[FORECAST] = [session for session in PYTEST if "--collect-only" in session.command]
COMMANDS = [session for session in PYTEST if session is not FORECAST]


def short(request: Request) -> Answer:
    """Customers who ask for nothing, agents who do nothing."""
    return says("Goodbye. ###STOP###" if "scenario" in str(request.messages[0]) else "Goodbye.")


@pytest.mark.parametrize("session", COMMANDS, ids=lambda session: session.command.split("--tau-")[-1].split(" ")[0])
def test_a_command_prints_what_the_page_shows(pytester: pytest.Pytester, serve: Serve, session: Session) -> None:
    server = serve(short)
    for name, body in files(PAGE).items():
        (pytester.path / name).write_text(body, encoding="utf-8")
    _, *arguments = shlex.split(session.command.replace(LOCAL, server.url))
    less = ("--tau-tasks=1", "--tau-k=1")
    parallel = "-n" in arguments
    result = pytester.runpytest(*arguments, *less, "-n0") if parallel else play(pytester, *arguments, *less)
    assert result.ret in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    shown = Session(session.command, session.output.replace(LOCAL, server.url).replace("; k 4;", "; k 1;"))
    assert shown.missing("\n".join(result.outlines)) is None
    assert server.requests


def test_the_forecast_is_what_the_page_shows(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(short)
    result = play(pytester, *shlex.split(FORECAST.command)[1:])
    assert FORECAST.missing("\n".join(result.outlines)) is None
    assert server.requests == []


def test_there_are_commands() -> None:
    assert len(COMMANDS) == 6


def test_the_command_of_the_readme(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(short)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    command, _ = [
        line for line in text.splitlines() if line.startswith(".venv/bin/pytest") and "--tau-agent-llm" in line
    ]
    result = pytester.runpytest(*shlex.split(command)[1:], "-n0", "--tau-tasks=1", "--tau-k=1")
    result.stdout.fnmatch_lines(["tau: limits over all workers: budget $5", "agent: llm openai/gpt-4.1-mini *"])
    assert {request.model for request in server.requests} >= {"gpt-4.1"}


def _local_servers() -> list[tuple[str, str]]:
    """The address and the pytest command of each local server that the pages show."""
    texts = [(ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/models.md")]
    found = re.findall(r"^export OPENAI_API_BASE=(\S+) OPENAI_API_KEY=none\n(.*pytest .*)$", "\n".join(texts), re.M)
    assert len(found) == 4
    return found


@pytest.mark.parametrize(("address", "command"), _local_servers(), ids=("README", "llama.cpp", "Ollama", "vLLM"))
def test_a_local_server_is_found_by_its_address_in_the_environment(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch, address: str, command: str
) -> None:
    server = serve(short)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/v1", address)
    monkeypatch.setenv("OPENAI_API_BASE", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    _, *arguments = shlex.split(command)
    play(pytester, *arguments, "--tau-tasks=1")
    named = {word.removeprefix("openai/") for word in arguments if word.startswith("openai/")}
    assert {request.model for request in server.requests} == named
