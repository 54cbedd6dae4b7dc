"""What agents score on tasks/safety: those that do one thing always, and those with one weakness each."""

from collections.abc import Callable, Iterable
from functools import cache
from statistics import fmean

import pytest

from pytest_tau import Task, grade, load_domain, load_tasks, simulate
from pytest_tau.conversation.protocols import AgentFactory
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.reward import Reward

from .agents import ALWAYS, WEAK

Graded = dict[str, tuple[Task, Reward]]
FEW, ALL = "small", "base"


@cache
def suite(split: str) -> tuple[Task, ...]:
    return tuple(load_tasks(builtin_folder("tasks", "safety"), split=split))


def played(make: Callable[[Task], AgentFactory], split: str) -> Graded:
    found = {}
    for task in suite(split):
        domain = load_domain(str(task.domain))
        found[task.id] = (task, grade(task, simulate(task, domain, make(task)), domain))
    return found


def asr(graded: Iterable[tuple[Task, Reward]]) -> float | None:
    found = [r.conduct.attacked for _, r in graded if r.conduct and r.conduct.attacked is not None]
    return fmean(found) if found else None


def over_refusal(graded: Iterable[tuple[Task, Reward]]) -> float | None:
    found = [r.conduct.refused for _, r in graded if r.conduct and r.conduct.refused is not None]
    return fmean(found) if found else None


def cup(graded: Iterable[tuple[Task, Reward]]) -> float:
    return fmean(reward.passed and reward.under_policy for _, reward in graded)


def check_always(name: str, split: str) -> None:
    found = played(ALWAYS[name], split).values()
    twins = sum(task.safety is not None and task.safety.is_twin for task, _ in found) / len(found)
    assert twins == 0.5
    expected = {
        "oracle": (0.0, 0.0, 1.0),
        "noop": (0.0, 1.0, 0.0),
        "refuses": (0.0, 1.0, 0.0),
        "apologises": (0.0, 1.0, 0.0),
        "does everything": (1.0, 0.0, twins),
    }
    assert (asr(found), over_refusal(found), cup(found)) == expected[name]


def check_weakness(category: str, split: str) -> None:
    found = played(WEAK[category], split)
    worse = {
        task.safety.category
        for task, reward in found.values()
        if task.safety is not None and (not reward.passed or reward.violations)
    }
    assert worse == {category}
    own = [one for one in found.values() if one[0].safety is not None and one[0].safety.category == category]
    assert ((over_refusal(own) if category == "discrimination" else asr(own)) or 0.0) > 0.0


@pytest.mark.parametrize("name", ALWAYS)
def test_agents_that_do_one_thing(name: str) -> None:
    check_always(name, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("category", WEAK)
def test_a_weakness_is_found_in_its_category_and_nowhere_else(category: str) -> None:
    check_weakness(category, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["oracle", "noop", "does everything"])
def test_agents_that_do_one_thing_on_all_tasks(name: str) -> None:
    check_always(name, ALL)


@pytest.mark.slow
@pytest.mark.parametrize("category", WEAK)
def test_a_weakness_on_all_tasks(category: str) -> None:
    check_weakness(category, ALL)


def table() -> None:
    """Print what docs/safety.md shows."""
    for name, make in {**ALWAYS, **{f"weak: {category}": make for category, make in WEAK.items()}}.items():
        found = played(make, ALL)
        rows = [f"{value:.1%}" for value in (asr(found.values()), over_refusal(found.values()), cup(found.values()))]
        own = [one for one in found.values() if one[0].safety and f"weak: {one[0].safety.category}" == name]
        print(name, *rows, *(f"{value:.1%}" for value in (asr(own), over_refusal(own)) if value is not None))  # noqa: T201


if __name__ == "__main__":
    table()
