"""Exceptions without a text, texts that nothing can hold: each is one trial's end, and nobody else's."""

from collections import Counter

import pytest

from tests.plugin.inner import apart, journal
from tests.plugin.parts import mock_play

AGENTS = r"""
import sys

from pytest_tau import AgentFault


def mute(self):
    raise RuntimeError("no text")


class Mute(Exception):
    __str__ = __repr__ = mute


class MuteInfra(ConnectionError):
    __str__ = __repr__ = mute


class Leaves(Exception):
    __str__ = __repr__ = lambda self: sys.exit(0)


class MuteFault(AgentFault):
    __str__ = __repr__ = mute


RAISES = {
    "add_a_task": Mute,
    "complete_a_task": MuteInfra,
    "count_my_tasks": MuteFault,
    "delete_a_task": lambda: ValueError("\ud800 \x1b[31m"),
    "task_for_a_stranger": Leaves,
    "read_and_dismiss": lambda: ConnectionError("\ud800 \x1b[31m\n::error::forged"),
}


class Hostile:
    parameters = {"a": "\ud800", "\ud801": 1, "o": object()}

    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        if self.context.task_id in RAISES:
            raise RAISES[self.context.task_id]()
        return "hi \ud800 \x1b[31m"
"""


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["here", "workers"])
def test_no_player_can_break_the_run(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makepyfile(agents=AGENTS)
    run = apart if workers else pytest.Pytester.runpytest
    result = run(pytester, "--tau-domain=mock", "--tau-agent=agents:Hostile", "--tau-html=r.html", *workers)
    text = result.stdout.str() + result.stderr.str()
    assert "INTERNALERROR" not in text
    assert "\x1b[31m" not in text
    assert not [line for line in text.splitlines() if line.lstrip().startswith("::")]
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"error": 3, "infra_error": 2, "missed": 1}


SKIPS = """
import unittest
import pytest


class Skips:
    def __init__(self, context):
        self.call = pytest.skip if context.task_id.startswith("add") else pytest.xfail
        if context.task_id.startswith("count"):
            pytest.importorskip("no_such_module")

    def reply(self, messages):
        self.call("not today")


class SkipsAsUnittest:
    def __init__(self, context):
        pass

    def reply(self, messages):
        raise unittest.SkipTest("not today")
"""


def test_who_plays_cannot_skip_a_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=SKIPS)
    result = mock_play(pytester, "--tau-agent=agents:Skips", "--tau-tasks=add_a_task,complete_a_task,count_my_tasks")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert Counter(record.outcome.value for record in journal(pytester.path)) == {"error": 3}
    result.stdout.fnmatch_lines(["*pytest.skip() was called in the middle of a trial: not today; *raise AgentFault*"])


def test_nor_as_unittest_does(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=SKIPS)
    result = mock_play(pytester, "--tau-agent=agents:SkipsAsUnittest", "--tau-tasks=add_a_task")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*unittest.SkipTest was called in the middle of a trial: not today; *"])


def test_a_test_that_plays_step_by_step_is_not_skipped_by_its_agent(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=SKIPS)
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.tau(domain="mock", tasks=["add_a_task"])
        def test_it(tau_conversation):
            tau_conversation.let_it_run(2)
        """
    )
    result = pytester.runpytest("--tau-agent=agents:Skips")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(failed=1)
