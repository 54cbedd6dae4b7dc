"""A trial that its test plays step by step, for assertions on the way: what the fixture ``tau_conversation`` gives.

    def test_identifies_first(tau_conversation):
        tau_conversation.until(call="cancel_pending_order")
        assert tau_conversation.called("find_user_id_by_email")

It drives the same :class:`~pytest_tau.conversation.trial.Trial` as every trial; between two steps the test looks, or
says what one side says next. Such a trial is never played ahead of its test. Where the test ends before the
conversation does, the conversation so far is its record: a miss where an assertion of the test failed, a pass where it
came through.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from ...conversation.turns import Over, Role, RunTools, Speak
from ...errors import SettingsError
from ...evaluation.criteria.scene import has_argument
from ...evaluation.progress.milestones import milestone_statuses
from ...printable import printable
from ...schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from ...schema.transcript import calls_done, calls_made
from .from_recording import request_from_turn
from .outcomes import TauMiss
from .steering import Condition, Steering

if TYPE_CHECKING:
    from ...environment.domain import Domain
    from ...environment.environment import Environment
    from ...schema.reward import MilestoneStatus, Reward
    from ...schema.simulation import Simulation
    from ...schema.task import Task
    from .handle import TrialHandle

_FIXTURES = "the fixture tau_simulation or tau_reward"


class TauConversation:
    """The conversation of this trial, played on as far as the test asks.

    Whatever comes to nothing because the conversation ended before is a miss, with the verdict and the last turns. To
    ask for more after the test has played it to the end is a mistake of the test.
    """

    def __init__(self, handle: TrialHandle, steering: Steering) -> None:
        self._handle = handle
        self._steering = steering
        self._stopped_at: tuple[int, str] | None = None
        self._to_the_end: str | None = None
        self._missed = False
        if handle.started is not None:  # else another conversation would begin beside the one that counts
            raise SettingsError(
                f"the fixture tau_conversation comes too late: {_FIXTURES} has played the conversation to its end; "
                "leave it out, and ask tau_conversation for its simulation or reward"
            )

    # ---- beginning

    def from_recording(self, where: str | Path, *, turn: int) -> Self:
        """Begin in the middle of a logged conversation, in the world as it then was; before anything else.

        What the log had changed by then is changed, and those steps of the task's gold path are made.

        Args:
            where: a log, relative to the test's folder or the working folder; ``log.jsonl#id`` if it holds several
                conversations.
            turn: the message, from 0, that is the first to be played anew.

        Raises:
            RecordingError: there is no such log, conversation or turn.
        """
        self._refuse_at_the_end("from_recording")
        self._refuse_solo()
        request = self._handle.request
        request = request_from_turn(request, str(where), turn)
        self._steering.begin_with(request)
        self._handle.request = request
        return self

    # ---- playing on

    def until(
        self,
        *,
        call: str | None = None,
        text: str | None = None,
        milestone: str | None = None,
        turns: int | None = None,
        when: Callable[[TauConversation], object] | None = None,
    ) -> Self:
        """Play on until one of these; exactly one of them is given.

        Args:
            call: a side is about to call this tool; it has not run yet, nor have others of the same message. (Tools
                that an agent runs in a loop of its own have run by then.)
            text: a new message of either side holds this text, whatever its case.
            milestone: the milestone with this id has been reached.
            turns: so many more messages have been said or calls been made, by either side.
            when: a function of this conversation, asked after each message and each result, gives something true.

        Raises:
            TauMiss: the conversation ended before.
        """
        __tracebackhide__ = True
        self._refuse_at_the_end("until")
        conditions: dict[str, tuple[Any, Callable[[Any], Condition]]] = {
            "a call of": (call, self._about_to_call),
            "the text": (text, self._says),
            "the milestone": (milestone, self._has_reached),
            "the turns": (turns, self._goes_on),
            "the condition": (when, lambda asked: lambda: bool(asked(self))),
        }
        given = {what: pair for what, pair in conditions.items() if pair[0] is not None}
        if len(given) != 1:
            raise SettingsError("until() takes one of call, text, milestone, turns and when")
        [(what, (value, condition))] = given.items()
        shown = getattr(value, "__name__", value)
        if not self._steering.reach(condition(value)):
            self._raise_miss(f"{what} {shown}")
        if call is not None:
            self._stopped_at = (len(self.messages), call)
        return self

    def say(self, text: str) -> Self:
        """Put words into the customer's mouth: when it is their turn next they say this, and nobody asks them.

        Several are said one after the other, each in a turn of its own. Words that the conversation ends before are a
        miss.
        """
        __tracebackhide__ = True
        self._refuse_at_the_end("say")
        self._refuse_solo()
        self._steering.words.append(text)
        if self.over:
            self._miss_unsaid()
        return self

    def as_user(self, reply: str | ToolCall | UserMessage) -> Self:
        """Play on to the customer's turn, and speak or call in their place, now."""
        __tracebackhide__ = True
        self._refuse_at_the_end("as_user")
        self._refuse_solo()
        return self._instead("user", reply)

    def as_agent(self, reply: str | ToolCall | AssistantMessage) -> Self:
        """Play on to the agent's turn, and speak or call in its place, now."""
        __tracebackhide__ = True
        self._refuse_at_the_end("as_agent")
        return self._instead("agent", reply)

    def let_it_run(self, turns: int | None = None) -> Self:
        """Let both sides go on by themselves for so many turns, or to the end; an end before that is no miss."""
        __tracebackhide__ = True
        self._steering.reach(self._goes_on(turns) if turns is not None else lambda: False)
        if turns is None:
            self._played_to_the_end("let_it_run()")
        return self

    def finish(self) -> Reward:
        """Play to the end and grade; ends the test where the provider or the customer failed."""
        __tracebackhide__ = True
        reward = self._handle.reward
        self._played_to_the_end("finish()")
        return reward

    # ---- looking

    @property
    def reward(self) -> Reward:
        """The grade; plays to the end first."""
        __tracebackhide__ = True
        reward = self._handle.reward
        self._played_to_the_end("reward")
        return reward

    @property
    def simulation(self) -> Simulation:
        """The record of the trial; plays to the end first."""
        __tracebackhide__ = True
        simulation = self._handle.simulation
        self._played_to_the_end("simulation")
        return simulation

    @property
    def messages(self) -> list[AnyMessage]:
        """What has been said and done so far, by both sides."""
        return self._steering.trial.conversation.messages

    @property
    def over(self) -> bool:
        """Whether the conversation has ended."""
        return self._steering.trial.conversation.over

    @property
    def next(self) -> Role | None:
        """Whose turn it is: "agent" or "user"; the side that calls where calls wait, None once it is over."""
        turn = self._steering.trial.conversation.turn
        if isinstance(turn, RunTools):
            return "agent" if turn.calls[0].requestor == "assistant" else "user"
        return turn.role if isinstance(turn, Speak) else None

    @property
    def waiting(self) -> list[ToolCall]:
        """The calls that are about to run."""
        turn = self._steering.trial.conversation.turn
        return list(turn.calls) if isinstance(turn, RunTools) else []

    @property
    def world(self) -> Environment:
        """The world the trial is played in, as it is now: ``world.tools.db`` is the agent's database."""
        return self._steering.trial.world

    @property
    def task(self) -> Task:
        """The task."""
        return self._handle.request.slot.task

    @property
    def domain(self) -> Domain:
        """The task's domain."""
        return self._handle.request.slot.domain

    @property
    def stations(self) -> list[MilestoneStatus]:
        """The milestones so far; of a task without any its gold actions that write."""
        return milestone_statuses(self.task, self.messages, self.domain, solo=self._handle.request.solo)

    @property
    def progress(self) -> float | None:
        """How far it has got, 0 to 1."""
        from ...schema.reward import Reward

        return Reward(stations=self.stations).progress

    def called(self, name: str, **arguments: Any) -> bool:
        """Whether a call of this tool with at least these arguments has succeeded, by either side."""
        world = self.domain.environment(self.task)
        return any(
            all(has_argument(call, one, wanted, world) for one, wanted in arguments.items())
            for _, call, _ in calls_done(self.messages)
            if call.name == name
        )

    def said(self, text: str, by: Role | None = None) -> bool:
        """Whether a message of one side, or of either, holds this text, whatever its case."""
        return any(_says(message, text, by) for message in self.messages)

    # ---- within

    def _instead(self, role: Role, reply: Any) -> Self:
        __tracebackhide__ = True
        trial = self._steering.trial
        reached = self._steering.reach(lambda: self.next == role and not self.waiting)
        ask = trial.ask() if reached else None
        if ask is None:  # it has ended, or the time is up
            self._raise_miss(f"a turn of the {role}")
        if isinstance(reply, ToolCall):
            named = reply if reply.id else reply.model_copy(update={"id": f"call_{len(self.messages)}"})
            reply = (AssistantMessage if role == "agent" else UserMessage)(tool_calls=[named], cost=0.0)
        elif isinstance(reply, str):
            reply = (AssistantMessage if role == "agent" else UserMessage)(content=reply, cost=0.0)
        trial.take_reply(ask, reply)
        return self

    def _about_to_call(self, name: str) -> Condition:
        before, seen = self._stopped_at, len(self.messages)

        def is_due() -> bool:
            here = any(call.name == name for call in self.waiting) and before != (len(self.messages), name)
            return here or any(turn >= seen and call.name == name for turn, call, _ in calls_made(self.messages))

        return is_due

    def _says(self, text: str) -> Condition:
        seen = len(self.messages)
        return lambda: any(_says(message, text, None) for message in self.messages[seen:])

    def _has_reached(self, milestone: str) -> Condition:
        known = [status.id for status in self.stations]
        if milestone not in known:
            raise SettingsError(f"the task has no milestone '{milestone}'; it has {', '.join(known)}")
        return lambda: any(one.id == milestone and one.turn is not None for one in self.stations)

    def _goes_on(self, turns: int) -> Condition:
        seen = len(self.messages)
        return lambda: sum(not isinstance(one, ToolMessage) for one in self.messages[seen:]) >= turns

    def _played_to_the_end(self, by: str) -> None:
        __tracebackhide__ = True
        self._to_the_end = self._to_the_end or by
        self._miss_unsaid()

    def _refuse_at_the_end(self, method: str) -> None:
        if self._handle.started is not None and not self._missed:
            self._to_the_end = self._to_the_end or _FIXTURES
        if self._to_the_end is not None:
            raise SettingsError(f"{method}() comes too late: {self._to_the_end} has played the conversation to its end")

    def _miss_unsaid(self) -> None:
        __tracebackhide__ = True
        if words := self._steering.words:
            said = words[0]
            words.clear()  # so that it is told once
            self._raise_miss(f"the customer could say '{said}'")

    def _refuse_solo(self) -> None:
        if self._handle.request.solo:
            raise SettingsError("in solo mode there is no customer whose words could be said")

    def _raise_miss(self, what: str) -> NoReturn:
        __tracebackhide__ = True
        turn = self._steering.trial.conversation.turn
        ended = turn.reason.value if isinstance(turn, Over) else "its limit"
        self._missed = True  # it is graded now, and by no wish of the test
        _ = self._handle.simulation  # a provider or a customer that failed is no miss
        raise TauMiss(f"the conversation ended ({ended}) before {printable(what)}\n{self._handle.verdict_text()}")


def _says(message: AnyMessage, text: str, by: Role | None) -> bool:
    if isinstance(message, ToolMessage) or by not in (None, "agent" if message.role == "assistant" else "user"):
        return False
    return text.casefold() in message.text.casefold()
