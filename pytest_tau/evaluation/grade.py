"""Combines the criteria of a task into the reward of a simulation.

Grading looks at the recorded messages only: the world is brought to its final state by executing the writing calls
again, so a live conversation and a recording of it are graded by the same code. Where faults were injected, the agent
is graded by what its calls did, and not by what it was made to read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, Self

from ..environment.domain import Domain
from ..environment.replay import without_faults
from ..errors import RecordingError
from ..schema.reward import CriterionResult, JudgeReview, Retrieval, Reward, Violation
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..schema.transcript import Transcript, calls_done
from .criteria.actions import actions
from .criteria.assertions import assertions
from .criteria.communicate import communicate
from .criteria.database import database, ending_reached
from .criteria.documents import retrieval
from .criteria.judged import beside_checks, nl_assertions
from .criteria.trajectory import trajectory
from .progress.effort import effort
from .progress.forgotten import find_forgotten
from .progress.milestones import Progress, progress_of
from .violations import DEMANDS, conduct, violations

_ENDED = (Termination.USER_STOP, Termination.AGENT_STOP)


def grade(
    task: Task,
    simulation: Simulation,
    domain: Domain,
    *,
    strict: bool = True,
    extra: Sequence[CriterionResult] = (),
    nl: CriterionResult | None = None,
    review: JudgeReview | None = None,
    rules: bool = False,
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
        rules: look at the rules that were broken now, on public data too. There, it is otherwise done when you ask.

    Raises:
        RecordingError: the conversation does not replay, or ran in another domain.
        TaskError: the task's initial state cannot be set up.
    """
    _refuse_another(simulation, domain)
    if any(message.role == "tool" and message.fault for message in simulation.messages):
        simulation = simulation.model_copy(update={"messages": without_faults(simulation.messages)})
    told, ended = Transcript(simulation.messages), simulation.termination_reason in _ENDED
    if ended:
        task = _as_ended(task, simulation, domain, strict=strict)
        progress = Progress(task, told, domain, solo=simulation.solo)
        results = _evaluate(task, simulation, domain, progress, strict=strict, nl=nl, review=review)
        kept = [result for result in results if result.in_basis or result.checks or result.differences]
        reward = _combine([*kept, *extra], review, None if task.evaluation_criteria else "No evaluation criteria")
    else:
        note = f"Simulation terminated prematurely. Termination reason: {simulation.termination_reason.value}"
        note = note if simulation.note is None else f"{note} ({simulation.note})"
        progress = progress_of(task, told, domain, solo=simulation.solo)
        reward = Reward(value=0.0, note=note)
    found = retrieval(task, told, domain)
    now = rules and not (ended and reward.basis is None)
    reward = _with_violations(reward, task, simulation, domain, ended=ended, now=now)
    return _with_progress(reward, progress, simulation, found)


def _refuse_another(simulation: Simulation, domain: Domain) -> None:
    """Raise RecordingError for a conversation that ran in another domain: what it did is undone here, and seems right.

    A domain under another name is the same one, as long as it has the tools that were called with success.
    """
    if simulation.domain == domain.name:
        return
    env = domain.environment()
    for _, call, _ in calls_done(simulation.messages):
        if env.tool_named(call.name, call.requestor) is None:
            raise RecordingError(
                f"the conversation of task '{simulation.task_id}' ran in the domain '{simulation.domain}', and "
                f"'{domain.name}' has no tool '{call.name}': grade it where it ran"
            )


def _with_violations(
    reward: Reward, task: Task, simulation: Simulation, domain: Domain, *, ended: bool, now: bool
) -> Reward:
    """The reward with the rules that were broken; on public data they are looked at when somebody asks.

    A task without criteria has none of them looked at, unless ``now``.
    """
    unasked = ended and task.evaluation_criteria is None
    if unasked and not now:
        return reward
    if domain.parity and not now:
        return reward.looked_at(_Look(task, simulation, domain, reward.review))
    known = ended and not (domain.parity or unasked)
    looked = reward.result("TRAJECTORY") if known else _check_rules(task, simulation, domain, reward.review)
    behaved = conduct(task, reward.results, looked, ended=ended)
    return reward.model_copy(
        update={"violated": _violations_of(looked, reward.review, ended=ended), "conduct": behaved}
    )


def _with_progress(reward: Reward, progress: Progress, simulation: Simulation, found: Retrieval | None) -> Reward:
    """The reward with how far the trial got, what it cost the customer, and what was found in documents."""
    env, messages = progress.env, progress.messages
    update = {
        "stations": progress.statuses(reward.value),
        "effort": effort(messages, env, simulation.episodes),
        "forgotten": [] if reward.passed else find_forgotten(progress.task, messages, env),
        "retrieval": found,
    }
    return reward.model_copy(update=update)


def passes(task: Task, simulation: Simulation, domain: Domain, *, strict: bool = True) -> bool:
    """What ``grade(…).passed`` says, for who asks nothing else: once something is missed, no more is looked at."""
    return all(value == 1.0 for value in _values(task, simulation, domain, strict=strict))


def may_pass(task: Task, simulation: Simulation, domain: Domain, *, strict: bool = True) -> bool:
    """Whether nothing is missed, as :func:`passes`; what waits for a judge is not."""
    return all(value != 0.0 for value in _values(task, simulation, domain, strict=strict))


def _values(task: Task, simulation: Simulation, domain: Domain, *, strict: bool) -> Iterator[float | None]:
    """What the criteria in the basis give, one by one; of a conversation that takes more to grade, its reward."""
    _refuse_another(simulation, domain)
    plain = not any(message.role == "tool" and message.fault for message in simulation.messages)
    if not (plain and simulation.termination_reason in _ENDED) or task.evaluation_criteria is None:
        yield grade(task, simulation, domain, strict=strict).value
        return
    task = _as_ended(task, simulation, domain, strict=strict)
    results = _evaluate(task, simulation, domain, None, strict=strict, nl=None, review=None, brief=True)
    yield from (result.value for result in results if result.in_basis)


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


@dataclass(frozen=True)
class _Look:
    """Gives the violations and how much is unclear, when somebody asks; pickle stores it as part of a reward."""

    task: Task
    simulation: Simulation
    domain: Domain
    review: JudgeReview | None

    def __call__(self) -> tuple[list[Violation], int]:
        looked = _check_rules(self.task, self.simulation, self.domain, self.review)
        return _violations_of(looked, self.review, ended=True), sum(check.unclear for check in looked.checks)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


def _check_rules(
    task: Task, simulation: Simulation, domain: Domain, review: JudgeReview | None = None
) -> CriterionResult:
    env = domain.environment(solo=simulation.solo)
    with (
        nullcontext() if simulation.termination_reason in _ENDED else suppress(RecordingError)
    ):  # a call without a result at the end
        env.set_up(task, simulation.messages, strict=False)
    told, parts = Transcript(simulation.messages), simulation.episodes
    how: dict[str, Any] = {"solo": simulation.solo, "by_domain": True, "episodes": parts, "review": review}
    return trajectory(task, told, env=env, in_basis=False, **how)


def _violations_of(looked: CriterionResult | None, review: JudgeReview | None, *, ended: bool) -> list[Violation]:
    """The violations; who could not come to the end has not failed to do what was demanded until then."""
    if looked is None:
        return []
    checks = [check for check in looked.checks if ended or check.kind not in DEMANDS]
    seen = [] if review is None else beside_checks(review, looked.checks)
    return [*violations(looked.model_copy(update={"checks": checks})), *seen]


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
    if task.evaluation_criteria is None:
        return
    basis = set(task.evaluation_criteria.reward_basis)
    messages, parity = progress.messages if progress else Transcript(simulation.messages), domain.parity
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, messages, strict=strict, watch=progress)
    # The state is compared before assertions run: an assertion that writes must not change the verdict on the state.
    yield database(task, env, in_basis="DB" in basis, brief=brief)
    yield assertions(task, env, in_basis="ENV_ASSERTION" in basis)
    yield actions(
        task,
        messages,
        parity=parity,
        in_basis="ACTION" in basis,
        solo=simulation.solo,
        sets=domain.sets,
        defaults=domain.defaults,
        env=env,
    )
    yield communicate(task, messages, parity=parity, in_basis="COMMUNICATE" in basis)
    yield nl_assertions(task, nl, in_basis="NL_ASSERTION" in basis)
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


def _combine(results: list[CriterionResult], review: JudgeReview | None, note: str | None) -> Reward:
    values = [result.value for result in results if result.in_basis]
    value: float | None = 1.0
    for factor in values:
        value = None if value is None or factor is None else value * factor
    if any(factor == 0.0 for factor in values):
        value = 0.0
    basis = [result.criterion for result in results if result.in_basis] or None
    return Reward(value=value, basis=basis, results=results, note=note, review=review)
