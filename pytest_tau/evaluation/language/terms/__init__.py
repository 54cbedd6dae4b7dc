"""What was agreed beside what was written: a proposal's terms, and the arguments and the result of the call. By rule.

Only a value that was named and is another one is a breach; who names nothing has left it open. The latest line that
names such a term counts, whoever said it. Where a line is about several things, only what stands beside the call's own
id counts. Numbers are compared as numbers, with their unit. Each file has the terms of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ....environment.environment import Environment
from ....schema.messages import AnyMessage, ToolCall
from ..asked import read_question
from ..naming import Subject, subject_of
from .agreed import Agreed, Breach, Reported
from .how_long import span
from .money import given_amount, given_sums, listed_sum, moved_sum
from .payment import method, method_of_none, methods, paid_back
from .when_and_who import days, persons
from .where import address, code_of_street, zip_code
from .which import choice, flights, items, line, part, price, quantity, yes_or_no


def breach(
    messages: Sequence[AnyMessage],
    turn: int,
    call: ToolCall,
    subject: Subject,
    changes: Sequence[int],
    *,
    agreed: bool = True,
    choices: Mapping[str, tuple[str, ...]] | None = None,
) -> Breach | None:
    """The first term that was named before a call and that the call, or its result, has otherwise.

    Args:
        messages: the conversation, with the call's result if there is one.
        turn: the message that makes the call.
        call: the call.
        subject: what it is about.
        changes: the turns of earlier calls that changed something.
        agreed: whether the customer said yes to a proposal; who wished something else after it has named that, in
            whatever words, and then only what both sides name alike counts: how it is paid, how much, on which line.
        choices: by the names of arguments, what each may be, where that is one of a few.
    """
    found = Agreed(call, turn, messages, subject, changes, choices or {})
    checks = (*_NAMED_ALIKE, *_OF_A_PROPOSAL) if agreed else _NAMED_ALIKE
    return next((one for check in checks if (one := check(found)) is not None), None)


def told_otherwise(
    messages: Sequence[AnyMessage],
    turn: int,
    call: ToolCall,
) -> Breach | None:
    """The first term that the agent's next line, which tells of a call, has otherwise than the call or its result.

    Only where no other change was made upon the same answer, and the line asks for leave to do nothing more.

    Args:
        messages: the conversation.
        turn: the message that made the call, with success.
        call: the call.
    """
    found = Reported(call, turn, messages, subject_of(call, messages[:turn]), (), {})
    if not found.report or read_question(found.report).leave or not (found.sole and found.lines):
        return None
    return next((one for check in _OF_A_REPORT if (one := check(found)) is not None), None)


_SHORTEST = 5  # letters of a choice: "yes" and "no" mean other things as well


def choices_of(call: ToolCall, env: Environment | None) -> dict[str, tuple[str, ...]]:
    """The arguments that are one of a few: those that the schema lists, or the domain's values of one kind."""
    listed = _listed_choices(call.name, env) if env is not None else ()
    return {name: options for name, options in listed if call.arguments.get(name) in options}


def _listed_choices(tool: str, env: Environment) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """By argument what it may be, each way once; made once a process."""
    memo, asked = env.domain.memo, ("choices", tool)
    if asked not in memo:
        spec = next((spec for spec in env.tool_specs() if spec.name == tool), None)
        schemas = spec.schema["function"]["parameters"].get("properties", {}) if spec is not None else {}
        kinds: dict[str, list[Any]] = {}
        for key, value in spec.values.items() if spec is not None else ():
            kinds.setdefault(key.split("_")[0], []).append(value)
        ways = ((name, way) for name, schema in schemas.items() for way in (schema.get("enum") or (), *kinds.values()))
        texts = ((name, tuple(one for one in way if isinstance(one, str))) for name, way in ways)
        memo[asked] = tuple(
            (name, way) for name, way in texts if len(way) > 1 and all(len(one) >= _SHORTEST for one in way)
        )
    found: tuple[tuple[str, tuple[str, ...]], ...] = memo[asked]
    return found


_NAMED_ALIKE: tuple[Callable[[Agreed], Breach | None], ...] = (quantity, span, given_amount, line, code_of_street)
_OF_A_PROPOSAL: tuple[Callable[[Agreed], Breach | None], ...] = (
    method,
    methods,
    method_of_none,
    paid_back,
    given_amount,
    moved_sum,
    listed_sum,
    given_sums,
    items,
    part,
    price,
    flights,
    choice,
    yes_or_no,
    zip_code,
    days,
    persons,
    address,
)
# A report may speak of other things as well, in words that are a choice here: "your other trip is in basic economy".
_OF_A_REPORT = tuple(check for check in _OF_A_PROPOSAL if check is not choice)
