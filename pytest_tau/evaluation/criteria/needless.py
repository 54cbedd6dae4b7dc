"""Changes that the end state does not need: made twice, or made and taken back without the customer's having asked.

Found by playing the agent's changes again without one of them, or without a pair: where the world ends the same, they
were not needed. A change that the customer agreed to and later wished otherwise is none; nor is one that a call of the
customer's own undid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from ...environment.environment import Environment, State
from ...schema.calls import render_call
from ...schema.messages import AnyMessage, ToolCall, ToolMessage, UserMessage
from ...schema.task import Task
from ...schema.transcript import calls_done, leaves
from ..language.consent import agreement
from ..language.naming import telling

_MOST = 12  # beyond that pairs are not tried


class _Needless(NamedTuple):
    """Changes without which the world would have ended the same."""

    turns: tuple[int, ...]
    text: str


class _Made(NamedTuple):
    """A change that was made; ``unheard``: an injected fault kept the agent from hearing that it was."""

    turn: int
    call: ToolCall
    unheard: bool = False


def needless_writes(task: Task, messages: Sequence[AnyMessage], env: Environment) -> Iterator[_Needless]:
    """The agent's changes that the end state does not need, each once."""
    every = [
        _Made(turn, call, result.fault is not None and result.fault.unheard)
        for turn, call, result in calls_done(messages)
        if env.writes(call.name, call.requestor) and turn >= len(task.history)
    ]
    if not any(_same_thing(one, other) for one, other in combinations(_agents(every), 2)):
        return
    domain, solo = env.domain, env.solo
    world = domain.environment(task, solo=solo)
    failed = [made for made in every if world.call(made.call.name, made.call.arguments, made.call.requestor).error]
    end = world.state()
    own = [made for made in _agents(every) if not any(made is one for one in failed)]

    def ends(left_out: Sequence[_Made]) -> State:
        world = domain.environment(task, solo=solo)
        for made in every:
            if not any(made is other for other in left_out):
                world.call(made.call.name, made.call.arguments, made.call.requestor)
        return world.state()

    # Who was not told that a change happened may make it again, where that does no more the second time.
    own = [made for made in own if not (_follows_unheard(made, own) and ends([made]) == end)]
    found: set[int] = set()
    for made in own:
        if not _candidate(made, own) or ends([made]) != end:
            continue
        if _alike(made, own):
            if not _gold_repeats(made, task) and any(other.turn < made.turn for other in _alike(made, own)):
                found.add(made.turn)
                yield _Needless((made.turn,), f"{_call_text(made)} in turn {made.turn}, as before")
            continue
        later = next((other for other in own if other.turn > made.turn and _same_thing(made, other)), None)
        if (
            later is not None
            and not _in_two_steps(made, later, own, messages, env)
            and _is_unasked(made, later, messages, env)
        ):
            found.add(made.turn)
            yield _Needless((made.turn,), f"{_call_text(made)} in turn {made.turn}, overwritten in turn {later.turn}")
    if len(own) > _MOST:
        return
    for first, second in combinations([made for made in own if made.turn not in found], 2):
        related = first.turn != second.turn and _same_thing(first, second)
        if related and ends([first, second]) == end and _is_unasked(first, second, messages, env):
            found.update((first.turn, second.turn))
            taken_back = f"taken back in turn {second.turn}"
            yield _Needless((first.turn, second.turn), f"{_call_text(first)} in turn {first.turn}, {taken_back}")


def _agents(every: Sequence[_Made]) -> list[_Made]:
    return [made for made in every if made.call.requestor == "assistant"]


def _alike(made: _Made, own: Sequence[_Made]) -> list[_Made]:
    """The other changes that say the same."""
    said = (made.call.name, made.call.arguments)
    return [other for other in own if other is not made and (other.call.name, other.call.arguments) == said]


def _follows_unheard(made: _Made, own: Sequence[_Made]) -> bool:
    return any(other.unheard and other.turn < made.turn for other in _alike(made, own))


def _gold_repeats(made: _Made, task: Task) -> bool:
    """Whether the gold path makes a change more than once, as for each repair that ends with a restart."""
    return sum((step.name, step.arguments) == (made.call.name, made.call.arguments) for step in task.gold_actions) > 1


def _candidate(made: _Made, own: Sequence[_Made]) -> bool:
    """Whether another change is about the same thing: without one there is nothing to undo or to repeat."""
    return any(other is not made and _same_thing(made, other) for other in own)


def _same_thing(one: _Made, other: _Made) -> bool:
    """Whether two changes are about the same: of one kind (their names differ in the verb at most), and on one id."""
    kinds = (one.call.name.partition("_")[2], other.call.name.partition("_")[2])
    return kinds[0] == kinds[1] and bool(_ids(one) & _ids(other))


def _ids(made: _Made) -> set[str]:
    """What a call is about: its ids, but for the customer's own where there are others."""
    ids = {name: str(value) for name, value in made.call.arguments.items() if name.endswith("id")}
    others = {value for name, value in ids.items() if not name.startswith(("user", "customer", "payment"))}
    return others or set(ids.values()) or {made.call.name}


def _in_two_steps(
    first: _Made, second: _Made, own: Sequence[_Made], messages: Sequence[AnyMessage], env: Environment
) -> bool:
    """Whether a change that another one overwrites was agreed to: somebody had named what only the first one has.

    What a change of something else has as well was named for that: the old address of one order, given to another.
    """
    values = {str(value) for _, value in leaves(first.call.arguments) if telling(value)}
    elsewhere = [made for made in own if made is second or not _same_thing(made, first)]
    values -= {str(value) for made in elsewhere for _, value in leaves(made.call.arguments)}
    spoken = [m.text for m in messages[: first.turn] if not isinstance(m, ToolMessage) and not m.tool_calls]
    named = any(value.casefold() in text.casefold() for value in values if value for text in spoken)
    return named and agreement(messages, first.turn, first.call, env=env) == "yes"


def _is_unasked(first: _Made, second: _Made, messages: Sequence[AnyMessage], env: Environment) -> bool:
    """Whether the first of two changes was not the customer's doing: they said nothing in between, or never agreed."""
    spoke = any(isinstance(m, UserMessage) and m.text for m in messages[first.turn : second.turn])
    return not spoke or agreement(messages, first.turn, first.call, env=env) == "no"


def _call_text(made: _Made) -> str:
    return render_call(made.call.name, made.call.arguments)
