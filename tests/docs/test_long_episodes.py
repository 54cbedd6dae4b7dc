"""The page about long episodes: its task is one and can be solved, its test file passes."""

import json

import pytest

from pytest_tau import grade, load_domain, simulate
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.tasks import read_task
from tests.plugin.inner import outcomes

from .markdown import ROOT, blocks, files

PAGE = ROOT / "docs" / "long_episodes.md"


def test_the_task_with_milestones() -> None:
    block = blocks(PAGE.read_text(encoding="utf-8"), "json")[0]
    task, domain = read_task(json.loads(block), "page"), load_domain("mock")
    assert list(task_problems(task, domain)) == []
    reward = grade(task, simulate(task, domain), domain)
    assert (reward.passed, reward.progress) == (True, 1.0)
    assert [status.turn is not None for status in reward.stations] == [True] * 4 + [False]


def test_the_tests_on_the_way(pytester: pytest.Pytester) -> None:
    [(name, body)] = files(PAGE).items()
    (pytester.path / name).write_text(body, encoding="utf-8")
    result = pytester.runpytest(name)
    result.assert_outcomes(passed=10)
    assert set(outcomes(pytester.path).values()) == {"passed"}
