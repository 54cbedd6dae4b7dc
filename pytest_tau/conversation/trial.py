"""One trial being played: it says whom to ask next, runs the tools, keeps the time, and takes what the players reply.

How it works. A :class:`Trial` waits for no player. :meth:`Trial.ask` runs the calls that wait for their results and
says whom to ask next; whoever drives it asks, and hands what came of it to :meth:`Trial.take_reply` or
:meth:`Trial.take_error`:

    while (ask := trial.ask()) is not None:
        trial.take_reply(ask, ask())

So one trial is played by :mod:`.run`, for sync and async players, and step by step by an
:class:`~pytest_tau.episode.Episode`. Whose turn it is is known by the :class:`~.turns.Conversation`; who the players
are and what they are told, by the :class:`~.seats.Seats`; what it has cost, by the :class:`~.billing.Bill`. Calls run
by the :class:`~.calling.CallRunner`. A trial can be watched and ended from other threads (:mod:`.watched`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, Self

from ..clock import Clock
from ..environment.environment import Environment
from ..errors import AgentFault, InfraError, TrialCancelled, describe
from ..schema.incidents import SPARED
from ..schema.messages import OUT_OF_SCOPE, AnyMessage, AssistantMessage, UserMessage
from ..schema.scenario import UserScenario
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..scrub import scrub
from .asking import Ask, AtWork, Interrupted
from .attaching import Images, attach_pictures, bind_pictures
from .billing import Bill
from .calling import CallRunner
from .customer import interruptions, out_of_patience
from .faults import Verdict, whose_fault
from .following import dump_messages, follow, opening, read
from .hearing import as_said, incidents_of, nothing
from .limits import Limits
from .ordering import CallOrder
from .protocols import AgentContext, AgentFactory, Endpoint, Plan, ToolServer, UserFactory
from .record import make_record
from .replies import ATTEMPTS, as_message, now, stamp
from .seats import PlayerBriefing, Seats
from .stalling import Circles
from .turns import GREETING, Conversation, Over, Role, RunTools
from .view import AgentView, disguise_factory
from .voices import Voices
from .watched import WatchedTrial


class Trial(WatchedTrial):
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
        plan: Plan | None = None,
        classify: Callable[[BaseException], Verdict] = whose_fault,
        endpoint: Endpoint | None = None,
        images: Images = "send",
        tool_server: ToolServer | None = None,
        run_text_calls: bool = False,
        view: AgentView | None = None,
        names: tuple[str, str] = ("agent", "user"),
    ) -> None:
        self._start = now()
        begun = opening(task.history, solo=env.solo)
        conversation = Conversation(begun, solo=env.solo, max_steps=limits.max_steps, max_errors=limits.max_errors)
        told = PlayerBriefing(trial, seed, user_seed, plan, endpoint, images, tool_server)
        seats = Seats(task, env, agent if view is None else disguise_factory(agent, view), user, told)
        super().__init__(conversation, Clock(limits.timeout), seats)
        self._task = task
        self._env = env
        self._told = told
        self._classify = classify
        self._scenarios = [task.user_scenario, *(one.user_scenario for one in task.episodes or [])]
        self._pictures = {one.id: one for scenario in self._scenarios for one in scenario.attachments or []}
        self._attempts = 0  # at a message that is one, by the side whose turn it is
        self._asked = 0.0
        self._finished: Simulation | None = None
        self._bill = Bill(endpoint)
        self._voices = Voices()
        self._run_text_calls = run_text_calls
        self._incidents: Counter[str] = Counter()
        self._circles = Circles(limits.stall, env.writes)
        self._max_steps = limits.max_steps
        self._opened_with = len(begun)
        self._view = view or AgentView()
        self._names = names  # as records call the agent and the customer
        take_calls = (lambda: ()) if endpoint is None else endpoint.take_calls
        self._calls = self._new_runner(CallOrder(take_calls, lambda name: name in self._tools_of("agent")))
        self.begun = False  # until it has its players

    def begin(self) -> Self:
        """Set up the world and make the players, once; both may take their time."""
        if not self.begun:
            self._set_up()
            self._seat()
            self.begun = True
        return self

    def _new_runner(self, order: CallOrder) -> CallRunner:
        parts = self._env, self.conversation, self._bill, self._voices, self._work, order
        is_cancelled, clock = lambda: self._cancelled, lambda: self.clock
        return CallRunner(*parts, self._told.images, self._seats.lock, is_cancelled, self._settle, clock)

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
        episode = len(self.conversation.episodes) + 1
        if self._told.endpoint is not None:
            self._told.endpoint.clock = self.clock
        self._circles = self._circles.fresh()
        self._seats.begin(episode, self._scenario, self._calls.run_for_agent, self._speak_as)
        self._voices.take_up([] if replaced else self.conversation.messages[self.conversation.begin :])
        roles: tuple[Role, ...] = ("agent", "user")
        for role in roles:
            if self.conversation.over:
                break
            try:
                with self.answering():
                    self._seats.take(role)
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
        twin.clock = Clock.after(self.clock.seconds, self.clock.timeout)
        twin._bill, twin._voices = self._bill.copy(), self._voices.copy()
        twin._finished = twin._closing = None
        twin._incidents = self._incidents.copy()
        twin._seats = self._seats.copy(twin._env, agent, user)
        twin._calls = twin._new_runner(self._calls.order)
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
            if isinstance(turn, RunTools):
                self._run_tools(turn)
                self._keep_time()
            elif not (self._goes_in_circles() or (turn.role == "user" and self._patience_is_over())):
                self._asked = self.clock.seconds
                player = self._seats.agent if turn.role == "agent" else self._seats.user
                seen = self._seats.visible_messages(turn.role, turn.messages)
                return Ask(turn.role, player, seen)

    def take_reply(self, ask: Ask, reply: Any) -> None:
        """Take what the player that was asked replied; raises PlayerError for what is no message.

        An empty one is asked for again, up to ``ATTEMPTS`` times in all.
        """
        try:
            message = as_message(reply, ask.role, ask.player)
            if ask.role == "agent" and self._calls.broken is not None:
                raise self._calls.broken
            message = self._bill.with_its_calls(message, self.conversation.messages)
            message = as_said(message, ask.role, partial(self._tools_of, ask.role), run=self._run_text_calls)
            if self._pictures and isinstance(message, UserMessage):
                message = attach_pictures(message, self._pictures)
        except Exception as error:
            self.take_error(ask, error)
            return
        for incident in incidents_of(message, ask.role):
            self._incidents[incident] += 1
        if self.conversation.over:  # one of its calls has ended it
            self._bill.said_nothing(message)
        elif not message.empty:
            self._attempts = 0
            seconds, turn = self.clock.seconds - self._asked, len(self.conversation.messages)
            message = stamp(self._bill.with_attempts(message), turn=turn, seconds=seconds)
            if isinstance(message, AssistantMessage):
                message = self._voices.sign(message)
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
        if ask.role == "agent" and self._calls.broken is not None:
            error, self._calls.broken = self._calls.broken, None
        self._bill.said_no_more(ask.role, ask.player, error, self.conversation.messages[self._opened_with :])
        if not self._ended_by(error, ask.role):
            raise error

    @property
    def _scenario(self) -> UserScenario:
        """The customer's, of the present conversation."""
        return self._scenarios[len(self.conversation.episodes)]

    def _next_episode(self) -> None:
        """Begin the trial's next conversation, where a customer has ended one and there is another.

        Who had nothing to go on with ends the trial: it can no longer be passed, and not by the agent's fault.
        """
        is_ended = self.conversation.reason is Termination.USER_STOP
        goes_on = is_ended and OUT_OF_SCOPE not in (self.conversation.messages[-1].content or "")
        if goes_on and len(self.conversation.episodes) + 1 < len(self._scenarios) and not self._env.solo:
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

    def _settle(self) -> bool:
        """Let what follows a call of the agent's own loop happen; whether the conversation is over then."""
        self._let_customer_interrupt()
        return self.conversation.over or self._goes_in_circles()

    def _tools_of(self, role: Role) -> set[str]:
        """The names of a side's tools."""
        return {tool.name for tool in self._env.tool_specs("assistant" if role == "agent" else "user")}

    def _goes_in_circles(self) -> bool:
        """Whether the conversation goes round in circles; then it is over."""
        circle = self._circles.find(self.conversation.messages[self.conversation.begin :])
        if circle is None:
            return False
        self._incidents[SPARED] += max(0, self._max_steps - self.conversation.steps)
        self._end(Termination.STALLED, circle)
        return True

    def _patience_is_over(self) -> bool:
        """Whether the customer's patience has come to its end; they say so and are gone."""
        patience, messages = self._scenario.patience, self.conversation.messages[self.conversation.begin :]
        if patience is None or not out_of_patience(patience, messages, self._env):
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
            results = [self._calls.execute(call, turn_idx) for turn_idx, call in enumerate(turn.calls, begin)]
            self.conversation.receive_results(results)
            self._let_customer_interrupt()
        except InfraError as error:  # a search asked a model that does not answer
            self._end(Termination.INFRASTRUCTURE_ERROR, f"{type(error).__name__}: {scrub(describe(error))}")
        except Interrupted:
            self._end(Termination.TIMEOUT, self._work.still("agent", "after the time limit"))

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

    def _speak_as(self, name: str, reason: str | None = None) -> None:
        """Note which agent inside the agent speaks from here on."""
        if not self.conversation.over:
            self._voices.speaks_as(name, reason, self._bill.set_aside())

    def simulation(self) -> Simulation:
        """The finished conversation; the same one whenever it is asked for, with what its agent's close() has cost."""
        if self._finished is None:
            parts = self._task, self._env, self._told, self._seats, self._bill, self.conversation
            self._finished = make_record(
                *parts,
                self._names,
                view=self._view,
                opened_with=self._opened_with,
                start=self._start,
                seconds=self.clock.seconds,
                note=self._note,
                incidents=self._incidents,
            )
        elif (cost := self._bill.total(self._finished.messages, "assistant")) != self._finished.agent_cost:
            self._finished = self._finished.model_copy(update={"agent_cost": cost})
        return self._finished
