"""What a run leaves behind."""

import json

import pytest

from pytest_tau import load_journal, rescore
from tests.plugin.inner import AGENTS, journal, mock_run


def test_the_folder_ignores_itself_and_links_to_the_latest_run(pytester: pytest.Pytester) -> None:
    mock_run(pytester, "--tau-tasks=1")
    mock_run(pytester, "--tau-tasks=2")
    folder = pytester.path / ".tau"
    assert (folder / ".gitignore").read_text(encoding="utf-8") == "*\n"
    assert len(load_journal(folder)) == 2
    runs = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink()]
    assert len(runs) == 2
    assert (folder / "latest").resolve() == max(runs)


def test_one_line_a_trial_with_all_of_it(pytester: pytest.Pytester) -> None:
    mock_run(pytester, "--tau-k=2", "--tau-tasks=add_*,count_*")
    lines = (pytester.path / ".tau/latest/journal.jsonl").read_text(encoding="utf-8").splitlines()
    assert [(json.loads(line)["task_id"], json.loads(line)["trial"]) for line in lines] == [
        ("add_a_task", 1),
        ("add_a_task", 2),
        ("count_my_tasks", 1),
        ("count_my_tasks", 2),
    ]
    for record in journal(pytester.path):
        assert record.nodeid == f"tau/mock/{record.task_id}.json::test_task[trial{record.trial}]"
        assert record.reward is not None
        assert record.reward.passed
        assert record.simulation is not None
        assert (record.simulation.agent, record.simulation.user) == ("oracle", "scripted")


@pytest.mark.parametrize("agent", ["oracle", "noop", "faulty:rate=0.5", "agents:Errs"])
def test_graded_again_the_rewards_are_the_same(pytester: pytest.Pytester, agent: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_run(pytester, f"--tau-agent={agent}", "--tau-k=2")
    again = rescore(pytester.path / ".tau")
    assert len(again) == 12
    assert [reward.value for _, _, reward, _ in again] == [recorded for *_, recorded in again]


def test_a_trial_that_broke_says_why(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_run(pytester, "--tau-agent=agents:Raises", "--tau-tasks=1")
    [record] = journal(pytester.path)
    assert (record.outcome, record.simulation, record.note) == ("error", None, "ValueError: a bug in the agent")


def test_a_run_by_path_is_kept_too(pytester: pytest.Pytester) -> None:
    pytester.runpytest("tau/mock/add_a_task.json")
    assert len(journal(pytester.path)) == 1
