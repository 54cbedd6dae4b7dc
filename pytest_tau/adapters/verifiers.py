"""verifiers: a taskset whose rubric is our grader, and the environment that plays it.

    vf-eval pytest_tau_verifiers --env.taskset.domain retail      # the module that the installation has for its loader

A rollout is an episode. The model reads the policy and the tools in its system prompt and answers with a text or one
call as JSON, as our agent ``act`` does; results and the customer's words come back as the user's turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verifiers.v1 as vf

from ..agents.act import written_chat
from ..agents.prompts import ACT_FORM, system_prompt
from ..environment.domain import Domain, load_domain
from ..environment.tasks import load_tasks
from ..episode import Episode
from ..schema.task import Task
from .suites import own_tasks

__all__ = ["TauTaskset", "TauVerifiersEnv"]


class TauData(vf.TaskData):  # type: ignore[misc]
    """A row: which task of which domain, with which seed."""

    domain: str
    task_id: str
    seed: int


class TauTasksetConfig(vf.TasksetConfig):  # type: ignore[misc]
    """Which tasks: of a domain's own suite those for a first try, or of a file or folder."""

    domain: str = "retail"
    tasks: Path | None = None
    seed: int = 1


class TauTask(vf.Task[TauData]):  # type: ignore[misc]
    """A row; the environment grades it."""


class TauTaskset(vf.Taskset[TauTask, TauTasksetConfig]):  # type: ignore[misc]
    """The tasks of a domain."""

    def __init__(self, config: TauTasksetConfig) -> None:
        super().__init__(config)
        self.domain: Domain = load_domain(config.domain)
        tasks = own_tasks(self.domain.name) if config.tasks is None else load_tasks(config.tasks)
        self.known: dict[str, Task] = {task.id: task for task in tasks}

    def load(self) -> Iterator[TauTask]:
        """A row a task."""
        for task in self.known.values():
            episode = self.episode(task.id)
            episode.reset()
            yield TauTask(
                TauData(
                    id=f"{self.domain.name}/{task.id}",
                    name=task.id,
                    system_prompt=system_prompt(episode.context, form=ACT_FORM),
                    domain=self.domain.name,
                    task_id=task.id,
                    seed=self.config.seed,
                ),
                self.config.task,
            )

    def episode(self, task_id: str) -> Episode:
        """A fresh episode of a task."""
        return Episode(self.known[task_id], self.domain, seed=self.config.seed)


class TauEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The agent, and what of its rewards beside the pass counts.

    ``progress``: the weight of the share of milestones that were reached.
    """

    player: vf.AgentConfig = vf.AgentConfig()
    progress: float = 0.0


class TauVerifiersEnv(vf.Env[TauEnvConfig]):  # type: ignore[misc]
    """Plays a rollout as an episode and records its grade."""

    async def run(self, task: TauTask, agents: Any) -> None:
        """One episode."""
        episode = self.taskset.episode(task.data.task_id)
        await episode.areset()
        heard = 0
        async with agents.player.interaction(task) as interaction:
            while not episode.done:
                segment = await interaction.turn(_since(episode, heard))
                if segment.terminated:
                    break
                heard = len(episode.observation.messages) + 1
                await episode.astep(episode.written(segment.last_reply))
        info, trace = episode.info, interaction.trace
        reward = info["reward"]
        trace.record_reward("passed", 0.0 if reward is None else reward.value or 0.0, 1.0)
        trace.record_reward("progress", info["progress"] or 0.0, self.config.progress)
        trace.record_metric("violations", float(len(info["violations"])))
        trace.record_metric("steps", float(info["steps"]))


def _since(episode: Episode, number: int) -> str:
    """What others have said since, as one text."""
    told = written_chat(episode.observation.messages[number:])
    return "\n\n".join(str(entry["content"]) for entry in told if entry["role"] == "user")
