"""Plays one trial of a task from Python: resolves the players, plays, and gives the simulation."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from .agents.names import named_agent
from .conversation.attaching import Images
from .conversation.factories import checked_factory
from .conversation.faults import Verdict, whose_fault
from .conversation.limits import Limits
from .conversation.protocols import AgentFactory, Plan, ToolServer, UserFactory
from .conversation.run import aplay, converse
from .conversation.trial import Trial
from .conversation.view import AgentView
from .environment.domain import Domain
from .environment.environment import Faults
from .errors import SettingsError
from .schema.simulation import Simulation
from .schema.task import Task
from .seeds import trial_seed
from .users.names import named_user

DEFAULT_SEED = 300


def simulate(
    task: Task,
    domain: Domain,
    agent: str | AgentFactory | Any = "oracle",
    user: str | UserFactory | Any = "scripted",
    **options: Any,
) -> Simulation:
    """Play one trial and return its simulation.

    Args:
        task: the task to play.
        domain: the domain it belongs to.
        agent: a name, a factory called with an AgentContext, or an object with ``reply`` for this one trial.
        user: a name, a factory called with a UserContext, or an object with ``reply``.
        options: ``trial`` (its number, from 1), ``seed`` (the run's, 300), ``solo``, ``limits`` (a Limits),
            ``classify`` (a function: is this exception of a player the provider's fault?), ``plan`` (a text for the
            agent, or a function that makes one of each conversation's task), ``view`` (an AgentView: how the agent
            sees its world), ``faults`` (faults of its tools, such as ToolFaults) and ``images`` (what the agent gets
            of pictures: "send", "alt" or "drop").

    Raises:
        TauError: the task's initial state, a name or the mode cannot be used.
        Exception: whatever a player raises, unless it is an AgentFault or a provider's fault.
    """
    return converse(_trial(task, domain, agent, user, **options))


async def asimulate(
    task: Task,
    domain: Domain,
    agent: str | AgentFactory | Any = "oracle",
    user: str | UserFactory | Any = "scripted",
    **options: Any,
) -> Simulation:
    """Like :func:`simulate`, on the running event loop."""
    return await aplay(_trial(task, domain, agent, user, **options))


def _trial(
    task: Task,
    domain: Domain,
    agent: Any,
    user: Any,
    *,
    trial: int = 1,
    seed: int = DEFAULT_SEED,
    solo: bool = False,
    limits: Limits | None = None,
    classify: Callable[[BaseException], Verdict] = whose_fault,
    plan: Plan | None = None,
    view: AgentView | None = None,
    faults: Faults | None = None,
    images: Images = "send",
) -> Trial:
    agent_factory = named_agent(agent)(task, domain) if isinstance(agent, str) else _factory(agent, "the agent")
    user_factory = named_user(user) if isinstance(user, str) else _factory(user, "the user")
    if faults is not None and not hasattr(faults, "answer"):
        raise SettingsError(f"faults={faults!r}: give an object with answer(), such as ToolFaults('timeout')")
    return Trial(
        task,
        domain.environment(solo=solo, faults=faults, extra=view.extra if view is not None else {}),
        agent_factory,
        user_factory,
        trial=trial,
        seed=trial_seed(seed, domain.name, task.id, trial),
        limits=limits or Limits(),
        plan=plan,
        classify=classify,
        images=images,
        tool_server=_tool_server(),
        view=view,
        names=(player_name(agent), player_name(user)),
    )


@cache
def _tool_server() -> ToolServer:
    """Who serves the tools of trials over MCP; an adapter, so imported by name."""
    made: ToolServer = importlib.import_module("pytest_tau.adapters.mcp").McpServer()
    return made


def player_name(player: Any) -> str:
    """How a player is called in records: its name as given, or where its code is."""
    if isinstance(player, str):
        return player
    while isinstance(player, partial):
        player = player.func
    named = player if hasattr(player, "__qualname__") else type(player)
    return f"{named.__module__}:{named.__qualname__}"


def _factory(player: Any, what: str) -> Callable[[Any], Any]:
    if hasattr(player, "reply") and not isinstance(player, type):
        return lambda context: player  # one object for one trial is what the caller asked for
    return checked_factory(player, what)
