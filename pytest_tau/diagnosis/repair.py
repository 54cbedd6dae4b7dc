"""The smallest repair: what to change in the step that lost a trial, so that it would have passed.

The trial is forked before its point of no return, one change is made to the agent's message there, and the oracle plays
the rest. Changes are tried from the smallest on: one argument, a call left out or added, another call in its place, a
fact told, a question asked first, a refusal. One that leads to the state asked for together with the calls that the
agent really made afterwards comes before one for which the oracle has to do more.

Nothing is searched for beyond the gold path, and never for longer than a second of processor time: "none found" is an
answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..agents.oracle import proposal_of, say, what_to_tell
from ..conversation.run import OwnLoop, answer
from ..conversation.trial import Trial
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..errors import TauError
from ..evaluation.criteria.assertions import assertions
from ..evaluation.criteria.communicate import mentions
from ..evaluation.criteria.database import database
from ..evaluation.grade import passes
from ..printable import cut, one_line
from ..schema.calls import Action, render_call
from ..schema.checks import Reason
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall
from ..schema.record import Fault, NoReturn, Repair, RepairKind
from ..schema.simulation import Simulation
from ..schema.task import Task
from ..schema.transcript import calls_made
from ..users.scripted import Scripted
from .blame import Prefixes, gold_left, nobody, point_of_no_return, prospect

SECONDS = 1.0
"""Of processor time, for one trial."""
_SORRY = "I am sorry, I cannot do that."
_WIDTH = 300


@dataclass(frozen=True)
class _Change:
    """What the agent does in the place of its message."""

    kind: RepairKind
    text: str
    messages: tuple[AssistantMessage, ...]
    turn: int = 0


def smallest_repair(
    task: Task,
    simulation: Simulation,
    domain: Domain,
    *,
    no_return: NoReturn | None = None,
    seconds: float = SECONDS,
) -> Repair | None:
    """Find the smallest change of the step that lost a trial.

    Args:
        task: the task that was played.
        simulation: a trial of it that did not pass.
        domain: the domain it ran in.
        no_return: its point of no return, if that is known.
        seconds: of processor time, after which no further change is tried.

    Returns:
        The change; None where none of those that were tried would have passed.

    Raises:
        RecordingError: the recording does not fit the task and its domain.
    """
    until = time.process_time() + seconds
    lost = no_return or point_of_no_return(task, simulation, domain)
    if lost is None:
        return None
    prefixes = Prefixes(task, simulation, domain)
    messages = simulation.messages
    second: Repair | None = None
    for change in _all_changes(task, messages, lost.turn, prefixes):
        if time.process_time() >= until:
            break
        fork = _apply(prefixes.at(prefixes.turns.index(change.turn)), change)
        if fork is None or not _passes(fork, task, domain):
            continue
        found = Repair(turn=change.turn, kind=change.kind, text=one_line(change.text))
        if _leads_there(task, fork.world, messages[change.turn + 1 :]):
            return found
        second = second or found
    return second


def with_repair(fault: Fault, task: Task, simulation: Simulation, domain: Domain) -> Fault:
    """The fault of a trial with the smallest repair, where it has a point of no return and one is found."""
    if fault.no_return is None:
        return fault
    try:
        found = smallest_repair(task, simulation, domain, no_return=fault.no_return)
    except Exception:  # a trial is played on with whatever tools its domain has: what goes wrong must not cost it
        return fault
    return fault if found is None else fault.model_copy(update={"repair": found})


def _all_changes(task: Task, messages: Sequence[AnyMessage], turn: int, prefixes: Prefixes) -> Iterator[_Change]:
    """Changes of the step that lost a trial; before it, of a call that failed and was given up, where there is one.

    A call that failed loses nothing by itself: it is lost with the word that ends the conversation.
    """
    world = prefixes.at(prefixes.turns.index(turn)).world
    left = gold_left(task, messages, world)
    missing = [action for action in left if world.writes(action.name, action.requestor)] or left
    lost = messages[turn]
    if isinstance(lost, AssistantMessage) and not lost.tool_calls:
        failed = [
            (at, call)
            for at, call, result in calls_made(messages[:turn])
            if at in prefixes.turns and result is not None and result.error and call.requestor == "assistant"
        ]
        for only_one in (True, False):
            for at, call in failed:
                yield from _at(at, _corrections(messages[at], call, missing, only_one=only_one))
        for at, call in failed:
            yield from _at(at, _replacements(messages[at], call, missing))
    yield from _at(turn, _changes(task, messages, turn, world, missing))


def _at(turn: int, changes: Iterator[_Change]) -> Iterator[_Change]:
    return (replace(change, turn=turn) for change in changes)


def _corrections(
    message: AnyMessage, call: ToolCall, missing: Sequence[Action], *, only_one: bool
) -> Iterator[_Change]:
    if isinstance(message, AssistantMessage):
        yield from _other_arguments(message, (message.tool_calls or []).index(call), call, missing, only_one=only_one)


def _replacements(message: AnyMessage, call: ToolCall, missing: Sequence[Action]) -> Iterator[_Change]:
    if not isinstance(message, AssistantMessage):
        return
    for action in missing:
        made = _with_call(message, (message.tool_calls or []).index(call), action)
        text = f"{_call_text(call)} → {_short(str(action))}"
        yield _Change(RepairKind.REPLACED, text, (made,))
        yield _Change(RepairKind.REPLACED, f"{text}, asking first,", (proposal_of([action]), made))


def _changes(
    task: Task, messages: Sequence[AnyMessage], turn: int, world: Environment, missing: Sequence[Action]
) -> Iterator[_Change]:
    """What may be changed in a message, from the smallest change on."""
    message = messages[turn]
    if not isinstance(message, AssistantMessage):
        return
    calls = message.tool_calls or []
    gold = {(action.name, str(action)) for action in task.gold_actions}
    is_gold = bool(calls) and all((call.name, render_call(call.name, call.arguments)) in gold for call in calls)
    for number, call in enumerate(calls):
        yield from _other_arguments(message, number, call, missing, only_one=True)
    left_out = list(_omissions(message))
    yield from () if is_gold else left_out
    for action in missing:
        yield _Change(RepairKind.ADDED, f"{_short(str(action))} before it", (_calling([action]), message))
    for call in calls:
        yield from _replacements(message, call, missing)
        yield from _corrections(message, call, missing, only_one=False)
    if missing:
        steps = "; ".join(_short(str(action)) for action in missing)
        own = [action for action in missing if action.requestor == "assistant"]
        made = [_calling([one]) for one in own]
        yield _Change(RepairKind.ADDED, f"{steps} before it", (*made, message))
        yield _Change(RepairKind.ADDED, f"asking for and making {steps} before it", (proposal_of(own), *made, message))
    yield from left_out if is_gold else ()
    yield from _words(task, messages, message)
    leave = [Action(action_id=c.name, name=c.name, arguments=c.arguments, requestor=c.requestor) for c in calls]
    if any(world.writes(step.name, step.requestor) for step in leave):
        yield _Change(RepairKind.QUESTION, "asking the customer first", (proposal_of(leave), message))
    if not (calls or any(isinstance(check, Reason) for check in task.own_checks)):
        yield _Change(RepairKind.LEFT_OUT, "its words left out", ())
    said = say(" ".join([_SORRY, ", ".join(what_to_tell(task))]).rstrip())
    yield _Change(RepairKind.REFUSAL, "a refusal in its place", (said,))


def _omissions(message: AssistantMessage) -> Iterator[_Change]:
    calls = message.tool_calls or []
    for number, call in enumerate(calls):
        rest = [*calls[:number], *calls[number + 1 :]]
        kept = message.model_copy(update={"tool_calls": rest or None})
        yield _Change(RepairKind.LEFT_OUT, f"{_call_text(call)} left out", (kept,) if rest else ())


def _other_arguments(
    message: AssistantMessage, number: int, call: ToolCall, missing: Sequence[Action], *, only_one: bool
) -> Iterator[_Change]:
    for action in missing:
        if action.name != call.name:
            continue
        names = [*dict.fromkeys([*call.arguments, *action.arguments])]
        made, due = call.arguments, action.arguments
        other = [name for name in names if made.get(name) != due.get(name)]
        other = other or [name for name in names if name not in made or name not in due]  # null, and there is no such
        if (len(other) == 1) == only_one and other:
            text = ", ".join(_other_value(name, made, due) for name in other)
            changed = _with_call(message, number, action)
            yield _Change(RepairKind.ARGUMENT, text, (changed,))
            yield _Change(RepairKind.ARGUMENT, f"{text}, asking first,", (proposal_of([action]), changed))


def _other_value(name: str, made: Mapping[str, Any], due: Mapping[str, Any]) -> str:
    """An argument as it was and as it was due."""
    if name not in due:
        return f"{name} {_value(made[name])} left out"
    if name not in made:
        return f"{name} {_value(due[name])} added"
    return f"{name} {_value(made[name])} → {_value(due[name])}"


def _words(task: Task, messages: Sequence[AnyMessage], message: AssistantMessage) -> Iterator[_Change]:
    """What was never told, told with the message."""
    texts = [one.text for one in messages if isinstance(one, AssistantMessage)]
    untold = [fact for fact in what_to_tell(task) if not any(mentions(text, fact) for text in texts)]
    for facts in [[fact] for fact in untold] + ([untold] if len(untold) > 1 else []):
        told = "; ".join(facts)
        made = message.model_copy(update={"content": " ".join(filter(None, [message.text, f"{told}."]))})
        if message.tool_calls:
            yield _Change(RepairKind.TOLD, f"telling {_value(told)} before it", (say(f"{told}."), message))
        else:
            yield _Change(RepairKind.TOLD, f"telling {_value(told)}", (made,))


def _apply(trial: Trial, change: _Change) -> Trial | None:
    """The trial after the change, where the agent is to move again or all is over; None where it cannot be made."""
    fork, left, loop = trial.fork(agent=nobody, user=Scripted), [*change.messages], OwnLoop()
    try:
        while (ask := fork.ask()) is not None:
            if ask.role == "user":
                answer(fork, ask, loop)
            elif left:
                fork.take_reply(ask, left.pop(0))
            else:
                return fork
    except TauError:
        return None
    finally:
        loop.close()
    return None if left else fork


def _passes(fork: Trial, task: Task, domain: Domain) -> bool:
    if not fork.conversation.over:
        return prospect(fork, task, domain, tell=False).possible
    return passes(task, fork.simulation(), domain, strict=False)


def _leads_there(task: Task, world: Environment, later: Sequence[AnyMessage]) -> bool:
    """Whether the state asked for is reached with what was really done afterwards."""
    env = world.copy()
    for _, call, _ in calls_made(later):
        if env.writes(call.name, call.requestor):
            env.execute(call.name, call.arguments, call.requestor)
    basis = task.evaluation_criteria.reward_basis if task.evaluation_criteria else []
    looked = [database(task, env, in_basis=True, brief=True)] if "DB" in basis else []
    looked += [assertions(task, env, in_basis=True)] if "ENV_ASSERTION" in basis else []
    return all(result.value == 1.0 for result in looked)


def _calling(actions: Sequence[Action]) -> AssistantMessage:
    calls = [ToolCall(id=f"repair_{one.action_id}", name=one.name, arguments=one.arguments) for one in actions]
    return AssistantMessage(tool_calls=calls, cost=0.0)


def _with_call(message: AssistantMessage, number: int, action: Action) -> AssistantMessage:
    calls = list(message.tool_calls or [])
    calls[number] = calls[number].model_copy(update={"name": action.name, "arguments": action.arguments})
    return message.model_copy(update={"tool_calls": calls})


def _call_text(call: ToolCall) -> str:
    return _short(render_call(call.name, call.arguments))


def _value(value: Any) -> str:
    return _short(json.dumps(value, ensure_ascii=False, default=repr))


def _short(text: str) -> str:
    return cut(text, _WIDTH)
