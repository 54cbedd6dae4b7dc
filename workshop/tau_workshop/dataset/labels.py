"""What a played conversation is worth, as a whole and turn by turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_tau.agents.oracle import Oracle
from pytest_tau.conversation.view import AgentView
from pytest_tau.diagnosis.blame import Prefixes, next_move, point_of_no_return
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.environment.domain import Domain
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.record import Fault, NoReturn
from pytest_tau.schema.reward import MilestoneStatus, Reward
from pytest_tau.schema.simulation import Simulation
from pytest_tau.schema.task import Task


@dataclass(frozen=True)
class TurnLabel:
    """One message of the agent.

    ``turn``: its place in the conversation, from 0. ``trainable``: whether it is worth imitating: the trial could still
    be passed after it, and it broke no rule. ``progress``: of the milestones, after it. ``gold``: what the oracle would
    have done there; None where it could no longer pass.
    """

    turn: int
    trainable: bool
    progress: float
    gold: AssistantMessage | None


@dataclass(frozen=True)
class Labelled:
    """A conversation with its labels.

    ``planted``: the kind of the mistake that was made on purpose, if one was. ``reworded``: how many of the agent's
    lines are in other words. ``view``: how the agent saw its world; ``faults``: what its calls met. The simulation and
    the labels have the true names.
    """

    task: Task
    simulation: Simulation
    reward: Reward
    fault: Fault | None
    no_return: NoReturn | None
    turns: Sequence[TurnLabel]
    player: str = ""
    perturbation: str = ""
    reworded: int = 0
    view: AgentView | None = field(default=None, repr=False)
    faults: str = ""
    planted: str | None = None
    id: str = ""
    split: str = ""
    words: frozenset[str] = field(default_factory=frozenset, repr=False)

    @property
    def passed(self) -> bool:
        """Whether the full reward was earned."""
        return self.reward.passed


def label(task: Task, simulation: Simulation, reward: Reward, domain: Domain, *, oracle: bool = False) -> Labelled:
    """Look at a graded conversation.

    Args:
        task: the task it played.
        simulation: the conversation.
        reward: its grade.
        domain: the domain it ran in.
        oracle: whether it was the oracle that played, whose own moves are the gold ones.

    Raises:
        RecordingError: the conversation does not fit the task and its domain.
    """
    fault = find_fault(task, simulation, reward, domain)
    lost = None if reward.passed or reward.ungraded else point_of_no_return(task, simulation, domain, reward=reward)
    begin = len(task.history) or 1
    spoken = [
        (turn, message)
        for turn, message in enumerate(simulation.messages)
        if turn >= begin * (not simulation.solo) and isinstance(message, AssistantMessage)
    ]
    gold = (
        dict[int, AssistantMessage | None](spoken)
        if oracle and reward.passed
        else _gold(task, simulation, domain, lost.turn if lost else None)
    )
    broken = {one.turn for one in reward.violations}
    turns = [
        TurnLabel(
            turn=turn,
            trainable=turn not in broken and (reward.passed or (lost is not None and turn < lost.turn)),
            progress=progress_at(reward.stations, following(simulation, turn)),
            gold=gold.get(turn),
        )
        for turn, _ in spoken
    ]
    return Labelled(task, simulation, reward, fault, lost, turns)


def _gold(task: Task, simulation: Simulation, domain: Domain, until: int | None) -> dict[int, AssistantMessage | None]:
    """The oracle's next move at each turn of the agent, up to the one after which it could no longer pass.

    While the agent does what the oracle does, that is the oracle's next move; from then on it is looked for.
    """
    prefixes = Prefixes(task, simulation, domain)
    oracle: Oracle | None = None
    found: dict[int, AssistantMessage | None] = {}
    for number, turn in enumerate(prefixes.turns):
        if turn == len(simulation.messages) or (until is not None and turn > until):
            break
        if number == 0:
            oracle = Oracle(task, prefixes.at(0).context)
        if oracle is None:
            found[turn] = next_move(prefixes.at(number), task)
            continue
        move = found[turn] = oracle.reply(simulation.messages[:turn])
        done = simulation.messages[turn]
        if not isinstance(done, AssistantMessage) or _message_content(done) != _message_content(move):
            oracle = None
    return found


def _message_content(message: AssistantMessage) -> Any:
    """What a message says and calls."""
    return message.text, [(call.name, call.arguments) for call in message.tool_calls or []]


def following(simulation: Simulation, turn: int) -> int:
    """The last of the results that follow a message."""
    messages = simulation.messages
    while turn + 1 < len(messages) and messages[turn + 1].role == "tool":
        turn += 1
    return turn


def progress_at(stations: Sequence[MilestoneStatus], turn: int) -> float:
    """The progress when the message ``turn`` was there: milestones reached ÷ all, 0 once a minefield was hit."""
    reached = [one for one in stations if one.turn is not None and one.turn <= turn]
    due = sum(not one.mine for one in stations)
    if any(one.mine for one in reached) or not due:
        return 0.0
    return len(reached) / due
