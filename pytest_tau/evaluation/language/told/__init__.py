"""What the agent tells that is not so, a module for each thing that it is held against.

A sentence is untrue only if something that the conversation has shown contradicts it: a record, a list of options, a
table of the policy, or what the tools do. Questions, denials, conditions and what is still to come tell nothing. Where
a sentence may be about several things, it holds. ``deeds`` has actions that no call has done. ``unseen`` has those that
nobody can see; they are unclear, and never untrue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....environment.environment import Environment
from ....schema.messages import AnyMessage
from .allowances import told_of_allowances, told_of_groups
from .beyond_tools import told_beyond_tools
from .changes import told_of_calls
from .hours import told_of_hours
from .money import told_of_money
from .options import told_of_options
from .records import UntrueSentence, untrue
from .times import told_of_times


def untrue_sentences(messages: Sequence[AnyMessage], env: Environment) -> Iterator[UntrueSentence]:
    """The sentences of the agent that are not so, kind by kind."""
    yield from untrue(messages)
    yield from told_beyond_tools(messages, env)
    yield from told_of_options(messages)
    yield from told_of_allowances(messages, env.policy)
    yield from told_of_groups(messages, env.policy)
    yield from told_of_hours(messages, env.policy)
    yield from told_of_times(messages, env.tools.now)
    yield from told_of_money(messages, env)
    yield from told_of_calls(messages, env)
