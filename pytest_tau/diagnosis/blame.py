"""The point of no return: the agent's step after which a trial could no longer be passed.

How it works. A recorded conversation is taken over turn by turn, and forked where the agent was to move. The fork is
played on by the oracle with what is left of the gold path, against a scripted customer who has heard all that was said;
if that passes, the trial could still be passed there. The step sought is the one between the last turn from which that
is so and the first from which it is not.

Whether a trial *can* still be passed never comes back once it is lost, because every conversation from a later turn is
one from the earlier turn, too. So the turn is found by bisecting. The oracle is only a stand-in for the best agent: it
takes the steps of the gold path that have not been made, and, where the agent has done them in its own way, fewer or
all of them. Where it knew a way late in a conversation and none before, bisecting might stop too early;
``exhaustive=True`` tries every turn from the end instead, and gives the same in practice (a test holds it).

Most turns are told without playing: no rest of the gold path leads to the state asked for, or the grade names the turn
in which a rule was broken. What is told so is checked by playing on both sides of the turn that comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..agents.oracle import Oracle, rest_of
from ..conversation.limits import Limits
from ..conversation.protocols import AgentContext
from ..conversation.run import converse
from ..conversation.trial import Trial
from ..conversation.turns import Speak
from ..environment.domain import Domain
from ..environment.environment import Environment
from ..errors import TauError
from ..evaluation.criteria.actions import same_call
from ..evaluation.criteria.assertions import assertions
from ..evaluation.criteria.database import database
from ..evaluation.grade import grade, may_pass
from ..schema.calls import Action
from ..schema.messages import AnyMessage, AssistantMessage, UserMessage
from ..schema.record import Fault, NoReturn
from ..schema.reward import CriterionResult, Reward
from ..schema.simulation import Simulation, Termination
from ..schema.task import Task
from ..schema.transcript import calls_done
from ..users.scripted import Scripted

_UNLIMITED = Limits(max_steps=1_000_000, max_errors=1_000_000, timeout=None)
_ENDED = (Termination.USER_STOP, Termination.AGENT_STOP)


@dataclass(frozen=True)
class _Prospect:
    """Whether a trial can still be passed: the oracle's grade from there, and why not where it cannot."""

    possible: bool
    why: str = ""


def point_of_no_return(
    task: Task, simulation: Simulation, domain: Domain, *, reward: Reward | None = None, exhaustive: bool = False
) -> NoReturn | None:
    """Find the step that made it impossible to pass.

    Args:
        task: the task that was played.
        simulation: a trial of it that did not pass.
        domain: the domain it ran in.
        reward: its grade, if that is known.
        exhaustive: try every turn, from the last one back, instead of bisecting.

    Returns:
        The turn and what was lost with it; None where the oracle does not pass from the start, so that nobody is to
        blame, or where it was not lost before the conversation broke off.

    Raises:
        RecordingError: the recording does not fit the task and its domain.
    """
    prefixes = Prefixes(task, simulation, domain)
    last = len(prefixes.turns) - 1
    if last < 0:
        return None
    if exhaustive:
        kept = next((at for at in range(last, -1, -1) if prefixes.prospect(at).possible), None)
    else:
        kept = _last_kept(prefixes, reward or grade(task, simulation, domain, strict=False))
    if kept is None:
        return None
    lost, turn = kept + 1, prefixes.turns[kept]
    if turn == len(simulation.messages):
        return None
    if lost <= last and not prefixes.at(lost).conversation.over:
        return NoReturn(turn=turn, text=prefixes.prospect(lost).why)
    if simulation.termination_reason in _ENDED:
        return NoReturn(turn=turn, text="the conversation ended after it with the task not done")
    return NoReturn(turn=turn, text=f"the conversation was ended after it: {simulation.termination_reason.value}")


def _last_kept(prefixes: Prefixes, reward: Reward) -> int | None:
    """The last step before which the trial could still be passed; None where there is none.

    First a guess: where the state asked for is out of reach, or a rule has been broken that the grade names, it is
    lost. If the oracle agrees on both sides of the guess, that is it; else every step of the search is played.
    """
    broken = [one.turn for one in reward.violations if one.turn is not None]

    def guess(number: int) -> bool:
        return all(turn >= prefixes.turns[number] for turn in broken) and prefixes.reachable(number)

    end = len(prefixes.turns)
    guessed = _bisect(guess, end)
    if prefixes.prospect(guessed).possible and (guessed + 1 == end or not prefixes.prospect(guessed + 1).possible):
        return guessed
    if not prefixes.prospect(0).possible:
        return None
    return _bisect(lambda number: prefixes.prospect(number).possible, end)


def _bisect(holds: Callable[[int], bool], lost: int) -> int:
    """The last number for which it holds, of those from 0, for which it does, to ``lost``, for which it does not."""
    kept = 0
    while lost - kept > 1:
        middle = (kept + lost) // 2
        if holds(middle):
            kept = middle
        else:
            lost = middle
    return kept


def with_no_return(fault: Fault, task: Task, simulation: Simulation, domain: Domain, reward: Reward) -> Fault:
    """The fault of a trial with its point of no return, where it has one and it can be found."""
    try:
        found = point_of_no_return(task, simulation, domain, reward=reward)
    except Exception:  # a trial is played on with whatever tools its domain has: what goes wrong must not cost it
        return fault
    return fault if found is None else fault.model_copy(update={"no_return": found})


def prospect(trial: Trial, task: Task, domain: Domain, *, tell: bool = True) -> _Prospect:
    """Whether a trial that stands where the agent is to move can still be passed; ``tell``: and why not."""
    if not isinstance(trial.conversation.turn, Speak):
        return _Prospect(False, "the conversation is over")
    why = ""
    for rest in _rests(task, trial.conversation.messages, trial.world):
        missed = _unreachable(task, trial.world, rest)
        if missed is None:
            # What it fails at now is no matter of the state: another rest that leads there would not save it.
            finished = _played_out(task, trial, rest)
            if may_pass(task, finished, domain, strict=False):
                return _Prospect(True)
            return _Prospect(False, _why(grade(task, finished, domain, strict=False)) if tell else "")
        why = why or missed
    return _Prospect(False, why)


def next_move(trial: Trial, task: Task) -> AssistantMessage | None:
    """What the oracle does next from where the agent is to move; None where it can no longer pass."""
    for rest in _rests(task, trial.conversation.messages, trial.world):
        if _unreachable(task, trial.world, rest) is None:
            left = rest_of(task, trial.conversation.messages, rest)
            return Oracle(left, trial.context).reply(trial.conversation.messages)
    return None


def gold_left(task: Task, messages: Sequence[AnyMessage], world: Environment) -> list[Action]:
    """The steps of the gold path that a conversation has not made."""
    return next(_rests(task, messages, world))


class Prefixes:
    """A recorded conversation as trials that stand where the agent was to move.

    ``turns``: the messages before which it was, from 0; the number of messages where nothing followed.
    """

    def __init__(self, task: Task, simulation: Simulation, domain: Domain) -> None:
        self._messages: Sequence[AnyMessage] = simulation.messages
        start = Trial(
            task,
            domain.environment(solo=simulation.solo),
            nobody,
            Scripted,
            trial=simulation.trial,
            seed=simulation.seed or 0,
            limits=_UNLIMITED,
        ).begin()
        begin = len(start.conversation.messages)
        # Recordings of others may begin with the customer, without the greeting.
        if not task.history and isinstance(next(iter(self._messages), None), UserMessage):
            begin = 0
        start.conversation.messages[:begin] = self._messages[:begin]
        self.turns = [
            at for at in range(begin, len(self._messages)) if isinstance(self._messages[at], AssistantMessage)
        ]
        if simulation.termination_reason not in _ENDED:
            self.turns.append(len(self._messages))
        self._forks = [(begin, start)]
        self._task, self._domain = task, domain
        self._prospects: dict[int, _Prospect] = {}

    def at(self, number: int) -> Trial:
        """The trial before the step ``number`` of the agent; a fork of the nearest one that is known."""
        turn = self.turns[number]
        taken, nearest = max((known for known in self._forks if known[0] <= turn), key=lambda known: known[0])
        if taken == turn:
            return nearest
        trial = nearest.fork()
        trial.follow(self._messages[taken:turn], strict=False)
        self._forks.append((turn, trial))
        return trial

    def reachable(self, number: int) -> bool:
        """Whether any rest of the gold path leads to the state asked for, whatever else is said."""
        trial = self.at(number)
        if not isinstance(trial.conversation.turn, Speak):
            return False
        rests = _rests(self._task, trial.conversation.messages, trial.world)
        return any(_unreachable(self._task, trial.world, rest) is None for rest in rests)

    def prospect(self, number: int) -> _Prospect:
        """Whether the trial can still be passed before that step."""
        if number not in self._prospects:
            self._prospects[number] = prospect(self.at(number), self._task, self._domain)
        return self._prospects[number]


def nobody(context: AgentContext) -> Any:
    """Make the agent of a recording, which is never to be asked."""

    def reply(messages: list[AnyMessage]) -> AssistantMessage:
        raise TauError("nobody plays the agent of a recording")

    return reply


def _rests(task: Task, messages: Sequence[AnyMessage], world: Environment) -> Iterator[list[Action]]:
    """What may be left of the gold path: the steps not made; for an agent with ways of its own, the last so many.

    What was looked up is looked up again where a step before it is still to be made: it may show something else then.
    """
    made = [call for _, call, _ in calls_done(messages)]
    rest: list[Action] = []
    for action in task.gold_actions:
        same = next((call for call in made if same_call(action, call, world)), None)
        if same is not None:
            made.remove(same)
        if same is None or (rest and not world.writes(action.name, action.requestor)):
            rest.append(action)
    seen = [rest]
    yield rest
    for begin in range(len(task.gold_actions) + 1):
        if (later := task.gold_actions[begin:]) not in seen:
            seen.append(later)
            yield later


def _unreachable(task: Task, world: Environment, rest: list[Action]) -> str | None:
    """Why these steps do not lead to the state that is asked for; None where they do."""
    basis = task.evaluation_criteria.reward_basis if task.evaluation_criteria else []
    env = world.copy()
    for action in rest:
        env.call(action.name, action.arguments, action.requestor)
    looked: list[CriterionResult] = []
    if "DB" in basis:
        looked.append(database(task, env, in_basis=True))
    if "ENV_ASSERTION" in basis:
        looked.append(assertions(task, env, in_basis=True))
    broken = next((result for result in looked if result.value == 0.0), None)
    return None if broken is None else _what_is_lost(broken)


def _played_out(task: Task, trial: Trial, rest: list[Action]) -> Simulation:
    """The conversation when the oracle takes these steps from here."""
    left = rest_of(task, trial.conversation.messages, rest)
    return converse(trial.fork(agent=lambda context: Oracle(left, context), user=Scripted))


def _why(reward: Reward) -> str:
    """Why the oracle does not pass."""
    return _what_is_lost(reward.missed[0]) if reward.missed else reward.note or "the oracle does not pass from there"


def _what_is_lost(broken: CriterionResult) -> str:
    """What of a criterion cannot be met any more."""
    if broken.differences:
        first = broken.differences[0]
        where = f"{first.table}[{first.key!r}]" + (f".{first.path}" if first.path else "")
        return f"the state asked for is out of reach: {where}"
    unmet = next((check for check in broken.checks if check.met is False), None)
    if unmet is None:
        return f"{broken.criterion} cannot be met any more"
    return unmet.finding if unmet.explanation else f"{unmet.name} cannot be met any more"
