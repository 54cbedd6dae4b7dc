"""Other right endings: end states that would satisfy the customer as well, break no rule, and are not gold.

A bounded search beside the gold path, with what a domain's author knows of its policy (``endings.py`` of its workshop):

    breaches(env, call, said)   the rules that a change breaks in the state before it, a sentence each
    others(env, call, said)     the same change as the words allow it too: other arguments, with the reason
    wishes(env, gold, said)     changes that the words ask for, to be tried after the gold path, with the reason

``said`` is all that the scenario tells of the customer. Each state that is found is reached by playing the calls; those
that fail, break a rule or end in the gold state are no disputes. What is found is a question to the author, no verdict:
accept the ending (``accept``), say more in the scenario, or correct the gold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment, State
from pytest_tau.errors import TaskError
from pytest_tau.printable import count_of
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled
from pytest_tau.schema.scenario import UserScenario
from pytest_tau.schema.task import Task

from ..parts import load_workshop_part


@dataclass(frozen=True)
class EndingDispute:
    """Another ending of a task: ``path`` are the writing calls that lead to it, ``why`` speaks for it."""

    task_id: str
    path: tuple[Action, ...]
    why: str

    def __str__(self) -> str:
        made = "; ".join(map(str, self.path)) or "no change at all"
        return f"{self.task_id}: another state would satisfy this customer as well: {self.why} ({made})"


def disputes(tasks: Iterable[Task], domain: Domain) -> Iterator[EndingDispute]:
    """What is found beside the gold of tasks; raises TaskError where a domain's policy is not written as predicates."""
    rules = load_workshop_part(domain.folder, "endings")
    if rules is None:
        raise TaskError(
            f"domain '{domain.name}' has no predicates of its policy: write breaches, others and wishes into "
            f"{Path('workshop') / 'domains' / domain.name / 'endings.py'}"
        )
    for task in tasks:
        yield from _disputes(task, domain, rules)


def _disputes(task: Task, domain: Domain, rules: ModuleType) -> Iterator[EndingDispute]:
    said, env = told(task), domain.environment(task)
    gold = [step for step in task.gold_actions if step.requestor == "user" or env.writes(step.name)]
    known = [end.state for end in (_play(path, task, domain, rules, said) for path in _accepted(task, gold)) if end]
    found: dict[str, EndingDispute] = {}
    for place, why, path in _other_paths(gold, task, domain, rules, said):
        end = _play(path, task, domain, rules, said)
        if end is None or end.breaches or end.state in known:
            continue
        found.setdefault(place, EndingDispute(task.id, tuple(path), why))
    yield from found.values()


def told(task: Task) -> str:
    """All that the scenario tells of the customer, in all episodes, what they say in between included."""
    return "\n".join(map(_told, [task.user_scenario, *(one.user_scenario for one in task.episodes or [])]))


def _told(scenario: UserScenario) -> str:
    said = [one.say for one in scenario.later] + [one.say for one in scenario.interrupts or []]
    instructions = scenario.instructions
    if isinstance(instructions, str):
        return "\n".join([instructions, *said])
    parts = [instructions.reason_for_call, instructions.task_instructions, instructions.known_info, *said]
    return "\n".join(part for part in parts if part)


@dataclass(frozen=True)
class _End:
    state: State
    breaches: list[str]


def _accepted(task: Task, gold: list[Action]) -> list[list[Action]]:
    criteria = task.evaluation_criteria
    return [gold, *((criteria.accept or []) if criteria else [])]


def _other_paths(
    gold: list[Action], task: Task, domain: Domain, rules: ModuleType, said: str
) -> Iterator[tuple[str, str, list[Action]]]:
    """Where a path differs, why it may, and the path."""
    env = domain.environment(task)
    for place, step in enumerate(gold):
        if step.requestor == "assistant":
            rest = [*gold[:place], *gold[place + 1 :]]
            for why in rules.breaches(env, step, said):
                yield f"{place}", f"without {step.name}, because {why}", rest
            for arguments, why in rules.others(env, step, said):
                other = step.model_copy(update={"arguments": arguments})
                yield f"{place}", why, [*gold[:place], other, *gold[place + 1 :]]
        env.call(step.name, step.arguments, step.requestor)
    for number, (call, why) in enumerate(rules.wishes(env, gold, said)):
        yield f"wish {number}", why, [*gold, call]


def _play(path: Sequence[Action], task: Task, domain: Domain, rules: ModuleType, said: str) -> _End | None:
    """The state after a path with the rules that it breaks; None where a call fails that is not in the gold path."""
    env, broken = domain.environment(task), []
    gold = set(map(str, task.gold_actions))
    forbidden = [check for check in task.own_checks if isinstance(check, NotCalled)]
    for step in path:
        if step.requestor == "assistant":
            broken += rules.breaches(env, step, said)
            broken += [f"the task forbids {step.name}" for check in forbidden if _forbids(check, step)]
        if env.call(step.name, step.arguments, step.requestor).error and str(step) not in gold:
            return None
    return _End(env.state(), broken)


def _forbids(check: NotCalled, step: Action) -> bool:
    return check.name == step.name and all(step.arguments.get(key) == one for key, one in check.arguments.items())


def render_disputes(suite: str, number: int, found: Sequence[EndingDispute]) -> Iterator[str]:
    """A line for each dispute, and how many tasks have one."""
    yield from map(str, found)
    disputed = len({one.task_id for one in found})
    share = 100 * disputed / number if number else 0.0
    yield f"{suite}: {count_of(number, 'tasks')}, {disputed} with a dispute ({share:.1f} %)"


def call(name: str, arguments: Mapping[str, Any]) -> Action:
    """A change that a domain's ``wishes`` proposes."""
    return Action(action_id=name, name=name, arguments=dict(arguments))


def fresh(env: Environment) -> Environment:
    """The world before any change, to see what became of a record."""
    return env.domain.environment()
