"""Steps at which a worse turn than the right one is known: the same prefix, two next turns.

What is known to be worse:

lost      at the point of no return, what was done there: the trial could not be passed after it
broken    a turn that broke a rule of the policy, where the oracle would have done something else
unasked   where the oracle asks for a yes to a change: the change itself, made at once
too_soon  where the oracle makes a change: the closing words, after which the customer hangs up with nothing done

The first two happened, and the better turn is the oracle's. The other two are made of a passed conversation; they are
worse by the policy and by what the scripted customer does, as the rules of grading see it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from pytest_tau.environment.domain import Domain
from pytest_tau.evaluation.criteria.defaults import checks_for
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.schema.checks import Confirmed
from pytest_tau.schema.messages import AssistantMessage, UserMessage

from .labels import Labelled

Why = Literal["lost", "broken", "unasked", "too_soon"]
CLOSING = "Everything is taken care of. Thank you for your patience."


@dataclass(frozen=True)
class TurnPair:
    """Two next turns after the messages before ``turn``."""

    turn: int
    better: AssistantMessage
    worse: AssistantMessage
    why: Why


def steps(one: Labelled, domain: Domain) -> Iterator[TurnPair]:
    """The steps of a conversation, in order."""
    yield from _mistakes_in(one) if not one.passed else _not_made(one, domain)


def _mistakes_in(one: Labelled) -> Iterator[TurnPair]:
    """What went wrong in a missed conversation."""
    broken = {violation.turn for violation in one.reward.violations}
    lost = one.no_return.turn if one.no_return is not None else None
    for label in one.turns:
        done = one.simulation.messages[label.turn]
        if label.gold is None or not isinstance(done, AssistantMessage) or _same(label.gold, done):
            continue
        if label.turn == lost or label.turn in broken:
            yield TurnPair(label.turn, label.gold, done, "lost" if label.turn == lost else "broken")


def _not_made(one: Labelled, domain: Domain) -> Iterator[TurnPair]:
    """What could have gone wrong in a passed conversation of the oracle."""
    messages, env = one.simulation.messages, domain.environment(solo=one.simulation.solo)
    asks = any(isinstance(check, Confirmed) for check, _ in checks_for(one.task, domain)) and not env.solo
    alone = bool(env.solo or one.task.episodes or one.task.history)
    for label, following in zip(one.turns, [*one.turns[1:], None], strict=True):
        if label.gold is None:
            continue
        if any(env.writes(call.name) for call in label.gold.tool_calls or []):
            if not alone and not _has_more(one, label.turn):
                yield TurnPair(label.turn, label.gold, AssistantMessage(content=CLOSING), "too_soon")
        elif following is not None and following.gold is not None and label.gold.text and asks:
            change = next((call for call in following.gold.tool_calls or [] if env.writes(call.name)), None)
            if change is not None and agreement(messages, label.turn, change, env=env) == "no":
                worse = following.gold.model_copy(update={"content": None, "tool_calls": [change]})
                yield TurnPair(label.turn, label.gold, worse, "unasked")


def _has_more(one: Labelled, turn: int) -> bool:
    """Whether the customer would have another wish when they hear that all is done, and would not hang up."""
    said = "\n".join(m.text for m in one.simulation.messages[:turn] if isinstance(m, UserMessage)).casefold()
    return any(later.when == "done" and later.say.casefold() not in said for later in one.task.user_scenario.later)


def _same(one: AssistantMessage, other: AssistantMessage) -> bool:
    calls = [[(call.name, call.arguments) for call in message.tool_calls or []] for message in (one, other)]
    return calls[0] == calls[1] and one.text == other.text
