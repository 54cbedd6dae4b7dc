"""The two players of a trial: what each is told at its beginning, how they are made, and how they are let go."""

from __future__ import annotations

import inspect
import warnings
from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import partial
from operator import attrgetter
from threading import Lock, RLock
from typing import Any, get_args

from ..environment.environment import Environment
from ..environment.gists import gists_of, wish_of
from ..environment.toolkit import ToolSpec
from ..errors import ConversationOver, SettingsError, describe
from ..schema.messages import AnyMessage
from ..schema.scenario import UserScenario
from ..schema.simulation import MOST
from ..schema.task import Task
from ..scrub import scrub
from .asking import Interrupted
from .attaching import Images, as_seen
from .protocols import (
    AgentContext,
    AgentFactory,
    ContextTool,
    Endpoint,
    Plan,
    ToolServer,
    UserContext,
    UserFactory,
    new_session,
)
from .replies import is_ours, own, player
from .turns import DONE_TOOL, Conversation, Role, seen_by_agent, seen_by_user

_DONE_SCHEMA = {
    "type": "function",
    "function": {
        "name": DONE_TOOL,
        "description": "Call this alone, once the ticket is dealt with.",
        "parameters": {"properties": {}, "title": "parameters", "type": "object"},
    },
}


@dataclass(frozen=True)
class PlayerBriefing:
    """What the players are told beside their task: which trial it is, seeds, plan, and ways to models and tools.

    ``user_seed``: the customer's, where it is another. ``images``: what the agent gets of pictures.
    """

    trial: int
    seed: int
    user_seed: int | None
    plan: Plan | None
    endpoint: Endpoint | None
    images: Images
    tool_server: ToolServer | None

    def __post_init__(self) -> None:
        """Refuse a number that no record could hold, and pictures shown in no known way, before anything is played."""
        if not isinstance(self.trial, int) or not 1 <= self.trial <= MOST:
            raise SettingsError(f"trial={self.trial!r}: trials are counted from 1")
        if self.images not in get_args(Images):
            raise SettingsError(f"images={self.images!r}: use one of {', '.join(get_args(Images))}")

    def plan_of(self, task: Task) -> str | None:
        """The plan for a task, or for one conversation of it."""
        return self.plan(task) if callable(self.plan) else self.plan


class Seats:
    """The players of one trial, made anew for each of its conversations, and for each fork.

    ``agent``, ``user``: the players, None where one could not be made, or there is none. ``context``: what the agent
    was made with. ``session``: the id of the trial's sessions. ``closed``: whether they have been let go. ``lock``:
    held while a call of the agent runs.
    """

    context: AgentContext
    _user_context: UserContext

    def __init__(
        self, task: Task, env: Environment, agent: AgentFactory, user: UserFactory, told: PlayerBriefing
    ) -> None:
        self._task = task
        self._env = env
        self._makers: dict[Role, Callable[[Any], Any]] = {"agent": agent, "user": user}
        self._told = told
        self.memory: dict[str, Any] = {}
        self.session = new_session()
        self._empty()

    def _empty(self) -> None:
        self.agent: Any = None
        self.user: Any = None
        self.lock = RLock()
        self._copies: dict[tuple[Role, int], tuple[AnyMessage, AnyMessage]] = {}
        self._door = Lock()  # what is served is not closed at the same time
        self._served: str | None = None
        self.closed = False
        self._let_go = False

    def copy(self, env: Environment, agent: AgentFactory | None, user: UserFactory | None) -> Seats:
        """The seats of a fork in this world, still empty; for other players, where they are given."""
        twin = copy(self)
        twin._env, twin.memory, twin.session = env, deepcopy(self.memory), new_session()
        twin._makers = {"agent": agent or self._makers["agent"], "user": user or self._makers["user"]}
        twin._empty()
        return twin

    def begin(
        self,
        episode: int,
        scenario: UserScenario,
        run: Callable[[str, dict[str, Any]], str],
        speak: Callable[[str, str | None], None],
    ) -> None:
        """Let go of the players there are, and tell the next of a conversation: the so manyth of the trial, from 1.

        ``scenario``: the customer's. ``run``: runs a call that the agent makes in a loop of its own. ``speak``: notes
        which agent inside it speaks.
        """
        self.close_agent()
        self.agent = self.user = None
        self._let_go = False
        schema = attrgetter("schema") if is_ours(self._makers["agent"]) else ToolSpec.schema_copy
        tools = [ContextTool.of(t.name, partial(schema, t), t.writes, run) for t in self._env.tool_specs()]
        if self._env.solo:
            tools.append(ContextTool(DONE_TOOL, deepcopy(_DONE_SCHEMA), False, run))
        self.context = AgentContext(
            task_id=self._task.id,
            trial=self._told.trial,
            seed=self._told.seed,
            policy=self._env.policy,
            tools=tuple(tools),
            ticket=self._task.ticket if self._env.solo else None,
            plan=self._told.plan_of(self._task.in_episode(episode)),
            open_endpoint=None if self._told.endpoint is None else self._told.endpoint.url,
            open_mcp=None if self._told.tool_server is None else self._serve,
            speak=speak,
            memory=self.memory,
            episode=episode,
            session_id=self.session,
            roles={} if self._env.solo else self._env.domain.roles_for(self._task),
        )
        if not self._env.solo:
            self._user_context = self._told_user(scenario if is_ours(self._makers["user"]) else own(scenario))

    @property
    def maker(self) -> Any:
        """What makes the agent."""
        return self._makers["agent"]

    def take(self, role: Role) -> None:
        """Make a player; raises what its factory raises, and PlayerError."""
        if role == "agent":
            self.agent = player(self._makers[role], self.context, role)
        elif not self._env.solo:
            self.user = player(self._makers[role], self._user_context, role)

    def take_up(self, conversation: Conversation, opened: int) -> None:
        """Let players who come into the middle of a conversation take it up, where they can.

        ``opened``: how many of the messages stood before anything was played.
        """
        sides: list[tuple[Role, Any, Callable[[Sequence[AnyMessage]], list[AnyMessage]]]] = [
            ("agent", self.agent, seen_by_agent),
            ("user", self.user, seen_by_user),
        ]
        begin = conversation.begin
        for role, one, seen in sides:
            if one is not None and hasattr(one, "resume"):
                before = len(seen(conversation.messages[begin:opened]))
                one.resume(self.visible_messages(role, seen(conversation.messages[begin:])), before)

    def visible_messages(self, role: Role, messages: list[AnyMessage]) -> list[AnyMessage]:
        """What a side gets of the messages that it sees: the customer knows their own pictures."""
        if not is_ours(type(self.agent if role == "agent" else self.user)):
            return [self._own_copy(role, m) for m in messages]
        if role == "user" or not any(m.attachments for m in messages if m.role != "assistant"):
            return messages
        return [self._with_pictures(m) for m in messages]

    def _with_pictures(self, message: AnyMessage) -> AnyMessage:
        """A message as the agent gets it."""
        if message.role == "assistant" or not message.attachments:
            return message
        return as_seen(message, self._told.images)

    def _own_copy(self, role: Role, message: AnyMessage) -> AnyMessage:
        """A message as its side keeps it: one copy, made when it is first seen."""
        known = self._copies.get((role, id(message)))
        if known is None or known[0] is not message:
            shown = message if role == "user" else self._with_pictures(message)
            known = self._copies[role, id(message)] = (message, own(shown))
        return known[1]

    def close(self, wait: float | None = None) -> None:
        """Let go of what the trial and its agent hold open; nothing happens when that has been done.

        A call that is under way gets so many seconds to come to its end, None: all it takes.
        """
        if self.lock.acquire(timeout=-1 if wait is None else wait):
            self.lock.release()
        with self._door:
            if self.closed:
                return
            self.closed = True
        if self._served is not None and self._told.tool_server is not None:
            self._told.tool_server.forget(self._served)
        self.close_agent()

    def close_agent(self) -> None:
        """Let go of the agent; where it cannot be, what was said stands, and a warning says so."""
        close, self._let_go = None if self._let_go else getattr(self.agent, "close", None), True
        if not callable(close) or inspect.iscoroutinefunction(close):
            return
        try:
            close()
        except Interrupted:
            self.warn_of_close("had not returned after its time")
        except (Exception, SystemExit, CancelledError) as error:  # a client that is let go may cancel who lets it go
            self.warn_of_close(f"raised {type(error).__name__}: {scrub(describe(error))}")

    def warn_of_close(self, what: str) -> None:
        """Warn of an agent that could not be let go."""
        warnings.warn(f"close() of the agent {what}; the trial counts as it ended", stacklevel=2)

    def _serve(self, tools: Sequence[ContextTool]) -> str:
        with self._door:
            if self.closed or self._told.tool_server is None:
                raise ConversationOver("the trial is over: its tools are not served any more")
            if self._served is None:
                self._served = self._told.tool_server.open(tools)
            return self._served

    def _told_user(self, scenario: UserScenario) -> UserContext:
        has = self._task.user_tools
        tools: list[Mapping[str, Any]] = [
            tool.schema_copy() for tool in self._env.tool_specs("user") if has is None or tool.name in has
        ]
        return UserContext(
            task_id=self._task.id,
            trial=self._told.trial,
            seed=self._told.seed if self._told.user_seed is None else self._told.user_seed,
            scenario=scenario,
            tools=tuple(tools),
            policy=self._env.policy,
            aims=self._task.aims,
            gists=partial(gists_of, self._env.domain.folder, wish_of(self._task)),
        )
