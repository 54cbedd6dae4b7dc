"""The page about training: its code runs, and its commands print what it shows."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, load_domain, load_tasks, simulate
from pytest_tau.cli import main
from pytest_tau.schema.record import Outcome, TrialRecord

from .markdown import ROOT, blocks, sessions

PAGE = ROOT / "docs" / "training.md"
CODE = blocks(PAGE.read_text(encoding="utf-8"), "python")


def code(naming: str) -> str:
    (found,) = (block for block in CODE if naming in block)
    return found


def test_the_code_about_episodes_and_rewards_raises_nothing() -> None:
    names: dict[str, object] = {}
    for block in CODE[:2]:
        exec(block, names)  # noqa: S102 (our own page)


def test_the_code_about_arguments_makes_objects_of_them() -> None:
    call: dict[str, Any] = {"function": {"name": "f", "arguments": '{"a": 1}'}}
    row = {"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [call]}]}
    exec(code("json.loads"), {"row": row})  # noqa: S102
    assert call["function"]["arguments"] == {"a": 1}


def test_the_code_about_gymnasium_raises_nothing() -> None:
    pytest.importorskip("gymnasium", reason="Gymnasium is not installed")
    exec(code("gymnasium.make"), {})  # noqa: S102


@pytest.fixture
def address() -> Iterator[str]:
    pytest.importorskip("openenv.core", reason="OpenEnv is not installed; it has a venv of its own")
    from tests.adapters.test_openenv import served

    with served("retail") as found:
        yield found


@pytest.mark.filterwarnings("ignore")
def test_the_code_about_openenv_raises_nothing(address: str) -> None:
    exec(code("TauClient"), {"address": address})  # noqa: S102


@pytest.mark.filterwarnings("ignore")
def test_the_code_about_verifiers_raises_nothing() -> None:
    pytest.importorskip("verifiers.v1", reason="verifiers is not installed; it has a venv of its own")
    exec(code("load_taskset"), {})  # noqa: S102


def test_blame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    domain = load_domain("retail")
    task = next(one for one in load_tasks("retail", split="core") if one.id == "boots_and_address")
    played = simulate(task, domain, "faulty:kind=partly_done")
    record = TrialRecord(
        nodeid="tau/retail/boots_and_address.json::test_task[trial1]",
        domain="retail",
        task_id=task.id,
        trial=1,
        outcome=Outcome.MISSED,
        reward=grade(task, played, domain),
        simulation=played,
    )
    Path("run.jsonl").write_text(record.model_dump_json() + "\n", encoding="utf-8")
    (session,) = (one for one in sessions(PAGE) if "blame" in one.command)
    main(session.command.split()[1:])
    assert session.missing(capsys.readouterr().out) is None


@pytest.mark.slow
def test_rebrand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    (session,) = (one for one in sessions(PAGE) if "rebrand" in one.command)
    assert main(session.command.split()[1:]) == 0
    assert session.missing(capsys.readouterr().out) is None
