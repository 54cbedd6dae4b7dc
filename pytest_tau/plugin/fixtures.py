"""The ``tau_*`` fixtures: task, domain, environment, agent, user, simulation, reward.

A test that uses any of them is run for each trial of its file's tasks, or of the tasks its ``tau`` marker names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..conversation.protocols import AgentFactory, UserFactory
    from ..environment.domain import Domain
    from ..environment.environment import Environment
    from ..schema.reward import Reward
    from ..schema.simulation import Simulation
    from ..schema.task import Task
    from .collecting.slot import Slot
    from .integrations.snapshots import TauSnapshot
    from .playing.handle import TrialHandle
    from .playing.models import TrialModels
    from .playing.tau_conversation import TauConversation
    from .run import Run

_TOO_LATE = (
    "getfixturevalue comes too late for a tau fixture: name one among the test's arguments, or mark the"
    " test with @pytest.mark.usefixtures('tau_task'), and say of which tasks with @pytest.mark.tau(domain=…)"
)
_WITHOUT_PARAMETERS = (
    "pytest cannot run this test once for each trial, as it gives no parameters to doctests and to methods of a "
    "unittest.TestCase: write it as a function, or in a class that is no TestCase"
)
_SHARED = pytest.StashKey[dict[int, str]]()


@pytest.fixture
def tau_slot(request: pytest.FixtureRequest) -> Slot:
    """Which trial of which task this test is; parametrized by the plugin."""
    from .collecting.collection import slot_for

    if not hasattr(request, "param"):
        unable = "tau_slot" in getattr(request.node, "fixturenames", ())
        pytest.fail(_WITHOUT_PARAMETERS if unable else _TOO_LATE, pytrace=False)
    return slot_for(_run(request), request.param)


@pytest.fixture
def tau_task(tau_slot: Slot) -> Task:
    """The task of this trial."""
    return tau_slot.task


@pytest.fixture
def tau_domain(tau_slot: Slot) -> Domain:
    """The domain of this trial's task."""
    return tau_slot.domain


@pytest.fixture
def tau_policy(request: pytest.FixtureRequest, tau_slot: Slot) -> str:
    """The policy that this trial's agent works under, as ``context.policy`` has it.

    It is for agents that are made in a fixture and put it into a prompt of their own. ``--tau-policy FILE.md`` names
    another text; under ``--tau-policy-mutants`` a rule of it is changed.
    """
    solo = _run(request).settings.mode == "solo"
    text = tau_slot.domain.policy_for(solo=solo, task=tau_slot.task)
    return text if tau_slot.view is None else tau_slot.view.policy(text)


@pytest.fixture
def tau_environment(tau_task: Task, tau_domain: Domain) -> Environment:
    """A fresh environment in the task's initial state, for inspection and experiments; the trial uses another."""
    return tau_domain.environment(tau_task)


@pytest.fixture
def tau_models(request: pytest.FixtureRequest, tau_slot: Slot) -> Iterator[TrialModels]:
    """The configured models, bound to this trial."""
    from .playing.requesting import models_for

    made = models_for(_run(request), request.node, tau_slot)
    yield made
    made.endpoint.close()


@pytest.fixture
def tau_llm_endpoint(tau_models: TrialModels) -> str:
    """The base URL of a chat-completions server for this trial: ``context.endpoint`` for agents made in a fixture.

    Requests to it go through pytest-tau: they are limited, billed to this trial, and recorded with --tau-cassette.
    """
    return tau_models.endpoint.url()


@pytest.fixture
def tau_agent(request: pytest.FixtureRequest, tau_slot: Slot, tau_models: TrialModels) -> AgentFactory:
    """The factory of the agent; override it to bring your own.

    The factory is called once per trial with an AgentContext and returns a fresh object with ``reply(messages)``.
    The default is ``--tau-agent``, else the hook ``pytest_tau_make_agent``, else the ini value, else the oracle.
    """
    from .playing.requesting import agent_for

    return agent_for(_run(request), request.node, tau_slot, tau_models)


@pytest.fixture
def tau_user(request: pytest.FixtureRequest, tau_models: TrialModels) -> UserFactory:
    """The factory of the simulated customer; override it to bring your own.

    The default is ``--tau-user``, else the hook ``pytest_tau_make_user``, else the ini value, else the scripted one.
    """
    from .playing.requesting import user_for

    return user_for(_run(request), request.node, tau_models)


@pytest.fixture
def tau_trial(
    request: pytest.FixtureRequest,
    tau_slot: Slot,
    tau_models: TrialModels,
    tau_agent: AgentFactory,
    tau_user: UserFactory,
) -> TrialHandle:
    """The trial itself; it runs when the test first reads its simulation or reward."""
    from .playing.handle import HANDLE, TrialHandle
    from .playing.lookahead import how_to_play
    from .playing.requesting import trial_request

    agent = _for_one_trial(request, "tau_agent", tau_agent)
    user = _for_one_trial(request, "tau_user", tau_user)
    run = _run(request)
    asked = trial_request(run, request.node, tau_slot, tau_models, agent, user)
    handle = TrialHandle(how_to_play(run), asked)
    request.node.stash[HANDLE] = handle
    return handle


@pytest.fixture
def tau_simulation(tau_trial: TrialHandle) -> Simulation:
    """The finished conversation of this trial."""
    return tau_trial.simulation


@pytest.fixture
def tau_reward(tau_trial: TrialHandle) -> Reward:
    """The grade of this trial; a collected task does ``assert tau_reward.passed``."""
    return tau_trial.reward


@pytest.fixture
def tau_conversation(request: pytest.FixtureRequest, tau_trial: TrialHandle) -> TauConversation:
    """This trial's conversation, played as far as the test asks, for assertions on the way.

    ``until(call=…)`` plays until just before a call runs, ``say(…)`` sets the customer's next words, and ``finish()``
    plays to the end and grades.
    """
    from .playing.lookahead import waiter
    from .playing.steering import Steering
    from .playing.tau_conversation import TauConversation

    steering = Steering(tau_trial.request, waiter(_run(request)))
    tau_trial.steer(steering)
    return TauConversation(tau_trial, steering)


@pytest.fixture
def tau_snapshot(request: pytest.FixtureRequest, tau_trial: TrialHandle) -> TauSnapshot:
    """The snapshot of this task's trajectory: ``assert tau_simulation == tau_snapshot``; needs syrupy.

    ``tau_snapshot(level="messages")`` also contains what was said, ``level="state"`` what changed in the databases.
    """
    from .integrations.snapshots import TauSnapshot, missing

    if sentence := missing(_run(request), "the fixture tau_snapshot"):
        pytest.fail(sentence, pytrace=False)
    return TauSnapshot(request, tau_trial)


def _run(request: pytest.FixtureRequest) -> Run:
    from .run import run_of  # which a session without trials does without

    return run_of(request.config)


def note_shared(fixturedef: Any, request: Any, value: Any) -> None:
    """Remember a ``tau_agent`` or ``tau_user`` that is one object for several trials; their set-up refuses it."""
    name = fixturedef.argname
    if name not in ("tau_agent", "tau_user") or not _is_player(value):
        return
    from .private import is_parameter

    known = request.config.stash.setdefault(_SHARED, {})
    if is_parameter(fixturedef):
        known[id(value)] = f"a parameter {name} is"
    elif fixturedef.scope != "function":
        known[id(value)] = f"the fixture {name} has {fixturedef.scope} scope and returns"


def _is_player(value: Any) -> bool:
    return hasattr(value, "reply") and not isinstance(value, type)


def _for_one_trial(request: pytest.FixtureRequest, name: str, value: Any) -> Any:
    from ..conversation.factories import checked_factory
    from ..simulating import player_name
    from .playing.requesting import name_factory
    from .playing.sources import refuse_stranger

    refuse_stranger(_run(request), request.node, name)
    if not _is_player(value):
        return checked_factory(value, f"the fixture {name}")
    if shared := request.config.stash.get(_SHARED, {}).get(id(value)):
        pytest.fail(
            f"{shared} one object with reply(), which would mix trials: "
            "give a factory (called with the trial's context), or make the object in a fixture of function scope",
            pytrace=False,
        )
    return name_factory(lambda context: value, player_name(value))
