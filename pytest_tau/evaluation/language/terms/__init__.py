"""What was agreed beside what was written: a proposal's terms, and the arguments and the result of the call. By rule.

Only a value that was named and is another one is a breach; who names nothing has left it open. The latest line that
names such a term counts, whoever said it. Where a line is about several things, only what stands beside the call's own
id counts. Numbers are compared as numbers, with their unit. Each file has the terms of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ....schema.messages import AnyMessage, ToolCall
from .agreed import Agreed, Breach
from .money import given_amount, moved_sum
from .payment import method
from .when_and_who import address, days, persons
from .which import choice, flights, items, line, quantity, zip_code


def breach(
    messages: Sequence[AnyMessage],
    turn: int,
    call: ToolCall,
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
        changes: the turns of earlier calls that changed something.
        agreed: whether the customer said yes to a proposal; who wished something else after it has named that, in
            whatever words, and then only what both sides name alike counts: how it is paid, how much, on which line.
        choices: by the names of arguments, what each may be, where that is one of a few.
    """
    found = Agreed(call, turn, messages, changes, choices or {})
    checks = (*_NAMED_ALIKE, *_OF_A_PROPOSAL) if agreed else _NAMED_ALIKE
    return next((one for check in checks if (one := check(found)) is not None), None)


_NAMED_ALIKE: tuple[Callable[[Agreed], Breach | None], ...] = (quantity, given_amount, line)
_OF_A_PROPOSAL: tuple[Callable[[Agreed], Breach | None], ...] = (
    method,
    given_amount,
    moved_sum,
    items,
    flights,
    choice,
    zip_code,
    days,
    persons,
    address,
)
