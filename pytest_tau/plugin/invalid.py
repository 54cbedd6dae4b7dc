"""What becomes of a trial whose simulated customer broke the rules: ``--tau-invalid keep|drop|rerun``.

keep     reported, and graded like any other
drop     an invalid trial: no verdict on the agent, whether it would have passed or missed
rerun    played again with another seed, and dropped when the customer breaks the rules every time

What was played again stays in the record, as the simulation's ``discarded``.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.simulation import Simulation
    from ..schema.task import Task

RERUNS = 2
_KEEPS_THE_RULES = "scripted"


def settled(play: Callable[[int], Simulation], task: Task, domain: Domain, policy: str) -> Simulation:
    """Play a trial until the policy is content with its customer.

    Args:
        play: plays the attempt with this number, counted from 0, and returns the finished conversation.
        task: the trial's task.
        domain: its domain.
        policy: ``keep``, ``drop`` or ``rerun``.
    """
    attempts = settling(task, domain, policy)
    attempt = next(attempts)
    while True:
        try:
            attempt = attempts.send(play(attempt))
        except StopIteration as settled:
            simulation: Simulation = settled.value
            return simulation


def settling(task: Task, domain: Domain, policy: str) -> Generator[int, Simulation, Simulation]:
    """The same without playing: yields the number of the next attempt, is sent its conversation, returns the last."""
    discarded: list[Simulation] = []
    while True:
        simulation = _audited(task, (yield len(discarded)), domain)
        broken = _broken(simulation) if policy != "keep" else ""
        if not broken or policy != "rerun" or len(discarded) == RERUNS:
            break
        discarded.append(simulation)
    changes: dict[str, object] = {"discarded": discarded} if discarded else {}
    if broken:
        # The reason that τ² has for a customer who failed, so that readers of an export leave the trial out as well.
        note = (
            f"the simulated customer broke the rules, which ended with {simulation.termination_reason.value}: {broken}"
        )
        changes |= {"termination_reason": type(simulation.termination_reason).USER_ERROR, "note": note}
    return simulation.model_copy(update=changes)


def _audited(task: Task, simulation: Simulation, domain: Domain) -> Simulation:
    """With what the user audit finds. It looks at neither the scripted customer nor at what broke off."""
    from ..schema.simulation import Termination

    broke_off = (Termination.INFRASTRUCTURE_ERROR, Termination.TIMEOUT, Termination.USER_ERROR)
    if simulation.user == _KEEPS_THE_RULES or simulation.solo or simulation.termination_reason in broke_off:
        return simulation
    from ..metrics.user_audit import user_audit

    return simulation.model_copy(update={"user_findings": user_audit(task, simulation, domain)})


def _broken(simulation: Simulation) -> str:
    """The rules that were broken and without which a trial says nothing about the agent; "" if there are none."""
    from ..metrics.user_audit import SPOILING

    found = [finding for finding in simulation.user_findings or [] if finding.rule in SPOILING]
    return "; ".join(f"{finding.rule} in turn {finding.turn} ({finding.text})" for finding in found)
