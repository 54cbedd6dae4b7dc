"""``pytest-tau blame``: the step that lost each trial of a run."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import grade, simulate
from pytest_tau.cli import main
from pytest_tau.schema.record import Outcome, TrialRecord
from tests.builders import core, mock


def journal(folder: Path, agent: str) -> Path:
    """A run of the mock suite."""
    lines = []
    for played in core("mock"):
        sim = simulate(played, mock(), agent)
        reward = grade(played, sim, mock())
        outcome = Outcome.PASSED if reward.passed else Outcome.MISSED
        nodeid = f"tau/mock/{played.id}.json::test_task[trial1]"
        made: dict[str, Any] = {"nodeid": nodeid, "domain": "mock", "task_id": played.id, "trial": 1}
        lines.append(TrialRecord(**made, outcome=outcome, reward=reward, simulation=sim).model_dump_json())
    file = folder / "journal.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_each_miss_has_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = journal(tmp_path, "faulty")
    assert main(["blame", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.count(": turn ") >= 2
    assert out.splitlines()[-1].endswith("with a point of no return")


def test_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["blame", str(journal(tmp_path, "noop")), "--json"])
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert found
    assert all(one["domain"] == "mock" and isinstance(one["turn"], int) and one["text"] for one in found)


def test_trials_of_several_agents_and_variants_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Task and number are the same in all of them."""
    file = journal(tmp_path, "noop")
    line = json.loads(file.read_text(encoding="utf-8").splitlines()[0])
    line |= {"label": "ours", "variant": {"label": "typos", "told": "typos", "strength": 0.5}}
    file.write_text(f"{json.dumps(line)}\n", encoding="utf-8")
    main(["blame", str(file)])
    assert f"{line['task_id']} trial 1 (ours, typos): turn " in capsys.readouterr().out
    main(["blame", str(file), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert (found["label"], found["variant"]) == ("ours", "typos")


def test_with_the_smallest_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(journal(tmp_path, "noop"))
    assert main(["blame", file, "--repair"]) == 0
    assert "    repair: it would have passed with this change in turn " in capsys.readouterr().out
    main(["blame", file, "--repair", "--json"])
    found = [json.loads(line)["repair"] for line in capsys.readouterr().out.splitlines()]
    assert all(one is None or set(one) == {"turn", "kind", "text"} for one in found)
    assert any(found)
    main(["blame", file, "--json"])
    assert "repair" not in json.loads(capsys.readouterr().out.splitlines()[0])


def test_nothing_missed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blame", str(journal(tmp_path, "oracle"))]) == 0
    assert capsys.readouterr().out == "0 missed, 0 with a point of no return\n"


@pytest.mark.parametrize("reason", ["infrastructure_error", "user_error", "timeout"])
def test_what_broke_off_is_no_miss(reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in a run's table: neither the provider's nor the customer's failure is a step of the agent's."""
    file = journal(tmp_path, "noop")
    first, *others = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    first["simulation"]["termination_reason"], first["reward"], first["outcome"] = reason, None, "infra_error"
    file.write_text("\n".join(map(json.dumps, [first, *others])) + "\n", encoding="utf-8")
    assert main(["blame", str(file)]) == 0
    out = capsys.readouterr().out
    assert first["task_id"] not in out
    assert out.splitlines()[-1].startswith(f"{len(others)} missed, {len(others)} with")


def test_a_conversation_that_cannot_be_graded_is_a_line_of_its_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = journal(tmp_path, "faulty")
    first, *others = file.read_text(encoding="utf-8").splitlines()
    broken = json.loads(first)
    broken["simulation"]["messages"].reverse()
    file.write_text("\n".join([json.dumps(broken), *others]) + "\n", encoding="utf-8")
    assert main(["blame", str(file)]) == 1
    told = capsys.readouterr().out
    assert f"mock/{broken['task_id']} trial 1: Tool message not expected." in told
    assert ": turn " in told
    assert re.search(r"^(\d+) missed, \1 with a point of no return, 1 not graded$", told, re.MULTILINE)


def test_no_such_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["blame", "nothing.jsonl"]) == 2
    assert "nothing.jsonl" in capsys.readouterr().err
