"""A trial step by step: the caller is the agent, and everybody else plays by the rules of a trial.

    episode = Episode(task, domain, user="scripted", seed=1)
    observation = episode.reset()
    while not episode.done:
        observation, reward, done, info = episode.step(policy(observation))

How it works. An episode drives the same :class:`~pytest_tau.conversation.run.Trial` that pytest plays. It lets the
customer answer and the tools run until it is the agent's turn, and stops there; :meth:`Episode.step` hands over what
the agent does. So turn rules, limits and the record are those of a trial, and so is the grade.

An episode can be held, copied and stored at any turn. A fork copies no message and no record of the world: messages
never change, and both worlds share the records touched so far until one of them touches them again. The customer of a
fork is made anew and takes up the conversation that it sees. What is stored are the messages; loading executes the
writing calls again, as grading does.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from .agents.act import written_action, written_chat
from .agents.prompts import ACT_FORM, system_prompt
from .conversation.faults import is_infra
from .conversation.protocols import AgentContext, UserFactory
from .conversation.replies import cost
from .conversation.run import Ask, Limits, OwnLoop, Trial, aanswer, answer
from .conversation.turns import seen_by_agent
from .environment.attachments import carrying, with_attachments
from .environment.domain import Domain
from .errors import ConversationOver, PlayerError, RecordingError, SettingsError, TaskError, TauError, said
from .evaluation.grade import grade, violated
from .evaluation.milestones import stations
from .llm.chat import Chat, system, to_chat
from .schema.messages import AnyMessage, AssistantMessage, ToolCall, in_words
from .schema.reward import Reward, Violation
from .schema.simulation import Simulation, Termination
from .schema.task import Task
from .seeds import trial_seed
from .simulating import DEFAULT_SEED, player_name
from .users.names import named_user

Action = str | ToolCall | AssistantMessage
FORMAT = 1
# Who played, in records of episodes that do not say.
AGENT = "episode"


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

    def __init__(self, episode: Episode) -> None:
        trial = episode._trial
        self._task, self._domain, self._solo = episode.task, episode.domain, episode._solo
        self._messages: Sequence[AnyMessage] = [*trial.conversation.messages]
        self._over = trial.conversation.over
        self._finished = partial(trial.simulation, agent=AGENT, user=player_name(episode._user))
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
    def _played(self) -> Simulation:
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
        return grade(self._task, self._played, self._domain) if self._over else None

    @cached_property
    def _standing(self) -> Reward:
        """The grade, or before the end one that says how far the trial has got and nothing else."""
        if self._reward is not None:
            return self._reward
        return Reward(stations=stations(self._task, self._messages, self._domain, solo=self._solo))

    @cached_property
    def _violations(self) -> list[Violation]:
        if self._reward is not None and self._reward.basis is not None:
            return self._reward.violations
        return [one for one in violated(self._task, self._played, self._domain) if one.turn is not None]

    def _termination(self) -> str | None:
        return self._played.termination_reason.value if self._over else None

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


def passed(before: Info, after: Info) -> float:
    """The sparse reward: what the trial earns at its end, 0 before it and where it cannot be graded."""
    reward = after["reward"]
    return 0.0 if reward is None or reward.value is None else float(reward.value)


@dataclass(frozen=True)
class Shaped:
    """A reward for every step: what it adds to progress, what it breaks, and the pass at the end.

    ``progress``: for all milestones together, each as it is reached; what a minefield takes away is taken away again.
    ``violation``: for each rule of the policy that it breaks. ``passed``: for the full reward at the end.
    """

    progress: float = 0.5
    violation: float = -0.1
    passed: float = 0.5

    def __call__(self, before: Info, after: Info) -> float:
        """The reward of the step between them."""
        gained = (after["progress"] or 0.0) - (before["progress"] or 0.0)
        broken = len(after["violations"]) - len(before["violations"])
        return self.progress * gained + self.violation * broken + self.passed * passed(before, after)


class Episode:
    """One trial of a task, played step by step.

    Args:
        task: the task to play.
        domain: the domain it belongs to.
        user: who plays the customer: a name, or a factory called with a UserContext.
        seed: of the run; the trial's own seed is derived from it, as in a run of pytest.
        trial: counts from 1.
        solo: the agent works alone on the task's ticket.
        limits: when the conversation is cut off; by default after 200 steps or 10 failed calls, and never by the clock.
        reward: what a step earns, from how the episode stood before it and how it stands after it.

    Raises:
        TauError: the task's initial state, the customer's name or the mode cannot be used.
    """

    def __init__(
        self,
        task: Task,
        domain: Domain,
        user: str | UserFactory = "scripted",
        *,
        seed: int = DEFAULT_SEED,
        trial: int = 1,
        solo: bool = False,
        limits: Limits | None = None,
        reward: Callable[[Info, Info], float] = passed,
    ) -> None:
        self.task = task
        self.domain = domain
        self.seed = seed
        self._user = user
        self._maker = named_user(user) if isinstance(user, str) else user
        self._number = trial
        self._solo = solo
        self._limits = limits or Limits(timeout=None)
        self._rewarded = reward
        self._loop = OwnLoop()
        self._begun: Trial | None = None
        self._asked: Ask | None = None
        self._info: Info | None = None

    # ---- playing

    def reset(self, *, seed: int | None = None) -> Observation:
        """Begin the trial anew, with another seed if one is given, and let the customer open the conversation."""
        self._begin(seed)
        self._go_on()
        return self.observation

    def step(self, action: Action) -> tuple[Observation, float, bool, Info]:
        """Do what the agent does, and let tools and customer answer until it is the agent's turn again.

        Args:
            action: a text for the customer, a call, or a message, which may make several calls.

        Returns:
            observation: what the agent sees now.
            reward: what the step earned.
            done: whether the conversation is over.
            info: how the episode stands, see :class:`Info`.

        Raises:
            ConversationOver: the episode is over.
            PlayerError: this is no action.
        """
        before = self._act(action)
        self._go_on()
        return self._outcome(before)

    async def areset(self, *, seed: int | None = None) -> Observation:
        """As :meth:`reset`, on the running event loop."""
        self._begin(seed)
        await self._ago_on()
        return self.observation

    async def astep(self, action: Action) -> tuple[Observation, float, bool, Info]:
        """As :meth:`step`, on the running event loop."""
        before = self._act(action)
        await self._ago_on()
        return self._outcome(before)

    def close(self) -> None:
        """End the event loop that async customers were run on, if there was one."""
        self._loop.close()

    # ---- looking

    @property
    def observation(self) -> Observation:
        """What the agent sees now."""
        return Observation(self._asked.messages if self._asked else seen_by_agent(self.messages), self.context)

    @property
    def info(self) -> Info:
        """How the episode stands."""
        if self._info is None:
            self._info = Info(self)
        return self._info

    @property
    def context(self) -> AgentContext:
        """What an agent of this trial is made with; a call of one of its tools is a step as well."""
        return self._trial.context

    @property
    def messages(self) -> list[AnyMessage]:
        """The whole conversation, with what the agent does not see."""
        return self._trial.conversation.messages

    @property
    def done(self) -> bool:
        """Whether the conversation is over."""
        return self._trial.conversation.over

    def prompt(self) -> str:
        """What the agent sees, as one text."""
        return self.observation.prompt()

    def written(self, text: str) -> AssistantMessage:
        """The action in what a model has written as its answer to :meth:`prompt`; it never fails."""
        spoken, call = written_action(text, len(self.messages))
        return AssistantMessage(content=None if call else spoken, tool_calls=[call] if call else None)

    def simulation(self, agent: str = AGENT) -> Simulation:
        """The record of the trial once it is over, with the name of who played the agent; raises TauError before."""
        return self._trial.simulation(agent=agent, user=player_name(self._user))

    # ---- copying and storing

    def fork(self) -> Episode:
        """An episode that stands where this one does and goes its own way from here."""
        twin = copy(self)
        twin._loop = OwnLoop()
        twin._begun = self._trial.fork()
        twin._info = None
        twin._asked = twin._begun.ask()
        return twin

    def save(self) -> bytes:
        """The episode as it stands, as JSON: it can be loaded in another process.

        Raises:
            TauError: before reset(), or where the agent keeps what is no JSON in its context's memory.
        """
        made = {
            "episode": FORMAT,
            "domain": self.domain.name,
            "task": carrying(self.task).model_dump(mode="json", exclude_unset=True),
            "user": self._user if isinstance(self._user, str) else None,
            "seed": self.seed,
            "trial": self._number,
            "solo": self._solo,
            "limits": asdict(self._limits),
            "state": self._trial.state(),
        }
        try:
            return json.dumps(made, ensure_ascii=False).encode()
        except (TypeError, ValueError) as error:
            raise TauError(f"the agent's memory cannot be stored as JSON: {said(error)}") from None

    @classmethod
    def load(
        cls,
        data: bytes,
        domain: Domain,
        *,
        user: UserFactory | None = None,
        reward: Callable[[Info, Info], float] = passed,
    ) -> Episode:
        """The episode that was saved.

        Args:
            data: what :meth:`save` gave.
            domain: the domain it was played in.
            user: who plays the customer, where that was no name.
            reward: what a step earns from here.

        Raises:
            RecordingError: this is no saved episode, or its calls do not return the same again.
            SettingsError: the customer was not given by name, and is not given here.
        """
        try:
            made = json.loads(data)
            task, limits = Task.model_validate(made["task"]), Limits(**made["limits"])
            task = with_attachments(task, Path(), "the saved episode")
            options = {"seed": made["seed"], "trial": made["trial"], "solo": made["solo"]}
            named, state = made["user"], made["state"]
        except (ValueError, KeyError, TypeError, TaskError) as error:
            raise RecordingError(f"this is no saved episode: {said(error)}") from None
        if named is None and user is None:
            raise SettingsError("the customer of this episode was no name: give its factory as user=")
        episode = cls(task, domain, user or named, limits=limits, reward=reward, **options)
        episode._begin(None)
        try:
            episode._trial.restore(state)
        except (ValueError, KeyError, TypeError) as error:
            raise RecordingError(f"this is no saved episode: {said(error)}") from None
        episode._asked = episode._trial.ask()
        return episode

    # ---- within

    @property
    def _trial(self) -> Trial:
        if self._begun is None:
            raise TauError("the episode has not begun: call reset() first")
        return self._begun

    def _begin(self, seed: int | None) -> None:
        self.seed = self.seed if seed is None else seed
        self._info = None
        self._begun = Trial(
            self.task,
            self.domain.environment(solo=self._solo),
            lambda context: _Caller(),
            self._maker,
            trial=self._number,
            seed=trial_seed(self.seed, self.domain.name, self.task.id, self._number),
            limits=self._limits,
            classify=is_infra,
        )

    def _act(self, action: Action) -> Info:
        """Hand the agent's action to the trial; gives how the episode stood before it."""
        before, trial = self.info, self._trial
        if self._asked is None or trial.conversation.over:
            raise ConversationOver("the episode is over: reset it, or go on from a fork of an earlier turn")
        if isinstance(action, ToolCall):
            named = action if action.id else action.model_copy(update={"id": f"call_{len(self.messages)}"})
            action = AssistantMessage(tool_calls=[named])
        if not isinstance(action, (str, AssistantMessage)):
            raise PlayerError(f"an action is a text, a ToolCall or an AssistantMessage, not a {type(action).__name__}")
        trial.heard(self._asked, action)
        return before

    def _go_on(self) -> None:
        while (ask := self._trial.ask()) is not None and ask.role == "user":
            answer(self._trial, ask, self._loop)
        self._asked = ask

    async def _ago_on(self) -> None:
        while (ask := self._trial.ask()) is not None and ask.role == "user":
            await aanswer(self._trial, ask)
        self._asked = ask

    def _outcome(self, before: Info) -> tuple[Observation, float, bool, Info]:
        self._info = None
        return self.observation, self._rewarded(before, self.info), self.done, self.info


class _Caller:
    """The agent of an episode: whoever calls ``step``."""

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """Nobody asks it: its caller says what it does."""
        raise TauError("the agent of an episode is whoever calls step()")
