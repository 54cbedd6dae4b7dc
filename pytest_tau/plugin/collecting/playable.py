"""Which tasks of a file or suite a run can play, and the refusal of those that it cannot."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ...agents.names import plays_roles
from ...environment.task_problems import task_problems
from ...errors import TaskError, TauError
from ..run import Run
from .domains import find_domain
from .nodeids import is_public
from .task_files import modify_tasks, paths_of, tasks_of
from .variants import check_fitting, check_tickets, check_written

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...schema.task import Task


def check_domains(run: Run) -> None:
    """Raise UsageError where a domain has not got what an option asks of it: once, and not for each file of a suite."""
    firsts: dict[Path, Path] = {}
    for path in paths_of(run):
        if path.suffix == ".json":
            firsts.setdefault(path.parent, path)
    try:
        for file in firsts.values():
            public = is_public(run, file)
            for name in by_domain(tasks_of(run, file), file, public=public):
                _refuse_unfit(run, find_domain(run, name, public=public))
        if firsts:
            check_written(run, (task for task, _ in _with_domains(run)))
            check_tickets(run, _with_domains(run))
        if firsts and all(path.suffix == ".json" for path in paths_of(run)):  # others choose tasks of their own
            check_fitting(run, _with_domains(run))
    except TauError as error:
        raise pytest.UsageError(str(error)) from None


def _with_domains(run: Run) -> Iterator[tuple[Task, Domain]]:
    """The tasks of all task files."""
    for path in (path for path in paths_of(run) if path.suffix == ".json"):
        public = is_public(run, path)
        for name, tasks in by_domain(tasks_of(run, path), path, public=public).items():
            domain = find_domain(run, name, public=public)
            yield from ((task, domain) for task in tasks)


def _refuse_unfit(run: Run, domain: Domain) -> None:
    if run.settings.mode == "solo" and not domain.spec.solo:
        raise TaskError(f"the domain '{domain.name}' has no solo mode; leave --tau-mode out")
    team = next((agent.name for agent in run.settings.agents if plays_roles(agent.name)), None)
    if team is not None and not domain.spec.roles:
        raise TaskError(f"the domain '{domain.name}' declares no roles for {team}; use one that does: retail_desk")
    if domain.knowledge is not None and domain.knowledge.unplayable:
        raise TaskError(f"--tau-knowledge {domain.knowledge.setting}: {domain.knowledge.unplayable}")


def playable(run: Run, domain: Domain, tasks: list[Task], hook: Any) -> list[Task]:
    """The tasks as the hook leaves them: in solo mode those with a ticket, in oracle-plan mode those with a plan."""
    solo, planned = run.settings.mode == "solo", run.settings.mode == "oracle-plan"
    _refuse_unfit(run, domain)
    modify_tasks(run, domain.name, tasks, hook)
    _refuse_without_eyes(run, tasks)
    return [task for task in tasks if (task.ticket or not solo) and (task.gold_actions or not planned)]


def _refuse_without_eyes(run: Run, tasks: list[Task]) -> None:
    """Raise TaskError where pictures would be sent to a model that cannot see them."""
    chosen = run.settings
    with_pictures = next((task.id for task in tasks if task.user_scenario.attachments), None)
    if with_pictures is None or chosen.images in ("alt", "drop") or chosen.cassette == "replay":
        return
    from ...agents.names import MODEL_AGENTS
    from ...llm.backend import sees

    for agent in run.settings.agents:
        if agent.model and agent.name in MODEL_AGENTS and sees(agent.model) is False:
            raise TaskError(
                f"the task '{with_pictures}' has pictures, and litellm says that {agent.model} cannot see; "
                "name another model, or add --tau-images alt (it gets descriptions instead) or drop (it gets nothing)"
            )


def by_domain(tasks: list[Task], path: Path, *, public: bool) -> dict[str, list[Task]]:
    """The tasks of a file by the names of their domains; public ones are of their folder's."""
    groups: dict[str, list[Task]] = {}
    for task in tasks:
        # In the public data the folder is the domain, whatever a task's text says.
        name = path.parent.name if public else task.domain_name or path.parent.name
        groups.setdefault(name, []).append(task)
    return groups


def refuse_taken(first: Path, task: Task, path: Path) -> None:
    """Raise TaskError where the ``first`` file with the id of a task is another one."""
    if first != path:
        raise TaskError(f"{path}: the id '{task.id}' is taken by {first}; ids differ in a domain")


def refuse_unfit_task(task: Task, domain: Domain, where: str) -> None:
    """Raise TaskError where a task asks for what its domain has not got."""
    for problem in task_problems(task, domain):
        raise TaskError(f"{where}: task '{task.id}': {problem}")
