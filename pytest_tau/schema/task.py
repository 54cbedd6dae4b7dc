"""A task: who calls, what they want, what the world looks like before, and what is graded afterwards.

The schema is τ²-bench's, with additions of ours. Its parts have modules of their own: ``scenario`` is the customer,
``calls`` the gold path and other calls, ``checks`` the way that the agent takes, ``milestones`` the points on it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from .calls import Action, EnvAssertion, EnvFunctionCall
from .checks import TrajectoryCheck
from .messages import Frozen, Message
from .milestones import Milestone, Minefield, Point, in_order
from .scenario import Rewording, UserScenario

Criterion = Literal["DB", "ENV_ASSERTION", "NL_ASSERTION", "ACTION", "COMMUNICATE", "TRAJECTORY"]


class Description(Frozen):
    """Documentation for people; nobody in the conversation sees it."""

    purpose: str | None = None
    """What the task is about, in a sentence; failures and reports show it."""
    relevant_policies: str | None = None
    """Which rules of the policy it tests."""
    notes: str | None = None
    """Anything else that is worth knowing."""


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
    """Calls of toolkit methods, one after the other. One that raises is a fault of the task."""
    message_history: list[Message] | None = None
    """Messages that have been exchanged already; their calls are executed before the trial begins."""


class EvaluationCriteria(Frozen):
    """What is graded; ``reward_basis`` says which criteria make the reward, the others are reported only."""

    actions: list[Action] | None = None
    """The gold path. The criterion DB replays it to know the right final state; ACTION asks for its calls."""
    env_assertions: list[EnvAssertion] | None = None
    """What must hold in the world at the end (criterion ENV_ASSERTION)."""
    communicate_info: list[str] | None = None
    """Facts that the agent must tell, each as whole words and numbers (criterion COMMUNICATE)."""
    nl_assertions: list[str] | None = None
    """Statements that a judge must find true of the conversation (criterion NL_ASSERTION)."""
    trajectory: list[TrajectoryCheck] | None = None
    """How the agent gets there (criterion TRAJECTORY), beside the checks that the domain makes by itself."""
    without: list[str] | None = None
    """Checks of the domain that do not hold for this task, by their kind, such as `confirmed`."""
    milestones: list[Milestone] | None = None
    """The points on the way that progress counts; the gold actions that write when left out."""
    minefields: list[Minefield] | None = None
    """What must never become true on the way."""
    reward_basis: list[Criterion] = Field(default=["DB", "COMMUNICATE"])
    """The criteria that make the reward: all of them must be met."""

    @model_validator(mode="after")
    def _sound_milestones(self) -> EvaluationCriteria:
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
    """What makes a task one of safety: an attack, or the benign twin of one.

    What an attack is after is forbidden by the checks of its ``trajectory`` that have a ``severity``.
    """

    category: Category
    """What the attack is about."""
    strength: Strength = "naive"
    """How the customer goes about it."""
    twin_of: str | None = None
    """Of a twin: the id of the attack whose words it says in other circumstances, where they are in order."""
    wanted: list[Action] = Field(default_factory=list)
    """The calls of somebody who does whatever is asked, without a policy."""
    says: list[str] = Field(default_factory=list)
    """What somebody without a policy tells the customer in the end."""

    @property
    def is_twin(self) -> bool:
        """Whether the request is in order."""
        return self.twin_of is not None


class Visit(Frozen):
    """A conversation after the first, by the same customer or another, on the state that the last one has left."""

    user_scenario: UserScenario
    """The simulated customer of this conversation."""
    before: str | None = None
    """For the oracle: the gold action (its `action_id`) that this conversation begins with; none when left out."""


class Task(Frozen):
    """One task. ``tags`` become pytest markers; ``domain`` names the domain where the folder does not."""

    id: Annotated[str, Field(min_length=1)]
    """A name that is unique in the suite."""
    domain: str | None = None
    """The domain, where neither the instructions nor the folder name it."""
    tags: list[Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")]] = Field(default_factory=list, max_length=1000)
    """Markers for `-m`, such as `refusal`."""
    description: Description | None = None
    """Documentation for people."""
    user_scenario: UserScenario
    """The simulated customer."""
    episodes: list[Visit] | None = None
    """Later conversations of the same trial, one after the other. The agent begins each with an empty message list."""
    ticket: str | None = None
    """What the agent is told in solo mode, where there is no customer."""
    initial_state: InitialState | None = None
    """What has happened before the conversation."""
    evaluation_criteria: EvaluationCriteria | None = None
    """What is graded."""
    user_tools: list[str] | None = None
    """The customer's tools in this task; all of them when left out."""
    required_documents: list[str] | None = None
    """The documents that the gold path rests on, by id."""
    reworded: list[Rewording] | None = None
    """Paraphrases of the customer's words, for the perturbation of this name; a file `reworded.json` may have more."""
    safety: Safety | None = None
    """Of a task about safety: the category, the strength, and whether it is an attack or a twin."""
    issues: list[dict[str, Any]] | None = None
    """Known faults of the task; kept for the public data, not used."""

    @model_validator(mode="after")
    def _all_said_later(self) -> Self:
        instructions = self.user_scenario.instructions
        due = 0 if isinstance(instructions, str) else len(instructions.later or [])
        for position, words in enumerate(self.reworded or []):
            if words.later is not None and len(words.later) != due:
                raise ValueError(f"reworded[{position}].later has {len(words.later)} texts, the scenario {due}")
        return self

    @property
    def domain_name(self) -> str | None:
        """The domain the task itself names, if it does."""
        instructions = self.user_scenario.instructions
        return self.domain or (None if isinstance(instructions, str) else instructions.domain)

    @property
    def gold_actions(self) -> list[Action]:
        """The gold path; empty when the task has none."""
        criteria = self.evaluation_criteria
        return list(criteria.actions or []) if criteria else []

    def visit(self, number: int) -> Task:
        """The part of the task that one of its conversations is about, from 1: its customer and its gold actions.

        What has to be told belongs to the last one.
        """
        later = self.episodes or []
        if not later:
            return self
        places = {action.action_id: place for place, action in enumerate(self.gold_actions)}
        end = len(places)
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
        """What an attack is after: the calls and words that somebody without a policy adds to the gold path."""
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
