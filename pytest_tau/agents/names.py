"""Turns what a user names, an agent's name or ``module:factory``, into a factory of agents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..conversation.factories import imported
from ..conversation.protocols import AgentContext, AgentFactory
from ..environment.domain import Domain
from ..errors import SettingsError
from ..schema.task import Task

AgentMaker = Callable[[Task, Domain], AgentFactory]


def named_agent(name: str) -> AgentMaker:
    """What makes the agents that ``name`` stands for; raises SettingsError with the names there are.

    The built-in names take options after a colon, as in ``faulty:rate=0.3``. They are players that may know the task;
    anything else is the ``module:attribute`` of a factory, which is called with an AgentContext and knows nothing more.
    """
    base, _, options = name.partition(":")
    if base in _BUILTIN:
        return _BUILTIN[base](_options(name, options))
    if not options:
        raise SettingsError(f"there is no agent '{name}': use {', '.join(_BUILTIN)}, or module:factory for your own")
    factory = imported(name, "agent")
    return lambda task, domain: factory


def _options(name: str, text: str) -> dict[str, str]:
    options = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise SettingsError(f"agent '{name}': options are key=value, separated by commas, not '{part}'")
        options[key.strip()] = value.strip()
    return options


def _oracle(options: dict[str, str]) -> AgentMaker:
    from .oracle import Oracle

    _refuse(options, "oracle")
    return lambda task, domain: lambda context: Oracle(task, context)


def _noop(options: dict[str, str]) -> AgentMaker:
    from .noop import Noop

    _refuse(options, "noop")
    return lambda task, domain: Noop


def _faulty(options: dict[str, str]) -> AgentMaker:
    from .faulty import KINDS, faulty_agent

    rate, kinds = options.pop("rate", "1.0"), options.pop("kind", "")
    _refuse(options, "faulty", "rate=0…1 and kind=" + "|".join(KINDS))
    if kinds and kinds not in KINDS:
        raise SettingsError(f"agent 'faulty': there is no kind '{kinds}'; use {', '.join(KINDS)}")
    try:
        probability = float(rate)
    except ValueError:
        probability = -1.0
    if not 0.0 <= probability <= 1.0:
        raise SettingsError(f"agent 'faulty': rate must be a number from 0 to 1, not '{rate}'")

    def maker(task: Task, domain: Domain) -> AgentFactory:
        def factory(context: AgentContext) -> Any:
            return faulty_agent(task, domain, context, rate=probability, kinds=(kinds,) if kinds else KINDS)

        return factory

    return maker


def _refuse(options: dict[str, str], agent: str, known: str = "no options") -> None:
    if options:
        raise SettingsError(f"agent '{agent}' has no option '{next(iter(options))}'; it takes {known}")


_BUILTIN: dict[str, Callable[[dict[str, str]], AgentMaker]] = {"oracle": _oracle, "noop": _noop, "faulty": _faulty}
