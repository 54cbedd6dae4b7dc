"""OpenEnv: a domain's episodes behind reset, step and state over HTTP, with a client.

    uvicorn --factory pytest_tau.adapters.openenv:retail       # or any other name of a domain, or make_app(…)

    with TauClient(base_url="http://127.0.0.1:8000").sync() as env:
        result = env.reset(task_id="cancel_order_by_mistake")
        result = env.step(TauAction(text="Hello"))

An action is a text for the customer, or calls; or ``written``, what a model answers to the observation's ``prompt``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, Field

from ..environment.domain import Domain, load_domain
from ..environment.folders import builtin_names
from ..episode import Episode
from ..errors import SettingsError
from ..llm.chat import to_chat
from ..schema.messages import AssistantMessage, ToolCall
from ..schema.task import Task
from .suites import chosen_tasks


class TauCall(BaseModel):
    """A call of a tool."""

    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class TauAction(Action):  # type: ignore[misc]
    """What the agent does: exactly one of a text, calls, or what a model has written."""

    text: str | None = None
    calls: list[TauCall] | None = None
    written: str | None = None


class TauObservation(Observation):  # type: ignore[misc]
    """What the agent sees: as the messages of a chat with the tools, and as one text."""

    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    policy: str = ""
    prompt: str = ""


class TauState(State):  # type: ignore[misc]
    """How the episode stands."""

    domain: str = ""
    task_id: str = ""
    termination: str | None = None
    progress: float | None = None


class TauEnvironment(Environment[TauAction, TauObservation, TauState]):  # type: ignore[misc]
    """Episodes of a domain's tasks.

    Args:
        domain: a domain, or its name.
        tasks: the tasks there are; by default those of the domain's suite that are played for a first try.
        options: of :class:`~pytest_tau.episode.Episode`.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(
        self, domain: str | Path | Domain = "retail", tasks: Sequence[Task] | None = None, **options: Any
    ) -> None:
        super().__init__()
        self._domain = domain if isinstance(domain, Domain) else load_domain(domain)
        self._tasks = {task.id: task for task in chosen_tasks(self._domain.name, tasks)}
        self._options = options
        self._episode: Episode | None = None
        self._id: str | None = None
        self._steps = 0

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, task_id: str | None = None, **options: Any
    ) -> TauObservation:
        """Begin an episode of a task, or of one that the seed draws."""
        chosen = task_id or random.Random(seed).choice(sorted(self._tasks))
        if chosen not in self._tasks:
            raise SettingsError(f"there is no task '{chosen}' in this environment")
        self.close()
        self._episode = episode = Episode(self._tasks[chosen], self._domain, seed=seed or 0, **self._options)
        self._id, self._steps = episode_id, 0
        episode.reset()
        return _observation(episode, None)

    def step(self, action: TauAction, timeout_s: float | None = None, **options: Any) -> TauObservation:
        """Do what the agent does."""
        if self._episode is None:
            raise SettingsError("call reset() before step()")
        _, reward, _, _ = self._episode.step(_message(self._episode, action))
        self._steps += 1
        return _observation(self._episode, reward)

    def close(self) -> None:
        """End what the customer was run on."""
        if self._episode is not None:
            self._episode.close()

    @property
    def state(self) -> TauState:
        """How the episode stands."""
        if self._episode is None:
            return TauState(domain=self._domain.name)
        info = self._episode.info
        return TauState(
            episode_id=self._id,
            step_count=self._steps,
            domain=self._domain.name,
            task_id=self._episode.task.id,
            termination=info["termination"],
            progress=info["progress"],
        )


def _observation(episode: Episode, reward: float | None) -> TauObservation:
    seen = episode.observation
    return TauObservation(
        done=episode.done,
        reward=reward,
        messages=to_chat(seen.messages, "assistant"),
        tools=[dict(tool) for tool in seen.tools],
        policy=seen.policy,
        prompt=seen.prompt(),
    )


def _message(episode: Episode, action: TauAction) -> AssistantMessage:
    if sum(part is not None for part in (action.text, action.calls, action.written)) != 1:
        raise SettingsError("an action is exactly one of text, calls and written")
    if action.written is not None:
        return episode.written(action.written)
    number = len(episode.messages)
    calls = [
        ToolCall(id=f"call_{number + at}", name=call.name, arguments=call.arguments)
        for at, call in enumerate(action.calls or [])
    ]
    return AssistantMessage(content=action.text, tool_calls=calls or None)


class TauClient(EnvClient[TauAction, TauObservation, TauState]):  # type: ignore[misc]
    """The client of :class:`TauEnvironment`."""

    def _step_payload(self, action: TauAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump(exclude_none=True, exclude={"metadata"})
        return payload

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[TauObservation]:
        seen = payload.get("observation", {})
        observation = TauObservation(**{**seen, "done": payload.get("done", False), "reward": payload.get("reward")})
        return StepResult(observation=observation, reward=payload.get("reward"), done=payload.get("done", False))

    def _parse_state(self, payload: dict[str, Any]) -> TauState:
        return TauState(**payload)


def make_app(domain: str | Path | Domain, tasks: Sequence[Task] | None = None, **options: Any) -> Any:
    """The application that serves a domain's episodes, a session each."""
    loaded = domain if isinstance(domain, Domain) else load_domain(domain)
    return create_fastapi_app(
        lambda: TauEnvironment(loaded, tasks, **options),
        TauAction,
        TauObservation,
        env_name=f"tau-{loaded.name}",
        state_cls=TauState,
        max_concurrent_envs=1000,
    )


def __getattr__(name: str) -> Any:
    """What makes the application for the domain of this name, as uvicorn asks for it."""
    if name not in builtin_names("domains"):
        raise AttributeError(f"no attribute and no built-in domain is called '{name}'")
    return partial(make_app, name)
