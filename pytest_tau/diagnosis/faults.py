"""Why a trial did not pass, told by rule from its calls, its messages and its end; no model is asked.

One fault a trial, the first of these that is found:

1.  provider fault       the provider or the network ended it
    context overflow     it had outgrown a model's context window
    budget reached       the run's budget had no room for another call
    agent ended          its process ended by itself (``--tau-isolate``)
    time out             it ran out of time; the evidence says who or what was at work
2.  user fault           the simulated customer broke the rules: it ended so, or the user audit found worse
3.  premature end        a limit or the agent itself broke it off
    customer left        the customer's patience came to its end
4.  misheard id          on the telephone, a call had an id that the customer had said otherwise, and nobody asked
    then, where the state is not the one the gold path leads to:
5.  suspect gold         a change differs from the gold path in a value that nobody could know: neither the customer's
                         scenario nor any look-up shows it
6.  wrong argument       a change of the gold path was made, or tried, with other arguments
7.  wrong tool           another change was made, or tried, to what a change of the gold path is about
8.  unintended write     a change was made that the gold path does not make
9.  user fault           the customer left with their consent, or without a scenario to go on with, so nothing followed
10. needless hand-over   changes were not made, because the agent handed over what it was to do itself
11. premature end        no change of the gold path was made or tried before the conversation ended
12. partly done          some of them were not made
13. wrong order          all of them were made, in an order that leads elsewhere
    and where the state is right:
14. needless hand-over   the agent handed over, and a check forbids it
15. policy breach        another TRAJECTORY check is not met
16. missing information  a fact or a reason was not told
17. other                a judge, a criterion of the project or a test's own assertion says no

What harms comes before what is missing. A change counts as one of the gold path when it has the same arguments, or the
same effect. Where only assertions are graded, and not the state, changes beside the gold path harm nothing: there 8 is
looked at after 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..agents.oracle import TRANSFER_TOOL
from ..agents.plausible import with_actions
from ..environment.delta import canonical, leaves
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..environment.replay import without_faults
from ..evaluation.calls import calls_made
from ..evaluation.language.dialogue import says_yes
from ..evaluation.language.naming import leaves as values_in
from ..schema.calls import render_call
from ..schema.checks import NotCalled, Reason
from ..schema.messages import USER_STOP_TOKENS, Requestor, ToolMessage, UserMessage
from ..schema.record import Fault, FaultKind
from ..schema.reward import Check, Reward
from ..schema.simulation import Simulation, Termination, UserFinding
from ..schema.task import Task
from ..users.spelling import distance, ids_in, normal
from .reach import reach, said_by_customer
from .user_audit import SPOILING

_ENDINGS = {
    Termination.INFRASTRUCTURE_ERROR: FaultKind.PROVIDER_FAULT,
    Termination.TIMEOUT: FaultKind.TIME_OUT,
    Termination.USER_ERROR: FaultKind.USER_FAULT,
    Termination.MAX_STEPS: FaultKind.PREMATURE_END,
    Termination.STALLED: FaultKind.PREMATURE_END,
    Termination.TOO_MANY_ERRORS: FaultKind.PREMATURE_END,
    Termination.AGENT_ERROR: FaultKind.PREMATURE_END,
    Termination.USER_LEFT: FaultKind.CUSTOMER_LEFT,
}
_OVERFLOW = "ContextOverflow: "
_AGENT_ENDED = "AgentEnded: "
_BUDGET = "BudgetReached: "  # how the note of a trial begins that it ended
_STATE = ("DB", "ENV_ASSERTION", "ACTION")
_PROPOSES = re.compile(r"\b(confirm|proceed|go ahead|shall i|should i|would you like me|yes/no)\b", re.IGNORECASE)
_OUT_OF_SCOPE = USER_STOP_TOKENS[2]
_TURN = re.compile(r"\bturn (\d+)")
_ENDED = {Termination.USER_STOP: "the customer ended it", Termination.AGENT_STOP: "the agent ended it"}
_LONGEST = 300
_NEARLY = 2  # letters

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


def find_fault(task: Task, simulation: Simulation, reward: Reward | None, domain: Domain) -> Fault | None:
    """The fault of a trial, None when it passed or waits for a judge.

    Args:
        task: the task it played.
        simulation: the finished conversation.
        reward: its grade, None where it was not graded.
        domain: the domain it ran in; it tells which tools write, and what each call did.
    """
    if (kind := _ENDINGS.get(simulation.termination_reason)) is not None:
        if reward is not None and simulation.termination_reason is Termination.TIMEOUT:
            kind = FaultKind.PREMATURE_END  # it was asked for that the agent answers for its time
        if kind is FaultKind.PREMATURE_END and (spoilt := _spoilt(simulation)) is not None:
            return _fault(FaultKind.USER_FAULT, f"{spoilt.rule}: {spoilt.text}", spoilt.turn)
        ended, last = f"ended by {simulation.termination_reason.value}", len(simulation.messages) - 1
        if (simulation.note or "").startswith(_BUDGET):
            return _fault(FaultKind.BUDGET_REACHED, (simulation.note or "").removeprefix(_BUDGET), last)
        if (simulation.note or "").startswith(_AGENT_ENDED):
            return _fault(FaultKind.AGENT_ENDED, (simulation.note or "").removeprefix(_AGENT_ENDED), last)
        if is_overflow(simulation):
            return _fault(FaultKind.CONTEXT_OVERFLOW, (simulation.note or "").removeprefix(_OVERFLOW), last)
        return _fault(kind, f"{ended}: {simulation.note}" if simulation.note else ended, last)
    if simulation.termination_reason is Termination.TEST_ENDED:
        failed = simulation.note or "the test's own assertion"
        return _fault(FaultKind.OTHER, failed, len(simulation.messages) - 1)
    if reward is None or reward.ungraded or reward.passed:
        return None
    if (spoilt := _spoilt(simulation)) is not None:
        return _fault(FaultKind.USER_FAULT, f"{spoilt.rule}: {spoilt.text}", spoilt.turn)
    if (misheard := _misheard(task, simulation)) is not None:
        return misheard
    missed = {result.criterion for result in reward.results if result.in_basis and result.value == 0.0}
    # By what the calls did, as it was graded, and not by what faults made the agent read.
    simulation = simulation.model_copy(update={"messages": without_faults(simulation.messages)})
    if missed & set(_STATE):
        return _Comparison(task, simulation, reward, domain).fault(missed)
    return _said_or_done(task, reward, missed, domain)


def _spoilt(simulation: Simulation) -> UserFinding | None:
    """The first rule that the customer broke, of those without which a trial says nothing about the agent."""
    return next((one for one in simulation.user_findings or [] if one.rule in SPOILING), None)


def _misheard(task: Task, simulation: Simulation) -> Fault | None:
    """The first call on the telephone with an id that is nearly one that the customer said, and stands nowhere."""
    if task.user_scenario.line != "phone":
        return None
    told: list[str] = []
    seen = ""
    for turn, message in enumerate(simulation.messages):
        calls = [] if isinstance(message, ToolMessage | UserMessage) else message.tool_calls or []
        for call in calls:
            for used in ids_in(" ".join(str(value) for _, value in values_in(call.arguments))):
                meant = next((one for one in told if 0 < distance(normal(used), normal(one)) <= _NEARLY), None)
                if meant is not None and used not in seen:
                    evidence = f"{call.name}: {used!r} was heard for {meant!r}, and nobody asked whether it is right"
                    return _fault(FaultKind.MISHEARD_ID, evidence, turn)
        if isinstance(message, UserMessage):
            told += ids_in(message.text)
        if not (isinstance(message, ToolMessage) and message.error) and message.role != "assistant":
            seen += f"\n{message.content or ''}"
    return None


def is_overflow(simulation: Simulation) -> bool:
    """Whether a trial ended because it had outgrown a model's context window."""
    ended = simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    return ended and (simulation.note or "").startswith(_OVERFLOW)


def _fault(kind: FaultKind, evidence: str, turn: int | None = None) -> Fault:
    short = evidence if len(evidence) <= _LONGEST else f"{evidence[:_LONGEST]} …"
    return Fault(kind=kind, evidence=short, turn=None if turn is None or turn < 0 else turn)


def _said_or_done(task: Task, reward: Reward, missed: set[str], domain: Domain) -> Fault:
    """The fault of a trial whose state is right."""
    checks = (task.evaluation_criteria.trajectory if task.evaluation_criteria else None) or []
    unmet = {name: _failed_checks(reward, name) for name in ("TRAJECTORY", "COMMUNICATE") if name in missed}
    # The task's own checks come first, those of its domain after them.
    own = dict(enumerate(checks))
    breaches = [(own.get(i), check) for i, check in unmet.get("TRAJECTORY", []) if not isinstance(own.get(i), Reason)]
    writes = domain.environment().writes
    # Where the state is not graded, this is how a task says which changes must not be made.
    breaches.sort(key=lambda found: not (isinstance(found[0], NotCalled) and writes(found[0].name)))
    if breaches:
        broken, check = breaches[0]
        harmful = isinstance(broken, NotCalled) and writes(broken.name)
        turn = _TURN.search(check.explanation)
        kind = FaultKind.UNINTENDED_WRITE if harmful else FaultKind.POLICY_BREACH
        if isinstance(broken, NotCalled) and broken.name == TRANSFER_TOOL:
            kind = FaultKind.NEEDLESS_HAND_OVER
        return _fault(kind, check.finding, int(turn[1]) if turn else None)
    if untold := [check.name for found in unmet.values() for _, check in found]:
        return _fault(FaultKind.MISSING_INFORMATION, "not told: " + ", ".join(untold))
    notes = [result.note for result in reward.results if result.criterion in missed and result.note]
    return _fault(FaultKind.OTHER, ", ".join(sorted(missed)) + (f": {notes[0]}" if notes else ""))


def _failed_checks(reward: Reward, criterion: str) -> list[tuple[int, Check]]:
    result = reward.result(criterion)
    return [(i, check) for i, check in enumerate(result.checks if result else []) if check.met is False]


class _Comparison:
    """The changes that were made beside those of the gold path."""

    def __init__(self, task: Task, simulation: Simulation, reward: Reward, domain: Domain) -> None:
        self._task = task
        self._reward = reward
        self._simulation = simulation
        self._domain = domain
        made = list(_moves_made(task, simulation, domain))
        gold = list(_gold_moves(task, reward, domain))
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
            or _fault(FaultKind.OTHER, ", ".join(sorted(missed)))
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
                    return _fault(FaultKind.SUSPECT_GOLD, why, move.turn)
                return _fault(FaultKind.WRONG_ARGUMENT, _other_arguments(move, wanted), move.turn)
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
                    return _fault(FaultKind.WRONG_TOOL, f"{move} where {wanted} was due", move.turn)
        return None

    def _find_unintended_write(self) -> Fault | None:
        if not self._extra:
            return None
        first = self._extra[0]
        return _fault(FaultKind.UNINTENDED_WRITE, f"{first} is not on the gold path", first.turn)

    def _find_early_leaving(self) -> Fault | None:
        """Whether the customer hung up while the agent waited for the word that they gave in the same breath."""
        messages = self._simulation.messages
        last = messages[-1] if messages else None
        if not self._missing or not isinstance(last, UserMessage):
            return None
        said = last.text
        for token in USER_STOP_TOKENS:
            said = said.replace(token, "")
        if _OUT_OF_SCOPE in last.text:
            return _fault(FaultKind.USER_FAULT, "the customer had nothing to go on with", len(messages) - 1)
        asked = next((m.text for m in reversed(messages[:-1]) if m.role == "assistant" and m.text), "")
        if says_yes(said) and "?" in asked and _PROPOSES.search(asked):
            return _fault(FaultKind.USER_FAULT, "the customer agreed and left in one message", len(messages) - 1)
        return None

    def _find_missing_write(self) -> Fault | None:
        if not self._untried:
            return None
        if (handed := self._handed_over()) is not None:
            what = f"handed over with {_due(len(self._missing))} not made, such as {self._untried[0]}"
            return _fault(FaultKind.NEEDLESS_HAND_OVER, what, handed)
        such = f", such as {self._untried[0]}" if len(self._missing) > 1 else f": {self._untried[0]}"
        if not self._done and not self._extra and len(self._untried) == len(self._missing):
            reason = self._simulation.termination_reason
            ended = _ENDED.get(reason, f"ended by {reason.value}")
            several = "any of " if len(self._missing) > 1 else ""
            what = f"{ended} before {several}the {_due(len(self._missing)).removeprefix('1 ')} was tried{such}"
            if not any(message.role == "assistant" and message.tool_calls for message in self._simulation.messages):
                what += "; the agent called no tool"
            return _fault(FaultKind.PREMATURE_END, what, len(self._simulation.messages) - 1)
        due = len(self._missing) + len(self._done)
        return _fault(FaultKind.PARTLY_DONE, f"{len(self._missing)} of {due} changes not made{such}")

    def _handed_over(self) -> int | None:
        """The turn in which the agent handed over what the gold path does not."""
        if any(action.name == TRANSFER_TOOL for action in self._task.gold_actions):
            return None
        calls = calls_made(self._simulation.messages)
        return next((turn for turn, call, _ in calls if call.name == TRANSFER_TOOL), None)

    def _wrong_order(self) -> Fault | None:
        """Everything was tried; one was refused at that point, or came after what was due later."""
        refused = {move.canonical_text for move in self._missing}
        late = [move for move in self._failed if move.canonical_text in refused]
        late += [one for one, after in pairwise(self._done) if (one.turn or 0) > (after.turn or 0)]
        return _fault(FaultKind.WRONG_ORDER, f"{late[0]} did not come when it was due", late[0].turn) if late else None

    def _find_missing_call(self) -> Fault | None:
        """A call of the gold path that changes nothing and was still asked for."""
        unmet = _failed_checks(self._reward, "ACTION")
        for position, check in unmet:
            wanted = self._task.gold_actions[position]
            for turn, call, _ in calls_made(self._simulation.messages):
                if call.name == wanted.name:
                    made = _Move(call.name, call.arguments, ())
                    due = _Move(wanted.name, wanted.arguments, ())
                    return _fault(FaultKind.WRONG_ARGUMENT, _other_arguments(made, due), turn)
            return _fault(FaultKind.PARTLY_DONE, f"no call of {check.name}")
        return None


def _moves_made(task: Task, simulation: Simulation, domain: Domain) -> Iterator[_Move]:
    """The calls with which either side changed the world in the conversation, or meant to, in order."""
    env = domain.environment(solo=simulation.solo)
    env.set_up(task, [], strict=False)
    history = len(task.history)
    for turn, call, _ in calls_made(simulation.messages):
        if env.writes(call.name, call.requestor):
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


def _other_arguments(made: _Move, wanted: _Move) -> str:
    found = [f"{path} is {got!r}, not {due!r}" for path, due, got in leaves("", wanted.arguments, made.arguments)]
    return f"{made.name}: " + ("; ".join(found) or "at a point where it does something else")


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


def _due(number: int) -> str:
    """Due changes, counted."""
    return "1 due change" if number == 1 else f"{number} due changes"
