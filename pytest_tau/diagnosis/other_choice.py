"""Customers who choose otherwise than their scenario: their words beside the gold write and the one that was made.

Each line is taken for a proposal that was agreed to, and held against both writes as terms are. A line that fits one of
them and not the other is for that one. The customer chose otherwise if a line of theirs is for the write that was made,
and before it none of the agent's; if none of theirs is for the gold one; and if their scenario has no such line.

Terms see no change where the record has the gold value already. So a word that the customer picks where the agent has
named two is read by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import Any

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..evaluation.language.naming import subject_in, subject_of
from ..evaluation.language.phrases import POLITELY_REQUESTS
from ..evaluation.language.terms import breach, choices_of
from ..evaluation.language.terms.agreed import Breach
from ..patterns import lazy
from ..schema.calls import Action
from ..schema.messages import AnyMessage, AssistantMessage, ToolCall, UserMessage
from ..schema.simulation import UserFinding
from ..schema.task import Task
from ..schema.transcript import Line, Transcript, calls_done, leaves, lines_of
from .left_early import is_made, writes_made
from .user_turns import plain, sentences_in, words_in

CONTRADICTED = "contradiction"
_MOST = 60  # lines
_MOST_CALLS = 8  # an agent in a circle makes hundreds, and each is held against all lines before it
_AN_ID = lazy(r"(?=\D*\d)[A-Z\d]{5,}$")
_WORDS = lazy(r"[a-z]{4,}(?:[ _][a-z]+)*$", re.IGNORECASE)
_SHORT = 3  # letters of a value that may be a part of any word
_UNCHOSEN = ("amount", "sum", "price", "name", "date of birth")
"""What something comes to, and who somebody is, which nobody chooses."""
# A sentence that leaves something out, or tells of what has been; other words for that may be missed.
_NO_CHOICE = lazy(
    r"\b(?:not|but|except|leave|too|would|guess|instead|rather|other|currently|was|were|had)\b|n't\b", re.IGNORECASE
)


def find_other_choice(task: Task, messages: Sequence[AnyMessage], domain: Domain | None) -> UserFinding | None:
    """Chose in its own words what its scenario does not say, where the gold path has another choice.

    "On my PayPal", where the gold write differs by a credit card; "1 GB will do", where it has two.
    """
    if domain is None:
        return None
    env = domain.environment()
    for turn, call, gold in islice(_differing(task, messages, env), _MOST_CALLS):
        before = messages[:turn]
        lines = [line for line in lines_of(before) if not line.calls][-_MOST:]
        chosen = _choice(lines, before, call, gold, env) or _picked(lines, call, gold)
        if chosen is None or _may_be_of_another(chosen, call, gold, task, messages):
            continue
        if not _is_of_the_scenario(chosen, task, messages[: chosen.turn], gold, env):
            text = f"chose {chosen.named} as the {chosen.what}, instead of {chosen.written}"
            return UserFinding(rule=CONTRADICTED, turn=chosen.turn, text=text)
    return None


def _differing(
    task: Task, messages: Sequence[AnyMessage], env: Environment
) -> Iterator[tuple[int, ToolCall, ToolCall]]:
    """The writes that are no gold ones, with their turns, each with the gold write that is due in its place."""
    due = [one for one in task.gold_actions if one.requestor == "assistant" and env.writes(one.name)]
    missed = [one for one in due if not is_made(one, messages)]
    for turn, call in writes_made(messages, env) if missed else ():
        gold = next((one for one in missed if one.name == call.name and _records_of(one) == _records_of(call)), None)
        if gold is not None:
            yield turn, call, call.model_copy(update={"arguments": gold.arguments})


def _may_be_of_another(
    chosen: Breach, call: ToolCall, gold: ToolCall, task: Task, messages: Sequence[AnyMessage]
) -> bool:
    """Whether a line may be about another call of the tool, made or due: only an id of this one alone tells."""
    others = [one.arguments for one in task.gold_actions if one.name == call.name and one.arguments != gold.arguments]
    made = (one.arguments for _, one, _ in calls_done(messages) if one.name == call.name)
    others += [one for one in made if one != call.arguments]
    values = [value for one in others for _, value in leaves(one)]
    own = [value for _, value in leaves(call.arguments)]
    is_its_own = _AN_ID.match(chosen.named) and chosen.named in own and chosen.named not in values
    return bool(values) and not is_its_own


def _records_of(call: ToolCall | Action) -> frozenset[str]:
    """The ids of what a call is about, but for those in lists: they may be what is chosen."""
    arguments = call.arguments
    return subject_in({name: value for name, value in arguments.items() if isinstance(value, str)}, []).keys


def _choice(
    lines: Sequence[Line], messages: Sequence[AnyMessage], call: ToolCall, gold: ToolCall, env: Environment
) -> Breach | None:
    """What the customer chose of the two writes that is not the gold one."""
    chosen: Breach | None = None
    for line in lines:
        text, before = plain(line.text), messages[: line.turn]
        if line.by_agent:
            asked = " ".join(one for one in sentences_in(text) if "?" in one)
            held_out = (_is_for(call, gold, one, before, env) for one in (text, asked))
            if chosen is None and any(one is not None for one in held_out):
                return None
            continue
        if _is_for(gold, call, text, before, env) is not None:
            return None
        due = _is_for(call, gold, _decided(text), before, env) if chosen is None else None
        if due is not None and due.what not in _UNCHOSEN:
            # "I ordered it by mistake, so it's no longer needed" chooses neither of two reasons.
            both = " " in due.written and set(words_in(due.written)) <= set(words_in(text))
            chosen = None if both else due
    return chosen


def _picked(lines: Sequence[Line], call: ToolCall, gold: ToolCall) -> Breach | None:
    """Which of two words for an argument the customer picked where the agent had named both: "business", "economy"."""
    for name, due in gold.arguments.items():
        words, others = _words_of(call.arguments.get(name)), _words_of(due)
        if not (words and others) or words == others:
            continue
        for before, line in pairwise(lines):
            held_out, said = set(words_in(before.text)), set(words_in(_decided(plain(line.text))))
            answers = before.by_agent and not line.by_agent and words | others <= held_out
            if answers and words <= said and said.isdisjoint(others - words):
                return Breach(name.replace("_", " "), " ".join(words), " ".join(others), line.turn)
    return None


def _words_of(value: Any) -> set[str]:
    """The words of a value that is spoken of in words alone: "basic_economy"."""
    return set(value.casefold().replace("_", " ").split()) if isinstance(value, str) and _WORDS.match(value) else set()


def _is_for(
    this: ToolCall, other: ToolCall, text: str, before: Sequence[AnyMessage], env: Environment
) -> Breach | None:
    """What a line that is for this write has otherwise than the other; None for a line that tells the two not apart."""
    found = _otherwise(before, text, other, env)
    return None if found is not None and _otherwise(before, text, this, env) is not None else found


def _decided(text: str) -> str:
    """A customer's line without what it asks, leaves out or tells of the past."""
    return " ".join(
        one
        for one in sentences_in(text)
        if ("?" not in one or POLITELY_REQUESTS.search(one)) and not _NO_CHOICE.search(one)
    )


def _is_of_the_scenario(
    chosen: Breach, task: Task, before: Sequence[AnyMessage], gold: ToolCall, env: Environment
) -> bool:
    """Whether the scenario names what was chosen, as it stands or in another form: "€2,815" for $2815."""
    scenario = plain(task.user_scenario.render())
    if len(chosen.named) > _SHORT and chosen.named.casefold() in scenario.casefold():
        return True
    said = sentences_in(scenario)
    found = (_otherwise(before, one, gold, env) for one in islice(said, _MOST))
    return any(one is not None and (one.what, one.named) == (chosen.what, chosen.named) for one in found)


def _otherwise(before: Sequence[AnyMessage], text: str, call: ToolCall, env: Environment) -> Breach | None:
    """The term that a line names and a call has otherwise, as if the agent had put the line forward and got a yes.

    Of what came before only the calls and their results count, which show the records.
    """
    if not text:
        return None
    shown = [one for one in before if one.role == "tool" or one.tool_calls]
    agreed = Transcript([*shown, AssistantMessage(content=text), UserMessage(content="Yes.")])
    found = breach(agreed, len(agreed), call, subject_of(call, agreed), (), choices=choices_of(call, env))
    if found is None or found.turn != len(shown):
        return None
    return Breach(found.what, found.named, found.written, len(before))
