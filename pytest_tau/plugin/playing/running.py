"""Runs the trial that a test asks for: at once, or as :mod:`.lookahead` has begun it ahead of time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, get_args

from ...adapters.mcp import McpServer
from ...adapters.tracing import join_trace
from ...conversation.asking import Interrupted
from ...conversation.run import play
from ...conversation.trial import Trial
from ...diagnosis.blame import with_no_return
from ...diagnosis.faults import find_fault, is_overflow
from ...diagnosis.repair import with_repair
from ...environment.environment import Environment
from ...errors import TrialCancelled, describe
from ...evaluation.grade import grade
from ...journal import is_open
from ...manifest import DECIDED as decided_file
from ...manifest import rules_decided
from ...pictures import Pictures
from ...schema.messages import AssistantMessage, ToolMessage
from ...schema.record import Fault, FaultKind, TrialRecord
from ...schema.simulation import Simulation, Termination
from ...schema.task import Criterion
from ...scrub import scrub
from ...seeds import trial_seed
from ..run import Run
from ..workers.activity import monitor
from ..workers.spool import TrialSpool, spool
from .asked_before import ask_once, explain_once
from .captured_output import streams_kept_open
from .guarding import Backstage, Guard, Watched, ends_without
from .invalid_trials import customer_audit, play_until_valid
from .leftovers import leftovers
from .loops import CallersLoop
from .models import models
from .outcomes import CANNOT_KEEP, DECIDED, RULE_DECIDED, NotRun, TauMiss, Ungraded, ending, players_do_not_decide
from .records import conversation_line, crashed_line, line_of
from .trial import BROKEN_OFF, GRADED, PLAYED, Finished, TrialRequest, Wait

if TYPE_CHECKING:
    from ...schema.reward import CriterionResult, JudgeReview, Reward


def play_at_once(request: TrialRequest) -> Finished:
    """Play and grade a trial in the calling thread, and what is asynchronous in it as well."""
    return play_here(request, request.run.one(CallersLoop).for_a_trial())


def play_here(request: TrialRequest, wait: Wait) -> Finished:
    """Play and grade a trial in the calling thread; ``wait`` runs what is asynchronous in it."""
    guard = Guard(request)
    try:
        # Apart, so that it takes what is set for this trial alone with it.
        with streams_kept_open():
            return copy_context().run(conduct, request, wait, guard.begin)
    finally:
        guard.end()


def conduct(request: TrialRequest, wait: Wait, started: Callable[[Watched], None] = lambda trial: None) -> Finished:
    """Play a trial and grade it, and keep the result.

    What a worker finished before it died is taken from there. A conversation is kept the moment it is over, before
    anything is made of it; one that an earlier run has paid for is graded and not played again.

    Args:
        request: which trial, and who plays.
        wait: runs what is asynchronous in it.
        started: is given the trial and then its grading, for whoever might want to cancel it.
    """
    kept = spool(request.run)
    recovered = _read_recovered(kept.recover(request.item.nodeid))
    if recovered is not None and recovered.is_over(judge=request.models.judge is not None):
        return recovered.finished
    if recovered is None:
        _refuse(request)
    else:
        request = replace(request, before=recovered.finished)
    try:
        _begin(request, kept)
        return _play_and_grade(request, wait, started)
    except BaseException:
        kept.drop(request.item.nodeid)
        raise


def may_begin(request: TrialRequest, kept: TrialSpool) -> None:
    """Note that a trial begins; raises NotRun where nothing more is to be played or paid for."""
    _refuse(request)
    try:
        _begin(request, kept)
    except BaseException:
        kept.drop(request.item.nodeid)
        raise


def _refuse(request: TrialRequest) -> None:
    models(request.run).refuse()
    leftovers(request.run).refuse()
    if request.run.settings.stop and (request.run.folder / decided_file).exists():
        raise NotRun(DECIDED)
    edit = request.slot.variant.edit if request.slot.variant is not None else None
    if edit is not None and str(edit) in rules_decided(request.run.folder):
        raise NotRun(RULE_DECIDED)


def _begin(request: TrialRequest, kept: TrialSpool) -> None:
    nodeid = request.item.nodeid
    if problem := kept.begin(nodeid, crashed_line(nodeid, request.slot)):  # then nothing more is to be paid for
        raise NotRun(f"{CANNOT_KEEP}: {problem}")


def make_trial(request: TrialRequest, attempt: int = 0) -> Trial:
    """The trial of a request, not begun; ``attempt``: how often its customer broke the rules before."""
    slot, chosen = request.slot, request.run.settings
    seed = trial_seed(chosen.seed, slot.domain.name, slot.task.id, slot.trial, attempt)
    trial = Trial(
        slot.task,
        _environment(request, seed),
        request.agent,
        request.user,
        trial=slot.trial,
        seed=seed,
        user_seed=_user_seed(request, attempt),
        plan=request.plan,
        limits=request.limits,
        classify=request.classify,
        endpoint=request.models.endpoint,
        images=chosen.images or "send",
        tool_server=request.run.one(tool_server),
        run_text_calls=chosen.text_calls == "run",
        view=slot.view,
        names=(request.agent_name, request.user_name),
    )
    variant = "" if slot.variant is None else slot.variant.label
    name = ", ".join(filter(None, (f"{slot.domain.name}/{slot.task.id}", slot.agent, variant)))
    monitor(request.run).begins(trial, (name, slot.trial))
    return trial


@dataclass(frozen=True)
class _Recovered:
    """A trial that was played before; not ``graded``: something that follows the conversation is missing.

    ``waits``: a judge has not said yet what it was to say.
    """

    finished: Finished
    graded: bool
    waits: bool

    def is_over(self, *, judge: bool) -> bool:
        """Whether there is nothing left to do, with or without a judge."""
        return self.graded and not (judge and self.waits)


def _read_recovered(line: str | None) -> _Recovered | None:
    if line is None:
        return None
    record = TrialRecord.of_line(line)
    if record.simulation is None:
        return None
    waits = is_open(record.model_dump(exclude={"simulation": {"messages"}}))
    return _Recovered(Finished(record.simulation, record.reward, record.fault), record.graded, waits)


def _play_and_grade(request: TrialRequest, wait: Wait, started: Callable[[Watched], None]) -> Finished:
    known = None if request.before is None else request.before.simulation
    discarded = list((known and known.discarded) or [])
    if known is not None and request.models.cassette is not None:
        request.models.cassette.go_on()

    def play_attempt(attempt: int) -> Simulation:
        if known is not None and attempt == len(discarded):
            request.item.stash[PLAYED] = known
            return known.model_copy(update={"discarded": None})
        with players_do_not_decide():
            trial = make_trial(request, attempt)
            if request.run.settings.otel:
                join_trace(trial.session_id)
            started(trial)
            with _keeping_what_is_broken_off(request, trial), closing(trial):
                # Before the agent is let go: its close() may take its time, or take the process down.
                _keep_conversation(request, play(trial, wait))
        if trial.abandoned:
            raise TrialCancelled("the trial was given up while its agent was being let go")
        simulation = trial.simulation()
        if simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR:
            models(request.run).spare(simulation)
        return simulation

    try:
        invalid_as = request.run.settings.invalid_as
        simulation = play_until_valid(play_attempt, customer_audit(request, wait), invalid_as, discarded)
    finally:
        request.models.endpoint.close()
        leftovers(request.run).look()
    return _grade_and_keep(request, simulation, wait, started)


@contextmanager
def _keeping_what_is_broken_off(request: TrialRequest, trial: Trial) -> Iterator[None]:
    """Keep a conversation that an exception of a player ends, for the record of its error: it has been paid for."""
    try:
        yield
    except BaseException as error:  # also sys.exit() and pytest.skip()
        if trial.begun and not (isinstance(error, (TrialCancelled, KeyboardInterrupt)) or trial.conversation.over):
            trial.end(Termination.TEST_ENDED, f"{type(error).__name__}: {scrub(describe(error))}".partition("\n")[0])
            request.item.stash[BROKEN_OFF] = trial.simulation()
        raise


def finish(
    request: TrialRequest, simulation: Simulation, wait: Wait, started: Callable[[Watched], None] = lambda trial: None
) -> Finished:
    """Keep a conversation that is over, grade it, and keep that."""
    _keep_conversation(request, simulation)
    return _grade_and_keep(request, simulation, wait, started)


def _keep_conversation(request: TrialRequest, simulation: Simulation) -> None:
    if simulation.termination_reason is Termination.TIMEOUT:
        ends_without(request.run, simulation.note or "")
    with suppress(OSError):  # reports then show what they say in words
        Pictures(request.run.folder).keep(simulation)
    if ending(simulation, None) is Ungraded:  # and not broken off: that is played again
        request.item.stash[PLAYED] = simulation
        spool(request.run).keep(conversation_line(request.item.nodeid, request.slot, simulation))


def _grade_and_keep(
    request: TrialRequest, simulation: Simulation, wait: Wait, started: Callable[[Watched], None]
) -> Finished:
    def keep(finished: Finished) -> None:
        line = line_of(request.item.nodeid, request.slot, finished)
        request.item.stash[GRADED] = finished, line
        spool(request.run).keep(line)

    return grade_watched(request, simulation, wait, started, keep)


def grade_watched(
    request: TrialRequest,
    simulation: Simulation,
    wait: Wait,
    started: Callable[[Watched], None],
    keep: Callable[[Finished], None] = lambda finished: None,
    *,
    strict: bool = True,
) -> Finished:
    """Grade a conversation with somebody watching, and keep that: what is broken off before its judge has spoken has
    no grade yet.

    Raises DomainError where a tool does not come back.
    """
    slot = request.slot
    grading = Backstage("the grading", slot.task.id, slot.domain.name, request.limits.timeout)
    started(grading)
    request = replace(request, grade=grading.apart(request.grade))
    try:
        finished = finish_trial(request, simulation, grading.apart(wait), strict=strict)
    except Interrupted:
        raise grading.error() from None
    keep(finished)
    return finished


def tool_server(run: Run) -> McpServer:
    """Who serves the tools of this process' trials over MCP, from the first trial on that wants it."""
    made = McpServer()
    run.config.add_cleanup(made.close)
    return made


def _environment(request: TrialRequest, seed: int) -> Environment:
    """The world that a trial is played in, with the faults and the tools that its variant adds."""
    slot = request.slot
    faults = None if slot.variant is None else slot.variant.tool_faults(seed)
    extra = {} if slot.view is None else slot.view.extra
    return slot.domain.environment(solo=request.solo, faults=faults, extra=extra)


def _user_seed(request: TrialRequest, attempt: int) -> int | None:
    """The seed of the customer, where several trials meet the same one: trials 1, M + 1, 2 M + 1 … of a task."""
    slot, chosen = request.slot, request.run.settings
    if chosen.user_seeds is None:
        return None
    number = (slot.trial - 1) % chosen.user_seeds + 1
    return trial_seed(chosen.seed, slot.domain.name, slot.task.id, number, attempt)


def waits_for_agent(simulation: Simulation) -> bool:
    """Whether the agent was to speak next when the conversation ended, and not the customer."""
    last = simulation.messages[-1] if simulation.messages else None
    if isinstance(last, ToolMessage):
        return last.requestor == "assistant"
    return not isinstance(last, AssistantMessage)


def finish_trial(request: TrialRequest, simulation: Simulation, wait: Wait, *, strict: bool = True) -> Finished:
    """Grade what was played, now or before, with all that a model is to say of it.

    ``strict`` as in :func:`~pytest_tau.evaluation.grade.grade`.
    """
    slot = request.slot
    by_rules, *judged = _rewards_by_stages(request, simulation, wait, strict=strict)
    reward = judged[-1] if judged else by_rules
    fault = find_fault(slot.task, simulation, reward, slot.domain)
    # What the agent could have done is no matter where the customer has lost the trial.
    if strict and fault is not None and fault.kind is not FaultKind.USER_FAULT and by_rules and reward:
        # By a judge or a criterion of the project's own: no other ending is tried by those, so all seem to pass.
        known = {one.criterion for one in by_rules.missed} & set(get_args(Criterion))
        beyond = [one.criterion not in known for one in reward.missed]
        if not (beyond and all(beyond)):
            fault = with_no_return(fault, slot.task, simulation, slot.domain, reward)
        if not any(beyond):
            fault = with_repair(fault, slot.task, simulation, slot.domain)
    if reward is None:
        return Finished(simulation, reward, fault)
    before, fault_before = _said_before(request, simulation)
    if request.models.rate is not None:
        rated = wait(ask_once(partial(request.models.rate, simulation), before and before.satisfaction))
        reward = reward.model_copy(update={"satisfaction": rated})
    if request.models.explain is not None and fault is not None and ending(simulation, reward) is TauMiss:
        ask = partial(request.models.explain, slot.task, simulation, reward, fault, slot.domain)
        fault = wait(explain_once(ask, fault, fault_before))
    return Finished(simulation, reward, fault)


def _said_before(request: TrialRequest, simulation: Simulation) -> tuple[Reward | None, Fault | None]:
    """The grade and the fault that this conversation has had; None where another one was played since."""
    before = request.before
    if before is None or before.simulation.id != simulation.id:
        return None, None
    return before.reward, before.fault


def _rewards_by_stages(
    request: TrialRequest, simulation: Simulation, wait: Wait, *, strict: bool
) -> Iterator[Reward | None]:
    slot, chosen, reason = request.slot, request.run.settings, simulation.termination_reason
    before, _ = _said_before(request, simulation)
    missed = chosen.timeout_as == "miss" and waits_for_agent(simulation)
    overflown = chosen.overflow_as == "miss" and waits_for_agent(simulation) and is_overflow(simulation)
    if (reason is Termination.INFRASTRUCTURE_ERROR and not overflown) or (reason is Termination.TIMEOUT and not missed):
        yield None
        return
    graded = partial(
        grade, slot.task, simulation, slot.domain, strict=strict, extra=request.grade(simulation), rules=True
    )
    reward = graded()
    yield reward
    # Only where the verdict hangs on it is the judge worth its price.
    if request.models.judge is None:
        return
    nl: CriterionResult | None = None
    if reward.ungraded:
        ask_judge = partial(request.models.judge.verdict, slot.task, simulation)
        nl = wait(ask_once(ask_judge, before and before.result("NL_ASSERTION")))
        reward = graded(nl=nl)
        yield reward
    reader = request.models.reviewer if reward.basis is not None else None
    if reader is not None and reader.has_to_read(lost=reward.value == 0.0, parity=slot.domain.parity):
        read = partial(reader.review, slot.task, simulation, slot.domain)
        review: JudgeReview | None = wait(ask_once(read, before and before.review))
        if review is not None:
            known = {"clean_before": reward.passed and reward.under_policy, "before": reward.conduct}
            review = review.model_copy(update=known)
            reward = graded(nl=nl, review=review)
            yield reward
    if slot.task.safety is not None and reward.basis is not None:
        ask_tone = partial(request.models.judge.tone, slot.task, simulation)
        tone = wait(ask_once(ask_tone, before and before.result("TONE")))
        if tone is not None:
            yield reward.model_copy(update={"results": [*reward.results, tone]})
