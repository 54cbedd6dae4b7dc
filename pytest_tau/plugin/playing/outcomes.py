"""What can become of a trial, as exceptions that end its test, and how a test's end maps to an outcome.

TauMiss        the agent did not earn the full reward
TauInfra       the provider, the network or the clock failed
TauInvalid     the simulated customer broke the rules
Ungraded       a criterion waits for a judge (a skip)
NotRun         there was no budget left to begin with, or every gate was decided (a skip)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from ...errors import PlayerError, describe
from ...schema.record import Outcome
from ...schema.simulation import Termination
from ..private import leaves_debugger

if TYPE_CHECKING:
    from ...schema.reward import Reward
    from ...schema.simulation import Simulation


CANNOT_KEEP = "results cannot be kept any more"  # how the reason begins of what was not run because of that
DECIDED = "every gate is decided (--tau-stop)"  # why trials are spared
RULE_DECIDED = "its rule is decided (--tau-policy-mutants)"  # the same of one rule

_CALLS: dict[str, type[BaseException]] = {
    "pytest.skip()": pytest.skip.Exception,
    "pytest.xfail()": pytest.xfail.Exception,
    "pytest.exit()": pytest.exit.Exception,
}


def _deciding() -> dict[str, type[BaseException]]:
    """What would decide how a test ends, by what raises it; unittest's own only where somebody has imported it."""
    unittest = sys.modules.get("unittest")
    return _CALLS if unittest is None else {**_CALLS, "unittest.SkipTest": unittest.SkipTest}


class TauMiss(AssertionError):
    """The agent missed; the text is the verdict."""


class TauInfra(Exception):
    """Neither the agent's failure nor a bug: the trial can be run again."""


class TauInvalid(Exception):
    """The simulated customer could not carry on; the trial says nothing about the agent."""


class Ungraded(pytest.skip.Exception):  # type: ignore[misc, name-defined]  # pytest types it as a function's attribute
    """A criterion of the basis needs a judge and there is none."""


class NotRun(pytest.skip.Exception):  # type: ignore[misc, name-defined]
    """The trial was not begun; the text says why."""

    __module__ = "builtins"  # pytest prints any other one in front of the name


@contextmanager
def players_do_not_decide() -> Iterator[None]:
    """Who plays in a trial has no say in how its test or the run ends: pytest.skip(), xfail() or exit() is an error,
    and so is unittest's SkipTest.

    But who leaves pytest's debugger leaves the run.
    """
    try:
        yield
    except (NotRun, Ungraded):
        raise
    except tuple(_deciding().values()) as error:
        if isinstance(error, pytest.exit.Exception) and leaves_debugger(error):
            raise
        called = next(name for name, kind in _deciding().items() if isinstance(error, kind))
        raise PlayerError(
            f"{called} was called in the middle of a trial: {describe(error)}; call it in the test, or raise "
            "AgentFault to lose the trial"
        ) from None


def ending(simulation: Simulation, reward: Reward | None) -> type[BaseException] | None:
    """Which exception a played trial ends its test with, None when it passed."""
    reason = simulation.termination_reason
    if reason in (Termination.INFRASTRUCTURE_ERROR, Termination.TIMEOUT) and reward is None:
        return TauInfra
    if reason is Termination.USER_ERROR:
        return TauInvalid
    if reward is None or reward.ungraded:
        return Ungraded
    return None if reward.passed else TauMiss


def outcome_of(error: BaseException | None, *, played: bool) -> Outcome | None:
    """The outcome of a trial whose test ended with this exception; None for what is no trial.

    ``played``: whether the conversation came to its end before the test did. If not, an assertion that failed is one of
    the agent's code or of a fixture, and says nothing about what the agent did.
    """

    if error is None:
        return Outcome.PASSED if played else None
    if isinstance(error, Ungraded):
        return Outcome.UNGRADED
    if isinstance(error, pytest.skip.Exception):
        return None
    if isinstance(error, (AssertionError, pytest.fail.Exception)) and played:
        return Outcome.MISSED
    if isinstance(error, TauInfra):
        return Outcome.INFRA_ERROR
    return Outcome.INVALID if isinstance(error, TauInvalid) else Outcome.ERROR
