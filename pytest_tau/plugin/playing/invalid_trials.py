"""What becomes of a trial whose simulated customer broke the rules: ``--tau-invalid keep|drop|rerun``.

keep     reported, and graded like any other
drop     an invalid trial: no verdict on the agent, whether it would have passed or missed
rerun    played again with another seed, and dropped when the customer breaks the rules every time

What was played again stays in the record, as the simulation's ``discarded``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...schema.simulation import Termination
from .asked_before import has_spoken, with_earlier

if TYPE_CHECKING:
    from ...schema.simulation import Simulation
    from .trial import TrialRequest, Wait

RERUNS = 2
_KEEPS_THE_RULES = "scripted"


def play_until_valid(
    play: Callable[[int], Simulation],
    audit: Callable[[Simulation], Simulation],
    policy: str,
    before: Sequence[Simulation] = (),
) -> Simulation:
    """Play a trial until the policy is content with its customer.

    Args:
        play: plays the attempt with this number, counted from 0, and returns the finished conversation.
        audit: returns the conversation with what is to be said of its customer.
        policy: ``keep``, ``drop`` or ``rerun``.
        before: attempts that an earlier run has discarded.
    """
    discarded = list(before)
    while True:
        simulation = audit(play(len(discarded)))
        broken = broken_rules(simulation) if policy != "keep" else ""
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


def customer_audit(request: TrialRequest, wait: Wait) -> Callable[[Simulation], Simulation]:
    """Adds what rules, and the judge where it is asked to, find about a trial's customer.

    Neither looks at the scripted customer, nor at what broke off; and the judge not at an attacker, who is told to lie.
    """
    slot, judge_user = request.slot, request.models.judge_user

    def audit(simulation: Simulation) -> Simulation:
        from ...diagnosis.user_audit import user_audit
        from ...users.names import is_attacker

        broke_off = (Termination.INFRASTRUCTURE_ERROR, Termination.TIMEOUT, Termination.USER_ERROR)
        if simulation.user == _KEEPS_THE_RULES or simulation.solo or simulation.termination_reason in broke_off:
            return simulation
        found, judgement = user_audit(slot.task, simulation, slot.domain), None
        if judge_user is not None and not is_attacker(simulation.user):
            known = simulation.user_judgement if request.before is not None else None
            if has_spoken(known):
                return simulation
            seen, judgement = wait(judge_user(slot.task, simulation))
            found, judgement = [*found, *seen], with_earlier(judgement, known)
        return simulation.model_copy(update={"user_findings": found, "user_judgement": judgement})

    return audit


def broken_rules(simulation: Simulation) -> str:
    """The rules that were broken and without which a trial says nothing about the agent; "" if there are none."""
    from ...diagnosis.user_audit import SPOILING

    found = [finding for finding in simulation.user_findings or [] if finding.rule in SPOILING]
    return "; ".join(f"{finding.rule} in turn {finding.turn} ({finding.text})" for finding in found)
