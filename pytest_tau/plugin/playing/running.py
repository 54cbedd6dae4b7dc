"""Runs the trial that a test asks for: at once, or as :mod:`.lookahead` has begun it ahead of time."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

import pytest

from ..collecting.task_files import virtual_nodeid
from ..settings.options import SWITCHES
from ..settings.stash import PLAYED, RESCORED
from .outcomes import TauInfra, TauInvalid, TauMiss, Ungraded, ending

if TYPE_CHECKING:
    from ...conversation.protocols import AgentFactory, Endpoint, UserFactory
    from ...conversation.run import Limits, Trial
    from ...evaluation.explain import Explainer
    from ...evaluation.judge import Judge
    from ...evaluation.user_judge import UserJudge
    from ...schema.record import Fault
    from ...schema.reward import CriterionResult, Reward
    from ...schema.simulation import Simulation
    from ..collecting.collection import Slot

# Runs a coroutine to its end and returns what it returns.
Wait = Callable[[Coroutine[Any, Any, Any]], Any]


@dataclass(frozen=True)
class TrialRequest:
    """All that it takes to run one trial, and whose it is."""

    item: pytest.Item
    slot: Slot
    agent: AgentFactory
    agent_name: str
    user: UserFactory
    user_name: str
    seed: int
    solo: bool
    plan: str | None
    limits: Limits
    judge: Judge | None
    user_judge: UserJudge | None
    explainer: Explainer | None
    endpoint: Endpoint
    classify: Callable[[BaseException], bool]
    invalid: str
    grade: Callable[[Simulation], Sequence[CriterionResult]]


@dataclass(frozen=True)
class Finished:
    """A trial that was played; ``reward`` is None where nothing is graded, ``fault`` says why it did not pass."""

    simulation: Simulation
    reward: Reward | None
    fault: Fault | None = None


class TrialRunner(Protocol):
    """Gives the finished trial for a request, now or from earlier work; raises what the trial raised, or NotRun."""

    def run(self, request: TrialRequest) -> Finished:
        """Return when the trial is finished."""


class DirectRunner:
    """Runs each trial when it is asked for, in the calling thread."""

    def run(self, request: TrialRequest) -> Finished:
        """Play and grade."""
        import asyncio

        loop = asyncio.Runner()  # one for the whole trial: what a player opens in one turn it uses in the next
        try:
            return conduct(request, loop.run)
        finally:
            loop.close()


def conduct(request: TrialRequest, wait: Wait, started: Callable[[Trial], None] = lambda trial: None) -> Finished:
    """Play a trial and grade it, and keep the result.

    What a worker finished before it died is taken from there. A conversation is kept the moment it is over, before
    anything is made of it; one that an earlier run has paid for is graded and not played again.

    Args:
        request: which trial, and who plays.
        wait: runs what is asynchronous in it.
        started: is given the trial, for whoever might want to cancel it.
    """
    from ..workers.spool import spool
    from .models import models

    kept = spool(request.item.config)
    recovered = kept.recovered(request.item.nodeid)
    if recovered is not None and recovered.is_over(judge=request.judge is not None):
        return recovered.finished
    if recovered is None:
        models(request.item.config).refuse_without_budget()
    try:
        kept.begin(request.item.nodeid)
        return _played(request, wait, started, None if recovered is None else recovered.finished.simulation)
    except BaseException:
        kept.drop(request.item.nodeid)
        raise


def _played(request: TrialRequest, wait: Wait, started: Callable[[Trial], None], known: Simulation | None) -> Finished:
    from ...conversation.run import Trial, play
    from ...seeds import trial_seed
    from ..workers.spool import spool
    from .invalid_trials import customer_audit, settled

    slot, kept, discarded = request.slot, spool(request.item.config), list((known and known.discarded) or [])

    def play_attempt(attempt: int) -> Simulation:
        if known is not None and attempt == len(discarded):
            request.item.stash[PLAYED] = known
            return known.model_copy(update={"discarded": None})
        trial = Trial(
            slot.task,
            slot.domain.environment(solo=request.solo),
            request.agent,
            request.user,
            trial=slot.trial,
            seed=trial_seed(request.seed, slot.domain.name, slot.task.id, slot.trial, attempt),
            plan=request.plan,
            limits=request.limits,
            classify=request.classify,
            endpoint=request.endpoint,
        )
        started(trial)
        play(trial, wait)
        simulation = trial.simulation(agent=request.agent_name, user=request.user_name)
        if ending(simulation, None) is Ungraded:  # and not broken off: that is played again
            request.item.stash[PLAYED] = simulation
            kept.keep_conversation(request.item.nodeid, slot, simulation)
        return simulation

    try:
        simulation = settled(play_attempt, customer_audit(request, wait), request.invalid, discarded)
    finally:
        request.endpoint.close()
    for finished in grades(request, simulation, wait):
        kept.keep(request.item.nodeid, slot, finished)
    return finished


def grades(request: TrialRequest, simulation: Simulation, wait: Wait, *, strict: bool = True) -> Iterator[Finished]:
    """Grade what was played, now or before; first without what a model says of it where that has to be waited for.

    ``strict`` as in :func:`~pytest_tau.evaluation.grade.grade`.
    """
    from ...metrics.faults import find_fault

    slot = request.slot
    for reward in _rewards(request, simulation, wait, strict=strict):
        fault = find_fault(slot.task, simulation, reward, slot.domain)
        yield Finished(simulation, reward, fault)
    if request.explainer is None or reward is None or fault is None or ending(simulation, reward) is not TauMiss:
        return
    explained = wait(request.explainer.explained(slot.task, simulation, reward, fault, slot.domain))
    yield Finished(simulation, reward, explained)


def _rewards(request: TrialRequest, simulation: Simulation, wait: Wait, *, strict: bool) -> Iterator[Reward | None]:
    from ...evaluation.grade import grade
    from ...schema.simulation import Termination

    slot = request.slot
    if simulation.termination_reason in (Termination.INFRASTRUCTURE_ERROR, Termination.TIMEOUT):
        yield None
        return
    extra = request.grade(simulation)
    reward = grade(slot.task, simulation, slot.domain, strict=strict, extra=extra)
    yield reward
    # Only where the verdict hangs on it is the judge worth its price.
    if reward.ungraded and request.judge is not None:
        nl: CriterionResult = wait(request.judge.verdict(slot.task, simulation))
        yield grade(slot.task, simulation, slot.domain, strict=strict, extra=extra, nl=nl)


class TrialHandle:
    """What a test holds of its trial: it is run when the test first looks at it."""

    def __init__(self, runner: TrialRunner, request: TrialRequest) -> None:
        self._runner = runner
        self.request = request

    @cached_property
    def finished(self) -> Finished:
        """The finished trial; raises NotRun when it was not begun."""
        from ..reporting.controller import began

        began(self.request.item.config, self.request.item.nodeid)
        return self._runner.run(self.request)

    @property
    def started(self) -> Finished | None:
        """The finished trial if the test has looked at it."""
        finished: Finished | None = self.__dict__.get("finished")
        return finished

    @property
    def simulation(self) -> Simulation:
        """The simulation; ends the test when the provider or the simulated customer failed."""
        finished = self.finished
        error = ending(finished.simulation, finished.reward)
        if error is not None and not issubclass(error, (AssertionError, Ungraded)):
            self._end(error)
        return finished.simulation

    @property
    def reward(self) -> Reward:
        """The reward of a trial that was graded, or waits for a judge."""
        _ = self.simulation
        reward = self.finished.reward
        if reward is None:
            raise RuntimeError("a trial without reward must have ended the test")
        return reward

    def verify(self) -> None:
        """End the test unless the full reward was earned: with the verdict, or what kept it from being one."""
        error = ending(self.finished.simulation, self.finished.reward)
        if error is not None:
            self._end(error)

    def _end(self, error: type[BaseException]) -> NoReturn:
        from ...reports.verdict import printable, verdict

        __tracebackhide__ = True
        simulation, reward = self.finished.simulation, self.finished.reward
        if error is Ungraded:
            raise Ungraded("waits for a judge: NL_ASSERTION is part of the reward")
        slot = self.request.slot
        rerun = rerun_command(self.request.item)
        text = verdict(slot.task, simulation, reward, trial=slot.trial, rerun=rerun, fault=self.finished.fault)
        raise error(f"{printable(simulation.note)}\n{text}" if simulation.note and reward is None else text)


# What is about a whole run, and not about how one of its trials is played and graded.
_OF_THE_RUN = {
    "--tau-audit",
    "--tau-baseline",
    "--tau-bless",
    "--tau-concurrency",
    "--tau-domain",
    "--tau-export",
    "--tau-gate",
    "--tau-html",
    "--tau-inconclusive",
    "--tau-markdown",
    "--tau-min-coverage",
    "--tau-progress",
    "--tau-results",
    "--tau-resume",
    "--tau-shard",
    "--tau-tasks",
}


def rerun_command(item: pytest.Item) -> str:
    """The command that runs exactly this trial again."""
    args: list[str] = []
    given = iter(item.config.invocation_params.args)
    for arg in map(str, given):
        if not arg.startswith("--tau-"):
            continue
        name, equals, value = arg.partition("=")
        option = [arg] if equals or name in SWITCHES else [arg, str(next(given, ""))]
        if name == "--tau-rescore":  # by then the latest run of a folder is another
            option = [name, str(item.config.stash[RESCORED])]
        if name.endswith("-llm-args"):
            option = [name, _without_keys(value if equals else option[1])]
        if name not in _OF_THE_RUN:
            args += option
    nodeid = item.nodeid
    if virtual_nodeid(item.config, item.path) is None:
        here = os.path.relpath(item.path, item.config.invocation_params.dir)
        nodeid = f"{Path(here).as_posix()}::{nodeid.partition('::')[2]}"
    return shlex.join(["pytest", nodeid, *args])


def _without_keys(arguments: str) -> str:
    """The parameters of a model as they may be printed."""
    from ...llm.scrub import public

    return json.dumps(public(json.loads(arguments)))


def user_facing(error: BaseException) -> bool:
    """Whether an exception's own text is all that a reader needs, without a traceback of ours."""
    from ...errors import TauError

    return isinstance(error, (TauMiss, TauInfra, TauInvalid, TauError))
