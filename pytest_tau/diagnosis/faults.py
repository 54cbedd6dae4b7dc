"""Why a trial did not pass, told by rule from its calls, its messages and its end; no model is asked.

One fault a trial, the first of these that is found:

1.  provider fault       the provider or the network ended it
    context overflow     it had outgrown a model's context window
    budget reached       the run's budget had no room for another call
    agent ended          its process ended by itself (``--tau-isolate``)
    time out             it ran out of time; the evidence says who or what was at work
2.  user fault           the simulated customer broke the rules: it ended so, or the user audit found worse
3.  premature end        a limit or the agent itself broke it off
    customer left        the customer's patience came to its end
4.  misheard id          on the telephone, a call had an id that the customer had said otherwise, and nobody asked
    then, where the state is not the one the gold path leads to:
5.  suspect gold         a change differs from the gold path in a value that nobody could know: neither the customer's
                         scenario nor any look-up shows it
6.  wrong argument       a change of the gold path was made, or tried, with other arguments
7.  wrong tool           another change was made, or tried, to what a change of the gold path is about
8.  unintended write     a change was made that the gold path does not make
9.  user fault           the customer left with their consent, or without a scenario to go on with, so nothing followed
10. needless hand-over   changes were not made, because the agent handed over what it was to do itself
11. premature end        no change of the gold path was made or tried before the conversation ended
12. partly done          some of them were not made
13. wrong order          all of them were made, in an order that leads elsewhere
    and where the state is right:
14. needless hand-over   the agent handed over, and a check forbids it
15. policy breach        another TRAJECTORY check is not met
16. missing information  a fact or a reason was not told
17. other                a judge, a criterion of the project or a test's own assertion says no

What harms comes before what is missing. A change counts as one of the gold path when it has the same arguments, or the
same effect. Where only assertions are graded, and not the state, changes beside the gold path harm nothing: there 8 is
looked at after 12.
"""

from __future__ import annotations

from collections.abc import Container

from ..agents.oracle import TRANSFER_TOOL
from ..environment.domain import Domain
from ..environment.replay import without_faults
from ..schema.checks import NotCalled, Reason
from ..schema.messages import ToolMessage, UserMessage
from ..schema.record import Fault, FaultKind
from ..schema.reward import Reward
from ..schema.simulation import Simulation, Termination, UserFinding
from ..schema.task import Task
from ..schema.transcript import calls_not_failed
from ..schema.transcript import leaves as values_in
from ..users.spelling import distance, ids_in, normal
from .gold_path import GoldComparison, failed_checks, make_fault
from .user_audit import SPOILING

_ENDINGS = {
    Termination.INFRASTRUCTURE_ERROR: FaultKind.PROVIDER_FAULT,
    Termination.TIMEOUT: FaultKind.TIME_OUT,
    Termination.USER_ERROR: FaultKind.USER_FAULT,
    Termination.MAX_STEPS: FaultKind.PREMATURE_END,
    Termination.STALLED: FaultKind.PREMATURE_END,
    Termination.TOO_MANY_ERRORS: FaultKind.PREMATURE_END,
    Termination.AGENT_ERROR: FaultKind.PREMATURE_END,
    Termination.USER_LEFT: FaultKind.CUSTOMER_LEFT,
}
_OVERFLOW = "ContextOverflow: "
_AGENT_ENDED = "AgentEnded: "
_BUDGET = "BudgetReached: "  # how the note of a trial begins that it ended
_STATE = ("DB", "ENV_ASSERTION", "ACTION")
_NEARLY = 2  # letters


def find_fault(task: Task, simulation: Simulation, reward: Reward | None, domain: Domain) -> Fault | None:
    """The fault of a trial, None when it passed or waits for a judge.

    Args:
        task: the task it played.
        simulation: the finished conversation.
        reward: its grade, None where it was not graded.
        domain: the domain it ran in; it tells which tools write, and what each call did.
    """
    if (kind := _ENDINGS.get(simulation.termination_reason)) is not None:
        if reward is not None and simulation.termination_reason is Termination.TIMEOUT:
            kind = FaultKind.PREMATURE_END  # it was asked for that the agent answers for its time
        if kind in (FaultKind.PREMATURE_END, FaultKind.USER_FAULT) and (spoilt := _spoilt(simulation)) is not None:
            return make_fault(FaultKind.USER_FAULT, f"{spoilt.rule}: {spoilt.text}", spoilt.turn)
        ended, last = f"ended by {simulation.termination_reason.value}", len(simulation.messages) - 1
        if (simulation.note or "").startswith(_BUDGET):
            return make_fault(FaultKind.BUDGET_REACHED, (simulation.note or "").removeprefix(_BUDGET), last)
        if (simulation.note or "").startswith(_AGENT_ENDED):
            return make_fault(FaultKind.AGENT_ENDED, (simulation.note or "").removeprefix(_AGENT_ENDED), last)
        if is_overflow(simulation):
            return make_fault(FaultKind.CONTEXT_OVERFLOW, (simulation.note or "").removeprefix(_OVERFLOW), last)
        return make_fault(kind, f"{ended}: {simulation.note}" if simulation.note else ended, last)
    if simulation.termination_reason is Termination.TEST_ENDED:
        failed = simulation.note or "the test's own assertion"
        return make_fault(FaultKind.OTHER, failed, len(simulation.messages) - 1)
    if reward is None or reward.ungraded or reward.passed:
        return None
    if (spoilt := _spoilt(simulation)) is not None:
        return make_fault(FaultKind.USER_FAULT, f"{spoilt.rule}: {spoilt.text}", spoilt.turn)
    if (misheard := _misheard(task, simulation)) is not None:
        return misheard
    missed = {result.criterion for result in reward.missed}
    # By what the calls did, as it was graded, and not by what faults made the agent read.
    simulation = simulation.model_copy(update={"messages": without_faults(simulation.messages)})
    if missed & set(_STATE):
        return GoldComparison(task, simulation, reward, domain).fault(missed)
    done = {call.name for _, call, _ in calls_not_failed(simulation.messages)}
    return _said_or_done(task, reward, missed, domain, done)


def _spoilt(simulation: Simulation) -> UserFinding | None:
    """The first rule that the customer broke, of those without which a trial says nothing about the agent."""
    return next((one for one in simulation.user_findings or [] if one.rule in SPOILING), None)


def _misheard(task: Task, simulation: Simulation) -> Fault | None:
    """The first call on the telephone with an id that is nearly one that the customer said, and stands nowhere."""
    if task.user_scenario.line != "phone":
        return None
    told: list[str] = []
    seen = ""
    for turn, message in enumerate(simulation.messages):
        calls = [] if isinstance(message, ToolMessage | UserMessage) else message.tool_calls or []
        for call in calls:
            for used in ids_in(" ".join(str(value) for _, value in values_in(call.arguments))):
                meant = next((one for one in told if 0 < distance(normal(used), normal(one)) <= _NEARLY), None)
                if meant is not None and used not in seen:
                    evidence = f"{call.name}: {used!r} was heard for {meant!r}, and nobody asked whether it is right"
                    return make_fault(FaultKind.MISHEARD_ID, evidence, turn)
        if isinstance(message, UserMessage):
            told += ids_in(message.text)
        if not (isinstance(message, ToolMessage) and message.error) and message.role != "assistant":
            seen += f"\n{message.content or ''}"
    return None


def is_overflow(simulation: Simulation) -> bool:
    """Whether a trial ended because it had outgrown a model's context window."""
    ended = simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    return ended and (simulation.note or "").startswith(_OVERFLOW)


def _said_or_done(task: Task, reward: Reward, missed: set[str], domain: Domain, done: Container[str]) -> Fault:
    """The fault of a trial whose state is right; ``done``: the tools of which a call did not fail."""
    unmet = {name: failed_checks(reward, name) for name in ("TRAJECTORY", "COMMUNICATE") if name in missed}
    # The task's own checks come first, those of its domain after them.
    own = dict(enumerate(task.own_checks))
    breaches = [(own.get(i), check) for i, check in unmet.get("TRAJECTORY", []) if not isinstance(own.get(i), Reason)]
    writes = domain.environment().writes

    def called(broken: object) -> str:
        """What was called that must not be."""
        return broken.name if isinstance(broken, NotCalled) and broken.name in done else ""

    # Where the state is not graded, this is how a task says which changes must not be made.
    breaches.sort(key=lambda found: not writes(called(found[0])))
    if breaches:
        broken, check = breaches[0]
        kind = FaultKind.UNINTENDED_WRITE if writes(called(broken)) else FaultKind.POLICY_BREACH
        if called(broken) == TRANSFER_TOOL:
            kind = FaultKind.NEEDLESS_HAND_OVER
        return make_fault(kind, check.finding, check.turn)
    if untold := [check.name for found in unmet.values() for _, check in found]:
        return make_fault(FaultKind.MISSING_INFORMATION, "not told: " + ", ".join(untold))
    notes = [result.note for result in reward.results if result.criterion in missed and result.note]
    return make_fault(FaultKind.OTHER, ", ".join(sorted(missed)) + (f": {notes[0]}" if notes else ""))
