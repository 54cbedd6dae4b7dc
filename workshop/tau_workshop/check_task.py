"""Names every fault of one task, which is replayed and played by the oracle and by an agent that does nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from pytest_tau.environment.delta import ABSENT
from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment
from pytest_tau.environment.folders import suggestion
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.errors import DomainError, TauError
from pytest_tau.evaluation.criteria.database import gold_state
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.grade import grade
from pytest_tau.evaluation.language.persons import second_person
from pytest_tau.schema.calls import Action
from pytest_tau.schema.messages import Requestor
from pytest_tau.schema.problems import first_problem, unread_keys
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.task import Task
from pytest_tau.simulating import simulate

DEPEND = (
    "so no trial can be graded: let it depend on the database and its arguments alone, on self.now for the time, and "
    "on self.new_id() for ids"
)
RANDOM = f"answers differently in two equal worlds, {DEPEND}"


def static_faults(task: Task, domain: Domain | None) -> Iterator[str]:
    """What can be seen without playing it; where its domain cannot be loaded, all that does not need one."""
    criteria = task.evaluation_criteria
    if criteria is None:
        yield "has no evaluation_criteria, so everybody passes"
        return
    filled = {
        "DB": criteria.actions is not None or criteria.env_assertions is not None,
        "ENV_ASSERTION": criteria.env_assertions,
        "ACTION": criteria.actions,
        "NL_ASSERTION": criteria.nl_assertions,
        "COMMUNICATE": criteria.communicate_info,
        # The domain makes checks of its own, which are not known where it cannot be loaded.
        "TRAJECTORY": domain is None or checks_for(task, domain),
    }
    # The basis that applies when none is written names COMMUNICATE whether or not there is something to tell.
    written = criteria.reward_basis if "reward_basis" in criteria.model_fields_set else []
    for criterion in written:
        if not filled[criterion]:
            yield f"{criterion} is in the reward_basis, but there is nothing for it to look at"
    if any(not fact.strip() for fact in criteria.communicate_info or ()):
        yield "communicate_info holds an empty text, which everybody says"
    ids = [action.action_id for action in criteria.actions or ()]
    for moment in [*task.user_scenario.later, *(task.episodes or ())]:
        if moment.before is not None and ids.count(moment.before) > 1:
            yield f"evaluation_criteria.actions: '{moment.before}', before which something comes, is the id of several"
    yield from second_person(task.user_scenario)
    if domain is not None:
        yield from task_problems(task, domain)
        known = domain.rules.by_id
        yield from (
            f"rules: there is no rule '{one}'{suggestion(one, known)}" for one in task.guards if one not in known
        )


def task_faults(task: Task, domain: Domain) -> Iterator[str]:
    """All that can be said of it; it is played where nothing is wrong before."""
    faults = list(static_faults(task, domain))
    yield from faults
    if faults:
        return
    try:
        yield from _patch_faults(task, domain)
        yield from list(_gold_faults(task, domain)) or oracle_faults(task, domain)
        yield from _ending_faults(task, domain)
        if grade(task, simulate(task, domain, agent="noop"), domain).passed:
            yield "an agent that does nothing passes; demand evidence or a reason with the criterion TRAJECTORY"
    except TauError as error:
        yield str(error).removeprefix(f"task '{task.id}': ")


def _gold_faults(task: Task, domain: Domain) -> Iterator[str]:
    worlds = domain.environment(task), domain.environment(task)
    alike = True
    for position, action in enumerate(task.gold_actions):
        where = f"evaluation_criteria.actions[{position}]"
        result, again = (env.call(action.name, action.arguments, action.requestor) for env in worlds)
        if result.error:
            yield f"{where} fails: {result.content}"
        elif result.content != again.content:
            yield f"{where}: {action.name}() {RANDOM}"
        elif alike and worlds[0].writes(action.name, action.requestor) and worlds[0].state() != worlds[1].state():
            yield f"{where}: {action.name}() changes two equal worlds differently, {DEPEND}"
            alike = False
    yield from _record_faults(worlds[0])


def _record_faults(env: Environment) -> Iterator[str]:
    """What the gold path left in a record that its model would not read."""
    for toolkit in (env.tools, env.user_tools):
        for table in toolkit.db.tables.values() if toolkit is not None else ():
            for key, record in table.changed_records():
                try:
                    if record is not ABSENT:
                        table.base.adapter.validate_json(json.dumps(table.base.as_written(record)))
                except (ValueError, DomainError) as error:
                    why = first_problem(error) if isinstance(error, ValidationError) else str(error)
                    yield f"after the gold path {table.base.describe(key)} is not what its model can hold: {why}"


def _patch_faults(task: Task, domain: Domain) -> Iterator[str]:
    """Fields of records in a task's initial data that their models ignore."""
    data = task.initial_state and task.initial_state.initialization_data
    patches = {"agent_data": data and data.agent_data, "user_data": data and data.user_data}
    for what, patch in patches.items():
        if not patch:
            continue
        database = Environment(domain).database("assistant" if what == "agent_data" else "user")
        database.patch(patch, where=f"initialization_data.{what}")
        for name, written in patch.items():
            if (table := database.tables.get(name)) is None:
                continue  # it is in SQL, where the patch itself is refused for a column that is not there
            if table.base.notes is not None:
                for key in sorted(written.keys() - {"data", "notes"}):
                    where = f"initialization_data.{what}: '{name}' has 'data', the records by key, and 'notes'"
                    yield f"{where}: nothing reads '{key}'"
            for key, changes in table.base.by_key(written).items():
                for place, field, free in unread_keys(changes, table.read(key)):
                    where = f"initialization_data.{what}: {table.base.describe(key)}"
                    yield f"{where}: nothing reads the field '{place}{field}'{suggestion(field, free)}"


def _ending_faults(task: Task, domain: Domain) -> Iterator[str]:
    """Other gold paths that are none: one that ends as the task's own, fails, or is not passed."""
    for position, other in enumerate(task.other_endings):
        where = f"evaluation_criteria.accept[{position}]"
        env = domain.environment(other)
        errors = [result.content for step in other.gold_actions if (result := env.call(*_call(step))).error]
        if errors:
            yield f"{where} fails: {errors[0]}"
        elif env.state() == gold_state(task, domain):
            yield f"{where} ends as the gold path does, so it adds nothing"
        elif (
            not (reward := grade(task, simulate(other, domain, agent="oracle"), domain)).passed and not reward.ungraded
        ):
            yield f"{where}: the oracle that walks it misses {_missed(reward)}"


def _call(step: Action) -> tuple[str, dict[str, Any], Requestor]:
    return step.name, step.arguments, step.requestor


def oracle_faults(task: Task, domain: Domain) -> Iterator[str]:
    """What keeps the oracle from passing a task."""
    simulation = simulate(task, domain, agent="oracle")
    reward = grade(task, simulation, domain)
    walks = "the oracle, which walks the gold actions,"
    if reward.passed or reward.ungraded:
        for point in reward.stations:
            if point.mine and point.turn is not None:
                yield f"{walks} steps on the minefield '{point.id}'"
            elif not point.mine and point.turn is None:
                yield f"{walks} does not reach the milestone '{point.id}'"
        return
    if not reward.missed:
        yield f"{walks} does not come to the end: {simulation.note or simulation.termination_reason.value}"
        return
    yield f"{walks} misses {_missed(reward)}"


def _missed(reward: Reward) -> str:
    """The criteria that were missed, and the first thing that one of them says why."""
    missed = ", ".join(result.criterion for result in reward.missed)
    broken = next((check for result in reward.missed for check in result.checks if check.met is False), None)
    return f"{missed}: {broken.name}: {broken.explanation}" if broken is not None and broken.explanation else missed
