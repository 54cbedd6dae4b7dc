"""The oracle as a team: each move is made by the role whose it is, which is handed over to on the shortest way.

With a fault of ``seams.py`` it does wrong at one seam, and ``planted`` says where.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..conversation.protocols import AgentContext
from ..errors import SettingsError
from ..schema.messages import AnyMessage, AssistantMessage
from ..schema.task import Task
from ..users.scripted import CONFIRM_CUE
from .oracle import Oracle

Moves = Iterator[AssistantMessage]
Seam = Callable[["Team", Moves], Moves]


def hands_over_well(team: Team, moves: Moves) -> Moves:
    """The moves, each by the role whose it is."""
    for move in moves:
        yield team.take(move)


class Team:
    """Plays a task's gold actions as :class:`Oracle` does, in the roles of the context.

    Args:
        task: the task.
        context: the trial's, with roles.
        seam: makes the moves out of those of the oracle, with a fault or without.
        strict: as for the oracle.

    Raises:
        SettingsError: the domain declares no roles.
    """

    knows_the_task = True

    def __init__(
        self, task: Task, context: AgentContext, seam: Seam = hands_over_well, *, strict: bool = False
    ) -> None:
        if not context.roles:
            raise SettingsError("a team needs a domain with roles (DomainSpec.roles), such as retail_desk")
        self.task = task.in_episode(context.episode)
        self.context = context
        self.planted: int | None = None
        """How many messages there were when the fault was planted; None where it was not."""
        self.messages: list[AnyMessage] = []
        self.writes = {tool.name for tool in context.tools if tool.writes}
        self._oracle = Oracle(task, context, strict=strict)
        self.at = next(iter(context.roles))
        self._speaks_as(self.at)
        self._moves = seam(self, self._oracle_moves())

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next move."""
        self.messages = messages
        return next(self._moves)

    def plant(self) -> None:
        """Note that the fault is made here."""
        self.planted = len(self.messages)

    def take(self, move: AssistantMessage) -> AssistantMessage:
        """Hand over to the role whose move it is; gives the move."""
        self.hand_over(self.role_of(move))
        return move

    def hand_over(self, to: str) -> None:
        """Hand over to a role, by way of others where the one that speaks may not itself."""
        for name in self._way(to):
            self._speaks_as(name)

    def role_of(self, move: AssistantMessage) -> str:
        """The role that makes a move: whose tool it calls, or whose the first call is that it asks a yes for.

        Of several, the one that makes the next change, or else the nearest.
        """
        roles = self.context.roles
        names = [call.name for call in move.tool_calls or []]
        if CONFIRM_CUE in move.text:
            places = {move.text.find(f"{name}("): name for role in roles.values() for name in role.tools}
            names = [name for at, name in sorted(places.items()) if at >= 0]
        able = self._able(names[0]) if names else []
        goes_on = self._goes_on(move) if len(able) > 1 else None
        return min(able, key=lambda name: (name != goes_on, len(self._way(name))), default=self.at)

    def _speaks_as(self, name: str) -> None:
        self.at = name
        self.context.speaks_as(name)

    def _oracle_moves(self) -> Moves:
        while True:
            yield self._oracle.reply(self.messages)

    def owner(self, tool: str) -> str | None:
        """The role that a tool is of; the first of several."""
        return next(iter(self._able(tool)), None)

    def _able(self, tool: str) -> list[str]:
        return [name for name, role in self.context.roles.items() if tool in role.tools]

    def _goes_on(self, move: AssistantMessage) -> str | None:
        """The role that makes the next change of the gold path."""
        ids = {call.id for call in move.tool_calls or []}
        steps = self.task.gold_actions
        at = next((i for i, step in enumerate(steps) if f"oracle_{step.action_id}" in ids), len(steps))
        return next((self.owner(step.name) for step in steps[at:] if step.name in self.writes), None)

    def _way(self, to: str) -> list[str]:
        """The roles by which the one that speaks hands over to another."""
        ways, seen = [[self.at]], {self.at}
        for way in ways:
            if way[-1] == to:
                return way[1:]
            fresh = [name for name in self.context.roles[way[-1]].hands_to if name not in seen]
            seen.update(fresh)
            ways += [[*way, name] for name in fresh]
        return [to]
