"""E-values of a policy's mutants: what decides, how often it errs, and what it saves, on scripted agents."""

import random
from collections.abc import Sequence

import pytest

from benchmarks.policy_mutants import RULES, scripted_run
from pytest_tau.metrics.policy_mutants import ALPHA, explain_losses, log_more, log_small_fall, weigh


def test_an_agent_that_ignores_six_rules_and_knows_five_is_read() -> None:
    runs = [scripted_run(seed, 6, 5) for seed in range(40)]
    assert sum(run.right == RULES for run in runs) >= 0.95 * len(runs)
    assert sum(run.wrong == 0 for run in runs) >= 0.95 * len(runs)
    assert sum(run.used for run in runs) / len(runs) <= 0.6


@pytest.mark.slow
def test_of_an_agent_that_obeys_all_nothing_is_said_to_be_ignored() -> None:
    runs = [scripted_run(seed, 0, 0, rounds=6) for seed in range(40)]
    assert sum(run.falsely_ignored == 0 for run in runs) >= 0.95 * len(runs)
    assert sum(run.used for run in runs) / len(runs) <= 0.6


@pytest.mark.parametrize("rate", [0.6, *(pytest.param(rate, marks=pytest.mark.slow) for rate in (0.3, 0.95))])
def test_a_rule_that_changes_nothing_is_hardly_ever_killed_however_often_one_looks(rate: float) -> None:
    rng = random.Random(1)
    killed = 0
    for _ in range(200):
        plain, changed = list[bool](), list[bool]()
        for _ in range(40):
            plain.append(rng.random() < rate)
            changed.append(rng.random() < rate)
            if weigh({"task": (plain, changed)}).outcome in ("killed", "better"):
                killed += 1
                break
    assert killed <= 200 * 2 * ALPHA + 5  # and the chance of 200 draws


@pytest.mark.parametrize(
    ("plain", "changed", "outcome"),
    [
        ([True] * 12, [False] * 12, "killed"),
        ([True] * 20, [True] * 20, "survived"),
        ([False] * 12, [False] * 12, "lost"),
        ([True, *[False] * 12], [False, *[True] * 12], "better"),
        ([True] * 4, [False] * 4, "undecided"),
        ([], [], "undecided"),
    ],
)
def test_what_decides(plain: Sequence[bool], changed: Sequence[bool], outcome: str) -> None:
    found = weigh({"task": (plain, changed)})
    assert found.outcome == outcome
    assert (found.more is None) == (outcome != "undecided" or not plain)


def test_the_trials_that_would_decide_do() -> None:
    found = weigh({"task": ([True] * 5, [False] * 5)})
    assert found.more is not None
    assert weigh({"task": ([True] * (5 + found.more), [False] * (5 + found.more))}).outcome == "killed"


def test_misses_alone_say_how_many_more_would_tell() -> None:
    found = weigh({"task": ([False] * 2, [False] * 2)})
    assert found.more is not None
    assert weigh({"task": ([False] * (2 + found.more), [False] * (2 + found.more))}).outcome == "lost"
    assert weigh({"task": ([False] * (1 + found.more), [False] * (1 + found.more))}).outcome == "undecided"


def test_pairs_count_once_a_task_was_passed() -> None:
    found = weigh({"task": ([False, False, True, True], [True, False, False, False])})
    assert (found.lost, found.won, found.same) == (1, 0, 0)


def test_evidence_is_none_without_trials_and_grows() -> None:
    assert log_more(0, 0) == pytest.approx(0.0)
    assert log_more(8, 0) > log_more(8, 1) > log_more(8, 8)
    assert log_small_fall(0, 0, 0) == pytest.approx(0.0)
    assert log_small_fall(0, 0, 12) > log_small_fall(1, 0, 12)


def test_a_lost_task_points_at_a_rule_only_if_nothing_else_explains_it() -> None:
    rests_on = {"a": ["one"], "b": ["one", "two"], "c": ["two", "three"], "d": ["three"]}
    ends = {"a": [True, True], "b": [False, False], "c": [False, False], "d": [True]}
    assert explain_losses(rests_on, ends) == {"one": False, "two": True, "three": False}
    both = {"a": [False], "b": [False], "c": [False], "d": []}
    assert explain_losses({"b": ["one", "two"], "c": ["two", "three"]}, both) == {
        "one": False,
        "two": False,
        "three": False,
    }


def test_many_ends_that_are_all_alike_can_be_weighed_and_looked_ahead_to() -> None:
    assert log_more(0, 2000) < 0 < log_more(2000, 0)
    assert weigh({"a": ([True] * 3, [True])}).more is None  # of the changed policy hardly anything was played yet
