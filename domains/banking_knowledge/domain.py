"""banking_knowledge: a bank whose rules, and most of whose tools, an agent has to find in 698 documents.

The data, the documents and the texts of the policy are the public ones, so it is played with these only.
"""

from typing import Any

from pytest_tau.environment import DomainSpec, KnowledgeBase, Task

from .bank import NOW
from .policy import policy
from .retrieval import read, settings
from .tools import KnowledgeTools
from .user_tools import KnowledgeUserTools


def begin(tools: Any, user_tools: Any, task: Task) -> None:
    """Let the calls that the gold path makes of reading tools be written down."""
    tools.read_log = frozenset(
        action.arguments["agent_tool_name"]
        for action in task.gold_actions
        if action.name == "call_discoverable_agent_tool" and "agent_tool_name" in action.arguments
    )


domain = DomainSpec(
    tools=KnowledgeTools,
    user_tools=KnowledgeUserTools,
    shared_database=True,
    now=NOW,
    documents=KnowledgeBase(settings=settings, read=read, policy=policy),
    begin=begin,
    public_only=True,
)
