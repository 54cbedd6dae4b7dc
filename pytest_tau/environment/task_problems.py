"""Whether a task fits its domain: a sentence for each tool, argument, method, table or document that is not there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..schema.calls import Action, EnvFunctionCall
from ..schema.checks import (
    CallPattern,
    Confirmed,
    Evidence,
    Identified,
    NotSaid,
    Order,
    OwnRecords,
    ReadBefore,
    TrajectoryCheck,
)
from ..schema.messages import Requestor
from ..schema.milestones import AllOf, Asserted, Not, OneOf, Point, Predicate, RecordCount, RecordIs, Said
from ..schema.task import EvaluationCriteria, Task
from .domain import Domain
from .environment import Environment
from .folders import suggestion
from .toolkit import Toolkit, ToolSpec, tools_of


def task_problems(task: Task, domain: Domain) -> Iterator[str]:
    """What in a task does not fit its domain: unknown tools, arguments or methods, a sentence for each."""
    toolkits: dict[str, type[Toolkit] | None]
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    known = {side: tools_of(toolkit) if toolkit else {} for side, toolkit in toolkits.items()}
    criteria = task.evaluation_criteria
    yield from _action_problems("evaluation_criteria.actions", task.gold_actions, known)
    for position, path in enumerate((criteria and criteria.accept) or ()):
        yield from _action_problems(f"evaluation_criteria.accept[{position}]", path, known)
    for position, tool in enumerate(task.user_tools or ()):
        if tool not in known["user"]:
            yield f"user_tools[{position}]: {_no_such('tool', tool, known['user'], 'user')}"
    scenario, state = task.user_scenario, task.initial_state
    if scenario.attach or scenario.attachments:
        yield from _attach_problems(task, domain)
    if criteria is not None and criteria.env_assertions:
        yield from _call_problems("evaluation_criteria.env_assertions", criteria.env_assertions, toolkits)
    if state is not None and state.initialization_actions:
        yield from _call_problems("initial_state.initialization_actions", state.initialization_actions, toolkits)
    if criteria is not None and criteria.without:
        kinds = {check.check for check in domain.spec.default_checks}
        for position, kind in enumerate(criteria.without):
            if kind not in kinds:
                yield f"evaluation_criteria.without[{position}]: {_no_such('check', kind, kinds, 'default')}"
    if criteria is not None and (criteria.trajectory or criteria.milestones or criteria.minefields):
        yield from _criteria_problems(criteria, domain)
    if task.episodes or scenario.interrupts or scenario.later:
        yield from _episode_problems(task, domain)
    if task.required_documents or (criteria is not None and criteria.trajectory):
        yield from _document_problems(task, domain)


def _action_problems(
    section: str, actions: Sequence[Action], known: Mapping[str, Mapping[str, ToolSpec]]
) -> Iterator[str]:
    """Calls of tools that are not there, and arguments that they do not take."""
    for position, action in enumerate(actions):
        if (found := known[action.requestor].get(action.name)) is None:
            yield f"{section}[{position}]: {_no_such('tool', action.name, known[action.requestor], action.requestor)}"
        elif unknown := {*action.arguments, *(action.compare_args or ())} - found.signature.parameters.keys():
            yield f"{section}[{position}]: {_no_argument(found, min(unknown))}"


def default_problems(domain: Domain) -> Iterator[str]:
    """What the domain's own checks are about and the domain does not have."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    owned = any(table.owner for table in domain.base.tables.values())
    for position, check in enumerate(domain.spec.default_checks):
        yield from (f"DomainSpec.checks[{position}]: {problem}" for problem in _check_problems(check, toolkits))
        for rule in check.rules or ():
            if rule not in domain.rules.by_id:
                yield f"DomainSpec.checks[{position}].rules: {_no_such('rule', rule, domain.rules.by_id)}"
        if isinstance(check, OwnRecords) and not owned:
            yield f"DomainSpec.checks[{position}]: own_records looks at nothing: no table is owned_by(…)"


def _criteria_problems(criteria: EvaluationCriteria, domain: Domain) -> Iterator[str]:
    """What checks, milestones and minefields are about and the domain does not have."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    for position, check in enumerate(criteria.trajectory or ()):
        for problem in _check_problems(check, toolkits):
            yield f"evaluation_criteria.trajectory[{position}]: {problem}"
    points: dict[str, Sequence[Point] | None] = {"milestones": criteria.milestones, "minefields": criteria.minefields}
    for section, found in points.items():
        for position, point in enumerate(found or ()):
            for problem in _predicate_problems(point.when, domain):
                yield f"evaluation_criteria.{section}[{position}]: {problem}"


def _call_problems(
    section: str, calls: Sequence[EnvFunctionCall], toolkits: Mapping[str, type[Toolkit] | None]
) -> Iterator[str]:
    """Methods that a task calls and that are not there."""
    for position, call in enumerate(calls):
        if not callable(getattr(toolkits[call.env_type], call.func_name, None)):
            yield f"{section}[{position}]: the {call.env_type} toolkit has no method '{call.func_name}'"


def _episode_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Interruptions after unknown calls, and what comes later before no gold action."""
    scenarios = {"user_scenario": task.user_scenario}
    actions = [action.action_id for action in task.gold_actions]
    for position, follow_up in enumerate(task.episodes or []):
        scenarios[f"episodes[{position}].user_scenario"] = follow_up.user_scenario
        if follow_up.before is not None and follow_up.before not in actions:
            yield f"episodes[{position}].before: {_no_such('gold action', follow_up.before, actions)}"
    tools = tools_of(domain.spec.tools)
    for where, scenario in scenarios.items():
        for position, moment in enumerate(scenario.later):
            if moment.before is not None and moment.before not in actions:
                what = _no_such("gold action", moment.before, actions)
                yield f"{where}.instructions.later[{position}].before: {what}"
        for position, one in enumerate(scenario.interrupts or []):
            if one.after_call not in tools:
                yield f"{where}.interrupts[{position}]: {_no_such('tool', one.after_call, tools, 'assistant')}"


def _check_problems(check: TrajectoryCheck, toolkits: Mapping[str, type[Toolkit] | None]) -> Iterator[str]:
    """Tools that a check names and that are not there, and arguments that they do not take."""
    for side, name, arguments in _checked_tools(check):
        checked = toolkits[side]
        known = tools_of(checked) if checked else {}
        if name not in known:
            yield _no_such("tool", name, known, side)
        elif unknown := sorted(arguments.keys() - known[name].signature.parameters.keys()):
            yield _no_argument(known[name], unknown[0])
        elif arguments and (wrong := known[name].wrong_value(arguments)):
            yield f"no call can be so: {wrong}"


def _predicate_problems(predicate: Predicate, domain: Domain) -> Iterator[str]:
    """What a predicate is about and the domain does not have."""
    toolkits = {"assistant": domain.spec.tools, "user": domain.spec.user_tools}
    if isinstance(predicate, Not):
        yield from _predicate_problems(predicate.of, domain)
    elif isinstance(predicate, (AllOf, OneOf)):
        for part in predicate.of:
            yield from _predicate_problems(part, domain)
    elif isinstance(predicate, (RecordIs, RecordCount)):
        base = domain.base if predicate.side == "assistant" or domain.spec.shared_database else domain.user_base
        tables = base.tables if base else {}
        if base is not None and not tables:
            yield f"'{predicate.check}' looks at tables of JSON, and this side's are in SQL: ask with an assertion"
        elif predicate.table not in tables:
            yield _no_such("table", predicate.table, tables, predicate.side)
    elif isinstance(predicate, Asserted):
        if not callable(getattr(toolkits[predicate.env_type], predicate.func_name, None)):
            yield f"the {predicate.env_type} toolkit has no method '{predicate.func_name}'"
        elif Environment(domain).writes(predicate.func_name, predicate.env_type):
            yield f"{predicate.func_name} writes, and looking at a milestone must change nothing"
    elif not isinstance(predicate, Said):
        yield from _check_problems(predicate, toolkits)


def _attach_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Tools that pictures are to follow and that are not there, and arguments that no gold action has."""
    tools = tools_of(domain.spec.user_tools) if domain.spec.user_tools else {}
    for position, one in enumerate(task.user_scenario.attach or []):
        if one.call is not None and one.call not in tools:
            yield f"user_scenario.attach[{position}]: {_no_such('tool', one.call, tools, 'user')}"
    arguments = {"reason", "tool", *(name for action in task.gold_actions for name in action.arguments)}
    for position, picture in enumerate(task.user_scenario.attachments or []):
        for name in picture.decides or []:
            if name not in arguments:
                where = f"user_scenario.attachments[{position}].decides"
                yield f"{where}: no gold action has an argument '{name}'{suggestion(name, arguments)}"


def _document_problems(task: Task, domain: Domain) -> Iterator[str]:
    """Documents that are not there, and reading that cannot be checked."""
    named = {"required_documents": task.required_documents or []}
    for position, check in enumerate(task.own_checks):
        if isinstance(check, ReadBefore):
            where = f"evaluation_criteria.trajectory[{position}]"
            named[where] = check.documents or []
            if domain.documents is None:
                yield f"{where}: domain '{domain.name}' has no documents to read"
            elif not check.documents and not task.required_documents:
                yield f"{where}: names no documents, and the task has no required_documents"
    if domain.documents is None:
        if task.required_documents:
            what = f"domain '{domain.name}' has no documents"
            yield f"required_documents: {what}; declare them in its domain.py: documents=KnowledgeBase()"
    else:
        for where, documents in named.items():
            for one in documents:
                if one not in domain.documents.by_id:
                    yield f"{where}: {_no_such('document', one, domain.documents.by_id)}"


def _checked_tools(check: TrajectoryCheck) -> Iterator[tuple[Requestor, str, Mapping[str, Any]]]:
    """Every tool that a check names, with its side and the arguments that its calls must have."""
    if isinstance(check, CallPattern):
        yield check.requestor, check.name, check.arguments
        if isinstance(check, Evidence):
            yield from ((way.requestor, way.name, way.arguments) for way in check.alternatives)
    elif isinstance(check, Order):
        yield from ((call.requestor, call.name, call.arguments) for call in check.calls)
    elif isinstance(check, Confirmed):
        yield from (("assistant", name, {}) for name in check.names or [])
    elif isinstance(check, Identified):
        yield from (("assistant", name, {}) for name in [*(check.by or []), *(check.needed_for or [])])
    elif isinstance(check, NotSaid):
        yield from (("assistant", name, {}) for name in check.until or [])
    elif isinstance(check, ReadBefore):
        yield from (("assistant", name, {}) for name in check.names or [])


def _no_argument(tool: ToolSpec, name: str) -> str:
    return f"{tool.name} has no argument '{name}'{suggestion(name, tool.signature.parameters)}"


def _no_such(what: str, name: str, known: Iterable[str], side: str = "") -> str:
    return f"there is no {side + ' ' if side else ''}{what} '{name}'{suggestion(name, known)}"
