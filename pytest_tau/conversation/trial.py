"""One trial being played: it says whom to ask next, runs the tools, keeps the time, and takes what the players reply.

How it works. A :class:`Trial` waits for no player. :meth:`Trial.ask` runs the calls that wait for their results and
says whom to ask next; whoever drives it asks, and hands what came of it to :meth:`Trial.take_reply` or
:meth:`Trial.take_error`:

    while (ask := trial.ask()) is not None:
        trial.heard(ask, ask())

So one trial is played by :mod:`.run`, for sync and async players, and step by step by an
:class:`~pytest_tau.episode.Episode`. Whose turn it is is known by the :class:`~.turns.Conversation`; who the players
are and what they are told, by the :class:`~.seats.Seats`; what it has cost, by the :class:`~.billing.Bill`.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

from ..clock import monotonic
from ..environment.environment import Environment
from ..errors import AgentFault, ConversationOver, InfraError, TauError, TrialCancelled, describe
from ..schema.incidents import FOREIGN_ID, SPARED
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from ..schema.scenario import UserScenario
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..scrub import scrub
from .asking import Ask, AtWork, Interrupted
from .attaching import Images, as_seen, attach_pictures, bind_pictures
from .billing import Bill
from .customer import interruptions, out_of_patience
from .faults import Verdict, whose_fault
from .following import dump_messages, follow, opening, read
from .hearing import as_said, incidents_of, nothing
from .limits import Clock, Limits
from .lingering import foreign_ids
from .ordering import CallOrder
from .protocols import AgentContext, AgentFactory, Endpoint, ToolServer, UserFactory
from .replies import ATTEMPTS, as_message, is_ours, now, parameters, stamp
from .seats import PlayerBriefing, Seats
from .stalling import Circles
from .turns import GREETING, Conversation, Over, Role, RunTools, Speak
from .view import AgentView, disguise_factory, with_heard
from .voices import Voices

# Seconds for close() of an agent, after which whoever watches loses patience.
TO_CLOSE = 5.0


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
        classify: Callable[[BaseException], Verdict] = whose_fault,
        endpoint: Endpoint | None = None,
        images: Images = "send",
        tool_server: ToolServer | None = None,
        run_text_calls: bool = False,
        begins: Callable[[Trial], None] = lambda trial: None,
        view: AgentView | None = None,
    ) -> None:
        self._task = task
        self._env = env
        self._trial = trial
        self._seed = seed
        self._user_seed = user_seed
        self._plan = plan
        self._classify = classify
        self._images: Images = images
        self._broken: Exception | None = None
        self._scenarios = [task.user_scenario, *(one.user_scenario for one in task.episodes or [])]
        self._pictures = {one.id: one for scenario in self._scenarios for one in scenario.attachments or []}
        self._note: str | None = None
        self._attempts = 0  # at a message that is one, by the side whose turn it is
        self._asked = 0.0
        self._cancelled = False
        self.abandoned = False
        self._closing: Clock | None = None
        self._finished: Simulation | None = None
        self._work = AtWork()
        self._bill = Bill(endpoint)
        self._voices = Voices()
        self._order = self._new_order(endpoint)
        self._run_text_calls = run_text_calls
        self._incidents: Counter[str] = Counter()
        self._circles = Circles(limits.stall, env.writes)
        self._max_steps = limits.max_steps
        self.clock = Clock(limits.timeout)
        self._start = now()
        self.conversation = Conversation(
            opening(task.history, solo=env.solo),
            solo=env.solo,
            max_steps=limits.max_steps,
            max_errors=limits.max_errors,
        )
        self._opened_with = len(self.conversation.messages)
        told = PlayerBriefing(trial, seed, user_seed, plan, endpoint, images, tool_server)
        self._view = view or AgentView()
        self._seats = Seats(task, env, agent if view is None else disguise_factory(agent, view), user, told)
        begins(self)  # its tools and players may take their time already before the first turn
        self._set_up()
        self._seat()

    def _new_order(self, endpoint: Endpoint | None) -> CallOrder:
        return CallOrder((lambda: ()) if endpoint is None else endpoint.take_calls, self._has_tool)

    def _has_tool(self, name: str) -> bool:
        return name in self._tools_of("agent")

    def _set_up(self) -> None:
        """Bring the world into the task's initial state."""
        try:
            self._work.running = f"the initial state of task '{self._task.id}'"
            self._env.set_up(self._task)
            self._work.running = None
        except Interrupted:
            self._end(Termination.TIMEOUT, self._work.still("agent", "after the time limit"))

    def _seat(self, *, replaced: bool = False) -> None:
        """Make the players; those who come into the middle of a conversation take it up, where they can.

        Where a factory ends the trial, as a reply may, by a fault of the player or its provider, there is none. An
        agent that has ``replaced`` another goes on under no name of that one's.
        """
        self._seats.begin(len(self.conversation.episodes) + 1, self._run_for_agent, self._speak_as)
        self._voices.take_up([] if replaced else self.conversation.messages[self.conversation.begin :])
        roles: tuple[Role, ...] = ("agent", "user")
        for role in roles:
            if self.conversation.over:
                break
            try:
                with self.answering():
                    self._seats.take(role, self._scenario)
            except (Exception, Interrupted) as error:
                if not self._ended_by(error, role):
                    self.close()
                    raise
        begin = self.conversation.begin
        opened = begin + 1 if begin else self._opened_with
        if len(self.conversation.messages) > opened:
            self._seats.take_up(self.conversation, opened)

    @property
    def context(self) -> AgentContext:
        """What the agent of the present conversation was made with."""
        return self._seats.context

    def fork(self, *, agent: AgentFactory | None = None, user: UserFactory | None = None) -> Trial:
        """A trial that stands where this one does and goes its own way from here.

        Its players are made anew and see what has been said. One that remembers more than the messages tell it needs
        a method ``resume(messages, begin)``: all that it has seen, and the first of them that is not the task's past.

        Args:
            agent: who plays the agent from here; by default the same factory.
            user: who plays the customer from here; by default the same factory.
        """
        twin = copy(self)
        twin._env, twin.conversation = self._env.copy(), self.conversation.copy()
        twin._bill, twin._voices, twin._broken = self._bill.copy(), self._voices.copy(), None
        twin._finished = twin._closing = None
        twin._incidents, twin._circles = self._incidents.copy(), self._circles.fresh()
        twin._seats = self._seats.copy(twin._env, agent, user)
        twin._seat(replaced=agent is not None)
        return twin

    def follow(self, messages: Sequence[AnyMessage], *, strict: bool = True) -> None:
        """Take over what was said and done in a recording, from where this trial stands.

        Under ``strict`` its writing calls must return what was recorded. Raises RecordingError where it does not go on
        from here.
        """
        follow(self.conversation, self._env, messages, strict=strict)
        self._next_episode()
        self._seat()

    @property
    def session_id(self) -> str:
        """What its agent is told as ``context.session_id``: the id of its record, without the dashes."""
        return self._seats.session

    @property
    def world(self) -> Environment:
        """The world it is played in."""
        return self._env

    def state(self) -> dict[str, Any]:
        """Where the trial stands, as JSON: what :meth:`restore` needs beside what the trial was made with."""
        ended = self.conversation.reason
        return {
            "messages": dump_messages(self.conversation.messages),
            **self._bill.state(),
            "attempts": self._attempts,
            "seconds": self.clock.seconds,
            "memory": self._seats.memory,
            "ended": ended,
            "note": self._note,
            "incidents": dict(self._incidents),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a fresh trial to where another of the same task stood; raises RecordingError, pydantic's ValueError."""
        messages = [bind_pictures(one, self._pictures) for one in read(state["messages"])]
        self.conversation.messages[:] = messages[: self._opened_with]
        self.follow(messages[self._opened_with :])
        self._bill.restore(state)
        self._attempts, self._note = state["attempts"], state["note"]
        self._incidents = Counter(state.get("incidents", {}))
        self.clock = Clock.after(state["seconds"], self.clock.timeout)
        self._seats.memory.update(state["memory"])
        if state["ended"] is not None:
            self.conversation.end(Termination(state["ended"]))

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
            if isinstance(turn, Speak) and (
                self._goes_in_circles() or (turn.role == "user" and self._patience_is_over())
            ):
                continue
            if isinstance(turn, Speak):
                self._asked = monotonic()
                asked = self._seats.agent if turn.role == "agent" else self._seats.user
                return Ask(
                    turn.role, asked, self._seats.visible_messages(turn.role, turn.messages), self.clock.seconds_left
                )
            self._run_tools(turn)
            self._keep_time()

    def take_reply(self, ask: Ask, reply: Any) -> None:
        """Take what the player that was asked replied; raises PlayerError for what is no message.

        An empty one is asked for again, up to ``ATTEMPTS`` times in all.
        """
        try:
            message = as_message(reply, ask.role, ask.player)
            if ask.role == "agent" and self._broken is not None:
                raise self._broken
            message = self._bill.with_its_calls(message, self.conversation.messages)
            message = as_said(message, ask.role, partial(self._tools_of, ask.role), run=self._run_text_calls)
            if self._pictures and isinstance(message, UserMessage):
                message = attach_pictures(message, self._pictures)
        except Exception as error:
            self.take_error(ask, error)
            return
        for incident in incidents_of(message, ask.role):
            self._incidents[incident] += 1
        if not message.empty:
            self._attempts = 0
            seconds, turn = monotonic() - self._asked, len(self.conversation.messages)
            message = stamp(self._bill.with_attempts(message), turn=turn, seconds=seconds)
            if isinstance(message, AssistantMessage):
                message = self._voices.sign(message)
            if not self.conversation.over:
                self.conversation.receive(message)
                self._next_episode()
        else:
            self._bill.said_nothing(message)
            self._attempts += 1
            if self._attempts == ATTEMPTS:
                self._fail(ask.role, nothing(ask.role, message, ATTEMPTS))
        self._keep_time()

    def answering(self) -> AtWork:
        """Within it a player is at work, and may be interrupted: ``is_busy``."""
        return self._work

    def take_error(self, ask: Ask, error: Exception | Interrupted) -> None:
        """Take an exception out of the player that was asked; raises it again where it does not end the trial."""
        if self.abandoned or (self._cancelled and not self.conversation.over):
            raise TrialCancelled("the trial was cancelled while it waited for a reply") from error
        if ask.role == "agent" and self._broken is not None:
            error, self._broken = self._broken, None
        self._bill.said_no_more(ask.role, getattr(error, "spent", ()))
        if not self._ended_by(error, ask.role):
            raise error

    @property
    def _scenario(self) -> UserScenario:
        """The customer's, of the present conversation."""
        return self._scenarios[len(self.conversation.episodes)]

    def _next_episode(self) -> None:
        """Begin the trial's next conversation, where a customer has ended one and there is another."""
        ended = self.conversation.reason is Termination.USER_STOP
        if ended and len(self.conversation.episodes) + 1 < len(self._scenarios) and not self._env.solo:
            self._work.running = "close() of the agent"
            self._seats.close_agent()
            self._work.running = None
            self.conversation.begin_again(AssistantMessage(content=GREETING, cost=0.0, timestamp=now()))
            self._seat()

    def _let_customer_interrupt(self) -> None:
        """Let the customer speak after the calls that have just run, where the scenario says so."""
        if not self._scenario.interrupts or self.conversation.over or self._env.solo:
            return
        said_now = interruptions(self._scenario, self.conversation.messages[self.conversation.begin :])
        if words := " ".join(said_now):
            self.conversation.interrupt(UserMessage(content=words, cost=0.0, timestamp=now()))
            self._next_episode()

    def _tools_of(self, role: Role) -> set[str]:
        """The names of a side's tools."""
        return {tool.name for tool in self._env.tool_specs("assistant" if role == "agent" else "user")}

    def _goes_in_circles(self) -> bool:
        """Whether the conversation goes round in circles; then it is over."""
        circle = self._circles.find(self.conversation.messages)
        if circle is None:
            return False
        self._incidents[SPARED] += max(0, self._max_steps - self.conversation.steps)
        self._end(Termination.STALLED, circle)
        return True

    def _patience_is_over(self) -> bool:
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
        if self.clock.is_up and not self.conversation.runs:
            self.conversation.end(Termination.TIMEOUT)

    def _run_tools(self, turn: RunTools) -> None:
        try:
            begin = len(self.conversation.messages)
            self.conversation.receive_results([self._execute(call, at) for at, call in enumerate(turn.calls, begin)])
            self._let_customer_interrupt()
        except InfraError as error:  # a search asked a model that does not answer
            self._end(Termination.INFRASTRUCTURE_ERROR, f"{type(error).__name__}: {scrub(describe(error))}")
        except Interrupted:
            self._end(Termination.TIMEOUT, self._work.still("agent", "after the time limit"))

    def end(self, reason: Termination, note: str | None = None) -> None:
        """End the conversation where it is, unless it has ended already."""
        if not self.conversation.over:
            self._note = note
            self.conversation.end(reason)

    def cancel(self) -> None:
        """Let the trial end without a result, with TrialCancelled, before the next turn; from any thread."""
        self._cancelled = True

    @property
    def is_busy(self) -> bool:
        """Whether a player or a tool is at work, and may be interrupted."""
        return bool(self._work) or self._closing is not None

    @property
    def turns(self) -> int | None:
        """How many messages there are so far, while it is being played; None once it is over."""
        return None if self.conversation.over or self._seats.closed else len(self.conversation.messages)

    @property
    def label(self) -> tuple[str, int]:
        """The domain and the task, and which trial of it this is."""
        return f"{self._env.domain.name}/{self._task.id}", self._trial

    @property
    def overdue(self) -> float:
        """Seconds beyond the limit of the trial, or of closing its agent; 0.0 while there is time, or all is over."""
        if self._closing is not None:
            return self._closing.overdue
        return 0.0 if self.conversation.over else self.clock.overdue

    @property
    def is_closing(self) -> bool:
        """Whether the conversation is over, and the agent is being let go."""
        return self._closing is not None and self.conversation.over

    def abandon(self) -> None:
        """End the trial for its time limit though a player or a tool is still at work; from any thread.

        What comes of that then is heard by nobody: whoever plays the trial gets TrialCancelled.
        """
        turn = self.conversation.turn
        role = turn.role if isinstance(turn, Speak) else "agent"
        self._cancelled = self.abandoned = True
        self._end(Termination.TIMEOUT, self._work.still(role, f"{self.overdue:.0f} s after the time limit"))
        letting_go = threading.Thread(target=self._seats.close, args=(0.0,), name="tau-close", daemon=True)
        letting_go.start()  # in a thread of its own, as this one is not to wait for the agent again
        letting_go.join(TO_CLOSE)

    def leave_closing(self) -> None:
        """Go on without an agent that does not come back from its close(); from any thread."""
        self.abandoned = True
        self._seats.warn_of_close("had not returned after its time")

    def close(self) -> None:
        """Let go of what the trial and its agent hold open; nothing happens when that has been done.

        Who watches over the trial may interrupt an agent that takes longer than ``TO_CLOSE`` seconds for it.
        """
        left = self.clock.seconds_left
        self._closing = Clock(TO_CLOSE)
        try:
            self._seats.close(TO_CLOSE if left is None else min(left, TO_CLOSE))
        except Interrupted:  # between two lines of ours
            self._seats.warn_of_close("had not returned after its time")
        finally:
            self._closing = None

    def _ended_by(self, error: Exception | Interrupted, role: Role) -> bool:
        """Whether an exception out of a player ends the trial; any other is a bug, or a tool of another trial."""
        if self.conversation.over:
            return True  # one of its tools said so, whatever its framework made of that
        if isinstance(error, AgentFault):
            self._fail(role, scrub(describe(error)))
        elif self.clock.is_up:
            self._end(Termination.TIMEOUT, self._work.still(role, "after the time limit"))
        elif verdict := self._classify(error):
            note = f"{type(error).__name__}: {scrub(describe(error))}"
            if (why := scrub(self._bill.why_unanswered(role))) and why not in note:
                note = f"{note}; the endpoint could not answer: {why}"
            if verdict == "miss":
                self._fail(role, note)
            else:
                self._end(Termination.INFRASTRUCTURE_ERROR, note)
        return self.conversation.over

    def _fail(self, role: Role, note: str) -> None:
        self._end(Termination.AGENT_ERROR if role == "agent" else Termination.USER_ERROR, note)

    def _end(self, reason: Termination, note: str) -> None:
        self._note = note
        self.conversation.end(reason)

    def _execute(self, call: ToolCall, turn: int) -> ToolMessage:
        try:
            self._work.running = f"the tool {call.name} of domain '{self._env.domain.name}'"
            result = self._env.call(call.name, call.arguments, call.requestor)
        except Exception:
            self._work.running = None
            raise
        self._work.running = None
        self._bill.add_search_costs(self._env.domain)
        return ToolMessage(
            id=call.id,
            content=result.content,
            error=result.error,
            fault=result.fault,
            requestor=call.requestor,
            turn_idx=turn,
            timestamp=now(),
            attachments=list(result.pictures),
        )

    def _run_for_agent(self, name: str, arguments: dict[str, Any]) -> str:
        """A call out of an agent's own tool loop: a step of the conversation like any other."""
        try:
            with self._order.turn(name, arguments) as goes_on, self._seats.lock:
                return self._run_in_order(name, arguments, goes_on)
        except ConversationOver:
            if self.conversation.over:
                self._bill.close()  # some frameworks take it for an error of the tool, and ask their model for ever
            raise

    def _run_in_order(self, name: str, arguments: dict[str, Any], goes_on: bool) -> str:
        """Run a call when it is its turn; one that ``goes_on`` is from the same message as the call before it."""
        if self._cancelled:
            raise TrialCancelled("the trial was cancelled")
        turn = self.conversation.turn
        if not (isinstance(turn, Speak) and turn.role == "agent"):
            raise ConversationOver(f"{name} was called when it was not the agent's turn")
        try:
            call = ToolCall(id=f"call_{len(self.conversation.messages)}", name=name, arguments=arguments)
        except ValueError:
            raise AgentFault(f"{name} was called with arguments that are nested too deeply") from None
        if not (goes_on and self.conversation.receive_more(call, self._voices.author)):
            made = AssistantMessage(tool_calls=[call], cost=0.0, timestamp=now())
            made = self._voices.sign(self._bill.with_answers(made, len(self.conversation.messages)))
            self.conversation.receive(made)
        if self.conversation.over:
            raise ConversationOver("the conversation is over")
        try:
            result = self._execute(call, len(self.conversation.messages))
        except Exception as error:
            self._broken = error  # whatever the agent's framework, or a protocol on the way, makes of it
            raise
        if self.conversation.over:
            raise ConversationOver(f"{name} came back when the conversation was over")
        self.conversation.receive_results([result])
        self._let_customer_interrupt()
        if self.conversation.over or self._goes_in_circles():
            raise ConversationOver("the conversation is over: a limit was reached")
        return as_seen(result, self._images).content or ""

    def _speak_as(self, name: str, reason: str | None = None) -> None:
        """Note which agent inside the agent speaks from here on."""
        if not self.conversation.over:
            self._voices.speaks_as(name, reason, self._bill.set_aside())

    def simulation(self, *, agent: str, user: str) -> Simulation:
        """The finished conversation; the same one whenever it is asked for."""
        if self._finished is not None and (self._finished.agent, self._finished.user) == (agent, user):
            return self._finished
        reason = self.conversation.reason
        if reason is None:
            raise TauError("the conversation is not over yet")
        said = (with_heard(message, self._view) for message in self.conversation.messages)
        messages = [m if m.turn_idx == turn else m.model_copy(update={"turn_idx": turn}) for turn, m in enumerate(said)]
        self._finished = Simulation(
            id=str(uuid.UUID(self.session_id)),
            domain=self._env.domain.name,
            task_id=self._task.id,
            trial=self._trial,
            seed=self._seed,
            user_seed=self._user_seed,
            solo=self._env.solo,
            agent=agent,
            user=user,
            agent_parameters=parameters(self._seats.agent) or self._bill.models_asked(),
            user_parameters=parameters(self._seats.user),
            knowledge=known.setting if (known := self._env.domain.knowledge) else None,
            messages=messages,
            episodes=self.conversation.episodes,
            termination_reason=reason,
            steps=self.conversation.steps,
            errors=self.conversation.errors,
            agent_cost=self._bill.total(messages, "assistant"),
            user_cost=self._bill.total(messages, "user"),
            start_time=self._start,
            end_time=now(),
            duration=self.clock.seconds,
            note=self._note,
            incidents=dict(self._incidents) | self._of_another_trial(),
        )
        return self._finished

    def _of_another_trial(self) -> dict[str, int]:
        """How many ids of records the agent began with that nobody had told it; ours keep nothing."""
        maker, opened = self._seats.maker, self._opened_with
        if is_ours(maker) or is_ours(type(self._seats.agent)) or getattr(self._seats.agent, "knows_the_task", False):
            return {}
        before = [self._env.policy, self._task.ticket, self._plan]
        before += [message.content for message in self.conversation.messages[:opened]]
        found = foreign_ids(
            self.conversation.messages[opened:], " ".join(filter(None, before)), self._env.domain.base.owners
        )
        return {f"agent: {FOREIGN_ID}": len(found)} if found else {}
