"""Drives a conversation: asks the players, runs the tools, keeps the time. One driver for sync and async players.

How it works. A :class:`Trial` waits for no player. :meth:`Trial.ask` runs the calls that wait for their results and
says whom to ask next; whoever drives it asks, and hands what came of it to :meth:`Trial.heard` or :meth:`Trial.failed`:

    while (ask := trial.ask()) is not None:
        trial.heard(ask, ask())

:func:`play` drives a trial to its end (running an awaitable on a loop of its own), :func:`aplay` awaits. An
:class:`~pytest_tau.episode.Episode` asks only the customer, and hears from its caller what the agent does.
"""

from __future__ import annotations

import inspect
import time
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import RLock
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter

from ..environment.environment import Environment
from ..environment.replay import replay
from ..errors import (
    AgentFault,
    ConversationOver,
    InfraError,
    RecordingError,
    TauError,
    TrialCancelled,
    said,
)
from ..schema.messages import (
    AnyMessage,
    AssistantMessage,
    Message,
    SpokenMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    total_spent,
)
from ..schema.scenario import UserScenario
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..scrub import scrub
from .attaching import Images, as_seen, attached, bound
from .customer import interruptions, out_of_patience
from .faults import is_infra
from .protocols import (
    AgentContext,
    AgentFactory,
    Answered,
    ContextTool,
    Endpoint,
    ToolServer,
    UserContext,
    UserFactory,
)
from .replies import ATTEMPTS, as_message, cost, nothing, now, parameters, player, stamped
from .turns import DONE_TOOL, GREETING, Conversation, Over, Role, RunTools, Speak, seen_by_agent, seen_by_user

if TYPE_CHECKING:
    import asyncio

# Runs what an async player returns, and gives the result.
Wait = Callable[[Coroutine[Any, Any, Any]], Any]
_DONE_SCHEMA = {
    "type": "function",
    "function": {
        "name": DONE_TOOL,
        "description": "Call this alone, once the ticket is dealt with.",
        "parameters": {"properties": {}, "title": "parameters", "type": "object"},
    },
}


@dataclass(frozen=True)
class Limits:
    """When a conversation is cut off: steps, failed tool calls, seconds (None: never)."""

    max_steps: int = 200
    max_errors: int = 10
    timeout: float | None = 600.0


@dataclass(frozen=True)
class Ask:
    """A question of the driver: call the player's ``reply`` with these messages."""

    role: Role
    player: Any
    messages: list[AnyMessage]
    seconds_left: float | None

    def __call__(self) -> Any:
        """Ask."""
        return self.player.reply(self.messages)


class Trial:
    """One trial of a task being played: the conversation, its environment and its two players."""

    def __init__(
        self,
        task: Task,
        env: Environment,
        agent: AgentFactory,
        user: UserFactory,
        *,
        trial: int,
        seed: int,
        limits: Limits,
        user_seed: int | None = None,
        plan: str | None = None,
        classify: Callable[[BaseException], bool] = is_infra,
        endpoint: Endpoint | None = None,
        images: Images = "send",
        tool_server: ToolServer | None = None,
    ) -> None:
        self._task = task
        self._env = env
        self._trial = trial
        self._seed = seed
        self._user_seed = user_seed
        self._limits = limits
        self._classify = classify
        self._endpoint = endpoint
        self._images: Images = images
        self._tool_server = tool_server
        self._served: str | None = None
        self._closed = False
        self._broken: Exception | None = None
        self._agent: Any = None
        self._scenarios = [task.user_scenario, *(one.user_scenario for one in task.episodes or [])]
        self._pictures = {one.id: one for scenario in self._scenarios for one in scenario.attachments or []}
        self._memory: dict[str, Any] = {}
        self._lock = RLock()
        self._note: str | None = None
        self._attempts = 0  # at a message that is one, by the side whose turn it is
        self._asked = 0.0
        self._cancelled = False
        self.abandoned = False
        self._unsaid: list[SpokenMessage] = []
        self._searched: list[SpokenMessage] = []  # bear what the agent's searching cost
        self._began = time.monotonic()
        self._start = now()
        env.set_up(task)
        self.conversation = Conversation(
            self._opening(), solo=env.solo, max_steps=limits.max_steps, max_errors=limits.max_errors
        )
        self._opened_with = len(self.conversation.messages)
        self._makers = agent, user
        self._plan = plan
        self._seat()

    def _seat(self) -> None:
        """Make the players; those who come into the middle of a conversation take it up, where they can."""
        agent, user = self._makers
        self._close_agent()
        self.context = self._agent_context()
        self._agent = self._made(agent, self.context, "agent")
        self._user = None if self._env.solo else self._made(user, self._user_context(), "user")
        begin = self.conversation.begin
        opened = begin + 1 if begin else self._opened_with
        if len(self.conversation.messages) > opened:
            sides: list[tuple[Role, Any, Callable[[Sequence[AnyMessage]], list[AnyMessage]]]] = [
                ("agent", self._agent, seen_by_agent),
                ("user", self._user, seen_by_user),
            ]
            for role, one, seen in sides:
                if one is not None and hasattr(one, "resume"):
                    before = len(seen(self.conversation.messages[begin:opened]))
                    one.resume(self._shown(role, seen(self.conversation.messages[begin:])), before)

    def fork(self, *, agent: AgentFactory | None = None, user: UserFactory | None = None) -> Trial:
        """A trial that stands where this one does and goes its own way from here.

        Its players are made anew and see what has been said. One that remembers more than the messages tell it needs
        a method ``resume(messages, begin)``: all that it has seen, and the first of them that is not the task's past.

        Args:
            agent: who plays the agent from here; by default the same factory.
            user: who plays the customer from here; by default the same factory.
        """
        twin = copy(self)
        twin._lock = RLock()
        twin._env, twin.conversation = self._env.copy(), self.conversation.copy()
        twin._unsaid, twin._searched = [*self._unsaid], [*self._searched]
        twin._agent, twin._served, twin._broken, twin._closed = None, None, None, False
        twin._memory = deepcopy(self._memory)
        twin._makers = agent or self._makers[0], user or self._makers[1]
        twin._seat()
        return twin

    def follow(self, messages: Sequence[AnyMessage], *, strict: bool = True) -> None:
        """Take over what was said and done in a recording, from where this trial stands.

        Under ``strict`` its writing calls must return what was recorded. Raises RecordingError where it does not go on
        from here.
        """
        results: list[ToolMessage] = []
        try:
            for number, message in enumerate(messages):
                if not isinstance(message, ToolMessage):
                    self._take_over(message)
                    continue
                results.append(message)
                if not isinstance(messages[number + 1] if number + 1 < len(messages) else None, ToolMessage):
                    replay(self._env, [self.conversation.messages[-1], *results], strict=strict)
                    self.conversation.receive_results(results)
                    results = []
        except ValueError as error:
            raise RecordingError(f"the recorded conversation does not go on like this: {error}") from None
        self._next_visit()
        self._seat()

    def _take_over(self, message: SpokenMessage) -> None:
        turn = self.conversation.turn
        if isinstance(turn, Over) and isinstance(message, AssistantMessage):
            self.conversation.begin_again(message)
        elif isinstance(turn, Speak) and turn.role == "agent" and isinstance(message, UserMessage):
            self.conversation.interrupt(message)
        else:
            self.conversation.receive(message)

    @property
    def world(self) -> Environment:
        """The world it is played in."""
        return self._env

    def state(self) -> dict[str, Any]:
        """Where the trial stands, as JSON: what :meth:`restore` needs beside what the trial was made with."""
        turn = self.conversation.turn
        return {
            "messages": _dumped(self.conversation.messages),
            "unsaid": _dumped(self._unsaid),
            "searched": _dumped(self._searched),
            "attempts": self._attempts,
            "seconds": time.monotonic() - self._began,
            "memory": self._memory,
            "ended": turn.reason if isinstance(turn, Over) else None,
            "note": self._note,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a fresh trial to where another of the same task stood; raises RecordingError, pydantic's ValueError."""
        messages = [bound(one, self._pictures) for one in _MESSAGES.validate_python(state["messages"])]
        self.conversation.messages[:] = messages[: self._opened_with]
        self.follow(messages[self._opened_with :])
        self._unsaid = _MESSAGES.validate_python(state["unsaid"])
        self._searched = _MESSAGES.validate_python(state["searched"])
        self._attempts, self._note = state["attempts"], state["note"]
        self._began = time.monotonic() - state["seconds"]
        self._memory.update(state["memory"])
        if state["ended"] is not None:
            self.conversation.end(Termination(state["ended"]))

    def _made(self, factory: Callable[[Any], Any], context: Any, role: Role) -> Any:
        """The player; None where its factory has ended the trial, as a reply may: by a fault of it or its provider."""
        if self.conversation.over:
            return None
        try:
            return player(factory, context, role)
        except Exception as error:
            if not self._ended_by(error, role):
                self.close()
                raise
            return None

    def ask(self) -> Ask | None:
        """Run the calls that wait for their results, and say whom to ask next; None once the conversation is over.

        Raises TrialCancelled when nobody waits for the trial any more.
        """
        while True:
            turn = self.conversation.turn
            if self.abandoned:
                raise TrialCancelled("the trial was given up while it waited for a reply")
            if isinstance(turn, Over):
                return None
            if self._cancelled:
                raise TrialCancelled("the trial was cancelled")
            if isinstance(turn, Speak) and turn.role == "user" and self._left():
                continue
            if isinstance(turn, Speak):
                self._asked = time.monotonic()
                asked = self._agent if turn.role == "agent" else self._user
                return Ask(turn.role, asked, self._shown(turn.role, turn.messages), self._seconds_left())
            self._run_tools(turn)
            self._keep_time()

    def heard(self, ask: Ask, reply: Any) -> None:
        """Take what the player that was asked replied; raises PlayerError for what is no message.

        An empty one is asked for again, up to ``ATTEMPTS`` times in all.
        """
        try:
            message = self._with_its_calls(as_message(reply, ask.role, ask.player))
            if self._pictures and isinstance(message, UserMessage):
                message = attached(message, self._pictures)
        except Exception as error:
            self.failed(ask, error)
            return
        if not message.empty:
            self._attempts = 0
            message = stamped(self._billed(message), seconds=time.monotonic() - self._asked)
            if not self.conversation.over:
                self.conversation.receive(message)
                self._next_visit()
        else:
            self._unsaid.append(message)
            self._attempts += 1
            if self._attempts == ATTEMPTS:
                self._fail(ask.role, nothing(ask.role, message))
        self._keep_time()

    def failed(self, ask: Ask, error: Exception) -> None:
        """Take an exception out of the player that was asked; raises it again where it does not end the trial."""
        if self.abandoned or (self._cancelled and not self.conversation.over):
            raise TrialCancelled("the trial was cancelled while it waited for a reply") from error
        if ask.role == "agent" and self._broken is not None:
            error, self._broken = self._broken, None
        if asked_for := self._proxied(ask.role):
            self._unsaid.append(AssistantMessage(**total_spent(asked_for)))
        if not self._ended_by(error, ask.role):
            raise error

    @property
    def _scenario(self) -> UserScenario:
        """The customer's, of the present conversation."""
        return self._scenarios[len(self.conversation.episodes)]

    def _next_visit(self) -> None:
        """Begin the trial's next conversation, where a customer has ended one and there is another."""
        turn = self.conversation.turn
        ended = isinstance(turn, Over) and turn.reason is Termination.USER_STOP
        if ended and len(self.conversation.episodes) + 1 < len(self._scenarios) and not self._env.solo:
            self._close_agent()
            self.conversation.begin_again(AssistantMessage(content=GREETING, cost=0.0, timestamp=now()))
            self._seat()

    def _interrupted(self) -> None:
        """Let the customer speak after the calls that have just run, where the scenario says so."""
        if not self._scenario.interrupts or self.conversation.over or self._env.solo:
            return
        said_now = interruptions(self._scenario, self.conversation.messages[self.conversation.begin :])
        if words := " ".join(said_now):
            self.conversation.interrupt(UserMessage(content=words, cost=0.0, timestamp=now()))
            self._next_visit()

    def _left(self) -> bool:
        """Whether the customer's patience has come to its end; they say so and are gone."""
        patience = self._scenario.patience
        if patience is None or not out_of_patience(
            patience, self.conversation.messages[self.conversation.begin :], self._env
        ):
            return False
        self.conversation.receive(UserMessage(content=patience.say, cost=0.0, timestamp=now()))
        self._end(Termination.USER_LEFT, "the customer's patience came to its end")
        return True

    def _keep_time(self) -> None:
        """End the conversation when its time is up; calls are not left without their results."""
        if self._seconds_left() == 0.0 and not isinstance(self.conversation.turn, RunTools):
            self.conversation.end(Termination.TIMEOUT)

    def _run_tools(self, turn: RunTools) -> None:
        try:
            self.conversation.receive_results([self._execute(call) for call in turn.calls])
            self._interrupted()
        except InfraError as error:  # a search asked a model that does not answer
            self._end(Termination.INFRASTRUCTURE_ERROR, f"{type(error).__name__}: {scrub(said(error))}")

    def end(self, reason: Termination, note: str | None = None) -> None:
        """End the conversation where it is, unless it has ended already."""
        if not self.conversation.over:
            self._note = note
            self.conversation.end(reason)

    def cancel(self) -> None:
        """Let the trial end without a result, with TrialCancelled, before the next turn; from any thread."""
        self._cancelled = True

    @property
    def overdue(self) -> float:
        """Seconds that a player has been answering beyond the time limit; 0.0 while there is time, or it is over."""
        if self._limits.timeout is None or self.conversation.over:
            return 0.0
        return max(0.0, time.monotonic() - self._began - self._limits.timeout)

    def abandon(self) -> None:
        """End the trial for its time limit though a player is still answering; from any thread.

        What it says or raises then is heard by nobody: whoever plays the trial gets TrialCancelled.
        """
        turn = self.conversation.turn
        role = turn.role if isinstance(turn, Speak) else "agent"
        self._cancelled = self.abandoned = True
        self._end(Termination.TIMEOUT, f"the {role} was still answering {self.overdue:.0f} s after the time limit")
        self.close()

    def close(self) -> None:
        """Let go of what the trial and its agent hold open; nothing happens when that has been done."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        if self._served is not None and self._tool_server is not None:
            self._tool_server.forget(self._served)
        self._close_agent()

    def _close_agent(self) -> None:
        close = getattr(self._agent, "close", None)
        if callable(close) and not inspect.iscoroutinefunction(close):
            close()

    def _serve_tools(self, tools: Sequence[ContextTool]) -> str:
        with self._lock:
            if self._closed or self._tool_server is None:
                raise ConversationOver("the trial is over: its tools are not served any more")
            if self._served is None:
                self._served = self._tool_server.open(tools)
            return self._served

    def _shown(self, role: Role, messages: list[AnyMessage]) -> list[AnyMessage]:
        """What a side gets of the messages that it sees: the customer knows their own pictures."""
        return messages if role == "user" else [as_seen(message, self._images) for message in messages]

    def _ended_by(self, error: Exception, role: Role) -> bool:
        """Whether an exception out of a player ends the trial; any other is a bug, or a tool of another trial."""
        if self.conversation.over:
            return True  # one of its tools said so, whatever its framework made of that
        if isinstance(error, AgentFault):
            self._fail(role, scrub(said(error)))
        elif self._seconds_left() == 0.0:
            self._end(Termination.TIMEOUT, f"the {role} was still answering after the time limit")
        elif self._classify(error):
            self._end(Termination.INFRASTRUCTURE_ERROR, f"{type(error).__name__}: {scrub(said(error))}")
        return self.conversation.over

    def _with_its_calls(self, message: SpokenMessage) -> SpokenMessage:
        """The message with what its player asked the endpoint for; what the player says about its cost comes first."""
        asked = self._proxied("agent" if message.role == "assistant" else "user")
        if not asked or message.cost is not None:
            return message
        seconds = round(sum(reply.seconds for reply in asked), 6)
        return message.model_copy(update={"generation_time_seconds": seconds, **total_spent(asked)})

    def _proxied(self, role: Role) -> Sequence[Answered]:
        """What the endpoint has answered since the agent's last message; raises what keeps the trial from counting."""
        if role == "agent" and self._broken is not None:
            broken, self._broken = self._broken, None
            raise broken
        if self._endpoint is None or role != "agent":
            return []
        if self._endpoint.failure is not None:
            raise self._endpoint.failure from None
        return self._endpoint.spent()

    def _billed(self, message: SpokenMessage) -> SpokenMessage:
        """The message with what the attempts before it cost: empty ones are in no record, their price is."""
        if not self._unsaid:
            return message
        spent = total_spent([*self._unsaid, message])
        self._unsaid = []
        return message.model_copy(update=spent)

    def _fail(self, role: Role, note: str) -> None:
        self._end(Termination.AGENT_ERROR if role == "agent" else Termination.USER_ERROR, note)

    def _end(self, reason: Termination, note: str) -> None:
        self._note = note
        self.conversation.end(reason)

    def _seconds_left(self) -> float | None:
        if self._limits.timeout is None:
            return None
        return max(0.0, self._began + self._limits.timeout - time.monotonic())

    def _execute(self, call: ToolCall) -> ToolMessage:
        result = self._env.call(call.name, call.arguments, call.requestor)
        if self._env.domain.models is not None:
            self._searched.append(AssistantMessage(cost=self._env.domain.models.take_cost()))
        return ToolMessage(
            id=call.id,
            content=result.content,
            error=result.error,
            fault=result.fault,
            requestor=call.requestor,
            timestamp=now(),
            attachments=list(result.pictures),
        )

    def _run_for_agent(self, name: str, arguments: dict[str, Any]) -> str:
        """A call out of an agent's own tool loop: a step of the conversation like any other."""
        with self._lock:
            if self._cancelled:
                raise TrialCancelled("the trial was cancelled")
            turn = self.conversation.turn
            if not (isinstance(turn, Speak) and turn.role == "agent"):
                raise ConversationOver(f"{name} was called when it was not the agent's turn")
            call = ToolCall(id=f"call_{len(self.conversation.messages)}", name=name, arguments=arguments)
            self.conversation.receive(AssistantMessage(tool_calls=[call], cost=0.0, timestamp=now()))
            if self.conversation.over:
                raise ConversationOver("the conversation is over")
            try:
                result = self._execute(call)
            except Exception as error:
                self._broken = error  # whatever the agent's framework, or a protocol on the way, makes of it
                raise
            self.conversation.receive_results([result])
            self._interrupted()
            if self.conversation.over:
                raise ConversationOver("the conversation is over: a limit was reached")
            return as_seen(result, self._images).content or ""

    def _opening(self) -> Sequence[AnyMessage]:
        history = self._task.history
        if history or self._env.solo:
            # The past gets times of its own, a second apart, as in the reference.
            ago = [datetime.now() - timedelta(seconds=len(history) - i) for i in range(len(history))]
            times = [{"turn_idx": None, "timestamp": then.isoformat(timespec="microseconds")} for then in ago]
            return [message.model_copy(update=update) for message, update in zip(history, times, strict=True)]
        return [AssistantMessage(content=GREETING, cost=0.0, timestamp=now())]

    def _agent_context(self) -> AgentContext:
        tools = [ContextTool(t.name, t.schema, t.writes, self._run_for_agent) for t in self._env.tool_specs()]
        if self._env.solo:
            tools.append(ContextTool(DONE_TOOL, _DONE_SCHEMA, False, self._run_for_agent))
        return AgentContext(
            task_id=self._task.id,
            trial=self._trial,
            seed=self._seed,
            policy=self._env.policy,
            tools=tuple(tools),
            ticket=self._task.ticket if self._env.solo else None,
            plan=self._plan,
            open_endpoint=None if self._endpoint is None else self._endpoint.url,
            open_mcp=None if self._tool_server is None else lambda: self._serve_tools(tools),
            memory=self._memory,
            episode=len(self.conversation.episodes) + 1,
        )

    def _user_context(self) -> UserContext:
        return UserContext(
            task_id=self._task.id,
            trial=self._trial,
            seed=self._seed if self._user_seed is None else self._user_seed,
            scenario=self._scenario,
            tools=tuple(tool.schema for tool in self._env.tool_specs("user") if self._user_has(tool.name)),
            policy=self._env.policy,
            aims=self._task.aims,
        )

    def _user_has(self, name: str) -> bool:
        return self._task.user_tools is None or name in self._task.user_tools

    def simulation(self, *, agent: str, user: str) -> Simulation:
        """The finished conversation."""
        turn = self.conversation.turn
        if not isinstance(turn, Over):
            raise TauError("the conversation is not over yet")
        messages = [m.model_copy(update={"turn_idx": i}) for i, m in enumerate(self.conversation.messages)]
        return Simulation(
            id=str(uuid.uuid4()),
            domain=self._env.domain.name,
            task_id=self._task.id,
            trial=self._trial,
            seed=self._seed,
            user_seed=self._user_seed,
            solo=self._env.solo,
            agent=agent,
            user=user,
            agent_parameters=parameters(self._agent),
            user_parameters=parameters(self._user),
            knowledge=known.setting if (known := self._env.domain.knowledge) else None,
            messages=messages,
            episodes=self.conversation.episodes,
            termination_reason=turn.reason,
            steps=self.conversation.steps,
            errors=self.conversation.errors,
            agent_cost=cost([*messages, *self._unsaid, *self._searched], "assistant"),
            user_cost=cost([*messages, *self._unsaid], "user"),
            start_time=self._start,
            end_time=now(),
            duration=time.monotonic() - self._began,
            note=self._note,
        )


class OwnLoop:
    """Runs what async players return on an event loop of its own, made when it is first needed."""

    def __init__(self) -> None:
        self._runner: asyncio.Runner | None = None

    def __call__(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Its result."""
        if self._runner is None:
            import asyncio

            self._runner = asyncio.Runner()
        return self._runner.run(work)

    def close(self) -> None:
        """End the loop, if there is one."""
        if self._runner is not None:
            self._runner.close()


def play(trial: Trial, wait: Wait | None = None) -> None:
    """Play a trial to its end.

    Args:
        trial: the trial.
        wait: runs what an async player returns and gives the result; by default on an event loop that lives as long as
            the trial.
    """
    loop = OwnLoop()
    try:
        while (ask := trial.ask()) is not None:
            answer(trial, ask, wait or loop)
    finally:
        trial.close()
        loop.close()


async def aplay(trial: Trial) -> None:
    """Play a trial to its end on the running event loop."""
    try:
        while (ask := trial.ask()) is not None:
            await aanswer(trial, ask)
    finally:
        trial.close()


def answer(trial: Trial, ask: Ask, wait: Wait) -> None:
    """Ask the player whose turn it is, and hand the trial what comes of it."""
    try:
        reply = ask()
        if inspect.isawaitable(reply):
            reply = _waited(wait, reply, ask.seconds_left)
    except Exception as error:
        trial.failed(ask, error)
    else:
        trial.heard(ask, reply)


async def aanswer(trial: Trial, ask: Ask) -> None:
    """As :func:`answer`, on the running event loop."""
    try:
        reply = ask()
        if inspect.isawaitable(reply):
            reply = await _within(reply, ask.seconds_left)
    except Exception as error:
        trial.failed(ask, error)
    else:
        trial.heard(ask, reply)


def _waited(wait: Wait, reply: Any, seconds: float | None) -> Any:
    """What an async player answers. One whose wait was refused has not begun, and Python warns of what never does."""
    work = _within(reply, seconds)
    try:
        return wait(work)
    finally:
        if inspect.getcoroutinestate(work) == inspect.CORO_CREATED:
            work.close()
            if inspect.iscoroutine(reply):
                reply.close()


async def _within(reply: Any, seconds: float | None) -> Any:
    import asyncio

    async with asyncio.timeout(seconds):
        return await reply


_MESSAGES: TypeAdapter[list[Any]] = TypeAdapter(list[Message])


def _dumped(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    return [message.model_dump(mode="json", exclude_defaults=True) | {"role": message.role} for message in messages]
