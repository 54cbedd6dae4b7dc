"""``--tau-shard``; that the parts are disjoint and complete is tested in tests/plugin/recording/test_resuming.py."""

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import collected, journal, workers
from tests.plugin.parts import nodeids

MOCK = "--tau-domain=mock"


def test_the_parts_have_each_trial_once_and_all_other_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_plain(): pass")
    pytester.makeconftest("def pytest_collection_modifyitems(items):\n    items.reverse()")
    options = (MOCK, "test_other.py", "--tau-k=3")
    every = nodeids(pytester, *options)
    shards = [nodeids(pytester, *options, f"--tau-shard={part}/2") for part in (1, 2)]
    plain = ["test_other.py::test_plain"]
    assert sorted(shards[0] + shards[1]) == sorted(every + plain)
    assert all(shard == [nodeid for nodeid in every if nodeid in shard] for shard in shards)
    assert [len(shard) for shard in shards] == [10, 10]


@pytest.mark.slow
def test_with_workers(pytester: pytest.Pytester) -> None:
    nodeids = collected(pytester, MOCK, "--tau-k=2", "--tau-shard=2/3")
    result = workers(pytester, MOCK, "--tau-k=2", "--tau-shard=2/3")
    result.assert_outcomes(passed=4)
    assert sorted(record.nodeid for record in journal(pytester.path)) == sorted(nodeids)


@pytest.mark.parametrize("value", ["0/2", "3/2", "2", "1/0", "a/b", "-1/2", "1/2/3", "1.5/2"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("shard", value, f"must be a part of a number of parts, as 2/5, not '{value}'")
