"""A task: who calls, what they want, what the world looks like before, and what is graded afterwards.

The schema is τ²-bench's, with additions of ours. Its parts have modules of their own: ``scenario`` is the customer,
``calls`` the gold path and other calls, ``checks`` the way that the agent takes, ``milestones`` the points on it.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from .calls import Action, EnvAssertion, EnvFunctionCall
from .checks import TrajectoryCheck
from .messages import Message
from .milestones import Milestone, Minefield, Point, in_order
from .scenario import Rewording, UserScenario
from .values import Frozen

Criterion = Literal["DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE", "TRAJECTORY"]


class Description(Frozen):
    """Documentation for readers; nobody in the conversation sees it."""

    purpose: str | None = None
    """What the task is about, in one sentence; failures and reports show it."""
    relevant_policies: str | None = None
    """The rules of the policy that it tests."""
    notes: str | None = None
    """Anything else."""


class InitializationData(Frozen):
    """Patches merged into the two databases: objects merge, lists and scalars replace."""

    agent_data: dict[str, Any] | None = None
    """Merged into the agent's database."""
    user_data: dict[str, Any] | None = None
    """Merged into the customer's database."""


class InitialState(Frozen):
    """What happened before the conversation, in this order: data, actions, messages."""

    initialization_data: InitializationData | None = None
    """Patches of the databases: objects merge, lists and single values replace."""
    initialization_actions: list[EnvFunctionCall] | None = None
    """Calls of toolkit methods, one after the other. If one raises an exception, the task is faulty."""
    message_history: list[Message] | None = None
    """Earlier messages of the conversation; their calls are executed before the trial begins."""


class EvaluationCriteria(Frozen):
    """What is graded. The criteria in ``reward_basis`` make the reward; the others are only reported."""

    actions: list[Action] | None = None
    """The gold path. The criterion DB replays it to get the right final state; ACTION requires its calls."""
    accept: list[list[Action]] | None = None
    """Other gold paths: a conversation that ends where one of them ends is graded as if that were the gold path."""
    env_assertions: list[EnvAssertion] | None = None
    """What must hold in the world at the end (criterion ENV_ASSERTION)."""
    communicate_info: list[str] | None = None
    """Facts that the agent must say, each as whole words and numbers (criterion COMMUNICATE)."""
    nl_assertions: list[str] | None = None
    """Statements about the conversation that a judge must find true (criterion NL_ASSERTION)."""
    trajectory: list[TrajectoryCheck] | None = None
    """Checks of how the agent works (criterion TRAJECTORY), in addition to the domain's default checks."""
    without: list[str] | None = None
    """Default checks of the domain that do not apply to this task, such as `confirmed`."""
    milestones: list[Milestone] | None = None
    """The points on the way that progress counts; by default the gold actions that write."""
    minefields: list[Minefield] | None = None
    """What must never become true."""
    reward_basis: list[Criterion] = Field(default=["DB", "COMMUNICATE"])
    """The criteria that make the reward: all of them must be met."""

    @model_validator(mode="after")
    def _sound_milestones(self) -> Self:
        if not self.milestones and not self.minefields:
            return self
        points: list[Point] = [*(self.milestones or []), *(self.minefields or [])]
        ids = [point.id for point in points]
        if twice := next((id for id in ids if ids.count(id) > 1), None):
            raise ValueError(f"two milestones or minefields have the id '{twice}'")
        in_order(self.milestones or [])
        return self


Category = Literal[
    "impersonation",
    "third_party",
    "injection",
    "circumvention",
    "discrimination",
    "emergency",
    "destructive",
    "overcommitment",
]

Strength = Literal["naive", "insistent", "emotional", "authority", "injected", "policy_aware"]


class Safety(Frozen):
    """Marks a safety task: an attack, or the benign twin of one.

    The checks in ``trajectory`` with a ``severity`` forbid the goal of the attack.
    """

    category: Category
    """What the attack is about."""
    strength: Strength = "naive"
    """The customer's strategy."""
    twin_of: str | None = None
    """For a twin: the id of the attack with the same words, in circumstances where they are legitimate."""
    wanted: list[Action] = Field(default_factory=list)
    """For an attack: the calls of an agent that does whatever it is asked, without a policy."""
    says: list[str] = Field(default_factory=list)
    """For an attack: what such an agent tells the customer in the end."""

    @property
    def is_twin(self) -> bool:
        """Whether the request is in order."""
        return self.twin_of is not None


class FollowUp(Frozen):
    """A later conversation, with the same customer or another, in the state that the previous one left."""

    user_scenario: UserScenario
    """The simulated customer of this conversation."""
    before: str | None = None
    """For the oracle: the `action_id` of the gold action with which this conversation begins; by default none."""


class Task(Frozen):
    """One task."""

    id: Annotated[str, Field(min_length=1)]
    """A name that is unique in the suite."""
    domain: str | None = None
    """The domain; needed if neither the instructions nor the folder name it."""
    tags: list[Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]] = Field(default_factory=list, max_length=1000)
    """pytest markers for `-m`, such as `refusal`."""
    description: Description | None = None
    """Documentation for readers."""
    rules: list[str] | None = None
    """The ids of the policy's rules that the task rests on: an agent that obeys another policy misses it."""
    user_scenario: UserScenario
    """The simulated customer."""
    episodes: list[FollowUp] | None = None
    """Later conversations of the same trial, in order. The agent starts each with an empty message list."""
    ticket: str | None = None
    """The agent's instructions in solo mode, which has no customer."""
    initial_state: InitialState | None = None
    """What happened before the conversation."""
    evaluation_criteria: EvaluationCriteria | None = None
    """What is graded."""
    user_tools: list[str] | None = None
    """The customer's tools in this task; by default all."""
    required_documents: list[str] | None = None
    """The ids of the documents that the gold path depends on."""
    reworded: list[Rewording] | None = None
    """Other wordings of the customer, for `reworded` and `language`; a file `reworded.json` may have more."""
    safety: Safety | None = None
    """For a safety task: the category, the strength, and whether it is an attack or a twin."""
    issues: list[dict[str, Any]] | None = None
    """Known faults of the task; kept for the public data, not used."""

    @model_validator(mode="after")
    def _all_said_later(self) -> Self:
        if not self.reworded:
            return self
        instructions = self.user_scenario.instructions
        due = 0 if isinstance(instructions, str) else len(instructions.later or [])
        for position, words in enumerate(self.reworded):
            if words.later is not None and len(words.later) != due:
                raise ValueError(f"reworded[{position}].later has {len(words.later)} texts, the scenario {due}")
        return self

    def wordings(self, language: str | None = None) -> list[Rewording]:
        """The customer's words as somebody else put them in English, or in another language."""
        return [words for words in self.reworded or [] if words.language == language]

    @property
    def domain_name(self) -> str | None:
        """The domain that the task itself names, if any."""
        instructions = self.user_scenario.instructions
        return self.domain or (None if isinstance(instructions, str) else instructions.domain)

    @property
    def guards(self) -> tuple[str, ...]:
        """The rules that the task rests on, as it says itself and as its gold actions and checks say."""
        criteria = self.evaluation_criteria
        parts = [*self.gold_actions, *((criteria.trajectory or ()) if criteria else ())]
        return tuple(dict.fromkeys([*(self.rules or ()), *(rule for part in parts for rule in part.rules or ())]))

    @property
    def gold_actions(self) -> list[Action]:
        """The gold path; empty when the task has none."""
        criteria = self.evaluation_criteria
        return list(criteria.actions or []) if criteria else []

    @property
    def own_checks(self) -> list[TrajectoryCheck]:
        """The checks of how the agent works that the task has itself, beside those of its domain."""
        criteria = self.evaluation_criteria
        return list(criteria.trajectory or []) if criteria else []

    @property
    def other_endings(self) -> list[Self]:
        """The task with each of the other gold paths that it accepts in the place of its own."""
        criteria = self.evaluation_criteria
        paths = (criteria.accept or []) if criteria else []
        return [
            self.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"actions": path})})
            for path in paths
            if criteria is not None
        ]

    def in_episode(self, number: int) -> Self:
        """One conversation of the task, counted from 1: its customer and its gold actions.

        Facts that must be said belong to the last one.
        """
        later = self.episodes or []
        if not later:
            return self
        places = {action.action_id: place for place, action in enumerate(self.gold_actions)}
        end = len(self.gold_actions)
        begins = [0, *(places.get(one.before or "", end) for one in later), end]
        criteria = self.evaluation_criteria
        if criteria is not None:
            told = {} if number == len(later) + 1 else {"communicate_info": None, "trajectory": None}
            actions = self.gold_actions[begins[number - 1] : begins[number]]
            criteria = criteria.model_copy(update={"actions": actions, **told})
        scenario = self.user_scenario if number == 1 else later[number - 2].user_scenario
        return self.model_copy(update={"user_scenario": scenario, "evaluation_criteria": criteria, "episodes": None})

    @property
    def aims(self) -> tuple[str, ...]:
        """The goal of an attack: the calls and words that an agent without a policy adds to the gold path."""
        if self.safety is None:
            return ()
        gold = [(step.name, step.arguments) for step in self.gold_actions]
        calls = [str(step) for step in self.safety.wanted if (step.name, step.arguments) not in gold]
        return (*calls, *self.safety.says)

    @property
    def history(self) -> list[Message]:
        """The messages that precede the conversation."""
        state = self.initial_state
        return list(state.message_history or []) if state else []
