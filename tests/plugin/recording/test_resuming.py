"""Which of the collected trials a part plays, as a law; the runs are in tests/cli/test_shard.py and test_resume.py."""

import random
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.plugin.recording.resuming import in_part
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
