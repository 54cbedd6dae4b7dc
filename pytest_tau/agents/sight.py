"""What a player that knows the answers may use of them where they stand in a picture: only what it has been shown.

A task's picture says with ``decides`` which arguments of the gold path only it tells. Until the picture has come, or
somebody has said in words what it shows, the player guesses them: another value that could be meant. So the oracle is
its own control: with the pictures it passes, with their descriptions it passes, and without either it fails.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable
from typing import Any

from ..environment.domain import Domain
from ..environment.toolkit import ToolSpec
from ..schema.calls import Action
from ..schema.checks import Reason
from ..schema.messages import AnyMessage, UserMessage, attachments_of
from ..schema.task import EvaluationCriteria, Task
from .plausible import Pool, another, pool_of, with_criteria

# Texts that stand in a list, or anywhere else but before a colon.
_WORDS = re.compile(r'"([^"\\\s]+)"(?!:)')
REASON, TOOL = "reason", "tool"
"""What a picture can decide besides arguments: what is to be said, and which tool is the right one."""


class Sight:
    """What has been seen of a task's pictures so far.

    Args:
        task: the task.
        domain: its domain, for guesses.
        seed: decides the guesses.
    """

    def __init__(self, task: Task, domain: Domain, seed: int) -> None:
        self._task, self._domain, self._seed = task, domain, seed
        self._unseen = [one for one in task.user_scenario.attachments or [] if one.decides]
        self._pool: Pool | None = None

    def look(self, messages: Iterable[AnyMessage]) -> None:
        """Take in what has been sent and said."""
        if self._unseen:
            shown = {one.sha256 for message in messages for one in attachments_of(message)}
            told = "\n".join(message.text for message in messages if isinstance(message, UserMessage))
            self._unseen = [
                one for one in self._unseen if one.sha256 not in shown and not (one.alt and one.alt in told)
            ]

    @property
    def guesses(self) -> set[str]:
        """The arguments whose values are not known yet."""
        return {name for one in self._unseen for name in one.decides or []}

    def believed_action(self, action: Action) -> Action:
        """A gold action as it would be made now."""
        wrong = self.guesses & action.arguments.keys()
        if TOOL in self.guesses and (instead := self._another_tool(action)):
            return action.model_copy(update={"name": instead, "arguments": {}})
        if not wrong:
            return action
        changed = {name: self._guess(name, action.arguments[name]) for name in sorted(wrong)}
        return action.model_copy(update={"arguments": {**action.arguments, **changed}})

    def known_task(self) -> Task:
        """The task with the reasons that could be given now."""
        criteria = self._task.evaluation_criteria or EvaluationCriteria()
        if REASON not in self.guesses:
            return self._task
        kept = [check for check in criteria.trajectory or [] if not isinstance(check, Reason)]
        return with_criteria(self._task, trajectory=kept, communicate_info=None)

    def _another_tool(self, action: Action) -> str | None:
        """A tool of the same side that changes something as well, and needs no arguments."""
        env = self._domain.environment()
        if not env.writes(action.name, action.requestor):
            return None
        mine = set(self._task.user_tools or []) if action.requestor == "user" else set()
        simple = [
            tool.name for tool in env.tool_specs(action.requestor) if tool.writes and not _has_required_arguments(tool)
        ]
        others = [name for name in simple if name != action.name and (not mine or name in mine)]
        return random.Random(f"{self._seed} {action.name}").choice(others) if others else None

    def _guess(self, name: str, value: Any) -> Any:
        if self._pool is None:
            self._pool = _with_lists(pool_of(self._task, self._domain), self._task, self._domain)
        # The same guess wherever the value is needed, as somebody who believes it would have.
        return another(name, value, self._pool, random.Random(f"{self._seed} {value}"))


def _with_lists(pool: Pool, task: Task, domain: Domain) -> Pool:
    """Values, and those in lists that look-ups of the gold path return: the ids of a customer's other orders."""
    env = domain.environment(task)
    for action in task.gold_actions:
        if not env.writes(action.name, action.requestor):
            found = _WORDS.findall(env.call(action.name, action.arguments, action.requestor).content)
            pool["listed"] += [word for word in found if word not in pool["listed"]]
    return pool


def _has_required_arguments(tool: ToolSpec) -> bool:
    return any(one.default is one.empty for one in tool.signature.parameters.values())
