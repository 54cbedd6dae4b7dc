"""Agents that play outside of this process: at an address, as a command, or isolated (``--tau-isolate``)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ...agents.names import is_builtin, is_elsewhere
from ...files import resolve
from ..collecting.domains import data_root, registry
from ..collecting.task_files import paths_of
from ..run import Run
from ..settings.agents import ChosenAgent

if TYPE_CHECKING:
    from ...adapters.service import Service
    from ...conversation.protocols import AgentFactory


def is_apart(run: Run, agent: ChosenAgent) -> bool:
    """Whether an agent plays outside of this process: at an address, as a command, or isolated."""
    return is_elsewhere(agent.name) or bool(run.settings.isolate and not is_builtin(agent.name))


def isolated_service(run: Run, agent: ChosenAgent) -> Service:
    """An agent of Python with a process for each trial, until the run is over."""
    from ...adapters.isolated import IsolatedService

    made = IsolatedService(agent.name, keeps=run.settings.isolate_env or (), hidden=_places_of_answers(run))
    run.config.add_cleanup(made.close)
    return made


def factory_of(run: Run, service: Service) -> AgentFactory:
    """What makes the agents of a service; isolated ones do not learn their tasks' names."""
    if not run.settings.isolate:
        made: AgentFactory = service.agent
        return made
    from ...adapters.isolated import opaque

    return lambda context: service.agent(opaque(context))


def _places_of_answers(run: Run) -> list[Path]:
    """Where tasks, domains, results and recordings lie, which an isolated agent is not to open."""
    from ...environment.folders import PACKAGE, builtin_root

    chosen, known = run.settings, registry(run)
    named = [path for path in paths_of(run) if path.suffix == ".json" or not any(path.glob("*.py"))]
    found = [
        *(run.root / name for name in ("tasks", "domains", "cassettes", chosen.results, *chosen.task_dirs)),
        *(builtin_root(kind) for kind in ("tasks", "domains")),
        *(PACKAGE.parent / name for name in ("workshop", "tau_workshop")),
        *([data_root(run)] if chosen.data else []),
        *([run.root / chosen.rescore] if chosen.rescore else []),
        *known.domains.values(),
        *known.tasks.values(),
        *named,
    ]
    return [path for path in dict.fromkeys(map(resolve, found)) if path not in (run.root, *run.root.parents)]
