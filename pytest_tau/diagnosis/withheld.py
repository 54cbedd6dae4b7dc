"""Customers who keep back what their scenario gives them, a wish or a fact; or who tell it too soon.

Each rule holds what was said against the scenario and the gold writes. None of them takes a trial out: docs/accuracy.md
says how often they are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..environment.domain import Domain
from ..evaluation.language.phrases import DENIES_KNOWING, OF_ANOTHER_ONE
from ..evaluation.progress.effort import handed_over
from ..patterns import lazy
from ..schema.messages import AnyMessage, ToolMessage
from ..schema.scenario import Instructions
from ..schema.simulation import Simulation, Termination, UserFinding
from ..schema.task import Task
from .facts import Known, facts
from .left_early import is_made, writes_made
from .user_turns import Turn, content_of, plain, sentences_in, short

LEFT_OUT, DENIED, TOO_EARLY = "left out a wish", "denied knowing", "told too early"
_ENOUGH = 4
_MOST, _FEW = 0.6, 0.3
_EMAIL_ADDRESS = re.compile(r"\be-?mail address(?:es)?\b", re.IGNORECASE)

_CLAUSE_END = re.compile(r"[—–;,:.!?]|\b(?:so|but|and)\b")
_THING = r"(?i:\b(claim|order|reservation|booking|contract|policy|account|customer|user|e-?mail|zip|phone)\b)"
_NOUN = lazy(_THING)
_NAMED = lazy(
    rf"{_THING}(?:[\s:]+[a-z]+){{0,3}}[\s:]+"
    r"(?:#?[A-Z]{1,3}-?\d{3,}|(?=[A-Z]*\d)[A-Z\d]{6}\b|\d{5,}|\S+@)"
)


def find_left_out(
    task: Task, simulation: Simulation, turns: Sequence[Turn], domain: Domain | None
) -> UserFinding | None:
    """Ended the conversation and never came to a wish: one for later, or a gold write with what only it could say.

    Only where the agent had changed something by then. Who gets nothing done has no reason to go on.
    """
    if simulation.termination_reason is not Termination.USER_STOP or not turns or domain is None:
        return None
    env = domain.environment()
    if handed_over(simulation.messages, env) or not any(writes_made(simulation.messages, env)):
        return None
    if (record := _never_named(task, simulation.messages)) is not None:
        return UserFinding(rule=LEFT_OUT, turn=turns[-1].at, text=f"never came to {record}")
    said = content_of(" ".join(f"{turn.text} {turn.asked}" for turn in turns))  # or the agent came to it
    for wish in (*_later(task), *_never_mentioned(task, simulation.messages, domain)):
        words = content_of(wish)
        if words and len(words & said) / len(words) <= _FEW:
            return UserFinding(rule=LEFT_OUT, turn=turns[-1].at, text=f"never came to '{short(wish)}'")
    return None


def _later(task: Task) -> Iterator[str]:
    """What the customer says when all else is done. Who never sees a proposal cannot change their mind upon it."""
    scenario = task.user_scenario.instructions
    if isinstance(scenario, Instructions):
        yield from (plain(one.say) for one in scenario.later or () if one.when == "done")


def _never_mentioned(task: Task, messages: Sequence[AnyMessage], domain: Domain) -> Iterator[str]:
    """The scenario's sentences that give a value of a gold write that was not made, if nobody ever came to them."""
    env, scenario = domain.environment(), sentences_in(plain(task.user_scenario.render()))
    heard = plain("\n".join(_told(messages))).casefold()
    words_heard = content_of(heard)
    wishes = plain("\n".join(message.content or "" for message in messages if message.role == "user"))
    asked = content_of(_EMAIL_ADDRESS.sub(" ", wishes))
    for action in task.gold_actions:
        if not asked.isdisjoint(content_of(action.name.rpartition("_")[2])):
            continue  # "my work address": a change of that kind was asked for, whatever the scenario calls it
        if action.requestor != "assistant" or not env.writes(action.name) or is_made(action, messages):
            continue
        values = [value for value in action.arguments.values() if isinstance(value, str) and len(value) >= _ENOUGH]
        for value in values:
            given = [one for one in scenario if value in one]
            if given and value.casefold() not in heard:
                about = [(one, content_of(one.replace(value, " "))) for one in given]
                yield from (one for one, words in about if words and words.isdisjoint(words_heard))


def _never_named(task: Task, messages: Sequence[AnyMessage]) -> str | None:
    """A record that the customer is there for, by its id, and that neither side has named or looked up."""
    scenario, heard = task.user_scenario.instructions, Known()
    for text in _told(messages):
        heard.add(text)
    wished = facts(plain(scenario.reason_for_call)) if isinstance(scenario, Instructions) else ()
    return next((one.value.upper() for one in wished if one.kind == "code" and not heard.holds(one)), None)


def _told(messages: Sequence[AnyMessage]) -> Iterator[str]:
    """What both sides say and call."""
    for message in messages:
        if not isinstance(message, ToolMessage):
            yield message.content or ""
            yield from (str(call.arguments) for call in message.tool_calls or [])


def find_denial(task: Task, turns: Sequence[Turn]) -> UserFinding | None:
    """Asked for it, says not to know what a sentence of its scenario gives: "The claim was S-39111"."""
    scenario = sentences_in(plain(task.user_scenario.render()))
    given = {noun for one in scenario for noun in _spelt(_NAMED.findall(one))}
    given -= {noun for one in scenario if DENIES_KNOWING.search(one) for noun in _nouns_in(one)}
    for turn in turns if given else ():
        asked = given.intersection(_nouns_in(turn.asked))
        parts = sentences_in(turn.text) if asked else []
        # Who gives a fact after that gives the same after all, or a way around it.
        last = max((place for place, part in enumerate(parts) if facts(part)), default=-1)
        for sentence in parts[last + 1 :]:
            if _denied_in(sentence) in asked and not OF_ANOTHER_ONE.search(sentence):
                return UserFinding(rule=DENIED, turn=turn.at, text=f"says '{short(sentence)}', and its scenario has it")
    return None


def _denied_in(sentence: str) -> str | None:
    """What a sentence says not to know: the first thing named after that, or the last one before it."""
    denied = DENIES_KNOWING.search(sentence)
    if denied is None:
        return None
    after = next(_nouns_in(_CLAUSE_END.split(sentence[denied.end() :], maxsplit=1)[0]), None)
    return after or next(reversed([*_nouns_in(sentence[: denied.start()])]), None)


def _nouns_in(text: str) -> Iterator[str]:
    return _spelt(_NOUN.findall(text))


def _spelt(nouns: Sequence[str]) -> Iterator[str]:
    return (noun.casefold().replace("-", "") for noun in nouns)


def find_told_too_early(task: Task, simulation: Simulation, turns: Sequence[Turn]) -> UserFinding | None:
    """Says in its first line what its scenario keeps for later: most of its words, or an id."""
    scenario = task.user_scenario.instructions
    if not isinstance(scenario, Instructions) or not scenario.later or not turns:
        return None
    first = turns[0]
    known = plain(f"{scenario.reason_for_call} {scenario.known_info or ''}")
    for moment in scenario.later:
        say = plain(moment.say)
        own, ids = content_of(say) - content_of(known), set(facts(say)) - set(facts(known))
        told = len(own) >= _ENOUGH and len(own & content_of(first.text)) / len(own) >= _MOST
        if told or not ids.isdisjoint(facts(first.text)):
            return UserFinding(rule=TOO_EARLY, turn=first.at, text=f"'{short(moment.say)}' is for later")
    return None
