"""What a test holds of its trial, from which it asks for the simulation, the reward or the verdict."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NoReturn

import pytest

from ...printable import printable
from ...reports.verdict import verdict
from ..run import uses_debugger
from .outcomes import Ungraded, ending
from .rerun import rerun_command
from .trial import BROKEN_OFF, Finished, Play, TrialRequest

if TYPE_CHECKING:
    from ...schema.reward import Reward
    from ...schema.simulation import Simulation
    from .steering import Steering


HANDLE: pytest.StashKey[TrialHandle] = pytest.StashKey()
"""Where a test keeps its handle."""


class TrialHandle:
    """What a test holds of its trial: it is run when the test first looks at it."""

    def __init__(self, play: Play, request: TrialRequest) -> None:
        self._play = play
        self._steered: Steering | None = None
        self.request = request

    @cached_property
    def finished(self) -> Finished:
        """The finished trial; raises NotRun when it was not begun."""
        self.request.run.begins(self.request.item.nodeid)
        return self._play(self.request)

    def steer(self, steered: Steering) -> None:
        """Have the trial played step by step, instead of in one go."""
        self._steered, self._play = steered, steered.run

    def end(self, error: BaseException | None) -> Finished | None:
        """The trial once its test is over; one that was played step by step ends with it."""
        cut_off = self._steered.cut_off(error) if self.started is None and self._steered is not None else None
        if cut_off is not None:
            self.__dict__["finished"] = cut_off
        return self.started

    def broken_off(self) -> Finished | None:
        """The trial as far as it came, where an exception of a player has broken it off."""
        if self.started is None and (played := self.request.item.stash.get(BROKEN_OFF, None)) is not None:
            self.__dict__["finished"] = Finished(played, None)
        return self.started

    @property
    def started(self) -> Finished | None:
        """The finished trial if the test has looked at it."""
        finished: Finished | None = self.__dict__.get("finished")
        return finished

    @property
    def simulation(self) -> Simulation:
        """The simulation; ends the test when the provider or the simulated customer failed."""
        __tracebackhide__ = True  # a debugger stops in the test
        finished = self.finished
        error = ending(finished.simulation, finished.reward)
        if error is not None and not issubclass(error, (AssertionError, Ungraded)):
            self._end(error)
        return finished.simulation

    @property
    def reward(self) -> Reward:
        """The reward of a trial that was graded, or waits for a judge."""
        __tracebackhide__ = True
        _ = self.simulation
        reward = self.finished.reward
        if reward is None:
            raise RuntimeError("a trial without reward must have ended the test")
        return reward

    def verify(self) -> None:
        """End the test unless the full reward was earned: with the verdict, or what kept it from being one."""
        __tracebackhide__ = True
        error = ending(self.finished.simulation, self.finished.reward)
        if error is not None:
            self._end(error)

    def verdict_text(self) -> str:
        """The verdict in words, as a test that failed shows it."""
        simulation, reward, slot = self.finished.simulation, self.finished.reward, self.request.slot
        rerun = rerun_command(self.request.run, self.request.item)
        return verdict(slot.task, simulation, reward, trial=slot.trial, rerun=rerun, fault=self.finished.fault)

    def _end(self, error: type[BaseException]) -> NoReturn:
        __tracebackhide__ = True
        simulation, reward = self.finished.simulation, self.finished.reward
        if error is Ungraded and reward is not None:
            waiting = ", ".join(one.criterion for one in reward.results if one.in_basis and one.value is None)
            raise Ungraded(f"waits for a judge: {waiting} is part of the reward")
        text = self.verdict_text()
        if uses_debugger(self.request.item.config) and "tau_trial" in getattr(self.request.item, "fixturenames", ()):
            text += "\n\nIn the debugger: tau_trial.finished.simulation.messages, tau_trial.finished.reward"
        raise error(f"{printable(simulation.note)}\n{text}" if simulation.note and reward is None else text)
