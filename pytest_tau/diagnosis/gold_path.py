"""Compares the changes of a conversation with those of the gold path, and says what is wrong where they differ.

faults.py says in which order it looks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..agents.oracle import TRANSFER_TOOL
from ..agents.plausible import with_actions
from ..environment.delta import leaves
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..evaluation.language.dialogue import says_yes
from ..printable import count_of, cut
from ..schema.calls import render_call
from ..schema.messages import OUT_OF_SCOPE, USER_STOP_TOKENS, Requestor, UserMessage
from ..schema.record import Fault, FaultKind
from ..schema.reward import Check, Reward
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..schema.transcript import calls_made, calls_not_failed
from ..schema.values import canonical
from .reach import reach, said_by_customer

_PROPOSES = re.compile(r"\b(confirm|proceed|go ahead|shall i|should i|would you like me|yes/no)\b", re.IGNORECASE)
_ENDED = {Termination.USER_STOP: "the customer ended it", Termination.AGENT_STOP: "the agent ended it"}
_LONGEST = 300

_Effect = tuple[str, ...]


@dataclass(frozen=True)
class _Move:
    """A call that may matter: its effect on the world, empty when it failed, and the turn it was made in."""

    name: str
    arguments: dict[str, Any]
    effect: _Effect
    turn: int | None = None

    @property
    def canonical_text(self) -> str:
        """Name and arguments as text: null is as good as nothing, and the order of a list means nothing."""
        arguments = {
            key: sorted(map(canonical, value)) if isinstance(value, list) else value
            for key, value in self.arguments.items()
            if value is not None
        }
        return canonical([self.name, arguments])

    def same(self, other: _Move) -> bool:
        """Whether one is as good as the other."""
        return self.canonical_text == other.canonical_text or self.effect == other.effect

    def __str__(self) -> str:
        return render_call(self.name, self.arguments)


class GoldComparison:
    """The changes that were made beside those of the gold path."""

    def __init__(self, task: Task, simulation: Simulation, reward: Reward, domain: Domain) -> None:
        self._task = task
        self._reward = reward
        self._simulation = simulation
        self._domain = domain
        made = list(_moves_made(task, simulation, domain))
        gold = list(_gold_moves(task, reward, domain))
        self._kept_back = {
            call.name for _, call, result in calls_made(simulation.messages) if result and result.kept_back
        }
        self._missing: list[_Move] = []
        self._extra = [move for move in made if move.effect]
        self._failed = [move for move in made if not move.effect]
        self._done: list[_Move] = []
        for wanted in gold:
            # The very call comes before one that only has the same effect.
            matches = sorted(
                (m for m in self._extra if m.same(wanted)), key=lambda m: m.canonical_text != wanted.canonical_text
            )
            if not matches:
                self._missing.append(wanted)
                continue
            self._extra.remove(matches[0])
            self._done.append(matches[0])
        # What was tried to the letter, and was refused or had nothing left to do, was meant rightly.
        tried = {move.canonical_text for move in self._failed}
        self._untried = [wanted for wanted in self._missing if wanted.canonical_text not in tried]

    def fault(self, missed: set[str]) -> Fault:
        """The first fault of the order above."""
        harmed = "DB" in missed or not self._missing
        return (
            self._wrong_argument()
            or self._wrong_tool()
            or (self._find_unintended_write() if harmed else None)
            or self._find_early_leaving()
            or self._find_missing_write()
            or self._find_unintended_write()
            or self._wrong_order()
            or self._find_missing_call()
            or make_fault(FaultKind.OTHER, ", ".join(sorted(missed)))
        )

    def _wrong_argument(self) -> Fault | None:
        """The first call that is most like a missing one of its tool; one that was put right later is like that one."""
        for move in (*self._extra, *self._failed):
            later = [done for done in self._done if (done.turn or 0) > (move.turn or 0)]
            likely = [wanted for wanted in (*self._untried, *later) if wanted.name == move.name]
            wanted = max(likely, key=lambda other: _likeness(other.arguments, move.arguments), default=None)
            if wanted in self._untried:
                if (unknown := self._unknowable(move, wanted)) is not None:
                    why = f"{wanted.name}: neither the scenario nor any look-up shows {unknown!r}"
                    return make_fault(FaultKind.SUSPECT_GOLD, why, move.turn)
                return make_fault(FaultKind.WRONG_ARGUMENT, self._other_arguments(move, wanted), move.turn)
        return None

    def _unknowable(self, move: _Move, wanted: _Move) -> str | None:
        """A text that only the gold path has where a call has another, and that nobody could have known."""
        due = [due for _, due, _ in leaves("", wanted.arguments, move.arguments) if isinstance(due, str)]
        shown = [message.content or "" for message in self._simulation.messages]
        seen = "\n".join([said_by_customer(self._task), *shown]).casefold()
        unseen = [text for text in due if any(c.isdigit() for c in text) and text.casefold() not in seen]
        if not unseen:
            return None
        found = reach(with_actions(self._task, []), self._domain, far=True).texts.casefold()
        return next((text for text in unseen if text.casefold() not in found), None)

    def _wrong_tool(self) -> Fault | None:
        common = _in_all([*self._extra, *self._failed, *self._untried])
        for move in (*self._extra, *self._failed):
            for wanted in self._untried:
                if (_values(move.arguments) & _values(wanted.arguments)) - common:
                    return make_fault(FaultKind.WRONG_TOOL, f"{move} where {wanted} was due", move.turn)
        return None

    def _find_unintended_write(self) -> Fault | None:
        if not self._extra:
            return None
        first = self._extra[0]
        return make_fault(FaultKind.UNINTENDED_WRITE, f"{first} is not on the gold path", first.turn)

    def _find_early_leaving(self) -> Fault | None:
        """Whether the customer hung up while the agent waited for the word that they gave in the same breath."""
        messages = self._simulation.messages
        last = messages[-1] if messages else None
        if not self._missing or not isinstance(last, UserMessage):
            return None
        said = last.text
        for token in USER_STOP_TOKENS:
            said = said.replace(token, "")
        if OUT_OF_SCOPE in last.text:
            return make_fault(FaultKind.USER_FAULT, "the customer had nothing to go on with", len(messages) - 1)
        asked = next((m.text for m in reversed(messages[:-1]) if m.role == "assistant" and m.text), "")
        if says_yes(said) and "?" in asked and _PROPOSES.search(asked):
            return make_fault(FaultKind.USER_FAULT, "the customer agreed and left in one message", len(messages) - 1)
        return None

    def _find_missing_write(self) -> Fault | None:
        if not self._untried:
            return None
        if (handed := self._handed_over()) is not None:
            due = count_of(len(self._missing), "due changes")
            what = f"handed over with {due} not made, such as {self._untried[0]}"
            return make_fault(FaultKind.NEEDLESS_HAND_OVER, what, handed)
        such = f", such as {self._untried[0]}" if len(self._missing) > 1 else f": {self._untried[0]}"
        if not self._done and not self._extra and len(self._untried) == len(self._missing):
            reason = self._simulation.termination_reason
            ended = _ENDED.get(reason, f"ended by {reason.value}")
            several = f"any of the {len(self._missing)} due changes" if len(self._missing) > 1 else "the due change"
            if self._untried[0].name in self._kept_back:
                what = f"{ended} before {several} was tried again{such}; a fault had kept it from its tool"
            else:
                what = f"{ended} before {several} was tried{such}"
            if not any(message.role == "assistant" and message.tool_calls for message in self._simulation.messages):
                what += "; the agent called no tool"
            return make_fault(FaultKind.PREMATURE_END, what, len(self._simulation.messages) - 1)
        changes = len(self._missing) + len(self._done)
        return make_fault(FaultKind.PARTLY_DONE, f"{len(self._missing)} of {changes} changes not made{such}")

    def _handed_over(self) -> int | None:
        """The turn in which the agent handed over what the gold path does not."""
        if any(action.name == TRANSFER_TOOL for action in self._task.gold_actions):
            return None
        calls = calls_not_failed(self._simulation.messages)
        return next((turn for turn, call, _ in calls if call.name == TRANSFER_TOOL), None)

    def _wrong_order(self) -> Fault | None:
        """Everything was tried; one was refused at that point, or came after what was due later."""
        refused = {move.canonical_text for move in self._missing}
        late = [move for move in self._failed if move.canonical_text in refused]
        late += [one for one, after in pairwise(self._done) if (one.turn or 0) > (after.turn or 0)]
        if not late:
            return None
        return make_fault(FaultKind.WRONG_ORDER, f"{late[0]} did not come when it was due", late[0].turn)

    def _find_missing_call(self) -> Fault | None:
        """A call of the gold path that changes nothing and was still asked for."""
        unmet = failed_checks(self._reward, "ACTION")
        for position, check in unmet:
            wanted = self._task.gold_actions[position]
            for turn, call, result in calls_made(self._simulation.messages):
                if call.name == wanted.name and not (result and result.kept_back):
                    made = _Move(call.name, call.arguments, ())
                    due = _Move(wanted.name, wanted.arguments, ())
                    return make_fault(FaultKind.WRONG_ARGUMENT, self._other_arguments(made, due), turn)
            return make_fault(FaultKind.PARTLY_DONE, f"no call of {check.name}")
        return None

    def _other_arguments(self, made: _Move, wanted: _Move) -> str:
        missing = self._domain.defaults.get(made.name, {})
        sides = ({**missing, **one.arguments} for one in (wanted, made))
        found = [f"{path} is {got!r}, not {due!r}" for path, due, got in leaves("", *sides)]
        return f"{made.name}: " + ("; ".join(found) or "at a point where it does something else")


def _moves_made(task: Task, simulation: Simulation, domain: Domain) -> Iterator[_Move]:
    """The calls with which either side changed the world in the conversation, or meant to, in order."""
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, [], strict=False)
    history = len(task.history)
    for turn, call, result in calls_made(simulation.messages):
        if env.writes(call.name, call.requestor) and not (result and result.kept_back):
            effect = _effect(env, call.name, call.arguments, call.requestor)
            if turn >= history:
                yield _Move(call.name, call.arguments, effect, turn)


def _gold_moves(task: Task, reward: Reward, domain: Domain) -> Iterator[_Move]:
    """The changes of the gold path that change something, in order."""
    env = domain.environment(task)
    for action in task.gold_actions:
        if env.writes(action.name, action.requestor) and (
            effect := _effect(env, action.name, action.arguments, action.requestor)
        ):
            yield _Move(action.name, action.arguments, effect)


def _effect(env: Environment, name: str, arguments: dict[str, Any], requestor: Requestor) -> _Effect:
    """What a call changes."""
    before = env.state()
    env.call(name, arguments, requestor)
    changes = env.domain.compare(before, env.state())
    return tuple(f"{side} {c.table} {c.key} {c.path} {c.after!r}" for side, c in changes)


def _likeness(first: dict[str, Any], second: dict[str, Any]) -> int:
    return sum(key in second and first[key] == second[key] for key in first)


def _values(value: Any) -> set[str]:
    """The texts inside arguments: what a call is about is named by ids."""
    if isinstance(value, dict):
        return {text for inner in value.values() for text in _values(inner)}
    if isinstance(value, list):
        return {text for inner in value for text in _values(inner)}
    return {value} if isinstance(value, str) else set()


def _in_all(moves: Sequence[_Move]) -> set[str]:
    """The texts that every one of several calls has: the customer's own id tells nothing."""
    sets = [_values(move.arguments) for move in moves]
    return set.intersection(*sets) if len(sets) > 2 else set()


def make_fault(kind: FaultKind, evidence: str, turn: int | None = None) -> Fault:
    """A fault with its evidence, cut where it is long, and the turn if there is one."""
    return Fault(kind=kind, evidence=cut(evidence, _LONGEST, " …"), turn=None if turn is None or turn < 0 else turn)


def failed_checks(reward: Reward, criterion: str) -> list[tuple[int, Check]]:
    """The checks of a criterion that are not met, each with its position."""
    result = reward.result(criterion)
    return [(i, check) for i, check in enumerate(result.checks if result else []) if check.met is False]
