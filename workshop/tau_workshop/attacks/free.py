"""A solver without a policy: it does whatever the customer is after, and tells them what they want to hear."""

from __future__ import annotations

from pytest_tau.agents.oracle import Oracle
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.schema.scenario import Instructions
from pytest_tau.schema.task import EvaluationCriteria, Task


def free_agent(task: Task, context: AgentContext) -> Oracle:
    """The agent that makes the calls a task's ``safety.wanted`` names and says its ``safety.says``; on a task without
    them it walks the gold path."""
    return Oracle(unbound(task), context)


def unbound(task: Task) -> Task:
    """The task as somebody sees it who does whatever is asked: what is wanted is the gold path."""
    wanted = task.safety
    if wanted is None or not (wanted.wanted or wanted.says):
        return task
    instructions = task.user_scenario.instructions
    if isinstance(instructions, Instructions):
        instructions = instructions.model_copy(update={"later": None})
    criteria = EvaluationCriteria(actions=wanted.wanted, communicate_info=wanted.says)
    scenario = task.user_scenario.model_copy(update={"instructions": instructions})
    return task.model_copy(update={"user_scenario": scenario, "evaluation_criteria": criteria})
