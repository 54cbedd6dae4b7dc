"""When customers end: *stopped early*, while the agent waited for an answer or was at work; *left before a transfer*
that they were only offered; *never ended*, when all was done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..evaluation.language.asked import read_question
from ..evaluation.language.dialogue import says_yes
from ..evaluation.language.phrases import (
    ASKS,
    CLOSING,
    DECLINES,
    ELSEWHERE,
    FAREWELL,
    LEAVES,
    OFFERS,
    PROMISES,
    SETTLED,
    TRANSFER,
    WISHES,
    WORKING,
)
from ..evaluation.progress.effort import handed_over, hands_over
from ..schema.calls import Action
from ..schema.messages import OUT_OF_SCOPE, AnyMessage, AssistantMessage, ToolCall, ToolMessage
from ..schema.simulation import Simulation, Termination, UserFinding
from ..schema.task import Task
from ..schema.transcript import calls_done
from .user_turns import TOKENS, Turn, alike, content_of, sentences_in, short

STOPPED, UNENDED, UNTRANSFERRED = "stopped early", "never ended", "left before a transfer"
_REPEATS = 3
_NOT_TO_DO_NOW = re.compile(
    r"\b(?:not|cannot|never|without|already|was|were|been|had|future|later|because|since|once|if)\b|n't\b|'ve\b",
    re.IGNORECASE,
)


def stopped_early(
    task: Task, simulation: Simulation, turns: Sequence[Turn], domain: Domain | None
) -> UserFinding | None:
    """Ended the conversation while the agent waited for an answer or was at work, and the gold path was not walked.

    So does who says yes to a proposal and hangs up in one message: nothing can be done upon it. An offer of a person is
    a proposal where the gold path hands over. And so does who leaves with its first words.
    """
    if simulation.termination_reason is not Termination.USER_STOP or not turns:
        return None
    last = turns[-1]
    tokens, said = TOKENS.findall(last.text), TOKENS.sub("", last.text)
    env = domain.environment() if domain is not None else None
    if not tokens or OUT_OF_SCOPE in tokens:
        return None
    if not any(isinstance(message, AssistantMessage) for message in simulation.messages[1:]):
        return UserFinding(rule=STOPPED, turn=last.at, text="left before the agent had answered anything")
    asked = read_question(last.asked)
    owed = "###STOP###" in tokens and _is_owed_a_person(task, simulation.messages, env)
    if not owed and _made_all_gold_writes(task, simulation.messages, env):
        return None
    proposal = [one for one in (asked.leave if owed else asked.action) if not SETTLED.search(one)]
    stays = owed or "###TRANSFER###" not in tokens
    if stays and says_yes(said) and proposal and not _asked_before(last, turns[:-1]):
        return UserFinding(rule=STOPPED, turn=last.at, text=f"said yes and hung up at once: '{short(last.asked)}'")
    # Who is offered a person and says the word for it means to be transferred, not to leave.
    if TRANSFER.search(last.asked) or handed_over(simulation.messages, env):
        return None
    if "###TRANSFER###" in tokens:
        return UserFinding(rule=STOPPED, turn=last.at, text="took itself for transferred, which it was not")
    open_parts = [part for part in sentences_in(last.asked) if not CLOSING.search(part) and not _sent_away(part)]
    if says_yes(said):  # to leaving all as it is
        open_parts = [part for part in open_parts if not SETTLED.search(part)]
    waiting = next((part for part in open_parts if ASKS.search(part)), None)
    waiting = waiting or next((part for part in open_parts[-2:] if WORKING.search(part)), None)
    waiting = waiting or next((part for part in open_parts if _names_what_is_due(part, task, simulation)), None)
    if waiting is None or _leaves(said) or _asked_before(last, turns[:-1]):
        return None
    return UserFinding(rule=STOPPED, turn=last.at, text=f"stopped at '{short(waiting)}'")


def left_before_transfer(
    task: Task, simulation: Simulation, turns: Sequence[Turn], domain: Domain | None
) -> UserFinding | None:
    """Took the offer of a person for the transfer itself, so that the agent could not transfer it any more.

    Where the gold path hands over it *stopped early*; elsewhere this costs the agent nothing.
    """
    last = turns[-1] if turns and simulation.termination_reason is Termination.USER_STOP else None
    if last is None or "###TRANSFER###" not in last.text:
        return None
    env = domain.environment() if domain is not None else None
    offers = [one for one in sentences_in(last.asked) if TRANSFER.search(one)]
    announced = not offers or WORKING.search(offers[-1]) or not read_question(last.asked).question
    if announced or handed_over(simulation.messages, env):
        return None
    rule = STOPPED if _is_owed_a_person(task, simulation.messages, env) else UNTRANSFERRED
    return UserFinding(rule=rule, turn=last.at, text=f"did not wait upon '{short(offers[-1])}'")


def never_ended(task: Task, simulation: Simulation, turns: Sequence[Turn], domain: Domain | None) -> UserFinding | None:
    """Said the same, or goodbye, until a limit: all gold writes were made, or it was handed over, and nobody asked."""
    last = turns[-_REPEATS:]
    if simulation.termination_reason not in (Termination.MAX_STEPS, Termination.STALLED) or len(last) < _REPEATS:
        return None
    if not all(_goes_on(turn, last[0]) and not ASKS.search(turn.asked) for turn in last):
        return None
    env = domain.environment() if domain is not None else None
    if not (_made_all_gold_writes(task, simulation.messages, env) or handed_over(simulation.messages, env)):
        return None
    return UserFinding(rule=UNENDED, turn=last[0].at, text=f"all was done, and it went on: '{short(last[0].text)}'")


def _goes_on(turn: Turn, first: Turn) -> bool:
    """Whether a turn says what the first of them says, or takes leave, and nothing is wished, asked or under way."""
    leaves = FAREWELL.search(turn.text) and not (WISHES.search(turn.text) or WORKING.search(turn.asked))
    return alike(turn.text, first.text) or bool(leaves)


def _leaves(said: str) -> bool:
    """Whether a last line declines, says that all is well or takes its leave, and does not agree to anything."""
    parts = sentences_in(said)
    if PROMISES.search(said):
        return False  # who will send it has not finished
    return not says_yes(" ".join(parts[:2])) and any(
        found.search(part) for part in parts for found in (DECLINES, LEAVES, SETTLED)
    )


def _sent_away(sentence: str) -> bool:
    """Whether a sentence needs no answer: "please check with your bank", "if you want anything else, tell me"."""
    if re.search(r"\byes\b|\bconfirm", sentence, re.IGNORECASE):
        return False
    return (ELSEWHERE.search(sentence) is not None and "?" not in sentence) or OFFERS.search(sentence) is not None


def _names_what_is_due(sentence: str, task: Task, simulation: Simulation) -> bool:
    """Whether a sentence names, by all words of its tool, what the customer itself has still to do."""
    if _NOT_TO_DO_NOW.search(sentence):
        return False
    due = (one for one in task.gold_actions if one.requestor == "user" and not is_made(one, simulation.messages))
    named = (content_of(action.name.replace("_", " ")) for action in due)
    return any(words and words <= content_of(sentence) for words in named)


def _made_all_gold_writes(task: Task, messages: Sequence[AnyMessage], env: Environment | None) -> bool:
    """Whether every gold write was made as it stands; then it does not matter how the conversation ended."""
    gold = task.gold_actions
    if env is not None:
        gold = [action for action in gold if env.writes(action.name, action.requestor)]
    return bool(gold) and all(is_made(action, messages) for action in gold)


def _is_owed_a_person(task: Task, messages: Sequence[AnyMessage], env: Environment | None) -> bool:
    """Whether the agent has still to hand over to a person."""
    due = any(one.requestor == "assistant" and hands_over(one.name, env) for one in task.gold_actions)
    return due and not handed_over(messages, env)


def is_made(action: Action, messages: Sequence[AnyMessage]) -> bool:
    """Whether a gold action was made as it stands."""
    made = [call for message in messages if not isinstance(message, ToolMessage) for call in message.tool_calls or []]
    return any(call.name == action.name and call.arguments == action.arguments for call in made)


def writes_made(messages: Sequence[AnyMessage], env: Environment) -> Iterator[tuple[int, ToolCall]]:
    """The agent's calls that changed something, with their turns."""
    for turn, call, _ in calls_done(messages):
        if call.requestor == "assistant" and env.writes(call.name):
            yield turn, call


def _asked_before(last: Turn, earlier: Sequence[Turn]) -> bool:
    """Whether the agent has asked this twice already: who is asked in circles may go."""
    return sum(alike(last.asked, turn.asked) for turn in earlier) >= 2
