"""The episode itself: a trial whose agent is the caller."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..agents.act import written_action
from ..conversation.asking import Ask
from ..conversation.faults import whose_fault
from ..conversation.limits import Limits
from ..conversation.protocols import AgentContext, UserFactory
from ..conversation.run import OwnLoop, aanswer, answer
from ..conversation.trial import Trial
from ..conversation.turns import seen_by_agent
from ..conversation.view import AgentView, as_meant, as_seen, shown_context
from ..environment.domain import Domain
from ..errors import ConversationOver, PlayerError, RecordingError, SettingsError, TauError
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall
from ..schema.simulation import Simulation
from ..schema.task import Task
from ..seeds import trial_seed
from ..simulating import DEFAULT_SEED, player_name
from ..users.names import named_user
from ..variants import Perturbed, apply_doses, joined_doses
from ..variants.tool_faults import ToolFaults
from .looking import Info, Observation
from .rewards import passed
from .storing import Stored, not_stored

Action = str | ToolCall | AssistantMessage
# Who played, in records of episodes that do not say.
AGENT = "episode"


class Episode:
    """One trial of a task, played step by step.

    Args:
        task: the task to play.
        domain: the domain it belongs to.
        user: the customer: a name, or a factory called with a UserContext.
        seed: the run's seed; the trial's own seed is derived from it, as in a pytest run.
        trial: the number of the trial, from 1.
        solo: the agent works alone on the task's ticket.
        limits: when to end the conversation; by default after 200 steps or 10 failed calls, without a time limit.
        perturb: a perturbation of the task or of the agent's view, as
            :func:`~pytest_tau.variants.perturb` reads it: "typos:0.5", "typos+tool_names".
        faults: faults of the agent's tools, as ``--tau-faults`` reads them: "timeout:0.2".
        reward: the reward of a step, a function of the info before and after it.

    Raises:
        TauError: the task's initial state, the customer's name, the mode or a perturbation cannot be used.
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
        perturb: str = "",
        faults: str = "",
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
        self._perturb, self._doses = perturb, joined_doses(perturb) if perturb else []
        self._faults, self._plan = faults, ToolFaults(faults).plan if faults else None
        self._rewarded = reward
        self._loop = OwnLoop()
        self._told = Perturbed(task)
        self._begun: Trial | None = None
        self._asked: Ask | None = None
        self._info: Info | None = None

    # ---- playing

    def reset(self, *, seed: int | None = None) -> Observation:
        """Start the trial again, with another seed if given, and let the customer open the conversation."""
        self._begin(seed)
        self._go_on()
        return self.observation

    def step(self, action: Action) -> tuple[Observation, float, bool, Info]:
        """Perform the agent's action, and let tools and customer answer until it is the agent's turn again.

        Args:
            action: a text for the customer, a call, or a message, which may contain several calls.

        Returns:
            observation: what the agent sees now.
            reward: the reward of the step.
            done: whether the conversation is over.
            info: the state of the episode, see :class:`Info`.

        Raises:
            ConversationOver: the episode is already over.
            PlayerError: the argument is not an action.
        """
        before = self._act(action)
        self._go_on()
        return self._outcome(before)

    async def areset(self, *, seed: int | None = None) -> Observation:
        """Like :meth:`reset`, on the running event loop."""
        self._begin(seed)
        await self._ago_on()
        return self.observation

    async def astep(self, action: Action) -> tuple[Observation, float, bool, Info]:
        """Like :meth:`step`, on the running event loop."""
        before = self._act(action)
        await self._ago_on()
        return self._outcome(before)

    def close(self) -> None:
        """Close the event loop of async customers, if there was one."""
        self._loop.close()

    # ---- looking

    @property
    def observation(self) -> Observation:
        """What the agent sees now."""
        conversation, view = self._trial.conversation, self.view
        messages = self._asked.messages if self._asked else seen_by_agent(conversation.messages[conversation.begin :])
        return Observation(messages if view is None else [as_seen(one, view) for one in messages], self.context)

    @property
    def info(self) -> Info:
        """The state of the episode."""
        if self._info is None:
            self._info = Info(self.told, self.domain, self._trial, self.simulation)
        return self._info

    @property
    def context(self) -> AgentContext:
        """The context that an agent of this trial gets; calling one of its tools is also a step."""
        true, view = self._trial.context, self.view
        return true if view is None else shown_context(true, view)

    @property
    def told(self) -> Task:
        """The task as played in this trial: ``task`` itself, unless it is perturbed."""
        return self._told.task

    @property
    def view(self) -> AgentView | None:
        """The agent's changed view of its world, if perturbed; the record has the true names."""
        return self._told.view

    @property
    def messages(self) -> list[AnyMessage]:
        """The whole conversation, including what the agent does not see."""
        return self._trial.conversation.messages

    @property
    def done(self) -> bool:
        """Whether the conversation is over."""
        return self._trial.conversation.over

    def prompt(self) -> str:
        """What the agent sees, as one text."""
        return self.observation.prompt()

    def written(self, text: str) -> AssistantMessage:
        """The action in a model's answer to :meth:`prompt`; it never fails."""
        spoken, call = written_action(text, len(self.messages))
        return AssistantMessage(content=None if call else spoken, tool_calls=[call] if call else None)

    def simulation(self, agent: str = AGENT) -> Simulation:
        """The record of the finished trial, with the agent's name; raises TauError before its end."""
        return self._trial.simulation().model_copy(update={"agent": agent})

    # ---- copying and storing

    def fork(self) -> Episode:
        """An independent copy of the episode in its current state."""
        twin = self._twin()
        twin._begun = self._trial.fork()
        twin._info = None
        twin._go_on()
        return twin

    def save(self) -> bytes:
        """The current state of the episode as JSON, which another process can load.

        Raises:
            TauError: the agent keeps something in its context's memory that is not JSON.
        """
        user = self._user if isinstance(self._user, str) else None
        played = self._number, self._solo, self._limits, self._perturb, self._faults
        state = None if self._begun is None else self._begun.state()
        return Stored(self.task, self.domain.name, user, self.seed, *played, state).to_json()

    @classmethod
    def load(
        cls,
        data: bytes,
        domain: Domain,
        *,
        user: UserFactory | None = None,
        reward: Callable[[Info, Info], float] = passed,
    ) -> Episode:
        """Load a saved episode.

        Args:
            data: the result of :meth:`save`.
            domain: the domain of the episode.
            user: the customer, if it was not given by name.
            reward: the reward of the steps from here on.

        Raises:
            RecordingError: the data is not a saved episode of this domain, or its calls do not return the same results
                again.
            SettingsError: the customer was not given by name, and is not given here.
        """
        stored = Stored.from_json(data)
        if stored.domain != domain.name:
            raise RecordingError(f"the episode was played in the domain '{stored.domain}', not in '{domain.name}'")
        made_by = user or stored.user
        if made_by is None:
            raise SettingsError("the customer of this episode was not chosen by name: pass its factory as user=")
        episode = cls(
            stored.task,
            domain,
            made_by,
            seed=stored.seed,
            trial=stored.trial,
            solo=stored.solo,
            limits=stored.limits,
            perturb=stored.perturb,
            faults=stored.faults,
            reward=reward,
        )
        if stored.state is None:
            return episode
        episode._begin(None)
        try:
            episode._trial.restore(stored.state)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise not_stored(error) from None
        episode._go_on()
        return episode

    def __deepcopy__(self, memo: dict[int, Any]) -> Episode:
        """A fork; before reset() a fresh episode of the same kind."""
        return self.fork() if self._begun is not None else self._twin()

    def _twin(self) -> Episode:
        """Another episode with all that this one has, but for its event loop."""
        twin = object.__new__(type(self))  # copy() would go by way of what pickle stores
        twin.__dict__.update(self.__dict__)
        twin._loop = OwnLoop()
        return twin

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle: what :meth:`save` gives, the domain, a customer that is no name, and the reward."""
        user = None if isinstance(self._user, str) else self._user
        return _load, (self.save(), self.domain, user, self._rewarded)

    # ---- within

    @property
    def _trial(self) -> Trial:
        if self._begun is None:
            raise TauError("the episode has not begun: call reset() first")
        return self._begun

    def _begin(self, seed: int | None) -> None:
        self.seed = self.seed if seed is None else seed
        self._info = self._asked = None
        seed = trial_seed(self.seed, self.domain.name, self.task.id, self._number)
        self._told = self._telling()
        faults = None if self._plan is None else ToolFaults(self._plan, seed)
        self._begun = Trial(
            self.told,
            self.domain.environment(solo=self._solo, faults=faults, extra=self.view.extra if self.view else {}),
            lambda context: _Caller(),
            self._maker,
            trial=self._number,
            seed=seed,
            limits=self._limits,
            classify=whose_fault,
            view=self.view,  # for the record; the caller is shown it here
            names=(AGENT, player_name(self._user)),
        ).begin()

    def _telling(self) -> Perturbed:
        """The task as the doses have it told; as it is, where one of them has nothing to change in it."""
        if not self._doses:
            return Perturbed(self.task)
        found = apply_doses(self.task, self.domain, self._doses, self.seed, number=self._number)
        return Perturbed(self.task) if found is None else found

    def _act(self, action: Action) -> Info:
        """Hand the agent's action to the trial; gives how the episode stood before it."""
        before, trial = self.info, self._trial
        if trial.conversation.over:
            raise ConversationOver("the episode is over: reset it, or go on from a fork of an earlier turn")
        if self._asked is None:
            raise TauError("the customer has not answered yet, as a step was interrupted: go on from a fork, or reset")
        if isinstance(action, ToolCall):
            named = action if action.id else action.model_copy(update={"id": f"call_{len(self.messages)}"})
            action = AssistantMessage(tool_calls=[named])
        if not isinstance(action, (str, AssistantMessage)):
            raise PlayerError(f"an action is a text, a ToolCall or an AssistantMessage, not a {type(action).__name__}")
        if self.view is not None and isinstance(action, AssistantMessage):
            action = as_meant(action, self.view)
        trial.take_reply(self._asked, action)
        self._asked = None  # until the customer has answered, who may be interrupted
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


def _load(data: bytes, domain: Domain, user: UserFactory | None, reward: Callable[[Info, Info], float]) -> Episode:
    return Episode.load(data, domain, user=user, reward=reward)


class _Caller:
    """The agent of an episode: whoever calls ``step``."""

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """Nobody asks it: its caller says what it does."""
        raise TauError("the agent of an episode is whoever calls step()")
