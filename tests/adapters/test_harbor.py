"""Task folders for Harbor: their scripts are run here as in the container, but for the other user."""

import json
import os
import random
import subprocess
import sys
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.adapters.harbor import export, main
from pytest_tau.cli import main as pytest_tau_command
from pytest_tau.errors import SettingsError
from tests.builders import core, mock

FILES = ["environment/Dockerfile", "environment/sudoers", "environment/task.json", "environment/tau", "instruction.md"]
SCRIPTS = ["solution/solve.sh", "task.toml", "tests/test.sh"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a task whose episode has begun."""
    (made,) = export(core("mock")[:1], mock(), tmp_path / "out", version="1")
    monkeypatch.setenv("TAU_HOME", str(made / "environment"))
    monkeypatch.setenv("TAU_REWARD", str(tmp_path / "logs" / "reward.json"))
    assert main(["start"]) == 0
    return made


def test_the_folder_is_as_harbor_wants_it(folder: Path) -> None:
    found = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert [name for name in found if "episode" not in name] == sorted([*FILES, *SCRIPTS])
    config = tomllib.loads((folder / "task.toml").read_text("utf-8"))
    assert config["metadata"]["task_id"] == core("mock")[0].id
    assert config["agent"]["user"] == "agent"
    instruction = (folder / "instruction.md").read_text("utf-8")
    assert mock().policy in instruction
    assert all(os.access(folder / name, os.X_OK) for name in ("environment/tau", "solution/solve.sh", "tests/test.sh"))


def test_a_task_of_any_name_has_a_configuration_that_can_be_read(tmp_path: Path) -> None:
    named = core("mock")[0].model_copy(update={"id": 'a "smile" 😀', "tags": ["😀", "取消"]})
    (made,) = export([named], mock(), tmp_path, version="1")
    told = tomllib.loads((made / "task.toml").read_text("utf-8"))["metadata"]
    assert (told["task_id"], told["tags"]) == (named.id, named.tags)


def test_harbor_itself_reads_it(folder: Path) -> None:
    harbor = pytest.importorskip("harbor.models.task.task", reason="Harbor is not installed; it wants Python 3.12")
    read = harbor.Task(folder)
    assert harbor.Task.is_valid_dir(folder)
    assert read.config.agent.user == "agent"
    assert read.config.environment.memory_mb == 2048
    assert mock().policy in read.instruction


@pytest.mark.slow
def test_the_solution_earns_the_reward(folder: Path, tmp_path: Path) -> None:
    bin = tmp_path / "bin"
    bin.mkdir()
    for name, command in (("tau", "-m pytest_tau.adapters.harbor"), ("python", "")):
        script = f'#!/bin/sh\n[ "$1" = -I ] && shift\nexec {sys.executable} {command} "$@"\n'
        (bin / name).write_text(script, "utf-8")
        (bin / name).chmod(0o755)
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
    for script in ("solution/solve.sh", "tests/test.sh"):
        subprocess.run([folder / script], check=True, env=env, capture_output=True)
    assert json.loads((tmp_path / "logs" / "reward.json").read_text("utf-8")) == {"reward": 1.0, "progress": 1.0}


def test_a_random_policy_plays_to_an_end(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "logs").mkdir()
    main(["tools"])
    names = [tool["function"]["name"] for tool in json.loads(capsys.readouterr().out)]
    rng, out = random.Random(1), ""
    while "The conversation is over." not in out:
        main(rng.choice([["say", "What else?"], ["call", rng.choice(names)], ["say", "Done."]]))
        out = capsys.readouterr().out
    main(["show"])
    assert "customer: " in capsys.readouterr().out
    assert main(["grade"]) == 0
    assert json.loads((tmp_path / "logs" / "reward.json").read_text("utf-8"))["reward"] in (0.0, 1.0)


@pytest.mark.parametrize("command", [["call", "get_users", "[]"], ["call", "get_users", "{"]])
def test_what_cannot_be_done(folder: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(command) == 2
    assert "must be a JSON object" in capsys.readouterr().err
    (folder / "environment" / "episode.json").unlink()
    assert main(["show"]) == 2
    assert "begin with: tau start" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["-express", "--help", "-h, please", "- one\n- two", "-5"])
def test_what_is_said_may_begin_with_a_dash(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["say", text]) == 0
    main(["show"])
    assert f"you: {text}\n" in capsys.readouterr().out


def test_nobody_can_begin_again(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["call", "get_users"])
    capsys.readouterr()
    assert main(["start"]) == 2
    assert (
        "the episode has begun, and nothing can be taken back; see what was said: tau show" in capsys.readouterr().err
    )
    main(["show"])
    assert "you: get_users({})" in capsys.readouterr().out


def test_of_commands_at_the_same_time_none_is_lost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    together = threading.Barrier(4)

    def call() -> None:
        together.wait()
        main(["call", "get_users"])

    threads = [threading.Thread(target=call) for _ in range(together.parties)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    capsys.readouterr()
    main(["show"])
    assert capsys.readouterr().out.count("you: get_users({})") == len(threads)


def test_the_command_that_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pytest_tau_command(["export", "harbor", "mock", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: {len(core('mock'))} tasks\n"
    with pytest.raises(SettingsError, match="already exists"):
        export(core("mock")[:1], mock(), tmp_path, version="1")


def test_tasks_whose_ids_differ_in_little_have_folders_of_their_own(tmp_path: Path) -> None:
    ids = ["a_b", "a-b", "取消", "退货", "x" * 120, "x" * 121, "plain"]
    tasks = [core("mock")[0].model_copy(update={"id": id}) for id in ids]
    made = export(tasks, mock(), tmp_path / "out", version="1")
    assert len(set(made)) == len(ids)
    assert made[-1].name == "mock-plain"
    assert all(len(path.name) <= 100 for path in made)
    again = export(list(reversed(tasks)), mock(), tmp_path / "again", version="1")
    assert [path.name for path in reversed(again)] == [path.name for path in made]


def test_a_domain_of_ones_own_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert pytest_tau_command(["export", "harbor", "library", "-o", str(tmp_path / "out")]) == 2
    assert (
        "library: only built-in domains with a suite can be exported, because the containers" in capsys.readouterr().err
    )


def test_openenv_reads_them(tmp_path: Path) -> None:
    """Another program that reads these folders; Harbor itself needs a newer Python than our oldest."""
    theirs: Any = pytest.importorskip("openenv.harbor.tasks", reason="OpenEnv, which reads these folders, is not here")
    made = export(core("mock"), mock(), tmp_path, version="1")
    assert theirs.resolve_task_dirs(str(tmp_path)) == sorted(made)
    assert "`tau`" in theirs.read_instruction(made[0], spec=str(tmp_path))


def test_a_task_that_names_a_path_as_its_domain_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil/domain.py").write_text("raise SystemExit('it was run')", "utf-8")
    file = folder / "environment/task.json"
    file.write_text(json.dumps({**json.loads(file.read_text("utf-8")), "domain": str(tmp_path / "evil")}), "utf-8")
    assert main(["show"]) == 2
    assert "is not a domain name: a file may name a domain, never a path" in capsys.readouterr().err
