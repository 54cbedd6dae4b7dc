"""Gymnasium: ``gymnasium.make("tau/retail-v0")`` after importing this module, or with it in front of the id:

    env = gymnasium.make("pytest_tau.adapters.gymnasium:tau/retail-v0")

Observation and action are texts: what :meth:`Episode.prompt <pytest_tau.episode.Episode.prompt>` tells, and what a
model answers, a call as JSON or a message to the customer. ``env.unwrapped.episode`` has all the rest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium
from gymnasium.envs.registration import register, registry

from ..conversation.protocols import ContextTool, UserFactory
from ..environment.domain import Domain, load_domain
from ..environment.folders import builtin_names
from ..episode import Episode, Info, passed
from ..errors import SettingsError
from ..schema.simulation import Termination
from ..schema.task import Task
from .suites import chosen_tasks

NAMESPACE, VERSION = "tau", 0
# Ended by a limit, and not by what somebody said or did.
_CUT_OFF = {Termination.MAX_STEPS, Termination.STALLED, Termination.TIMEOUT, Termination.INFRASTRUCTURE_ERROR}
_SAYINGS = ("Could you tell me more?", "Shall I go ahead? (yes/no)", "Everything is taken care of.", "One moment.")


class Texts(gymnasium.Space[str]):
    """Any text; what is drawn from it is empty."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=(), dtype=str, seed=seed)

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A text."""
        return ""

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other)

    __hash__ = None  # type: ignore[assignment]


class Actions(Texts):
    """Any text; what is drawn is a saying, or a call of one of the tools with arguments of the right types."""

    def __init__(self, tools: Sequence[ContextTool] = (), seed: int | None = None) -> None:
        super().__init__(seed)
        self.tools = tools

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """An action, as a random policy would choose it."""
        if not self.tools or self.np_random.random() < 0.3:
            return str(self.np_random.choice(_SAYINGS))
        tool = self.tools[int(self.np_random.integers(len(self.tools)))]
        properties = tool.schema["function"]["parameters"].get("properties", {})
        arguments = {name: self._value(prop) for name, prop in properties.items()}
        return "Action:\n" + json.dumps({"name": tool.name, "arguments": arguments})

    def _value(self, prop: Mapping[str, Any]) -> Any:
        if choices := prop.get("enum"):
            return choices[int(self.np_random.integers(len(choices)))]
        number = int(self.np_random.integers(1, 1000))
        return {"integer": number, "number": number / 10, "boolean": number % 2 == 0, "array": [], "object": {}}.get(
            prop.get("type", ""), str(number)
        )


class TauEnv(gymnasium.Env[str, str]):
    """Episodes of a domain's tasks.

    Args:
        domain: a domain, or its name.
        tasks: the tasks to draw from; by default the domain's suite, of it the split "core" where there is one.
        user: who plays the customer.
        reward: what a step earns; by default the full reward at the end.
        render_mode: "ansi" gives the conversation as text.
        options: of :class:`~pytest_tau.episode.Episode`: ``limits``, ``solo``.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (Gymnasium's way)

    def __init__(
        self,
        domain: str | Path | Domain = "retail",
        tasks: Sequence[Task] | None = None,
        user: str | UserFactory = "scripted",
        *,
        reward: Callable[[Info, Info], float] = passed,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.domain = domain if isinstance(domain, Domain) else load_domain(domain)
        self.tasks = chosen_tasks(self.domain.name, tasks)
        self.render_mode = render_mode
        self.observation_space = Texts()
        self.action_space: Actions = Actions()
        self.episode: Episode | None = None
        self._options: dict[str, Any] = {"user": user, "reward": reward, **options}

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode of a task that is drawn, or of ``options["task"]``, a task or its id."""
        super().reset(seed=seed)
        task = (options or {}).get("task", self.tasks[int(self.np_random.integers(len(self.tasks)))])
        if isinstance(task, str):
            task = next((one for one in self.tasks if one.id == task), None)
        if not isinstance(task, Task):
            raise SettingsError(f"there is no task '{(options or {}).get('task')}' in this environment")
        self.close()
        self.episode = episode = Episode(task, self.domain, seed=int(self.np_random.integers(2**31)), **self._options)
        observation = episode.reset()
        self.action_space.tools = observation.context.tools
        return observation.prompt(), _info_entries(episode)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Do what is written; ``truncated`` where a limit has ended it."""
        if self.episode is None:
            raise SettingsError("call reset() before step()")
        observation, reward, done, info = self.episode.step(self.episode.written(action))
        cut_off = info["termination"] in _CUT_OFF
        return observation.prompt(), reward, done and not cut_off, done and cut_off, _info_entries(self.episode)

    def render(self) -> str | None:
        """The conversation so far, a line a message."""
        if self.render_mode != "ansi" or self.episode is None:
            return None
        return "\n".join(_line(message) for message in self.episode.messages)

    def close(self) -> None:
        """End what the customer was run on."""
        if self.episode is not None:
            self.episode.close()


def _info_entries(episode: Episode) -> dict[str, Any]:
    """Of an episode's info what costs nothing, and all of it at the end."""
    keys = episode.info if episode.done else ("steps", "errors", "termination")
    return {"task_id": episode.task.id, **{key: episode.info[key] for key in keys}}


def _line(message: Any) -> str:
    calls = getattr(message, "tool_calls", None) or []
    return f"{message.role}: {', '.join(call.name for call in calls) or message.content}"


for _name in builtin_names("domains"):
    if (_id := f"{NAMESPACE}/{_name}-v{VERSION}") not in registry:
        register(_id, entry_point=f"{__name__}:TauEnv", kwargs={"domain": _name})
