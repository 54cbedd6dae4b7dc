"""Offers on a condition that the customer then meets: "once the bill is paid, I can resume your line".

Who pays the bill takes the offer, and need not say yes. The deed is a call of the customer's own, made with success. It
has to be about what the condition is about: the ids and amounts in it, or else one of its words. Nothing is decided
where the offer has other values than the agent's call, or where the customer says more than that it is done.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from ...environment.environment import Environment
from ...patterns import lazy
from ...schema.messages import AnyMessage, ToolCall
from ...schema.transcript import Line, calls_done, leaves
from .actions import reads
from .dialogue import answer
from .spoken import SpokenCall
from .text import content_words, plain, sentences

_IF = r"(?:once|when|after|as soon as|the moment|if|upon|provided(?: that)?|as long as|on (?:the )?condition that)"
_WILLING = r"(?:I|we)(?:'ll| will| can| could)\b"
_FIRST = lazy(rf"\b{_IF}\b(?P<condition>.{{1,200}}?)(?P<offer>\b{_WILLING}.{{1,300}})", re.IGNORECASE)
_LAST = lazy(rf"(?P<offer>\b{_WILLING}.{{1,300}}?)\b{_IF}\b(?P<condition>.{{1,200}})", re.IGNORECASE)
_THEN = lazy(rf"(?P<condition>.{{1,200}})(?:,| and),? then (?P<offer>{_WILLING}.{{1,300}})", re.IGNORECASE)
_NAMED_BEFORE = lazy(r"\b(?:it|that|this|one|so)\b", re.IGNORECASE)
_CODE = lazy(r"(?<![\w.])#?(?=[\w-]{0,40}\d)[\w-]{1,60}(?:\.\d+)?")
_OPEN = lazy(
    r"\b(?:do not|don't|never|not (?:yet|now)|no longer|leave|keep|instead|rather|wait|hold|think|later|cancel\w*)\b",
    re.IGNORECASE,
)
_CAME_TO_NOTHING = lazy(
    r"(?<![^\W_])(?:(?:no|not)(?![^\W_])|fail|declin|reject|refus|denied|pending|remain|insufficient|expired|invalid|false)",
    re.IGNORECASE,
)
_STEM = 4  # letters
_DATE = lazy(r"(?<!\d)\d{4}-(\d\d)-(\d\d)(?!\d)")


class _Offer(NamedTuple):
    """Where a call was offered, what it hangs on, and the sentence of the offer."""

    turn: int
    condition: str
    offer: str


def condition_met(
    messages: Sequence[AnyMessage],
    turn: int,
    lines: Sequence[Line],
    call: tuple[ToolCall, SpokenCall],
    changes: Sequence[int],
    env: Environment | None,
) -> int | None:
    """The turn in which the customer speaks after doing what the agent's last offer of a call hangs on.

    None where nothing was offered so, or with other values; where the agent spoke of it once more, or changed something
    since; and where the customer says more than that it is done.

    Args:
        messages: the conversation.
        turn: the message that makes the call.
        lines: what was said before it.
        call: the call, and how people speak of it.
        changes: the turns in which the agent changed something.
        env: knows which of the customer's tools change something.
    """
    made, spoken = call
    start = max((at for at in changes if at < turn), default=-1)
    since = [line for line in lines if line.turn > start]
    offer = next((found for line in reversed(since) if line.by_agent for found in _offers(line, spoken)), None)
    if offer is None or not _has_its_values(offer.offer, made, spoken):
        return None
    if any(line.by_agent and line.turn > offer.turn and spoken.speaks(plain(line.text)) for line in since):
        return None
    deeds = [
        place
        for place, done, result in calls_done(messages[:turn])
        if place > offer.turn
        and messages[place].role == "user"
        and (env.writes(done.name, "user") if env is not None else not reads(done.name))
        and _meets(offer.condition, done, result.content or "")
    ]
    said = [line for line in since if not line.by_agent and deeds and line.turn > deeds[0]]
    texts = [plain(line.text) for line in said]
    if not texts or any(_OPEN.search(text) or answer(text).no or answer(text).wait for text in texts):
        return None
    return said[-1].turn


def _offers(line: Line, call: SpokenCall) -> Iterator[_Offer]:
    """The offers of a call in a line of the agent, where they name no other record; the last comes first."""
    text = ["", *sentences(plain(line.text))]
    for before, sentence in reversed([*pairwise(text)]):
        for form in (_FIRST, _LAST, _THEN):
            found = form.search(sentence)
            if found and "?" not in sentence and call.speaks(found["offer"]):
                if not call.subject.others_in(found["offer"]):
                    named = before if _NAMED_BEFORE.search(found["condition"]) else ""
                    yield _Offer(line.turn, f"{named} {found['condition']}", found["offer"])
                break


def _has_its_values(offer: str, call: ToolCall, spoken: SpokenCall) -> bool:
    """Whether an offer that tells numbers tells one of the call's."""
    told = _codes(offer) - {_as_code(key) for key in spoken.subject.keys}
    own = set[str]().union(*(_codes(_DATE.sub(r"\1 \2", str(value))) for _, value in leaves(call.arguments)))
    return not told or not own or not told.isdisjoint(own)


def _meets(condition: str, done: ToolCall, result: str) -> bool:
    """Whether a deed speaks of what a condition does: of the records and amounts in it, else in one of its words."""
    shown = " ".join((done.name.replace("_", " "), *(str(value) for _, value in leaves(done.arguments)), result))
    if _CAME_TO_NOTHING.search(result):
        return False
    wanted, there = _codes(condition), _codes(shown)
    if wanted and there:
        return not wanted.isdisjoint(there)
    return not _stems(condition).isdisjoint(_stems(shown))


def _codes(text: str) -> set[str]:
    """The ids, numbers and amounts of a text: "B31", "10,000" and 18.40."""
    return {_as_code(found) for found in _CODE.findall(re.sub(r"(?<=\d),(?=\d{3})", "", text)) if found}


def _as_code(text: str) -> str:
    text = text.lstrip("#").casefold()
    return f"{float(text):g}" if re.fullmatch(r"\d{1,12}(?:\.\d+)?", text) else text


def _stems(text: str) -> set[str]:
    """The words of a text by how they begin; what is paid is a payment."""
    return {"pay" if word.startswith(("pay", "paid")) else word[:_STEM] for word in content_words(text)}
