"""What a run leaves behind."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_tau import load_journal, rescore
from pytest_tau.recordings.rescored import Rescored
from tests.conftest import Shared
from tests.plugin.inner import AGENTS
from tests.plugin.parts import mock_play, play

PLAYERS = ("oracle", "noop", "faulty:rate=0.5", "agents:Errs")


@dataclass(frozen=True)
class Left:
    """What two runs left: of two files, named by their paths, and of a suite by several agents."""

    folder: Path
    first: Path
    rescored: list[Rescored]


@pytest.fixture(scope="module")
def left(shared_run: Shared) -> Left:
    """Two trials of each task that a file names, and one of each of the suite by each agent."""
    with shared_run() as pytester:
        pytester.makepyfile(agents=AGENTS)
        folder = pytester.path / ".tau"
        play(pytester, "tau/mock/add_a_task.json", "tau/mock/count_my_tasks.json", "--tau-k=2")
        first = (folder / "latest").resolve()
        mock_play(pytester, *(f"--tau-agent={agent}" for agent in PLAYERS))
        return Left(folder, first, rescore(folder))


def test_the_folder_ignores_itself_and_links_to_the_latest_run(left: Left) -> None:
    assert (left.folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    runs = [path for path in left.folder.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(runs) == 2
    latest = (left.folder / "latest").resolve()
    assert latest == max(runs) != left.first
    assert load_journal(left.folder) == load_journal(latest)
    assert len(load_journal(left.folder)) == 6 * len(PLAYERS)


def test_one_line_a_trial_with_all_of_it_also_of_a_run_by_path(left: Left) -> None:
    lines = (left.first / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(json.loads(line)["task_id"], json.loads(line)["trial"]) for line in lines] == [
        ("add_a_task", 1),
        ("add_a_task", 2),
        ("count_my_tasks", 1),
        ("count_my_tasks", 2),
    ]
    for record in load_journal(left.first):
        assert record.nodeid == f"tau/mock/{record.task_id}.json::test_task[trial{record.trial}]"
        assert record.reward is not None
        assert record.reward.passed
        assert record.simulation is not None
        assert (record.simulation.agent, record.simulation.user) == ("oracle", "scripted")


@pytest.mark.parametrize("agent", PLAYERS)
def test_graded_again_the_rewards_are_the_same(left: Left, agent: str) -> None:
    again = [one for one in left.rescored if one[1].agent == agent]
    assert len(again) == 6
    assert [reward.value for _, _, reward, _ in again] == [recorded for *_, recorded in again]
