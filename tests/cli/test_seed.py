"""``--tau-seed``."""

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import journal
from tests.plugin.parts import mock_play


def seeds(pytester: pytest.Pytester, *args: str) -> list[int | None]:
    mock_play(pytester, "--tau-tasks=add_*,count_*", "--tau-k=2", *args)
    return [record.simulation.seed for record in journal(pytester.path) if record.simulation]


def test_every_trial_has_a_seed_of_its_own_that_derives_from_it(pytester: pytest.Pytester) -> None:
    first = seeds(pytester, "--tau-seed=1")
    assert len(set(first)) == 4
    assert seeds(pytester, "--tau-seed=1") == first
    assert set(seeds(pytester, "--tau-seed=2")).isdisjoint(first)


@pytest.mark.parametrize("value", ["-1", "lucky"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("seed", value, f"must be a whole number from 0 to *, not '{value}'")
