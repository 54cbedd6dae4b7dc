"""A task out of a logged conversation and the world that it took place in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_tau.environment.domain import Domain
from pytest_tau.evaluation.grade import grade
from pytest_tau.recordings.from_turn import history_until
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.recordings.reproducing import Reproduction
from pytest_tau.schema.checks import Called, NotCalled
from pytest_tau.schema.scenario import UserScenario
from pytest_tau.schema.task import Criterion, Description, EvaluationCriteria, InitialState, Task
from pytest_tau.simulating import simulate

from .customer import scenario, turns_of
from .expect import Expectation, checks_of, expected_path, facts_of
from .gold import (
    GoldStep,
    changes_made,
    decisive_look_up,
    figures_said,
    gold_steps,
    told_facts,
    write_turns,
)

TAG, DRAFT = "imported", "draft"


@dataclass(frozen=True)
class Wanted:
    """What an author says of the tasks to be made.

    Attributes:
        expectations: what should have been done.
        draft: leave the gold path open.
        turn: the message, from 0, that is the first to be played anew; None begins with the customer's call.
    """

    expectations: Sequence[Expectation] = ()
    draft: bool = False
    turn: int | None = None


def went_wrong(conversation: LoggedConversation) -> bool | None:
    """Whether a conversation ended badly, as far as its log says; None where it does not."""
    reward = conversation.meta.get("reward")
    return None if not isinstance(reward, (int, float)) else reward < 1.0


def make_task(
    conversation: LoggedConversation,
    domain: Domain,
    found: Reproduction,
    wanted: Wanted = Wanted(),
    *,
    hashes: Sequence[str] = (),
    again: Sequence[LoggedConversation] = (),
) -> Task:
    """The task of a conversation.

    Args:
        conversation: the conversation.
        domain: its domain.
        found: its world, and what of it was reproduced.
        wanted: what its author says of it.
        hashes: of all conversations that the task stands for; by default of this one.
        again: others of the same case that ended well (:func:`cases_of`). A figure that one of them did not tell does
            not have to be told.

    Raises:
        RecordingError: the turn is none at which somebody speaks.
    """
    messages = conversation.messages
    begin = wanted.turn or 0
    made = [step for step in gold_steps(messages, domain, found) if step.at >= begin]
    steps = [] if wanted.draft else expected_path(made, wanted.expectations)
    state = found.initial_state
    if wanted.turn is not None:
        history = history_until(conversation, domain, state, wanted.turn)
        state = (state or InitialState()).model_copy(update={"message_history": history})
    told = told_facts(messages, write_turns(messages, domain.environment()), begin)
    told = [figure for figure in told if all(figure in figures_said(other.messages) for other in again)]
    told = list(dict.fromkeys([*told, *facts_of(wanted.expectations)]))
    return Task(
        id=task_id(conversation, wanted.turn),
        domain=domain.name,
        tags=[TAG, *([DRAFT] if wanted.draft else [])],
        description=_description(conversation, found, wanted, hashes or [conversation.hash]),
        user_scenario=_scenario(conversation, domain, steps, begin),
        initial_state=state,
        evaluation_criteria=_criteria(steps, told, wanted, conversation, domain),
    )


def cases_of(
    conversations: Iterable[LoggedConversation], domain: Domain
) -> dict[tuple[str, ...], list[LoggedConversation]]:
    """Conversations that are known to have ended well, by what they changed; without those that changed nothing."""
    env = domain.environment()
    found: dict[tuple[str, ...], list[LoggedConversation]] = {}
    for one in conversations:
        if went_wrong(one) is False and (changes := changes_made(one.messages, env)):
            found.setdefault(changes, []).append(one)
    return found


def is_trivial(task: Task, domain: Domain) -> bool:
    """Whether an agent that does nothing passes."""
    return grade(task, simulate(task, domain, "noop"), domain).passed


def task_id(conversation: LoggedConversation, turn: int | None = None) -> str:
    """A name for a file, from the conversation's."""
    name = re.sub(r"[^\w.-]+", "_", conversation.id).strip("._") or "conversation"
    return f"{name[:80]}{'' if turn is None else f'_from_{turn}'}"


def _scenario(conversation: LoggedConversation, domain: Domain, steps: Sequence[GoldStep], begin: int) -> UserScenario:
    """The customer; of a test from a turn on, only what they say from there is said later."""
    turns = turns_of(conversation.messages)
    gold = [(step.at, step.action.action_id) for step in steps if step.writes]
    made = scenario(turns, domain.name, write_turns(conversation.messages, domain.environment()), gold)
    if not begin or isinstance(made.instructions, str):
        return made
    left = [turn.text for turn in turns if turn.at >= begin]
    later = [moment for moment in made.instructions.later or [] if moment.say in left]
    known = [line for line in (made.instructions.known_info or "").splitlines() if line in left]
    update = {
        "later": later or None,
        "known_info": "\n".join(known) or None,
        "piecemeal": True if len(known) > 1 else None,
    }
    return made.model_copy(update={"instructions": made.instructions.model_copy(update=update)})


def _criteria(
    steps: Sequence[GoldStep],
    told: Sequence[str],
    wanted: Wanted,
    conversation: LoggedConversation,
    domain: Domain,
) -> EvaluationCriteria:
    if wanted.draft:
        # Ungraded until somebody writes it: a task without criteria would be passed by anybody.
        what = f"what the agent should have done in conversation {conversation.id}"
        open_ = f"Draft: write here, or as gold actions, {what}."
        return EvaluationCriteria(nl_assertions=[open_], reward_basis=["NL_ASSERTION"])
    checks: list[NotCalled | Called] = [*checks_of(wanted.expectations)]
    actions = [step.action for step in steps]
    if not (actions or told) and wanted.turn is None:
        # Where nothing is to be changed or told, who does nothing would pass: the record in question is looked up.
        looked = decisive_look_up(conversation.messages, domain)
        if looked is not None:
            actions = [looked]
            checks.append(Called(check="called", name=looked.name, arguments=looked.arguments))
    basis: list[Criterion] = ["DB"]
    basis += ["COMMUNICATE"] if told else []
    basis += ["TRAJECTORY"] if checks else []
    return EvaluationCriteria(
        actions=actions, communicate_info=list(told) or None, trajectory=list(checks) or None, reward_basis=basis
    )


def _description(
    conversation: LoggedConversation, found: Reproduction, wanted: Wanted, hashes: Sequence[str]
) -> Description:
    held = sum(check.holds for check in found.checks)
    wrong = went_wrong(conversation)
    if wanted.draft:
        gold = "The gold path is open: this is a draft."
    elif wanted.expectations:
        gold = "The gold path is what its author says should have been."
    elif wrong is None:
        gold = "The gold path is what happened; the log does not say whether it ended well, so read it."
    else:
        gold = "The gold path is what happened, and it ended well."
    notes = (
        f"Imported from {conversation.meta.get('format', 'a log')}, conversation {conversation.id}. "
        f"{held} of {len(found.checks)} calls reproduced. {gold}"
    )
    return Description(
        purpose=f"A conversation that {'went wrong' if wrong else 'took place'}, as a test.",
        notes=f"{notes} Weight {len(hashes)}. Hashes {', '.join(hashes)}.",
    )
