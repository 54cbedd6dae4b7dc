"""What it takes to play a test's trial: the agent and the customer that hold for the test, and the settings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any

import pytest

from ...agents.names import named_agent
from ...agents.prompts import oracle_plan
from ...conversation.factories import checked_factory
from ...conversation.faults import Verdict, whose_fault
from ...conversation.limits import Limits
from ...conversation.stalling import STALL
from ...errors import SettingsError, TauError
from ...schema.reward import CriterionResult
from ...simulating import player_name
from ...users.names import named_user, plays_a_model
from ..collecting.collection import TaskFile
from ..collecting.slot import Slot
from ..private import parameters_of
from ..run import Run
from ..settings.agents import ChosenAgent
from ..settings.reading import Settings
from .apart import factory_of, is_apart
from .models import TrialModels
from .models import models as models_of
from .trial import TrialRequest

if TYPE_CHECKING:
    from ...conversation.protocols import AgentFactory, UserFactory

_INTERNAL = "__tau_name__"


def models_for(run: Run, item: pytest.Item, slot: Slot) -> TrialModels:
    """The models of the settings, as a test's trial asks them."""
    variant = "" if slot.variant is None else slot.variant.label
    named = _variant(item) or "-".join(filter(None, (slot.agent, variant)))
    return models_of(run).of_trial(slot, named)


def _variant(item: pytest.Item) -> str:
    """What tells a test apart from others that play the same trial: nothing for a task's own, else its node ID."""
    alone = parameters_of(item).keys() <= {"tau_slot"}
    return "" if alone and item.getparent(TaskFile) else item.nodeid


def agent_for(run: Run, item: pytest.Item, slot: Slot, models: TrialModels) -> AgentFactory:
    """The agent of a test whose ``tau_agent`` nobody overrides."""
    if not run.settings.agent_from_command_line:
        factory = item.ihook.pytest_tau_make_agent(item=item)
        if isinstance(factory, str):
            return _factory_of(run, slot, ChosenAgent(factory), models)
        if factory is not None:
            return checked_factory(factory, "the agent from pytest_tau_make_agent")
    return _chosen_agent(run, slot, models)


def user_for(run: Run, item: pytest.Item, models: TrialModels) -> UserFactory:
    """The customer of a test whose ``tau_user`` nobody overrides."""
    if not run.settings.user_from_command_line:
        factory = item.ihook.pytest_tau_make_user(item=item)
        if factory is not None:
            return checked_factory(factory, "the user from pytest_tau_make_user")
    return _chosen_user(run, models)


def trial_request(
    run: Run, item: pytest.Item, slot: Slot, models: TrialModels, agent: AgentFactory, user: UserFactory
) -> TrialRequest:
    """The request for a test's trial; the command line comes before what a fixture gave. Raises SettingsError."""
    chosen, hook = run.settings, item.ihook
    if chosen.agent_from_command_line:
        agent = _chosen_agent(run, slot, models)
    elif slot.agent and _name(agent) != run.settings.agent_called[slot.agent].shown_name:
        raise SettingsError(
            "the ini file names several agents, and a fixture or hook of the project another one: leave one of them out"
        )
    if chosen.isolate and getattr(agent, _INTERNAL, None) is None:
        raise SettingsError(
            f"--tau-isolate: the agent {_name(agent)} of a fixture or hook is made in this process; name it as "
            "module:factory with --tau-agent, or have the hook return that name"
        )
    if chosen.user_from_command_line:
        user = _chosen_user(run, models)

    def classify(error: BaseException) -> Verdict:
        verdict = hook.pytest_tau_classify_error(exception=error)
        if verdict is None:
            return whose_fault(error)
        if verdict not in (True, False, "miss"):
            raise TauError(
                f"the hook pytest_tau_classify_error returned {verdict!r}; return True (a provider's fault), 'miss' "
                "(the agent's), False (a bug) or None"
            ) from error
        return "miss" if verdict == "miss" else bool(verdict)

    return TrialRequest(
        run=run,
        item=item,
        slot=slot,
        agent=agent,
        agent_name=_name(agent),
        user=user,
        user_name=_name(user),
        solo=chosen.mode == "solo",
        plan=oracle_plan if chosen.mode == "oracle-plan" else None,
        limits=limits_of(chosen),
        models=models,
        classify=classify,
        grade=lambda simulation: criteria(
            hook.pytest_tau_grade(task=slot.task, simulation=simulation, domain=slot.domain)
        ),
    )


def limits_of(chosen: Settings) -> Limits:
    """When the settings cut a conversation off."""
    return Limits(chosen.max_steps, chosen.max_errors, chosen.timeout, _stall(chosen))


def _stall(chosen: Settings) -> int | None:
    """How many times the same ends a conversation; None: never."""
    given = (0 if chosen.is_parity else STALL) if chosen.stall is None else chosen.stall
    return given or None


def criteria(results: list[Any]) -> list[CriterionResult]:
    """What ``pytest_tau_grade`` implementations returned, as one list; raises TauError for what is no criterion."""
    found: list[Any] = []
    for result in results:
        found += result if isinstance(result, (list, tuple)) else [result]
    for one in found:
        if not isinstance(one, CriterionResult):
            raise TauError(f"the hook pytest_tau_grade returned {one!r}; return a CriterionResult or a list of them")
        if one.value is not None and not 0.0 <= one.value <= 1.0:
            raise TauError(
                f"the hook pytest_tau_grade returned the value {one.value:g} for {one.criterion}; give one from 0 to "
                "1, or None where only a judge can say"
            )
    return found


def name_factory(factory: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """The factory, wrapped so that records call it by the name the user gave."""
    named: Any = partial(factory)
    named.__qualname__ = name
    setattr(named, _INTERNAL, name)
    return update_wrapper(named, factory, (), ())


def _chosen_agent(run: Run, slot: Slot, models: TrialModels) -> AgentFactory:
    """The agent of the settings, under the name the user knows it by."""
    return _factory_of(run, slot, run.settings.agent_called[slot.agent], models)


def _factory_of(run: Run, slot: Slot, agent: ChosenAgent, models: TrialModels) -> AgentFactory:
    if is_apart(run, agent):
        return name_factory(factory_of(run, models_of(run).service(agent)), agent.shown_name)
    return name_factory(named_agent(agent.name, models.agent)(slot.task, slot.domain), agent.shown_name)


def _chosen_user(run: Run, models: TrialModels) -> UserFactory:
    """The simulated customer of the settings, under the name the user knows it by."""
    chosen, name = run.settings, run.settings.user_name
    factory = named_user(name, models.user)
    return name_factory(factory, f"{name} {chosen.user_llm}" if plays_a_model(name) else name)


def _name(player: Any) -> str:
    return getattr(player, _INTERNAL, None) or player_name(player)
