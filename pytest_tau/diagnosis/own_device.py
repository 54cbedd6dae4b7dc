"""Customers with a device of their own who tell of it what is not so: what they have done on it, what it shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from ..environment.domain import Domain
from ..environment.environment import Environment
from ..evaluation.language.phrases import ASKS_WHETHER_DONE, DID_AS_TOLD, INSTRUCTS, JUST_DID, OF_EARLIER, OWN_ACT
from ..patterns import lazy
from ..schema.messages import AnyMessage, ToolMessage
from ..schema.simulation import UserFinding
from ..schema.task import Task
from ..schema.transcript import calls_made
from .user_turns import Turn, content_of, plain, sentences_in, short, words_in

INVENTED = "invented fact"
_QUANTITY = lazy(r"(?<![\w.,$€£])(\d{1,9}(?:\.\d{1,9})?) ?([a-z]{2,12})(?!\w)", re.IGNORECASE)
# What is compared, wished or supposed is no reading.
_COMPARES = lazy(
    r"\?|\b(?:over|above|under|below|between|(?:more|less|slower|faster) than|at (?:least|most)|up to|even|would|should"
    r"|could|if|from|not|needs?|expect\w*)\b|n't\b",
    re.IGNORECASE,
)
_SUPPOSED = lazy(r"\?|\b(?:if|would)\b", re.IGNORECASE)
# "I just did that again": of what was named before.
_IT = lazy(r"^\W*(?:[\w']+ ){1,4}?(?:it|that|this|them|so|all|again|through)\b", re.IGNORECASE)
# "I entered my PIN": not what only looks at a thing, or leads to it.
_DID = lazy(
    r"\bi(?:'ve| have)?(?: just| now)? ((?!(?:check|look|test|view|open|tapp|navigat|access|scroll|press|need|tri)ed\b)"
    r"[a-z]{2,15}ed|put|set|reset)\b([^.!?\n;,]{1,80})",
    re.IGNORECASE,
)
_ROUNDED = 0.1  # of the value


def find_untrue_of_device(
    task: Task, messages: Sequence[AnyMessage], turns: Sequence[Turn], domain: Domain | None
) -> UserFinding | None:
    """A deed that no call has done, or a reading that no result has shown, told by a customer who has a device."""
    if domain is None or domain.spec.user_tools is None or not domain.spec.shows_both_sides(task):
        return None
    env = domain.environment(task)
    tools = content_of(" ".join(str(one.schema["function"]) for one in env.tool_specs("user")))
    return (
        _untrue_deed(messages, turns, tools)
        or _untrue_echo(messages, turns, env)
        or _untrue_reading(task, messages, turns)
    )


def _untrue_deed(messages: Sequence[AnyMessage], turns: Sequence[Turn], tools: Set[str]) -> UserFinding | None:
    """Says to have done something that its tools speak of, and no call has been made since it last spoke."""
    for at, turn in enumerate(turns[1:], start=1):
        did, since = _just_did(turn.text, tools), turns[at - 1].at
        if did is None and INSTRUCTS.search(turn.asked) and not OWN_ACT.search(turn.asked):
            did = DID_AS_TOLD.search(turn.text)
        if ASKS_WHETHER_DONE.search(turn.asked):  # who is asked whether it is done did it before
            since = turns[max(at - 2, 0)].at
        if did is None or not turn.asked:
            continue
        if not any(_is_shown(one) for one in messages[since : turn.at]):
            told = short(turn.text[did.start() :])
            return UserFinding(rule=INVENTED, turn=turn.at, text=f"says '{told}' and has done nothing")
    return None


def _untrue_echo(messages: Sequence[AnyMessage], turns: Sequence[Turn], env: Environment) -> UserFinding | None:
    """Says to have done what it was told to, by the same verb about the same thing, and tried no change since."""
    for before, turn in pairwise(turns):
        if ASKS_WHETHER_DONE.search(turn.asked):
            continue
        tried = [call for _, call, _ in calls_made(messages[before.at : turn.at]) if call.requestor == "user"]
        if any(env.writes(call.name, "user") for call in tried):
            continue
        orders = [one for one in sentences_in(turn.asked) if not OWN_ACT.search(one)]
        for told in sentences_in(turn.text):
            did = None if _SUPPOSED.search(told) or OF_EARLIER.search(told) else _DID.search(told)
            if did is not None and any(_is_echo(did[1], did[2], order) for order in orders):
                text = f"says '{short(did[0])}', as it was told to, and has changed nothing"
                return UserFinding(rule=INVENTED, turn=turn.at, text=text)
    return None


def _is_echo(verb: str, rest: str, order: str) -> bool:
    """Whether a sentence of the agent tells to do what was done: by the base form of its verb, about the same thing."""
    base = verb.casefold().removesuffix("ed")
    its = (word for word in words_in(order) if not word.endswith("ed"))
    return any(word.startswith(base) for word in its) and bool(content_of(rest) & content_of(order))


def _just_did(text: str, tools: Set[str]) -> re.Match[str] | None:
    """What a text says to have just been done, to something that the tools speak of or that was named before."""
    found = JUST_DID.search(text)
    if found is None:
        return None
    told = next(iter(sentences_in(text[found.start() :])), "")
    is_of_the_device = _IT.search(told) or content_of(told[len(found[0]) :]) & tools
    return found if is_of_the_device and not _SUPPOSED.search(told) else None


def _untrue_reading(task: Task, messages: Sequence[AnyMessage], turns: Sequence[Turn]) -> UserFinding | None:
    """Tells a number with a unit that the device shows at another time, and that nothing and nobody gave before.

    "It says 12 Mbps", where the only result with that unit has 275.
    """
    shown = {unit for message in messages if _is_shown(message) for _, unit in _quantities(message.content or "")}
    known = set(_quantities(plain(task.user_scenario.render())))
    begin = 0
    for turn in turns if shown else ():
        known.update(one for message in messages[begin : turn.at] for one in _quantities(message.content or ""))
        begin = turn.at
        said = (one for one in sentences_in(turn.text) if not _COMPARES.search(one))
        for number, unit in (one for sentence in said for one in _quantities(sentence)):
            if unit in shown and not any(its == unit and _is_rounded(number, other) for other, its in known):
                return UserFinding(rule=INVENTED, turn=turn.at, text=f"nothing has shown it {number} {unit}")
    return None


def _is_rounded(number: str, shown: str) -> bool:
    """Whether a number is about what was shown, or that to as many places as it is told with: 0.3 or 0.2 for 0.27."""
    step, above = 10.0 ** -len(number.partition(".")[2]), float(number) - float(shown)
    return abs(above) <= _ROUNDED * float(shown) or -step < above <= step / 2


def _is_shown(message: AnyMessage) -> bool:
    return isinstance(message, ToolMessage) and message.requestor == "user"


def _quantities(text: str) -> Iterator[tuple[str, str]]:
    return ((number, unit.casefold()) for number, unit in _QUANTITY.findall(text) if content_of(unit))
