"""Combines the criteria of a task into the reward of a simulation.

Grading looks at the recorded messages only: the world is brought to its final state by executing the writing calls
again, so a live conversation and a recording of it are graded by the same code. Where faults were injected, the agent
is graded by what its calls did, and not by what it was made to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from typing import Any

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..environment.replay import without_faults
from ..errors import RecordingError
from ..schema.messages import Requestor
from ..schema.reward import CriterionResult, JudgeReview, Retrieval, Reward, Violation
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from .calls import Transcript
from .criteria.actions import actions
from .criteria.assertions import assertions
from .criteria.communicate import communicate
from .criteria.database import database, ending_reached
from .criteria.documents import retrieval
from .criteria.judged import beside_checks
from .criteria.trajectory import trajectory
from .judges.nl_assertions import judge
from .progress.effort import effort
from .progress.forgotten import find_forgotten
from .progress.milestones import Progress, progress_of
from .violations import DEMANDS, conduct, violations

_SIDES: tuple[Requestor, ...] = ("assistant", "user")


def grade(
    task: Task,
    simulation: Simulation,
    domain: Domain,
    *,
    strict: bool = True,
    extra: Sequence[CriterionResult] = (),
    nl: CriterionResult | None = None,
    review: JudgeReview | None = None,
) -> Reward:
    """Grade a simulation.

    Args:
        task: the task it played.
        simulation: the finished conversation.
        domain: the domain it ran in.
        strict: refuse a conversation if the tools do not return its recorded results again. Use False for recordings
            of another version of the tools.
        extra: results of your own criteria; those ``in_basis`` are part of the reward.
        nl: a ``Judge``'s result for the task's assertions (``judges/nl_assertions.py``). It costs model calls, so
            grade without it first: you need it only if the reward is ``ungraded``.
        review: what a judge says of the questions that no rule decides (``judges/review.py``).

    Raises:
        RecordingError: the conversation does not replay.
        TaskError: the task's initial state cannot be set up.
    """
    if any(message.role == "tool" and message.fault for message in simulation.messages):
        simulation = simulation.model_copy(update={"messages": without_faults(simulation.messages)})
    found = retrieval(task, simulation.messages, domain)
    if simulation.termination_reason not in (Termination.USER_STOP, Termination.AGENT_STOP):
        note = f"Simulation terminated prematurely. Termination reason: {simulation.termination_reason.value}"
        note = note if simulation.note is None else f"{note} ({simulation.note})"
        so_far = progress_of(task, Transcript(simulation.messages), domain, solo=simulation.solo)
        reward = _with_progress(Reward(value=0.0, note=note, retrieval=found), so_far, simulation)
        return _with_violations(reward, task, simulation, domain, ended=False)
    task = _as_ended(task, simulation, domain, strict=strict)
    progress = Progress(task, Transcript(simulation.messages), domain, solo=simulation.solo)
    if task.evaluation_criteria is None:
        return _with_progress(_combine([*extra], found, note="No evaluation criteria"), progress, simulation)
    results = _evaluate(task, simulation, domain, progress, strict=strict, nl=nl, review=review)
    told = [result for result in results if result.in_basis or result.checks or result.differences]
    reward = _with_progress(_combine([*told, *extra], found), progress, simulation)
    reward = reward if review is None else reward.model_copy(update={"review": review})
    return _with_violations(reward, task, simulation, domain, ended=True)


def _with_violations(reward: Reward, task: Task, simulation: Simulation, domain: Domain, *, ended: bool) -> Reward:
    """The reward with the rules that were broken; on public data they are looked at when somebody asks."""
    if domain.parity:
        review = reward.review
        return reward.looked_at(lambda: _violations_and_unclear(_check_rules(task, simulation, domain, review), review))
    looked = reward.result("TRAJECTORY") if ended else _check_rules(task, simulation, domain)
    behaved = conduct(task, reward.results, looked, ended=ended)
    return reward.model_copy(
        update={"violated": _violations_of(looked, reward.review, ended=ended), "conduct": behaved}
    )


def with_conduct(reward: Reward, task: Task, simulation: Simulation, domain: Domain) -> Reward:
    """The reward with the rules that were broken, on public data too, where grading alone does not look at them."""
    if reward.conduct is not None or reward.basis is None:
        return reward
    looked = _check_rules(task, simulation, domain, reward.review)
    behaved = conduct(task, reward.results, looked, ended=True)
    return reward.model_copy(update={"violated": _violations_of(looked, reward.review, ended=True), "conduct": behaved})


def _with_progress(reward: Reward, progress: Progress, simulation: Simulation) -> Reward:
    """The reward with how far the trial got, and what it cost the customer."""
    env, messages = progress.env, progress.messages
    update = {
        "stations": progress.statuses(reward.value),
        "effort": effort(messages, env, simulation.episodes),
        "forgotten": [] if reward.passed else find_forgotten(progress.task, messages, env),
    }
    return reward.model_copy(update=update)


def passes(task: Task, simulation: Simulation, domain: Domain) -> bool:
    """What ``grade(…).passed`` says, for who asks nothing else: once something is missed, no more is looked at."""
    plain = not any(message.role == "tool" and message.fault for message in simulation.messages)
    ended = simulation.termination_reason in (Termination.USER_STOP, Termination.AGENT_STOP)
    if not (plain and ended) or task.evaluation_criteria is None:
        return bool(grade(task, simulation, domain).passed)
    task = _as_ended(task, simulation, domain, strict=True)
    results = _evaluate(task, simulation, domain, None, strict=True, nl=None, review=None, brief=True)
    return all(result.value == 1.0 for result in results if result.in_basis)


def _as_ended(task: Task, simulation: Simulation, domain: Domain, *, strict: bool) -> Task:
    """The task with the gold path that the conversation ended on, where it accepts several."""
    if task.evaluation_criteria is None or not task.evaluation_criteria.accept:
        return task
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, Transcript(simulation.messages), strict=strict)
    return ending_reached(task, env)


def find_violations(task: Task, simulation: Simulation, domain: Domain) -> list[Violation]:
    """The rules that the agent broke, by the task's checks and the domain's own, on public data too."""
    return _violations_of(_check_rules(task, simulation, domain), None, ended=True)


def _violations_and_unclear(looked: CriterionResult, review: JudgeReview | None) -> tuple[list[Violation], int]:
    return _violations_of(looked, review, ended=True), sum(check.unclear for check in looked.checks)


def _check_rules(
    task: Task, simulation: Simulation, domain: Domain, review: JudgeReview | None = None
) -> CriterionResult:
    env = domain.environment(solo=simulation.solo)
    over = simulation.termination_reason in (Termination.USER_STOP, Termination.AGENT_STOP)
    with nullcontext() if over else suppress(RecordingError):  # a call without a result at the end
        env.set_up(task, simulation.messages, strict=False)
    told, parts = Transcript(simulation.messages), simulation.episodes
    how: dict[str, Any] = {"solo": simulation.solo, "by_domain": True, "episodes": parts, "review": review}
    return trajectory(task, told, env=env, in_basis=False, **how)


def _violations_of(looked: CriterionResult | None, review: JudgeReview | None, *, ended: bool) -> list[Violation]:
    """The violations; who could not come to the end has not failed to do what was demanded until then."""
    if looked is None:
        return []
    checks = [check for check in looked.checks if ended or check.kind not in DEMANDS]
    return [*violations(looked.model_copy(update={"checks": checks})), *beside_checks(review, looked.checks)]


def _evaluate(
    task: Task,
    simulation: Simulation,
    domain: Domain,
    progress: Progress | None,
    *,
    strict: bool,
    nl: CriterionResult | None,
    review: JudgeReview | None,
    brief: bool = False,
) -> Iterator[CriterionResult]:
    criteria = task.evaluation_criteria
    basis = set(criteria.reward_basis) if criteria else set()
    messages, parity = progress.messages if progress else Transcript(simulation.messages), domain.parity
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, messages, strict=strict, watch=progress)
    # The state is compared before assertions run: an assertion that writes must not change the verdict on the state.
    yield database(task, env, in_basis="DB" in basis, brief=brief)
    yield assertions(task, env, in_basis="ENV_ASSERTION" in basis)
    yield actions(task, messages, parity=parity, in_basis="ACTION" in basis, solo=simulation.solo, sets=_sets(env))
    yield communicate(task, messages, parity=parity, in_basis="COMMUNICATE" in basis)
    yield judge(task, nl, in_basis="NL_ASSERTION" in basis)
    yield trajectory(
        task,
        messages,
        env=env,
        in_basis="TRAJECTORY" in basis,
        solo=simulation.solo,
        review=review,
        episodes=simulation.episodes,
        brief=brief,
    )


def _sets(env: Environment) -> dict[str, tuple[str, ...]]:
    """Of the tools, the arguments whose order means nothing."""
    return {spec.name: spec.sets for side in _SIDES for spec in env.tool_specs(side) if spec.sets}


def _combine(results: list[CriterionResult], found: Retrieval | None, note: str | None = None) -> Reward:
    values = [result.value for result in results if result.in_basis]
    value: float | None = 1.0
    for factor in values:
        value = None if value is None or factor is None else value * factor
    if any(factor == 0.0 for factor in values):
        value = 0.0
    basis = [result.criterion for result in results if result.in_basis] or None
    return Reward(value=value, basis=basis, results=results, note=note, retrieval=found)
