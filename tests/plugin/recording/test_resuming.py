"""Which of the collected trials a part plays, as a law; whole runs: tests/options/test_shard.py, test_resume.py."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.plugin.recording.resuming import commit_of, in_part, manifest
from pytest_tau.plugin.run import Run
from tests.plugin.inner import write
from tests.strategies import text

TASKS = st.sets(text(max_size=3), max_size=9)


def trials(tasks: set[str], k: int) -> list[tuple[str, int]]:
    return [(task, number) for task in tasks for number in range(1, k + 1)]


@given(TASKS, st.integers(1, 4), st.integers(1, 20), st.randoms(use_true_random=False))
def test_the_parts_are_disjoint_complete_and_alike(tasks: set[str], k: int, parts: int, order: random.Random) -> None:
    every = trials(tasks, k)
    shuffled = order.sample(every, len(every))
    shards = [in_part(every, (part, parts)) for part in range(1, parts + 1)]
    assert Counter(trial for shard in shards for trial in shard) == Counter(every)  # each in one of them
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= k
    # Each machine may shuffle the tests in its own way.
    assert shards == [in_part(shuffled, (part, parts)) for part in range(1, parts + 1)]


@given(TASKS, st.integers(1, 4), st.integers(1, 9), st.integers(1, 9))
def test_a_part_keeps_its_trials_when_k_grows(tasks: set[str], k: int, part: int, parts: int) -> None:
    shard = min(part, parts), parts
    assert in_part(trials(tasks, k), shard) <= in_part(trials(tasks, k + 1), shard)


WORD = "a word without the look of a key"


@pytest.mark.parametrize(
    "given",
    [
        (f'--tau-agent-llm-args={{"temperature": 0, "api_key": "{WORD}"}}',),
        ("--tau-agent-llm-args", f'{{"temperature": 0, "api_key": "{WORD}"}}'),
        ("-o", f'tau_agent_llm_args={{"temperature": 0, "api_key": "{WORD}"}}'),
        (f'-otau_agent_llm_args={{"temperature": 0, "api_key": "{WORD}"}}',),
        (f'--override-ini=tau_agent_llm_args={{"temperature": 0, "api_key": "{WORD}"}}',),
    ],
)
def test_the_manifest_holds_the_command_without_keys(pytester: pytest.Pytester, given: tuple[str, ...]) -> None:
    found = manifest(Run(pytester.parseconfig("--tau-k=2", *given)))
    assert WORD not in repr(found)
    assert found.about["command"].startswith("pytest --tau-k=2 ")
    assert '"temperature": 0, "api_key": "[key]"' in found.about["command"]  # what is no key can be read
    assert (found.k, found.options["agent_llm_args"]) == (2, {"temperature": 0})


def test_the_commit_of_a_project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIT_DIR", raising=False)
    run = Run(pytester.parseconfig())
    assert commit_of(run) == ""
    write(pytester.path, "file.txt", "one")
    for command in (
        ("init", "-q"),
        ("add", "file.txt"),
        ("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "one"),
    ):
        pytester.run("git", *command)
    commit = commit_of(run)
    assert len(commit) == 40
    write(pytester.path, "file.txt", "two")
    assert commit_of(run) == f"{commit}+"
