"""``--tau-shard``: parts of the trials that are disjoint and complete."""

from itertools import chain, pairwise

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import apart, collected, journal

MOCK = "--tau-domain=mock"


@pytest.mark.parametrize(("parts", "k"), [(1, 2), (2, 1), (2, 3), (4, 1), (5, 2), (9, 3), (20, 3)])
def test_the_parts_are_disjoint_complete_and_alike(pytester: pytest.Pytester, parts: int, k: int) -> None:
    options = (MOCK, f"--tau-k={k}")
    every = collected(pytester, *options)
    shards = [collected(pytester, *options, f"--tau-shard={part}/{parts}") for part in range(1, parts + 1)]
    assert sorted(chain.from_iterable(shards)) == sorted(every)  # the same ids, each in one of them
    assert all(shard == [nodeid for nodeid in every if nodeid in shard] for shard in shards)
    sizes = [len(shard) for shard in shards]
    assert max(sizes) - min(sizes) <= k


def test_the_order_of_the_tests_does_not_matter(pytester: pytest.Pytester) -> None:
    """Each machine may shuffle them in its own way."""
    options = (MOCK, "--tau-k=2", "--tau-shard=2/3")
    before = collected(pytester, *options)
    pytester.makeconftest("def pytest_collection_modifyitems(items):\n    items.reverse()")
    assert collected(pytester, *options) == before[::-1]


def test_a_part_keeps_its_trials_when_k_grows(pytester: pytest.Pytester) -> None:
    grown = [set(collected(pytester, MOCK, f"--tau-k={k}", "--tau-shard=1/4")) for k in (1, 2, 3)]
    assert all(less < more for less, more in pairwise(grown))


def test_other_tests_are_in_every_part(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_plain(): pass")
    for part in (1, 2):
        found = collected(pytester, MOCK, "test_other.py", f"--tau-shard={part}/2")
        assert "test_other.py::test_plain" in found
        assert len(found) == 4


def test_with_workers(pytester: pytest.Pytester) -> None:
    nodeids = collected(pytester, MOCK, "--tau-k=2", "--tau-shard=2/3")
    result = apart(pytester, MOCK, "--tau-k=2", "--tau-shard=2/3", "-n2")
    result.assert_outcomes(passed=4)
    assert sorted(record.nodeid for record in journal(pytester.path)) == sorted(nodeids)


@pytest.mark.parametrize("value", ["0/2", "3/2", "2", "1/0", "a/b", "-1/2", "1/2/3", "1.5/2"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("shard", value, f"must be a part of a number of parts, as 2/5, not '{value}'")
