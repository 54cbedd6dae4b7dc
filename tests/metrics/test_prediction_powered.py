"""A labelled sample of a run corrects what was graded, whatever the judge is worth."""

import random
from collections.abc import Callable, Sequence

import pytest

from pytest_tau.metrics.judge_errors import Corrected
from pytest_tau.metrics.prediction_powered import Graded, prediction_powered


def graded(*tasks: Sequence[Graded]) -> Corrected:
    found = prediction_powered(tasks)
    assert found is not None
    return found


def labelled(stratum: str, labels: Sequence[float], size: int, grade: float = 1.0) -> list[Graded]:
    """So many trials with these labels first."""
    return [Graded(grade, stratum, labels[n] if n < len(labels) else None) for n in range(size)]


def in_tasks(trials: Sequence[Graded], each: int = 4) -> list[Sequence[Graded]]:
    return [trials[start : start + each] for start in range(0, len(trials), each)]


def test_the_mean_difference_of_each_stratum_is_added_by_its_share() -> None:
    doubtful = labelled("doubtful", [1.0, 0.0, 1.0, 1.0], 40)
    clear = labelled("clear", [1.0] * 10, 20)
    found = graded(*in_tasks([*doubtful, *clear, *[Graded(0.0)] * 20]))
    assert found.value == pytest.approx(0.75 - 0.5 * 0.25)
    assert found.low < found.value < found.high


def test_a_task_counts_once_however_many_trials_it_has() -> None:
    """One task of a trial that truly passed, one of nine that truly missed: half, and not a tenth."""
    one, many = labelled("judge: fine", [1.0], 1), labelled("judge: fine", [0.0] * 9, 9)
    assert graded(one, many).value == pytest.approx(0.5)
    half = labelled("judge: fine", [0.0] * 3, 9)  # of these, three labels stand for all
    assert graded(one, half).value == pytest.approx(1 - (3 / 18) / (1 / 2 + 3 / 18))


def test_a_larger_sample_is_more_certain_and_a_whole_one_is_certain() -> None:
    rest = [Graded(0.0)] * 40
    parts = [graded(*in_tasks([*labelled("s", [1.0, 0.0] * (n // 2), 40), *rest])).judge for n in (4, 20, 40)]
    assert parts[0] > parts[1] > parts[2] == 0.0


def test_a_sample_without_a_difference_is_no_proof() -> None:
    found = graded(*in_tasks(labelled("s", [1.0] * 5, 80)))
    assert found.value == 1.0
    assert found.judge > 0


def test_nothing_labelled_and_nothing_played() -> None:
    found = graded(*in_tasks([Graded(1.0, "s")] * 60 + [Graded(0.0)] * 20))
    assert (found.value, found.judge) == (0.75, 0.0)
    assert prediction_powered([]) is prediction_powered([[]]) is None


def test_it_stays_between_none_and_all() -> None:
    found = graded(*in_tasks(labelled("s", [1.0, 1.0], 5), 1))
    assert (found.value, found.high) == (1.0, 1.0)


def unequal(rng: random.Random) -> tuple[int, float]:
    """Easy tasks with one trial, hard ones with eight: a mean over trials is far from one over tasks."""
    return (1, 0.9) if rng.random() < 0.5 else (8, 0.3)


def alike(rng: random.Random) -> tuple[int, float]:
    """Trials of a task end alike."""
    return 2, rng.choice((0.05, 0.95))


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize(("world", "truth"), [(unequal, 0.6), (alike, 0.5)])
def test_its_intervals_hold_the_truth(
    world: Callable[[random.Random], tuple[int, float]], truth: float, share: float
) -> None:
    """Under a judge that calls everything fine, with a share of the trials labelled or all of them."""
    rng, held, runs = random.Random(7), 0, 400
    for _ in range(runs):
        tasks = [[rng.random() < rate for _ in range(trials)] for trials, rate in (world(rng) for _ in range(60))]
        number = sum(map(len, tasks))
        chosen = set(rng.sample(range(number), round(share * number)))
        places = iter(range(number))
        found = graded(
            *([Graded(1.0, "f", float(kept) if next(places) in chosen else None) for kept in t] for t in tasks)
        )
        held += found.low <= truth <= found.high
    assert 0.93 <= held / runs <= 0.99, held / runs
