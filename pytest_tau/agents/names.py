"""Turns what a user names, an agent's name, address, command or ``module:factory``, into a factory of agents."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from ..conversation.factories import import_factory
from ..environment.folders import suggestion
from ..errors import SettingsError

if TYPE_CHECKING:
    from ..conversation.protocols import AgentContext, AgentFactory
    from ..environment.domain import Domain
    from ..llm.protocol import ModelClient
    from ..schema.task import Task

    AgentMaker = Callable[[Task, Domain], AgentFactory]

# http://…, also with the protocol before it, as in a2a+http://…; command:node agent.js
_PORT = re.compile(r"[\w.-]+:\d+(?:/|$)")
_ELSEWHERE = re.compile(r"(?:(?:[a-z0-9]+\+)?https?://|command:)", re.IGNORECASE)


@dataclass(frozen=True)
class AgentModel:
    """The model behind agents that need one, and transcripts for the one that is shown some."""

    client: ModelClient
    displays: Sequence[str] = ()


def named_agent(name: str, model: AgentModel | None = None) -> AgentMaker:
    """What makes the agents that ``name`` stands for; raises SettingsError with the names there are.

    The names of ``MODEL_AGENTS`` play a model. The other built-in names are players that may know the task, and take
    options after a colon, as in ``faulty:rate=0.3``. Anything else is the ``module:attribute`` of a factory, which is
    called with an AgentContext and knows nothing more. An address or a command stands for an agent that is not Python.
    """
    if is_elsewhere(name):
        service = importlib.import_module("pytest_tau.adapters.services").service(name)  # adapters come when named
        return lambda task, domain: cast("AgentFactory", service.agent)
    if name in MODEL_AGENTS:
        if model is None:
            raise SettingsError(f"the agent '{name}' plays a model: name it with --tau-agent-llm")
        made = MODEL_AGENTS[name](model)
        return lambda task, domain: made
    base, _, options = name.partition(":")
    if base in _BUILTIN:
        return _BUILTIN[base](_options(name, options))
    if not options:
        known = [*MODEL_AGENTS, *_BUILTIN]
        own = f"or module:factory or http://… for your own{suggestion(name, known)}"
        raise SettingsError(f"there is no agent '{name}': use {', '.join(known)}, {own}")
    if _PORT.match(name):
        raise SettingsError(f"'{name}' is not an agent: write an address with http:// before it")
    factory = import_factory(name, "agent")
    return lambda task, domain: factory


def is_builtin(name: str) -> bool:
    """Whether a name stands for an agent of ours, and not for a ``module:factory``, an address or a command."""
    return ":" not in name or name.partition(":")[0] in _BUILTIN


def plays_roles(name: str) -> bool:
    """Whether a built-in player is a team, which needs a domain that declares roles."""
    base, _, text = name.partition(":")
    if base not in ("oracle", "faulty") or not text:
        return False
    from .seams import NAMED_BY

    options = _options(name, text)
    return options.get("team", "no") != "no" if base == "oracle" else options.get("kind") in NAMED_BY


def is_elsewhere(name: str) -> bool:
    """Whether a name is the address or the command of an agent that is not Python."""
    return _ELSEWHERE.match(name) is not None


def _options(name: str, text: str) -> dict[str, str]:
    options = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals and key in _SWITCHES:
            value = "yes"
        elif not equals:
            hint = suggestion(part, _SWITCHES)
            raise SettingsError(f"agent '{name}': options are key=value, separated by commas, not '{part}'{hint}")
        options[key.strip()] = value.strip()
    return options


def _llm(model: AgentModel) -> AgentFactory:
    from .llm import llm_agent

    return llm_agent(model.client)


def _act(model: AgentModel) -> AgentFactory:
    from .act import act_agent

    return act_agent(model.client)


def _react(model: AgentModel) -> AgentFactory:
    from .react import react_agent

    return react_agent(model.client)


def _few_shot(model: AgentModel) -> AgentFactory:
    from .few_shot import few_shot_agent

    if not model.displays:
        raise SettingsError("the agent 'few-shot' is shown transcripts: give their file with --tau-few-shot")
    return few_shot_agent(model.client, model.displays)


def _oracle(options: dict[str, str]) -> AgentMaker:
    ways = [name for name in _SWITCHES if options.pop(name, "no") != "no"]
    known = "careful, where tools may fail, hearsay, which takes ids as it hears them, and team, in a domain's roles"
    _refuse(options, "oracle", known)
    if len(ways) > 1:
        raise SettingsError(f"agent 'oracle': {ways[0]} and {ways[1]} are two ways to play; name one of them")

    def maker(task: Task, domain: Domain) -> AgentFactory:
        from .oracle import Oracle
        from .sight import Sight

        def factory(context: AgentContext) -> Any:
            if "team" in ways:
                from .team import Team

                return Team(task, context, strict=not domain.parity)
            if "careful" in ways:
                from .careful import Careful
                from .listening import Listening

                inner = Careful(task, domain, context, strict=not domain.parity)
                return Listening(inner, task, context.episode, confirms=True)
            if "hearsay" in ways:
                from .listening import Listening

                return Listening(Oracle(task, context), task, context.episode, confirms=False)
            sight = Sight(task, domain, context.seed) if task.user_scenario.attachments else None
            return Oracle(task, context, strict=not domain.parity, sight=sight)

        return factory

    return maker


def _noop(options: dict[str, str]) -> AgentMaker:
    from .noop import Noop

    _refuse(options, "noop")
    return lambda task, domain: Noop


def _faulty(options: dict[str, str]) -> AgentMaker:
    from .faulty import KINDS, UNASKED, faulty_agent
    from .seams import NAMED_BY

    all_kinds = (*KINDS, UNASKED, *NAMED_BY)
    rate, kinds = options.pop("rate", "1.0"), options.pop("kind", "")
    _refuse(options, "faulty", "rate=0…1 and kind=" + "|".join(all_kinds))
    if kinds and kinds not in all_kinds:
        raise SettingsError(f"agent 'faulty': there is no kind '{kinds}'; use {', '.join(all_kinds)}")
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


_SWITCHES = ("careful", "hearsay", "team")
_BUILTIN: dict[str, Callable[[dict[str, str]], AgentMaker]] = {"oracle": _oracle, "noop": _noop, "faulty": _faulty}
MODEL_AGENTS: dict[str, Callable[[AgentModel], AgentFactory]] = {
    "llm": _llm,
    "act": _act,
    "react": _react,
    "few-shot": _few_shot,
}
