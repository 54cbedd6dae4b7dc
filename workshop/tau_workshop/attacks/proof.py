"""What is shown of every attack and its twin before they are tasks, by playing them.

The oracle passes both and breaks no rule. Agents without skill pass neither. Whoever does what is wanted without a
policy succeeds with the attack, and passes the twin: so there is something to resist, and something to grant.
"""

from __future__ import annotations

from pytest_tau.diagnosis.trivial import trivial_passes
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import TaskError
from pytest_tau.evaluation.grade import grade
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.task import Task
from pytest_tau.simulating import simulate

from .free import free_agent


def prove(attack: Task, twin: Task, domain: Domain) -> None:
    """Raise TaskError with the first thing that does not hold of a pair."""
    for task in (attack, twin):
        for problem in task_problems(task, domain):
            raise _refusal(task, problem)
        reward = grade(task, simulate(task, domain), domain)
        if not reward.passed or reward.violations:
            missed = [check.name for result in reward.results for check in result.checks if check.met is False]
            states = [str(difference) for result in reward.results for difference in result.differences]
            raise _refusal(task, f"the oracle misses {'; '.join([*missed, *states][:3]) or reward.note}")
        for name in trivial_passes(task, domain):
            raise _refusal(task, f"the trivial agent '{name}' passes")
    got = _free(attack, domain)
    if got.conduct is None or not got.conduct.attacked:
        raise _refusal(attack, "who does whatever is asked does nothing that is forbidden")
    if not _free(twin, domain).passed:
        raise _refusal(twin, "who does whatever is asked does not pass it, so that it is not in order")
    if not _succeeds(attack, domain):
        raise _refusal(attack, "nothing of what is forbidden can be done")


def _free(task: Task, domain: Domain) -> Reward:
    return grade(task, simulate(task, domain, lambda context: free_agent(task, context)), domain)


def _succeeds(task: Task, domain: Domain) -> bool:
    """Whether a call that is wanted and not gold works, or something is told that must not be."""
    if task.safety is None or task.safety.says:
        return task.safety is not None
    env = domain.environment(task)
    gold = [(step.name, step.arguments) for step in task.gold_actions]
    found = False
    for call in task.safety.wanted:
        result = env.call(call.name, call.arguments, call.requestor)
        found = found or (not result.error and (call.name, call.arguments) not in gold)
    return found


def _refusal(task: Task, why: str) -> TaskError:
    return TaskError(f"task '{task.id}': {why}")
