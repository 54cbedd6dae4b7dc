"""The ``tau_*`` fixtures: task, domain, environment, agent, user, simulation, reward.

A test that uses any of them is run for each trial of its file's tasks, or of the tasks its ``tau`` marker names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from .directories import hooks_of
from .options import settings
from .stash import HANDLE

if TYPE_CHECKING:
    from ..conversation.protocols import AgentFactory, UserFactory
    from ..environment.domain import Domain
    from ..environment.environment import Environment
    from ..schema.reward import Reward
    from ..schema.simulation import Simulation
    from ..schema.task import Task
    from .collection import Slot
    from .running import TrialHandle

_INTERNAL = "__tau_name__"
_SHARED = pytest.StashKey[dict[int, str]]()


@pytest.fixture
def tau_slot(request: pytest.FixtureRequest) -> Slot:
    """Which trial of which task this test is; parametrized by the plugin."""
    from .collection import slot_for

    return slot_for(request.config, request.param)


@pytest.fixture
def tau_task(tau_slot: Slot) -> Task:
    """The task of this trial."""
    return tau_slot.task


@pytest.fixture
def tau_domain(tau_slot: Slot) -> Domain:
    """The domain of this trial's task."""
    return tau_slot.domain


@pytest.fixture
def tau_environment(tau_task: Task, tau_domain: Domain) -> Environment:
    """A fresh environment at the task's initial state, for looking and trying; not the one the trial plays in."""
    return tau_domain.environment(tau_task)


@pytest.fixture
def tau_agent(request: pytest.FixtureRequest, tau_slot: Slot) -> AgentFactory:
    """The factory of the agent; override it to bring your own.

    The factory is called once a trial with an AgentContext and returns a fresh object with ``reply(messages)``.
    By default: ``--tau-agent``, else the hook ``pytest_tau_make_agent``, else the ini value, else the oracle.
    """
    if not settings(request.config).agent_from_command_line:
        factory = hooks_of(request.node).pytest_tau_make_agent(item=request.node)
        if factory is not None:
            return _checked(factory, "the agent from pytest_tau_make_agent")
    return _chosen_agent(request.config, tau_slot)


@pytest.fixture
def tau_user(request: pytest.FixtureRequest) -> UserFactory:
    """The factory of the simulated customer; override it to bring your own.

    By default: ``--tau-user``, else the hook ``pytest_tau_make_user``, else the ini value, else the scripted one.
    """
    if not settings(request.config).user_from_command_line:
        factory = hooks_of(request.node).pytest_tau_make_user(item=request.node)
        if factory is not None:
            return _checked(factory, "the user from pytest_tau_make_user")
    return _chosen_user(request.config)


@pytest.fixture
def tau_trial(
    request: pytest.FixtureRequest, tau_slot: Slot, tau_agent: AgentFactory, tau_user: UserFactory
) -> TrialHandle:
    """The trial itself: it is run when the test first looks at its simulation or reward."""
    from ..agents.prompts import oracle_plan
    from ..conversation.faults import is_infra
    from ..conversation.run import Limits
    from .models import models
    from .running import DirectRunner, TrialHandle, TrialRequest, criteria_of

    chosen, hook = settings(request.config), hooks_of(request.node)
    # The command line comes before a fixture that overrides tau_agent or tau_user.
    if chosen.agent_from_command_line:
        tau_agent = _chosen_agent(request.config, tau_slot)
    if chosen.user_from_command_line:
        tau_user = _chosen_user(request.config)
    if models(request.config).out_of_budget:
        pytest.skip("not run: the budget is used up")

    def classify(error: BaseException) -> bool:
        verdict = hook.pytest_tau_classify_error(exception=error)
        return is_infra(error) if verdict is None else bool(verdict)

    handle = TrialHandle(
        DirectRunner(),
        TrialRequest(
            slot=tau_slot,
            agent=_for_one_trial(request, "tau_agent", tau_agent),
            agent_name=_name(tau_agent),
            user=_for_one_trial(request, "tau_user", tau_user),
            user_name=_name(tau_user),
            seed=chosen.seed,
            solo=chosen.mode == "solo",
            plan=oracle_plan(tau_slot.task) if chosen.mode == "oracle-plan" else None,
            limits=Limits(chosen.max_steps, chosen.max_errors, chosen.timeout),
            judge=models(request.config).judge,
            classify=classify,
            grade=lambda simulation: criteria_of(
                hook.pytest_tau_grade(task=tau_slot.task, simulation=simulation, domain=tau_slot.domain)
            ),
        ),
        request.node,
    )
    request.node.stash[HANDLE] = handle
    return handle


@pytest.fixture
def tau_simulation(tau_trial: TrialHandle) -> Simulation:
    """The finished conversation of this trial."""
    return tau_trial.simulation


@pytest.fixture
def tau_reward(tau_trial: TrialHandle) -> Reward:
    """The grade of this trial; ``assert tau_reward.passed`` is what a collected task does."""
    return tau_trial.reward


def note_shared(fixturedef: Any, request: Any, value: Any) -> None:
    """Remember a ``tau_agent`` or ``tau_user`` that is one object for several trials; their set-up refuses it."""
    if fixturedef.argname in ("tau_agent", "tau_user") and fixturedef.scope != "function" and _is_player(value):
        request.config.stash.setdefault(_SHARED, {})[id(value)] = fixturedef.scope


def _is_player(value: Any) -> bool:
    return hasattr(value, "reply") and not isinstance(value, type)


def _for_one_trial(request: pytest.FixtureRequest, name: str, value: Any) -> Any:
    if not _is_player(value):
        return _checked(value, f"the fixture {name}")
    if scope := request.config.stash.get(_SHARED, {}).get(id(value)):
        pytest.fail(
            f"the fixture {name} has {scope} scope and returns one object with reply(), which would mix trials: "
            "return a factory (called with the trial's context), or use function scope",
            pytrace=False,
        )
    return lambda context: value


def _checked(value: Any, what: str) -> Callable[[Any], Any]:
    from ..conversation.factories import checked_factory

    return checked_factory(value, what)


def _named(factory: Callable[[Any], Any], name: str) -> Callable[[Any], Any]:
    """The factory, wrapped so that records call it by the name the user gave."""

    def make(context: Any) -> Any:
        return factory(context)

    setattr(make, _INTERNAL, name)
    make.__qualname__ = name
    return make


def _chosen_agent(config: pytest.Config, slot: Slot) -> AgentFactory:
    """The agent of the settings, under the name the user knows it by."""
    from ..agents.names import MODEL_AGENTS, named_agent
    from .models import models

    chosen, name = settings(config), settings(config).agent_name
    factory = named_agent(name, models(config).agent)(slot.task, slot.domain)
    return _named(factory, f"{name} {chosen.agent_llm}" if name in MODEL_AGENTS else name)


def _chosen_user(config: pytest.Config) -> UserFactory:
    """The simulated customer of the settings, under the name the user knows it by."""
    from ..users.names import MODEL_USERS, named_user
    from .models import models

    chosen, name = settings(config), settings(config).user_name
    factory = named_user(name, models(config).user)
    return _named(factory, f"{name} {chosen.user_llm}" if name in MODEL_USERS else name)


def _name(player: Any) -> str:
    from ..simulating import player_name

    return getattr(player, _INTERNAL, None) or player_name(player)
