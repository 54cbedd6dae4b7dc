"""``--tau-seed``."""

from collections.abc import Callable

import pytest

from tests.options.usage import assert_refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play

Plays = Callable[..., object]


def seeds(pytester: pytest.Pytester, seed: int, run: Plays = mock_play) -> list[int | None]:
    run(pytester, "--tau-tasks=add_*,count_*", "--tau-k=2", f"--tau-seed={seed}")
    return [record.simulation.seed for record in journal(pytester.path) if record.simulation]


def test_every_trial_has_a_seed_of_its_own_that_derives_from_it(pytester: pytest.Pytester) -> None:
    first = seeds(pytester, 1, mock_run)
    assert len(set(first)) == 4
    assert seeds(pytester, 1) == first
    assert set(seeds(pytester, 2)).isdisjoint(first)


@pytest.mark.parametrize("value", ["-1", "lucky"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("seed", value, f"must be a whole number from 0 to *, not '{value}'")
