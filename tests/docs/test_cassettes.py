"""The page about cassettes: its commands record and replay, and its mismatch is a real one."""

import shlex
import shutil
from pathlib import Path

import pytest

from pytest_tau.environment.domain import _load
from pytest_tau.environment.folders import builtin_folder
from tests.llm.server import by_model, by_turn, says
from tests.options.models import Serve
from tests.plugin.parts import play

from .markdown import ROOT, Session, blocks, files, sessions

PAGE = ROOT / "docs" / "cassettes.md"
RECORD, REPLAY, OWN, IN_CI = sessions(PAGE)


def arguments(session: Session, task: str) -> list[str]:
    return [*shlex.split(session.command)[1:], f"--tau-tasks={task}", "--tau-k=1"]


def test_a_mismatch_looks_as_the_page_says(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    task, policy = "boots_and_address", Path("domains/retail/policy.md")
    shutil.copytree(builtin_folder("domains", "retail"), pytester.path / "domains" / "retail")
    (pytester.path / "tasks" / "retail").mkdir(parents=True)
    shutil.copy(builtin_folder("tasks", "retail") / f"{task}.json", pytester.path / "tasks" / "retail")
    customer = by_turn([says("Hello, I want a change."), says("Goodbye. ###STOP###")])
    server = serve(by_model({"gpt-4.1-mini": says("I cannot do that."), "gpt-4.1": customer}))
    recorded = play(pytester, *arguments(RECORD, task))
    assert RECORD.missing("\n".join(recorded.outlines)) is None
    monkeypatch.delenv("OPENAI_API_KEY")
    asked = len(server.requests)
    replayed = play(pytester, *arguments(REPLAY, task))
    assert REPLAY.missing("\n".join(replayed.outlines)) is None
    for run in (recorded, replayed):
        run.assert_outcomes(failed=1)
    text = policy.read_text(encoding="utf-8")
    policy.write_text(text.replace("the customer clearly says yes", "the customer says yes"), encoding="utf-8")
    _load.cache_clear()  # a process reads a domain once
    changed = pytester.runpytest(*arguments(IN_CI, task), "-n0")
    assert changed.ret == pytest.ExitCode.TESTS_FAILED
    assert IN_CI.missing(changed.stdout.str()) is None
    (shown,) = (block for block in blocks(PAGE.read_text(encoding="utf-8"), "text") if block.startswith("request"))
    assert Session("", shown).missing(changed.stdout.str()) is None
    assert len(server.requests) == asked


def test_an_agent_of_your_own(pytester: pytest.Pytester, serve: Serve) -> None:
    for name, body in files(PAGE).items():
        (pytester.path / name).write_text(body, encoding="utf-8")
    pytester.syspathinsert()
    server = serve(says("Goodbye."))
    result = play(pytester, *arguments(OWN, "1"))
    assert OWN.missing("\n".join(result.outlines)) is None
    assert len(server.requests) == 1
    assert len(list((pytester.path / "cassettes" / "mock").glob("*.jsonl"))) == 1
