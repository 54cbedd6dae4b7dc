"""Agents without any skill, for the trivial floor: the share of a suite's tasks that one of them passes.

What a trivial agent passes, every agent passes; a score says something only above the floor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..agents.noop import Noop
from ..agents.oracle import TRANSFER_SENTENCE, TRANSFER_TOOL, say
from ..conversation.protocols import AgentContext, AgentFactory
from ..environment.domain import Domain
from ..evaluation.criteria.database import gold_state
from ..evaluation.grade import passes
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from ..schema.task import Task
from ..simulating import simulate

APOLOGY = "I am sorry, but I cannot help you with that. Goodbye."


class _Transfers:
    """Hands every conversation over at once."""

    def __init__(self, context: AgentContext) -> None:
        self._moves = iter([_call(TRANSFER_TOOL, {"summary": "The customer needs help."}, 0)])
        if all(tool.name != TRANSFER_TOOL for tool in context.tools):
            self._moves = iter(())

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The call, then the sentence."""
        return next(self._moves, say(TRANSFER_SENTENCE))


class _Apologises:
    """Apologises and does nothing."""

    def __init__(self, context: AgentContext) -> None:
        pass

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The apology."""
        return say(APOLOGY)


class _Repeats:
    """Says back what the customer said."""

    def __init__(self, context: AgentContext) -> None:
        pass

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The customer's last words."""
        said = [message.text for message in messages if isinstance(message, UserMessage) and message.text]
        return say(said[-1] if said else APOLOGY)


class _Dumps:
    """Reads all that there is to read for a task and tells the customer everything, word for word.

    It is told which look-ups those are, the gold path's, so it is the strongest of the trivial agents.
    """

    def __init__(self, task: Task, context: AgentContext) -> None:
        reads = {tool.name for tool in context.tools if not tool.writes and tool.name != TRANSFER_TOOL}
        wanted = [(a.name, a.arguments) for a in task.gold_actions if a.requestor == "assistant" and a.name in reads]
        wanted += [(tool.name, {}) for tool in context.tools if tool.name in reads and not _parameters(tool.schema)]
        self._moves = iter([_call(name, arguments, i) for i, (name, arguments) in enumerate(wanted)])

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next look-up; then all results in one message."""
        results = [message.content or "" for message in messages if isinstance(message, ToolMessage)]
        return next(self._moves, say("\n".join(["Here is everything that I see.", *results])))


def _parameters(schema: object) -> object:
    return schema["function"]["parameters"].get("properties")  # type: ignore[index]


def _call(name: str, arguments: dict[str, object], position: int) -> AssistantMessage:
    return AssistantMessage(tool_calls=[ToolCall(id=f"trivial_{position}", name=name, arguments=arguments)], cost=0.0)


TRIVIAL: dict[str, Callable[[Task], AgentFactory]] = {
    "noop": lambda task: Noop,
    "transfer": lambda task: _Transfers,
    "apologise": lambda task: _Apologises,
    "dump": lambda task: lambda context: _Dumps(task, context),
    "repeat": lambda task: _Repeats,
}


_MEANS = {
    "noop": "it thanks and does nothing; ask for a change, a call or an answer",
    "transfer": "it hands everything over; ask for something before the hand-over, such as a reason",
    "apologise": "it apologises and does nothing; ask for more than a refusal",
    "dump": "it makes the gold look-ups and reads everything out; ask for a change or a figure that no look-up shows, "
    "or forbid telling the rest (not_said)",
    "repeat": "it says back what the customer said; ask for something that the customer does not know",
}


def trivial_finding(name: str) -> str:
    """What it means that a trivial agent passes a task, and what to do, in a sentence."""
    return f"the trivial agent '{name}' passes: {_MEANS[name]}"


def _asks_for_a_write(task: Task, domain: Domain) -> bool:
    """Whether the grade alone shows that who calls no writing tool misses, as none of the trivial agents does.

    The state at the end counts, the gold path ends in another than it begins in, and nobody but the agent changes it.
    """
    criteria, initial = task.evaluation_criteria, task.initial_state
    if criteria is None or "DB" not in criteria.reward_basis or criteria.accept:
        return False
    if initial is not None and initial.message_history:
        return False  # in which the agent may have written
    env = domain.environment(task)
    if env.writes(TRANSFER_TOOL) or any(tool.writes for tool in env.tool_specs("user")):
        return False
    return gold_state(task, domain) != env.state()


def trivial_passes(task: Task, domain: Domain) -> Iterator[str]:
    """The names of the trivial agents that pass a task."""
    if _asks_for_a_write(task, domain):
        return
    for name, maker in TRIVIAL.items():
        if passes(task, simulate(task, domain, maker(task)), domain):
            yield name
