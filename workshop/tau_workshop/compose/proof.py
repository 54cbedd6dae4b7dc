"""What is shown of every composed task before it is one, by playing it.

Each claim is checked by other code than wrote the task: the world executes the gold path, the words are searched for
what the path needs, the grader grades the oracle, agents without skill, and mutants. A task that fails is not composed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from itertools import combinations
from typing import Any

from pytest_tau.diagnosis.reach import said_by_customer
from pytest_tau.diagnosis.trivial import TRIVIAL, trivial_passes
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment, State
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.evaluation.grade import grade, passes
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled
from pytest_tau.schema.messages import UserMessage
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import Task
from pytest_tau.schema.transcript import readable
from pytest_tau.simulating import simulate

from ..audit.mutants import mutants as mutants_of
from ..audit.mutants import survivor
from .atoms import Family
from .building import Built, build
from .plans import Plan, Planner, covers, record_of

MUTANTS = 6


def proven_task(plan: Plan, family: Family, domain: Domain, planner: Planner, *, mutants: int = MUTANTS) -> Task:
    """The proven task of a plan; raises TaskError as :func:`prove` does.

    Who hears all wishes at once may fulfil them in any order. Where that would show in the end state, as two payments
    for one reservation do, the wishes are told one after the other.
    """
    built = build(plan, family, domain.name, planner.changes, checked=bool(domain.spec.default_checks))
    if not plan.in_turn and _order_shows(built.task, plan, domain, planner.changes):
        if planner.options.told == "once":
            raise _refusal(built.task, "in which order the wishes are fulfilled shows in the end state")
        plan = replace(plan, in_turn=True)
        built = build(plan, family, domain.name, planner.changes, checked=bool(domain.spec.default_checks))
    return prove(built, plan, domain, mutants=mutants)


def _order_shows(task: Task, plan: Plan, domain: Domain, changes: set[str]) -> bool:
    """Whether two wishes for one record lead to another state when the later one is fulfilled first."""
    atoms = [one.atom for one in plan.wishes if one.mind != "withdrawn"]
    for one, other in combinations(atoms, 2):
        if {record_of(part) for part in one.touches}.isdisjoint(map(record_of, other.touches)):
            continue
        ends = [
            _state_after([*first.steps, *second.steps], task, domain, changes)
            for first, second in ((one, other), (other, one))
        ]
        if None not in ends and ends[0] != ends[1]:
            return True
    return False


def _state_after(steps: Iterable[Action], task: Task, domain: Domain, changes: set[str]) -> State | None:
    """The state that the changes among these steps lead to; None where one fails."""
    env = domain.environment(task)
    acts = [step for step in steps if step.name in changes or step.requestor == "user"]
    return None if any(env.call(step.name, step.arguments, step.requestor).error for step in acts) else env.state()


def prove(built: Built, plan: Plan, domain: Domain, *, mutants: int = MUTANTS) -> Task:
    """The task with what was shown of it in its notes; raises TaskError with the first thing that does not hold."""
    task = built.task
    for problem in task_problems(task, domain):
        raise _refusal(task, problem)
    _walk(built, plan, domain)
    writes = _every_write_counts(task, domain)
    _changes_of_mind_count(task, domain)
    simulation = simulate(task, domain)
    if not passes(task, simulation, domain):
        missed = [result.criterion for result in grade(task, simulation, domain).missed]
        raise _refusal(task, f"the oracle misses {', '.join(missed)}")
    said = {message.text for message in simulation.messages if isinstance(message, UserMessage)}
    for moment in task.user_scenario.later:
        if moment.say not in said:
            raise _refusal(task, f"the scripted customer never says '{moment.say}'")
    for name in trivial_passes(task, domain):
        raise _refusal(task, f"the trivial agent '{name}' passes")
    return _note_proof(task, writes, _mutants_noticed(task, domain, mutants, simulation))


def prove_whole(task: Task, domain: Domain, *, mutants: int = 2, every_change: bool = True) -> Simulation:
    """The oracle's trial of a task that was put together of proven ones; raises TaskError as :func:`prove` does.

    ``every_change``: whether the state must be another without any of its changes.
    """
    for problem in task_problems(task, domain):
        raise _refusal(task, problem)
    if every_change:
        _every_write_counts(task, domain)
    simulation = simulate(task, domain)
    if not (reward := grade(task, simulation, domain)).passed or reward.progress != 1.0:
        missed = [result.criterion for result in reward.missed]
        raise _refusal(task, f"the oracle misses {', '.join(missed) or 'milestones'}")
    said = {message.text for message in simulation.messages if isinstance(message, UserMessage)}
    scenarios = [task.user_scenario, *(follow_up.user_scenario for follow_up in task.episodes or [])]
    for moment in [moment for scenario in scenarios for moment in scenario.later]:
        if moment.say not in said:
            raise _refusal(task, f"the scripted customer never says '{moment.say}'")
    for name in trivial_passes(task, domain):
        raise _refusal(task, f"the trivial agent '{name}' passes")
    if every_change:
        _mutants_noticed(task, domain, mutants, simulation)
    return simulation


def _mutants_noticed(task: Task, domain: Domain, number: int, oracle: Simulation) -> int:
    """How many mutants there were. Only where one passes is it looked into whether it is a mistake at all."""
    noticed = 0
    for mutant in mutants_of(task, domain, number=number):
        simulation = simulate(task, domain, mutant.agent)
        if not passes(task, simulation, domain):
            noticed += 1
        elif (found := survivor(task, domain, mutant, simulation, oracle)) is not None:
            raise _refusal(task, str(found))
    return noticed


def _note_proof(task: Task, writes: int, mutants: int) -> Task:
    changes = {0: "nothing is to be changed", 1: "without its one change the state is another"}
    notes = (
        f"The oracle passes; {', '.join(TRIVIAL)} fail; "
        f"{changes.get(writes, f'without any of its {writes} changes the state is another')}; "
        f"{mutants} of {mutants} mutants are noticed; the words fit one gold path, and all of its arguments can be "
        "learned from them or looked up."
    )
    description = task.description.model_copy(update={"notes": notes}) if task.description else None
    return task.model_copy(update={"description": description})


def _walk(built: Built, plan: Plan, domain: Domain) -> None:
    """Execute the gold path: every call succeeds, its arguments are known by then, and the words fit no other."""
    task = built.task
    env = domain.environment(task)
    known = "\n".join(
        [said_by_customer(task), domain.policy_for(task=task), *_documents(task, domain), *_follows(plan)]
    )
    begins = dict[int, list[int]]()
    for wish, at in enumerate(built.begins):
        begins.setdefault(at, []).append(wish)
    for position, step in enumerate([*task.gold_actions, None]):
        for wish in begins.get(position, ()):
            _fits_one(task, plan, wish, env)
        if step is None:
            break
        for value in _unknown_values(step, known, env):
            raise _refusal(task, f"{step} needs '{value}', which nobody has said or looked up by then")
        result = env.call(step.name, step.arguments, step.requestor)
        if result.error:
            raise _refusal(task, f"{step} fails: {result.content}")
        known += f"\n{readable(result.content)}"


def _documents(task: Task, domain: Domain) -> Iterator[str]:
    """What the required documents say: the oracle reads them, and who has to find them can."""
    for name in task.required_documents or []:
        if domain.documents is not None and name in domain.documents.by_id:
            yield domain.documents.by_id[name].text


def _follows(plan: Plan) -> Iterator[str]:
    yield from (value for one in plan.wishes for value in one.atom.follows)


def _fits_one(task: Task, plan: Plan, wish: int, env: Environment) -> None:
    atom = plan.wishes[wish].atom
    if atom.fits is None:
        return
    first = next((step for step in atom.steps if _changes(step, env)), None)
    wanted = [] if first is None else [dict(first.arguments)]
    fitting = atom.fits(env)
    if not isinstance(fitting, Iterable):
        raise DomainError(f"atom '{atom.intent}': 'fits' yields the arguments of calls, and gave {fitting!r}")
    found = [dict(arguments) for arguments in fitting]
    if found != wanted:
        raise _refusal(task, f"the words of '{atom.intent}' fit {found}, and the gold path has {wanted}")


def _changes(step: Action, env: Environment) -> bool:
    """Whether a step is a change of the agent's, and does not only ask the customer for something."""
    spec = tools_of(type(env.tools)).get(step.name)
    return spec is not None and step.requestor == "assistant" and spec.writes and not spec.dual


def _unknown_values(step: Action, known: str, env: Environment) -> Iterator[str]:
    """Values that a step needs and nothing has told; what a tool describes as its choices counts as told."""
    spec = next(spec for side in ("assistant", "user") for spec in env.tool_specs(side) if spec.name == step.name)
    if not (spec.writes or spec.kind == "read"):
        return
    described = _described_choices(spec, env.domain)
    for name, value in _leaves(step.arguments):
        told = value in known or _in_words(value) in known or f'"{value}"' in described.get(name, "")
        if value and not told:
            yield value


def _in_words(value: str) -> str:
    """A day as people write it: "2026-03-02" is "2 March 2026"; anything else stays as it is."""
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return value
    return f"{day.day} {day:%B %Y}"


def _described_choices(spec: Any, domain: Domain) -> dict[str, str]:
    memo = domain.memo.setdefault("described arguments", {})
    if spec.name not in memo:
        properties = spec.schema["function"]["parameters"]["properties"]
        memo[spec.name] = {
            name: json.dumps(prop, ensure_ascii=False).replace('\\"', '"') for name, prop in properties.items()
        }
    return memo[spec.name]  # type: ignore[no-any-return]


def _leaves(arguments: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Texts inside arguments, each with the name of the argument that it stands in."""
    for name, value in arguments.items():
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if isinstance(one, dict):
                waiting += one.values()
            elif isinstance(one, list):
                waiting += one
            elif isinstance(one, str):
                yield name, one


def _every_write_counts(task: Task, domain: Domain) -> int:
    """The number of changes; leaving any of them out must leave another state."""
    env = domain.environment(task)
    gold = gold_state(task, domain)
    writes = [step for step in task.gold_actions if env.writes(step.name, step.requestor)]
    for position, left_out in enumerate(writes):
        without = env.copy()
        for step in writes[position + 1 :]:
            without.call(step.name, step.arguments, step.requestor)
        if without.state() == gold:
            raise _refusal(task, f"without {left_out} the state is the same")
        env.call(left_out.name, left_out.arguments, left_out.requestor)
    return len(writes)


def _changes_of_mind_count(task: Task, domain: Domain) -> None:
    """What a customer takes back could have been done, and a check forbids it."""
    checks = task.own_checks
    steps = task.gold_actions
    for moment in task.user_scenario.later:
        if moment.proposal is None:
            continue
        at = next((i for i, step in enumerate(steps) if step.action_id == moment.before), len(steps))
        env = domain.environment(task)
        for step in steps[:at]:
            env.call(step.name, step.arguments, step.requestor)
        result = env.call(moment.proposal.name, moment.proposal.arguments, moment.proposal.requestor)
        if result.error:
            raise _refusal(task, f"what is taken back could not be done: {moment.proposal}: {result.content}")
        if not any(isinstance(check, NotCalled) and covers(check, moment.proposal) for check in checks):
            raise _refusal(task, f"nothing forbids {moment.proposal}, which is taken back")


def _refusal(task: Task, why: str) -> TaskError:
    return TaskError(f"task '{task.id}': {why}")
