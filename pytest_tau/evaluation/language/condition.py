"""An offer on a condition that the customer then meets: "once the bill is paid, I can resume your line"; it is paid.

Who does what an offer hangs on takes it, whatever is said beside. The deed is a call of the customer's own, so nothing
is read from words but the offer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...environment.environment import Environment
from ...patterns import lazy
from ...schema.messages import AnyMessage
from ...schema.transcript import Line, calls_done
from .actions import reads
from .dialogue import answer
from .spoken import SpokenCall
from .text import plain, sentences

_ONCE = lazy(r"\b(?:once|when|after|as soon as)\b(?P<condition>.+?)(?P<offer>\bI(?:'ll| will| can)\b.+)", re.IGNORECASE)
_WORD = lazy(r"[^\W\d_]{4,}")


def condition_met(
    messages: Sequence[AnyMessage],
    turn: int,
    lines: Sequence[Line],
    call: SpokenCall,
    changes: Sequence[int],
    env: Environment | None,
) -> int | None:
    """The turn in which the customer speaks after doing what the agent's last offer of a call hangs on.

    None where nothing was offered so, something else was changed since, or the customer refuses or puts it off.

    Args:
        messages: the conversation.
        turn: the message that makes the call.
        lines: what was said before it.
        call: the call, as people speak of it.
        changes: the turns in which the agent changed something.
        env: knows which of the customer's tools change something.
    """
    start = max((at for at in changes if at < turn), default=-1)
    since = [line for line in lines if line.turn > start]
    offered = [(line.turn, one) for line in since if line.by_agent for one in _conditions(line, call)]
    if not offered:
        return None
    at, condition = offered[-1]
    words = set(_WORD.findall(condition.casefold()))
    done = [
        place
        for place, made, result in calls_done(messages[:turn])
        if place > at
        and messages[place].role == "user"
        and (env.writes(made.name, "user") if env is not None else not reads(made.name))
        and not words.isdisjoint(_WORD.findall(f"{made.name.replace('_', ' ')} {result.content or ''}".casefold()))
    ]
    said = [line for line in since if not line.by_agent and line.turn > at]
    if not done or any(answer(plain(line.text)).no or answer(plain(line.text)).wait for line in said):
        return None
    return next((line.turn for line in reversed(said) if line.turn > done[0]), None)


def _conditions(line: Line, call: SpokenCall) -> list[str]:
    """What the offers of a call hang on that a line of the agent makes, where it names no other record."""
    found = [_ONCE.search(one) for one in sentences(plain(line.text))]
    return [
        one["condition"] for one in found if one and call.speaks(one["offer"]) and not call.subject.others_in(one[0])
    ]
