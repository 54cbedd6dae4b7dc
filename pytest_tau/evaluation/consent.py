"""Whether a customer agreed to a call before it was made: yes, no, or unclear. By rule, and in English.

An answer counts for what it answers. The rule goes back through what the agent said and the customer answered, the
latest first, and stops at the first answer that decides:

- A **yes** is one to this call if the line it answers asks for leave to act, and the call's ids, another telling value
  of it or what the ids stand for was named there, or since the last change and in words for the same deed.
- A yes to something else is a **no**: to a look-up or a hand-over, for another id, to another deed, or to a proposal
  that named nothing of the call.
- A refusal is a **no**, unless it answers whether there is anything else, or is about something else. Beside words
  that ask for what was proposed ("2 GB, please. I don't want another plan") it is unclear.
- No answer at all, because the agent never proposed anything like the call, is a **no**.
- Everything else is **unclear**: a choice among options, a condition, a word in another language, a yes that a new wish
  followed. A judge may decide these; a rule must not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, Self

from ..environment.environment import Environment
from ..schema.messages import AnyMessage, ToolCall, ToolMessage
from .calls import Line, calls_made, lines_of
from .deeds import base_forms, reads
from .dialogue import (
    Answer,
    Asked,
    answer,
    asked,
    content_words,
    foreign,
    generic,
    plain,
    rest_stands,
    sentences,
    speaks_of_several,
)
from .spoken import SpokenCall, spoken_call

Verdict = Literal["yes", "no", "unclear"]


class Agreement(str):
    """``"yes"``, ``"no"`` or ``"unclear"``.

    ``why`` says what it is for (nothing where it is a plain yes), ``turn`` where the customer said it.
    """

    why: str
    turn: int | None

    def __new__(cls, verdict: Verdict, why: str = "", turn: int | None = None) -> Self:
        """A verdict as a text."""
        self = super().__new__(cls, verdict)
        self.why = why
        self.turn = turn
        return self


class _Exchange(NamedTuple):
    """A line of the customer, and what the agent last said before it; -1 and "" where the agent had said nothing."""

    at: int
    said: str
    proposed_at: int
    proposed: str


def agreement(
    messages: Sequence[AnyMessage],
    turn: int,
    call: ToolCall | None = None,
    *,
    env: Environment | None = None,
) -> Agreement:
    """Whether the customer agreed to a call.

    Args:
        messages: the conversation.
        turn: the message that makes the call, an index from 0.
        call: which of its calls; by default the first.
        env: knows which tools change the world, and the words in which each one's deed is spoken of; without it
            their names tell.

    Raises:
        IndexError: there is no such turn.
    """
    message = messages[turn]
    calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
    chosen = call or (calls[0] if calls else None)
    if chosen is None:
        return Agreement("unclear", f"turn {turn} makes no call")
    lines = [line for line in lines_of(messages) if line.turn < turn and not line.calls]
    spoken = [plain(line.text) for line in lines if not line.by_agent]
    if spoken and foreign(spoken):
        return Agreement("unclear", "the conversation is not in English")
    about = spoken_call(chosen, messages[:turn], env)
    return _Reading(lines, _changed(messages, turn, env), about).verdict()


class _Reading:
    """One walk back through what was said before a call.

    ``lines``: those that make no calls, of which the other side reads nothing. ``changes``: the turns of earlier ones.
    """

    def __init__(self, lines: Sequence[Line], changes: Sequence[int], call: SpokenCall) -> None:
        self._lines = lines
        self._changes = changes
        self._call = call

    def verdict(self) -> Agreement:
        wished: int | None = None
        soft: int | None = None
        for exchange in _exchanges(self._lines):
            found = self._decided(exchange, wished)
            if found == "no" and soft is not None and (answer(exchange.said).no or answer(exchange.said).wait):
                return Agreement("unclear", f"what the customer answered in turn {soft} is no explicit yes", soft)
            if found is not None:
                return found
            if answer(exchange.said).wish:
                wished = exchange.at
            if soft is None and self._answers_softly(exchange):
                soft = exchange.at
        if wished is not None and self._proposed():
            return Agreement("unclear", f"after what the customer wished in turn {wished} there is no yes", wished)
        if self._proposed():
            return Agreement("unclear", "what the customer answered to the proposal is no explicit yes")
        return Agreement("no", "nothing like it was proposed to the customer")

    def _decided(self, exchange: _Exchange, wished: int | None) -> Agreement | None:
        """What an answer says about the call; None where it says nothing, so that an earlier one counts."""
        said, wanted = answer(exchange.said), asked(exchange.proposed)
        if not exchange.proposed:
            return None
        if (taken := self._refused(exchange, said, wanted)) is not None:
            return taken
        if self._affirmed(exchange, said, wanted):
            return self._bound(exchange, said, wanted, wished)
        if wanted.deed and self._concerns(exchange) != "other":
            if said.conditional:
                return Agreement("unclear", f"the yes in turn {exchange.at} has a condition", exchange.at)
            if not wanted.closing and (said.question or said.wish or self._concerns(exchange) == "this"):
                return self._unanswered(exchange)
        return None

    def _answers_softly(self, exchange: _Exchange) -> bool:
        """Whether a line may be a yes to what was asked after an earlier no: "that would be lovely"."""
        said, wanted = answer(exchange.said), asked(exchange.proposed)
        if said.no or said.wait or said.question or self._concerns(exchange) == "other":
            return False
        return bool(wanted.deed) or (wanted.question and self._call.speaks(exchange.proposed))

    def _unanswered(self, exchange: _Exchange) -> Agreement | None:
        why = f"what the customer answered in turn {exchange.at} is no explicit yes"
        return Agreement("unclear", why, exchange.at)

    # --- refusals

    def _refused(self, exchange: _Exchange, said: Answer, wanted: Asked) -> Agreement | None:
        if not said.no and not said.wait:
            return self._excepted(exchange, said)
        at = exchange.at
        if said.yes and said.last_word not in ("no", "wait"):
            return None if not said.wait else Agreement("unclear", f"turn {at} says both wait and yes", at)
        sentence = (said.wait or said.no)[-1]
        if rest_stands(exchange.said) and not any(map(self._call.is_named, (*said.wait, *said.no))):
            return Agreement("unclear", f"turn {at} takes something back and lets the rest stand", at)
        if said.yes:
            if said.wait and (len(sentence.split()) <= 6 or self._call.subject.keys_in(sentence)):
                return Agreement("no", f"the customer took the yes back in turn {at}", at)
            return self._excepted(exchange, said)
        if self._concerns(exchange) == "other" and not self._call.subject.keys_in(sentence):
            return None
        if said.wait:
            return (
                Agreement("no", f"the customer put it off in turn {at}", at)
                if wanted.deed or wanted.question
                else (Agreement("no", f"the customer said to wait in turn {at}", at))
            )
        if wanted.closing or not (wanted.leave or self._call.speaks(sentence) or _forbids(sentence)):
            return None
        if not wanted.deed and not self._call.speaks(sentence):
            return None
        others = [s for s in sentences(exchange.proposed) if "?" in s and s not in wanted.leave]
        if others and not re.fullmatch(r".{0,200}", sentence):
            return None
        if self._wanted_beside(exchange):
            return Agreement("unclear", f"turn {at} says both no and what is wanted", at)
        return Agreement("no", f"the customer said no in turn {at}", at)

    def _wanted_beside(self, exchange: _Exchange) -> bool:
        """Whether the line of a no also asks for what was proposed: "the bag, please, and no insurance"."""
        parts = [part for one in sentences(exchange.said) if "?" not in one for part in one.split(",")]
        known = content_words(exchange.proposed)
        return any(
            not _DENIES.search(part)
            and (self._call.speaks(part) or self._call.is_named(part) or not known.isdisjoint(content_words(part)))
            for part in parts
        )

    def _excepted(self, exchange: _Exchange, said: Answer) -> Agreement | None:
        """Whether the call is what a yes leaves out: "all of them except X"."""
        keys = self._call.subject.keys
        for sentence in sentences(exchange.said):
            found = _EXCEPT.search(sentence)
            if found is None or not (said.yes or said.casual or said.no):
                continue
            rest = sentence[found.end() :]
            if any(re.search(rf"(?<!\w){re.escape(key.lstrip('#'))}(?!\w)", rest) for key in keys) and not any(
                re.search(rf"(?<!\w){re.escape(key.lstrip('#'))}(?!\w)", s)
                for key in keys
                for s in (*said.yes, sentence[: found.start()])
                if s is not sentence
            ):
                return Agreement("no", f"the customer left it out in turn {exchange.at}", exchange.at)
        return None

    # --- yeses

    def _affirmed(self, exchange: _Exchange, said: Answer, wanted: Asked) -> bool:
        if said.yes:
            return True
        if said.casual and not said.question and wanted.leave:
            return True
        if not wanted.deed or said.conditional or said.no or said.wait:
            return False
        return self._ordered(exchange) or (said.urges and not said.question and not said.wish)

    def _ordered(self, exchange: _Exchange) -> bool:
        """Whether the customer orders the deed itself in answer to the proposal: "book them now"."""
        ordered = base_forms((*self._call.verbs, *self._call.told, *_CARRY_OUT))
        for sentence in sentences(exchange.said):
            found = re.match(_POLITE, sentence, re.IGNORECASE)
            rest = sentence[found.end() :] if found else sentence
            if ordered.match(rest) and "?" not in sentence and not re.search(r"\bif\b", sentence):
                return True
        return False

    def _bound(self, exchange: _Exchange, said: Answer, wanted: Asked, wished: int | None) -> Agreement:
        """A yes was given: whether it was one to this call."""
        at = exchange.at
        if (why := self._to_something_else(exchange, wanted)) is not None:
            if self._still_stands(exchange):
                return Agreement("unclear", f"the yes in turn {at} may be to what was proposed before it as well", at)
            return Agreement("no", f"the yes in turn {at} {why}", at)
        if wished is not None:
            return Agreement("unclear", f"after the yes in turn {at} the customer wished something else", at)
        both = f"{exchange.proposed}\n{exchange.said}"
        subject, speaks = self._call.subject, self._call.speaks
        named = subject.named_in(both)
        if not wanted.deed:
            put = speaks(exchange.proposed) and subject.named_in(self._since_the_last_change(exchange, agent_only=True))
            if wanted.leave or not (put and _decided_words(said)):
                return Agreement("unclear", f"the yes in turn {at} answers no clear proposal", at)
        if named and (speaks(both) or any(generic(s) for s in wanted.deed)):
            return Agreement("yes", "", at)
        if not named and wanted.deed and all(_BLANK.search(s) for s in wanted.deed):
            return Agreement("no", f"the yes in turn {at} answers a proposal that named nothing", at)
        since = self._since_the_last_change(exchange)
        if subject.named_in(since) and speaks(f"{since}\n{both}"):
            spoken = speaks(exchange.proposed) or bool(wanted.deed)
            if spoken:
                return Agreement("yes", "", at)
        if not subject.named_in(since) and not speaks(both) and not named:
            return Agreement("no", f"the yes in turn {at} answers a proposal that named nothing of this", at)
        return Agreement("unclear", f"what was agreed to in turn {at} is not plainly this", at)

    def _to_something_else(self, exchange: _Exchange, wanted: Asked) -> str | None:
        both = f"{_without_what_stays(exchange.proposed)}\n{exchange.said}"
        subject = self._call.subject
        if wanted.leave and not wanted.deed and not self._call.speaks(exchange.said):
            put = self._call.speaks(exchange.proposed) and subject.named_in(exchange.proposed)
            return (
                None if put or any(map(self._call.is_offered, wanted.leave)) else "answers the offer of something else"
            )
        if subject.keys and not subject.keys_in(both) and subject.others_in(both) and not subject.objects_in(both):
            return f"is about {', '.join(sorted(subject.others_in(both))[:2])}"
        if wanted.deed and not self._call.speaks(both) and all(map(self._is_another_deed, wanted.deed)):
            return "is one to doing something else"
        if (wanted.identity or not wanted.question) and not wanted.leave and not self._call.speaks(both):
            return "confirms who or what is meant, and nothing was proposed"
        return None

    def _is_another_deed(self, sentence: str) -> bool:
        """Whether a question is about another deed alone; a list of what to go ahead with has nouns for deeds."""
        listed = _GOES_AHEAD_WITH.search(sentence) and self._call.subject.keys_in(sentence)
        return self._call.other_deed(sentence) and not listed

    def _still_stands(self, exchange: _Exchange) -> bool:
        """Whether the call was proposed before, and what was said since then speaks of several changes at once."""
        start = max((at for at in self._changes if at < exchange.proposed_at), default=-1) + 1
        since = [line for line in self._lines if start <= line.turn <= exchange.at]
        named = [line.turn for line in since if line.by_agent and self._call.subject.named_in(plain(line.text))]
        if not named or named[0] >= exchange.proposed_at:
            return False
        later = (plain(line.text) for line in since if line.turn > named[0])
        return any(speaks_of_several(text) or rest_stands(text) for text in later)

    # --- what was said around it

    def _concerns(self, exchange: _Exchange) -> str:
        """Whether what the agent asked is about the call: "this", "other", or "" where it does not say."""
        text, subject = exchange.proposed, self._call.subject
        if subject.keys_in(text) or (subject.named_in(text) and self._call.speaks(text)):
            return "this"
        wanted = asked(text)
        if subject.others_in(text) and not subject.named_in(text):
            return "other"
        if wanted.deed and not self._call.speaks(text) and all(self._call.other_deed(s) for s in wanted.deed):
            return "other"
        return ""

    def _proposed(self) -> bool:
        """Whether the agent has put anything like the call to the customer since the last change."""
        start = self._changes[-1] + 1 if self._changes else 0
        heard = False
        for line in self._lines:
            if line.turn < start:
                continue
            if not line.by_agent:
                heard = True
                continue
            text = plain(line.text.strip())
            # Before the customer has said a word nothing can be proposed; after a change they are being told of it.
            if text and (heard or start) and self._puts_forward(text):
                return True
        return False

    def _puts_forward(self, text: str) -> bool:
        if not (self._call.speaks(text) or self._call.subject.named_in(text)):
            return False
        plans = any(_PLANS.search(s) and self._call.speaks(s) for s in sentences(text))
        return bool(asked(text).deed) or plans

    def _since_the_last_change(self, exchange: _Exchange, *, agent_only: bool = False) -> str:
        start = max((at for at in self._changes if at < exchange.proposed_at), default=-1) + 1
        said = (line for line in self._lines if start <= line.turn < exchange.at and (line.by_agent or not agent_only))
        return "\n".join(plain(line.text.strip()) for line in said)


_POLITE = (
    r"^\W*(?:(?:yes|ok|okay|please|now|then|just|so|and|great|perfect|thanks|thank you|alright|fine|good|sure|let's"
    r"|go ahead and"
    r"|in that case|i want you to|i'd like you to|you can|you may|kindly|\d[.)])\b\W*)*"
)
_GOES_AHEAD_WITH = re.compile(r"\b(?:go ahead|proceed|carry on|continue) with\b", re.IGNORECASE)
_STAYS = re.compile(
    r"\b(?:stays?|remains?|keep|kept|leave|left|unchanged|skip|(?:not|won't|no) (?:be )?(?:touch|change)\w*)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(r"\b(?:no|not|never|instead|rather|keep|leave|stays?)\b|n't\b", re.IGNORECASE)
_CARRY_OUT = (
    "proceed",
    "use",
    "execute",
    "process",
    "submit",
    "complete",
    "finalize",
    "apply",
    "carry out",
    "do",
    "make",
)
_EXCEPT = re.compile(r"\b(except|but not|other than|apart from|aside from|excluding|not)\b", re.IGNORECASE)
_PLANS = re.compile(r"\b(i('ll| will| can| could| would)|we (can|could|will|would)|would be|you can)\b", re.IGNORECASE)
_BLANK = re.compile(
    r"\b(whatever|any changes?|all (the )?changes|anything (that|you)|everything (that|you))\b", re.IGNORECASE
)


def _without_what_stays(text: str) -> str:
    """A line without the sentences in front of its questions that say what is left alone."""
    if not _STAYS.search(text):
        return text
    return " ".join(one for one in sentences(text) if "?" in one or not _STAYS.search(one))


def _decided_words(said: Answer) -> bool:
    """Whether a yes is one to an act, not to a fact: "go ahead" and not "that's right"."""
    return any(
        re.search(r"\b(go ahead|proceed|do (it|that|so)|please do|confirm|authori[sz]e)\b", s, re.IGNORECASE)
        for s in said.yes
    )


def _forbids(sentence: str) -> bool:
    return (
        re.search(
            r"\b(don't|do not|never ?mind|forget it|changed my mind|leave (it|things)|keep)\b", sentence, re.IGNORECASE
        )
        is not None
    )


def _exchanges(lines: Sequence[Line]) -> Iterator[_Exchange]:
    """What the agent said and what the customer answered, the latest first; several lines in a row are one."""
    first = next((place for place, line in enumerate(lines) if not line.by_agent), 0)
    for place in range(len(lines) - 1, first - 1, -1):
        line = lines[place]
        if line.by_agent:
            continue
        before = lines[place - 1] if place > first else None  # what was said before the first is a greeting
        text = plain(before.text.strip()) if before is not None and before.by_agent else ""
        at = before.turn if before is not None and text else -1
        yield _Exchange(line.turn, plain(line.text.strip()), at, text)


def _changed(messages: Sequence[AnyMessage], end: int, env: Environment | None) -> list[int]:
    """The turns before ``end`` in which the agent changed something, with success."""
    known = {spec.name for spec in env.tool_specs() if spec.kind == "write" and not spec.documents} if env else set()
    return [
        turn
        for turn, call, result in calls_made(messages)
        if turn < end
        and messages[turn].role == "assistant"
        and (call.name in known if known else not reads(call.name))
        and result is not None
        and not result.error
    ]
