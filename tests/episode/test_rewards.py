"""What a step of an episode earns."""

from typing import Any

import pytest

from pytest_tau.episode.rewards import Shaped, passed
from pytest_tau.schema.reward import Reward


def info(progress: float | None = 0.0, violations: int = 0, value: float | None = None, *, over: bool = False) -> Any:
    """How an episode stands."""
    reward = Reward(value=value, basis=["DB"], results=[]) if over else None
    return {"progress": progress, "violations": ["rule"] * violations, "reward": reward}


@pytest.mark.parametrize(
    ("after", "earned"),
    [
        (info(), 0.0),
        (info(over=True, value=1.0), 1.0),
        (info(over=True, value=0.0), 0.0),
        (info(over=True, value=None), 0.0),  # waits for a judge
    ],
)
def test_the_sparse_reward_is_what_the_trial_earns_at_its_end(after: Any, earned: float) -> None:
    assert passed(info(progress=1.0), after) == earned


@pytest.mark.parametrize(
    ("before", "after", "earned"),
    [
        (info(0.25), info(0.25), 0.0),
        (info(0.25), info(0.75), 0.25),
        (info(0.75), info(0.25), -0.25),  # a minefield takes it away again
        (info(None), info(0.5), 0.25),
        (info(None), info(None), 0.0),
        (info(violations=1), info(violations=3), -0.2),
        (info(1.0), info(1.0, value=1.0, over=True), 0.5),
        (info(0.5), info(1.0, 1, 1.0, over=True), 0.25 - 0.1 + 0.5),
    ],
)
def test_a_shaped_reward_adds_up_progress_violations_and_the_pass(before: Any, after: Any, earned: float) -> None:
    assert Shaped()(before, after) == pytest.approx(earned)


def test_its_parts_can_be_weighed() -> None:
    weighed = Shaped(progress=2.0, violation=-1.0, passed=10.0)
    assert weighed(info(0.0), info(0.5, 2, 1.0, over=True)) == pytest.approx(1.0 - 2.0 + 10.0)
