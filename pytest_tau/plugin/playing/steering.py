"""Plays one trial step by step, and then what is left of it: what a test's conversation goes on by."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...conversation.run import answer
from ...conversation.trial import Trial
from ...errors import SettingsError, describe
from ...schema.messages import UserMessage
from ...schema.record import Outcome
from ...schema.simulation import Termination
from ...scrub import scrub
from ..workers.spool import spool
from .guarding import Guard
from .outcomes import outcome_of, players_do_not_decide
from .records import as_json, record_of
from .running import finish, make_trial, may_begin
from .trial import Finished, TrialRequest, Wait

if TYPE_CHECKING:
    from ...schema.simulation import Simulation

Condition = Callable[[], bool]


class Steering:
    """Plays one trial step by step; :meth:`run` plays what is left of it and grades it."""

    def __init__(self, request: TrialRequest, wait: Wait) -> None:
        self._request = request
        self._wait = wait
        self._trial: Trial | None = None
        self._kept = spool(request.run)
        self._guard = Guard(request)
        self.words: deque[str] = deque()

    @property
    def trial(self) -> Trial:
        """The trial; it begins when it is first asked for. Raises NotRun where nothing more is to be played."""
        if self._trial is None:
            request = self._request
            request.run.begins(request.item.nodeid)
            may_begin(request, self._kept)
            with players_do_not_decide():
                trial = make_trial(request)
                self._guard.begin(trial)
                self._trial = trial.begin()
        return self._trial

    def begin_with(self, request: TrialRequest) -> None:
        """Play another request's trial; raises SettingsError where the trial has begun."""
        if self._trial is not None:
            raise SettingsError("from_recording() comes too late: the conversation has begun; call it first")
        self._request = request

    def reach(self, met: Condition) -> bool:
        """Play on until a condition is met; False where the conversation ends before."""
        while not met():
            ask = self.trial.ask()  # which runs the calls that wait
            if ask is None:
                return met()
            if met():
                return True
            if ask.role == "user" and self.words:
                self.trial.take_reply(ask, UserMessage(content=self.words.popleft(), cost=0.0))
            else:
                with players_do_not_decide():
                    answer(self.trial, ask, self._wait)
        return True

    def run(self, request: TrialRequest) -> Finished:
        """Play what is left, and grade it."""
        try:
            self.reach(lambda: False)
            simulation = self._simulation()
            return finish(request, simulation, self._wait, self._guard.begin)
        except BaseException:
            self._kept.drop(request.item.nodeid)
            raise
        finally:
            self._close()

    def cut_off(self, error: BaseException | None) -> Finished | None:
        """End the trial where it is, with what ended its test; None where it was not begun or says nothing.

        An assertion that failed is a miss: it is graded, and its note says what failed.
        """
        outcome = outcome_of(error, played=True)
        if self._trial is None or outcome is None:
            return None
        request, trial = self._request, self._trial
        note = None if error is None else scrub(describe(error)).partition("\n")[0]
        trial.end(Termination.TEST_ENDED, note)
        simulation = self._simulation()
        finished = Finished(simulation, None)
        if outcome is Outcome.MISSED:
            finished = finish(request, simulation, self._wait, self._guard.begin)
        else:
            self._kept.keep(as_json(record_of(request.item.nodeid, request.slot, outcome, finished)))
        self._close()
        return finished

    def _simulation(self) -> Simulation:
        return self.trial.simulation()

    def _close(self) -> None:
        self._guard.end()
        if self._trial is not None:
            self._trial.close()
        self._request.models.endpoint.close()
