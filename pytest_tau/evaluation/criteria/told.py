"""What the agent tells that is not so: of records, of options, of the policy's figures, of what tools do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...environment.environment import Environment
from ...schema.messages import AnyMessage
from .told_allowances import told_of_allowances, told_of_groups
from .told_beyond_tools import told_beyond_tools
from .told_calls import told_of_calls
from .told_hours import told_of_hours
from .told_money import told_of_money
from .told_options import told_of_options
from .told_records import UntrueSentence, untrue
from .told_times import told_of_times


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
