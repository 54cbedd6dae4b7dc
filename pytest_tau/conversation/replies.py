"""What players are and reply, as what a conversation is made of."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from ..errors import AgentFault, PlayerError
from ..schema.messages import PROBLEM, AnyMessage, AssistantMessage, Requestor, SpokenMessage, ToolCall, UserMessage
from ..schema.problems import first_problem
from ..schema.spending import MOST_USD, Usage
from ..schema.values import json_values
from ..scrub import public
from .turns import Role

_Value = TypeVar("_Value", bound=BaseModel)

# Of one message: rules that read it, and those who wait meanwhile, would have nothing but trouble with more.
LONGEST, MOST_CALLS = 1_000_000, 1_000
# How often a side is asked for a message that is one.
ATTEMPTS = 3


def player(factory: Callable[[Any], Any], context: Any, role: Role) -> Any:
    """The player that a factory makes; raises PlayerError."""
    name = f"the {role} factory {getattr(factory, '__qualname__', repr(factory))}"
    made = call_function(factory, context, f"{name} cannot be called with the trial's context")
    if hasattr(made, "reply"):
        return made
    if callable(made):
        return _Function(made)
    raise PlayerError(f"{name} returned {made!r}; it must return an object with reply(messages)")


def call_function(function: Callable[[Any], Any], given: Any, otherwise: str) -> Any:
    """What a user's function returns; raises PlayerError (``otherwise`` and why) where it takes no such argument.

    A TypeError from inside the function stays what it is: its author needs the traceback.
    """
    try:
        return function(given)
    except TypeError as error:
        if _takes(function, given):
            raise
        raise PlayerError(f"{otherwise}: {error}") from None


def _takes(function: Callable[[Any], Any], given: Any) -> bool:
    try:
        inspect.signature(function).bind(given)
    except TypeError:
        return False
    except ValueError:  # written in C: it does not say what it takes
        return True
    return True


@dataclass(frozen=True)
class _Function:
    """A plain function as a player."""

    reply: Callable[[list[AnyMessage]], Any]


def reply_name(player: Any) -> str:
    """What the author of a player calls that which replies, whatever we have put around it."""
    reply = player.reply
    if inspect.isfunction(reply):
        reply = getattr(reply, "__wrapped__", reply)
    if inspect.ismethod(reply):
        return f"{type(reply.__self__).__name__}.{reply.__name__}"
    return getattr(reply, "__qualname__", type(reply).__name__ if callable(reply) else f"{type(player).__name__}.reply")


def as_message(reply: Any, role: Role, player: Any) -> SpokenMessage:
    """A reply as a message of that side, an empty one for None; raises AgentFault for one that is far too long.

    It is a copy: an agent keeps what it has returned, and changes arguments that its framework has taken apart.
    """
    message = _as_message(reply, role, player)
    calls = message.tool_calls or ()
    if len(message.content or "") > LONGEST or len(calls) > MOST_CALLS:
        what = f"{len(calls):,} calls" if len(calls) > MOST_CALLS else f"{len(message.content or ''):,} characters"
        raise AgentFault(
            f"a message of {what} came from the {role}: more than {LONGEST:,} characters or {MOST_CALLS:,} calls are "
            "no message"
        )
    return message


def _as_message(reply: Any, role: Role, player: Any) -> SpokenMessage:
    cls, side = _SIDES[role]
    if reply is None:
        return cls(content=None, raw_data={PROBLEM: "reply() returned None, and may lack a return"})
    if isinstance(reply, str):
        return cls(content=reply)
    if not isinstance(reply, cls):
        name = reply_name(player)
        raise PlayerError(f"{name}() returned {type(reply).__name__}; return {cls.__name__} or str")
    if is_ours(type(player)) and all(call.requestor == side for call in reply.tool_calls or ()):
        return reply
    try:  # once more: what was changed since it was made, or made without a check
        fields = dict(vars(reply))
        if isinstance(calls := fields.get("tool_calls"), list):
            fields["tool_calls"] = [
                {**vars(call), "requestor": side} if isinstance(call, ToolCall) else call for call in calls
            ]
        if fields.get("raw_data"):
            fields["raw_data"] = json_values(fields["raw_data"])
        if isinstance(usage := fields.get("usage"), Usage):
            fields["usage"] = vars(usage)
        return cls.model_validate(fields)
    except ValueError as error:
        problem = first_problem(error) if isinstance(error, ValidationError) else f"raw_data: {error}"
        raise PlayerError(f"{reply_name(player)}() returned a broken {cls.__name__}: {problem}") from None


def is_ours(made_by: Any) -> bool:
    """Whether a player's class or factory is built in: those change nothing that they are shown."""
    if isinstance(made_by, partial):  # a factory under the name that its user knows it by
        made_by = made_by.func
    return str(getattr(made_by, "__module__", "")).startswith(_OURS)


def own(value: _Value) -> _Value:
    """A copy of a message or scenario for a player to keep: whatever it does to it changes nothing of ours."""
    twin = value.model_copy()
    fields = twin.__dict__  # of a frozen model: there is no other way to change what is not shared yet
    for name, part in fields.items():
        if part is not None and type(part) not in _UNCHANGEABLE:
            fields[name] = _own_part(part)
    return twin


def _own_part(part: Any) -> Any:
    if isinstance(part, BaseModel):
        return own(part)
    if isinstance(part, (list, tuple)):
        return type(part)([_own_part(one) for one in part])
    return {name: _own_part(one) for name, one in part.items()} if isinstance(part, dict) else part


_OURS = tuple(f"{__package__.rpartition('.')[0]}.{side}." for side in ("agents", "users"))
_UNCHANGEABLE = frozenset({str, int, float, bool})
_SIDES: dict[Role, tuple[type[AssistantMessage] | type[UserMessage], Requestor]] = {
    "agent": (AssistantMessage, "assistant"),
    "user": (UserMessage, "user"),
}


def parameters(player: Any) -> dict[str, Any]:
    """What a player says about its model, if that is it: other objects have an attribute of this name, too."""
    told = getattr(player, "parameters", None)
    shown: dict[str, Any] = public(told) if isinstance(told, Mapping) else {}
    return shown


def stamp(message: SpokenMessage, *, turn: int, seconds: float) -> SpokenMessage:
    """The message with its place, and with when it was said and how long it took, where it does not say so itself."""
    update: dict[str, Any] = {"turn_idx": turn}
    if message.timestamp is None:
        update["timestamp"] = now()
    if message.generation_time_seconds is None:
        update["generation_time_seconds"] = round(seconds, 6)
    return message.model_copy(update=update)


def cost(messages: Sequence[AnyMessage], role: Requestor) -> float | None:
    """What the messages of a side cost in USD, None as soon as one of them does not say."""
    costs = [m.cost for m in messages if m.role != "tool" and m.role == role]
    return None if None in costs else min(sum(one for one in costs if one is not None), MOST_USD)


def now() -> str:
    """The local time, ISO 8601 without a zone."""
    seconds, microseconds = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{_to_the_second(seconds)}.{microseconds:06}"


@lru_cache(maxsize=1)
def _to_the_second(seconds: int) -> str:
    """The local time of a second; most messages are said in the second of the one before."""
    return datetime.fromtimestamp(seconds).isoformat()
