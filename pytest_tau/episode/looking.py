"""What is seen of an episode: by its agent, and by whoever trains it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..agents.act import written_chat
from ..agents.prompts import ACT_FORM, system_prompt
from ..conversation.protocols import AgentContext
from ..conversation.replies import cost
from ..conversation.trial import Trial
from ..environment.domain import Domain
from ..evaluation.grade import find_violations, grade
from ..evaluation.progress.milestones import milestone_statuses
from ..llm.chat import Chat, system, to_chat
from ..schema.messages import AnyMessage, in_words
from ..schema.reward import Reward, Violation
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task


@dataclass(frozen=True)
class Observation:
    """What the agent sees when it is its turn, or when it is over.

    ``messages``: all that it has seen and done, the newest last. ``tools``: chat-completions definitions. ``policy``:
    the text it works under. ``ticket``: what it is told in solo mode.
    """

    messages: list[AnyMessage]
    context: AgentContext

    @property
    def policy(self) -> str:
        """The policy of the domain."""
        return self.context.policy

    @property
    def tools(self) -> list[Mapping[str, Any]]:
        """The tools, as chat-completions definitions."""
        return [tool.schema for tool in self.context.tools]

    @property
    def chat(self) -> Chat:
        """All of it as the messages of a chat completion: system prompt and conversation."""
        return [system(system_prompt(self.context)), *to_chat(self.messages, "assistant")]

    def prompt(self) -> str:
        """All of it as one text, for an agent that writes its action as text; :meth:`Episode.written` reads that."""
        told = [f"{entry['role']}: {entry['content']}" for entry in written_chat([*map(in_words, self.messages)])]
        return "\n\n".join([system_prompt(self.context, form=ACT_FORM), *told, "assistant:"])


class Info(Mapping[str, Any]):
    """How an episode stands, computed when it is asked for.

    steps: of the conversation so far. errors: failed tool calls so far. termination: why it is over, None while it is
    not. cost: USD of each side, None where a message does not say. progress: milestones reached ÷ all. milestones: each
    of them and each minefield, with the turn in which it was reached. violations: rules of the policy broken so far;
    what the agent has still to do is none before the end. reward: the grade, None before the end.
    """

    def __init__(self, task: Task, domain: Domain, trial: Trial, simulation: Callable[[], Simulation]) -> None:
        self._task, self._domain, self._solo = task, domain, trial.world.solo
        self._messages: Sequence[AnyMessage] = [*trial.conversation.messages]
        self._over = trial.conversation.over
        self._finished = simulation
        self._plain = {"steps": trial.conversation.steps, "errors": trial.conversation.errors}

    def __getitem__(self, key: str) -> Any:
        return self._plain[key] if key in self._plain else _INFO[key](self)

    def __iter__(self) -> Iterator[str]:
        return iter([*self._plain, *_INFO])

    def __len__(self) -> int:
        return len(self._plain) + len(_INFO)

    def __repr__(self) -> str:
        return repr(dict(self))

    @cached_property
    def _simulation_so_far(self) -> Simulation:
        """The conversation so far as a record."""
        if self._over:
            return self._finished()
        return Simulation(
            id="",
            domain=self._domain.name,
            task_id=self._task.id,
            solo=self._solo,
            messages=[*self._messages],
            termination_reason=Termination.MAX_STEPS,
        )

    @cached_property
    def _reward(self) -> Reward | None:
        return grade(self._task, self._simulation_so_far, self._domain) if self._over else None

    @cached_property
    def _standing(self) -> Reward:
        """The grade, or before the end one that says how far the trial has got and nothing else."""
        if self._reward is not None:
            return self._reward
        return Reward(stations=milestone_statuses(self._task, self._messages, self._domain, solo=self._solo))

    @cached_property
    def _violations(self) -> list[Violation]:
        if self._reward is not None and self._reward.basis is not None:
            return self._reward.violations
        return [
            one for one in find_violations(self._task, self._simulation_so_far, self._domain) if one.turn is not None
        ]

    def _termination(self) -> str | None:
        return self._simulation_so_far.termination_reason.value if self._over else None

    def _cost(self) -> dict[str, float | None]:
        return {"agent": cost(self._messages, "assistant"), "user": cost(self._messages, "user")}


_INFO: dict[str, Callable[[Info], Any]] = {
    "termination": Info._termination,
    "cost": Info._cost,
    "progress": lambda info: info._standing.progress,
    "milestones": lambda info: info._standing.stations,
    "violations": lambda info: info._violations,
    "reward": lambda info: info._reward,
}
