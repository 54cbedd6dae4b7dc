"""What the agent tells of records beside what it has seen of them: statuses, routes, whose line, what is not there.

No verb is needed. A named record and a state are held against the latest result that shows that record. What nobody
looked at cannot be told: that something is not on file, while records of the customer were never opened, or how a phone
line is, while only another one was looked up.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ....patterns import lazy
from ....schema.messages import AnyMessage, ToolMessage
from ....schema.transcript import calls_done, calls_made, records_in
from ..asked import read_question
from ..text import own_words, plain, sentences


class UntrueSentence(NamedTuple):
    """A sentence that the records do not bear out, its turn, and why."""

    turn: int
    sentence: str
    why: str


class _Shown(NamedTuple):
    """What one result shows: its records by their ids, which ids it only lists, and from where to where trips go."""

    records: dict[str, dict[str, Any]]
    listed: frozenset[str]
    routes: frozenset[tuple[str, str]]


class _Seen:
    """What results have shown so far, of each record the latest; worked out when a sentence asks for it, as few do."""

    def __init__(self, used: frozenset[str]) -> None:
        self.used = used
        self._waiting: list[str] = []
        self._records: dict[str, dict[str, Any]] = {}
        self._listed: set[str] = set()
        self._routes: set[tuple[str, str]] = set()

    def add(self, message: ToolMessage) -> None:
        """Take note of a result."""
        if (content := message.content or "").startswith(("{", "[")):
            self._waiting.append(content)

    @property
    def records(self) -> dict[str, dict[str, Any]]:
        """Each record by its ids."""
        self._look()
        return self._records

    @property
    def listed(self) -> set[str]:
        """The ids in lists of orders and reservations."""
        self._look()
        return self._listed

    @property
    def routes(self) -> set[tuple[str, str]]:
        """From where to where reservations go."""
        self._look()
        return self._routes

    def _look(self) -> None:
        for content in self._waiting:
            records, listed, routes = _shown_by(content)
            self._records |= records
            self._listed |= listed
            self._routes |= routes
        self._waiting.clear()


_OF_THE_CUSTOMER = ("user_id", "customer_id")
_LISTS = ("orders", "reservations")


def names_an_id(field: str) -> bool:
    """Whether an id stands in a field of this name."""
    return field == "id" or field.endswith("_id")


def names_a_record(field: str) -> bool:
    """Whether what stands in a field of this name is the id of its record, and not of its customer."""
    return names_an_id(field) and field not in _OF_THE_CUSTOMER


@lru_cache(maxsize=512)
def _shown_by(content: str) -> _Shown:
    shown, listed, routes = dict[str, dict[str, Any]](), set[str](), set[tuple[str, str]]()
    for record in records_in(content):
        for name, value in record.items():
            if isinstance(value, str):
                if names_a_record(name):
                    shown[value] = record
            elif name in _LISTS and isinstance(value, list):
                listed.update(one for one in value if isinstance(one, str))
        origin, destination = record.get("origin"), record.get("destination")
        if isinstance(origin, str) and isinstance(destination, str) and "reservation_id" in record:
            routes.add((origin, destination))
    return _Shown(shown, frozenset(listed), frozenset(routes))


def untrue(messages: Sequence[AnyMessage]) -> Iterator[UntrueSentence]:
    """The sentences of the agent that the records seen by then do not bear out."""
    opened, phones = _opened_ids(messages), set[str]()
    seen = _Seen(frozenset(one for _, one in opened))
    pictured = any(message.role == "user" and message.attachments for message in messages)  # a picture may name a line
    for turn, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if not message.error and message.requestor == "assistant":
                seen.add(message)
        elif message.role == "user":
            phones.update(PHONE.findall(plain(message.text)))
        elif message.text and not message.tool_calls:
            for sentence in telling(message.text):
                proposed = _state_said(sentence) == "cancelled" and bool(read_question(plain(message.text)).leave)
                why = (
                    (None if proposed else _other_status(sentence, seen))
                    or _other_route(sentence, seen)
                    or _unseen_cause(sentence, seen, messages, turn)
                    or _not_looked_for(sentence, seen, opened, turn)
                )
                if why is not None:
                    yield UntrueSentence(turn, sentence, why)
            for sentence in sentences(message.text) if phones and not pictured else ():
                if (why := _other_line(sentence, seen, phones)) is not None:
                    yield UntrueSentence(turn, sentence, why)


def _opened_ids(messages: Sequence[AnyMessage]) -> list[tuple[int, str]]:
    """The ids that were asked for by a call, each with its turn."""
    return [
        (turn, value)
        for turn, call, _ in calls_made(messages)
        for value in call.arguments.values()
        if isinstance(value, str)
    ]


@lru_cache(maxsize=2048)
def telling(text: str) -> tuple[str, ...]:
    """The sentences that tell something as it is: no questions, conditions, or what is to come."""
    return tuple(one for one in sentences(own_words(text)) if "?" not in one and not _NOT_TOLD.search(one))


_NOT_TOLD = lazy(
    r"\b(?:if|once|when|unless|until|would|could|should|(?-i:may)|might|will|can|after|before|whether|as soon as|shall"
    r"|already|let's|please|you (?:said|mentioned|say|told)|to be)\b|'ll\b",
    re.IGNORECASE,
)

# --- statuses ------------------------------------------------------------------------------------------------------

_STATES = {
    "pending": lazy(r"\b(?:is|are|remains?|still) (?:\w+ )?pending\b|\bstatus\W{1,6}pending\b", re.IGNORECASE),
    "delivered": lazy(r"\b(?:is|was|has been|been|already) delivered\b|\bstatus\W{1,6}delivered\b", re.IGNORECASE),
    "processed": lazy(r"\bstatus\W{1,6}processed\b", re.IGNORECASE),
    "cancelled": lazy(
        r"\b(?:is|was|are|been) (?:now |already |successfully )?cancell?ed\b|\bstatus\W{1,6}cancell?ed\b", re.IGNORECASE
    ),
    "active": lazy(r"\b(?:is|are|appears|shows?(?: as)?) (?:\w+ )?(?:active|back on|back in service)\b", re.IGNORECASE),
    "suspended": lazy(r"\b(?:is|are|been) (?:\w+ )?suspended\b", re.IGNORECASE),
    "paid": lazy(r"\b(?:is|was|been) (?:now |already |fully )?paid\b", re.IGNORECASE),
    "overdue": lazy(r"\b(?:is|are) (?:\w+ )?overdue\b", re.IGNORECASE),
}
_EXCLUSIVE = {
    "pending": ("delivered", "processed", "cancelled"),
    "delivered": ("pending", "processed", "cancelled"),
    "processed": ("pending", "delivered", "cancelled"),
    "cancelled": ("pending", "delivered", "processed", "active", "available", "on time"),
    "active": ("suspended",),
    "suspended": ("active",),
    "paid": ("overdue", "awaiting payment", "issued"),
    "overdue": ("paid",),
    "delayed": ("available", "on time", "scheduled"),
}
_NAMED = lazy(r"#?(?<!\w)(?=\w*\d)(?=\w*[A-Z])[A-Z0-9]{4,}(?!\w)")
_DENIED = lazy(r"\b(?:not|never|no|neither|nor|isn't|wasn't|hasn't|aren't|cannot|without)\b|n't\b", re.IGNORECASE)


def _other_status(sentence: str, seen: _Seen) -> str | None:
    """A record that is named alone with a status that its latest result does not show."""
    state = _state_said(sentence) or _state_before_id(sentence)
    named = {one for one in _NAMED.findall(sentence) if one in seen.records} if state else ()
    if len(named) != 1:
        return None
    status = seen.records[next(iter(named))].get("status")
    if not isinstance(status, str) or status.casefold().split(" (")[0] not in _EXCLUSIVE[state]:
        return None
    return f"the record shows {status!r}"


@lru_cache(maxsize=4096)
def _state_said(sentence: str) -> str:
    """The one state that a sentence tells; "" where it tells none, several, or denies it."""
    said = [state for state, words in _STATES.items() if words.search(sentence)]
    return said[0] if len(said) == 1 and not _DENIED.search(sentence) else ""


_BEFORE_ID = lazy(
    r"\b(?:your|the|this) (pending|delivered|cancell?ed|active|suspended|overdue) (?:\w+ )?\(?#?(?=\w*\d)[A-Z0-9]{4,}\b"
)


def _state_before_id(sentence: str) -> str:
    """The state that stands before a record's id: "your pending order #W1"."""
    found = {one.replace("canceled", "cancelled") for one in _BEFORE_ID.findall(sentence)}
    return found.pop() if len(found) == 1 and not _DENIED.search(sentence) else ""


_CAUSE = lazy(
    r"\b(?:caused by|due to|because of|for|of) (?:the|your|this|that)"
    r" (delayed|cancell?ed|overdue|suspended) ([a-z]+)\b",
    re.IGNORECASE,
)
_FEELS = lazy(r"\b(?:sorry|apolog\w*|understand\w*|frustrat\w*|regret\w*|hear)\b", re.IGNORECASE)


def _unseen_cause(sentence: str, seen: _Seen, messages: Sequence[AnyMessage], turn: int) -> str | None:
    """A state of a kind of thing given as the cause of something, while what was looked up of that kind has others."""
    found = _CAUSE.search(sentence)
    if found is None or _FEELS.search(sentence) or _DENIED.search(sentence):
        return None
    state, kind = found[1].casefold().replace("canceled", "cancelled"), found[2].casefold()
    states = {
        str(one["status"]).casefold() for one in seen.records.values() if f"{kind}_id" in one and one.get("status")
    }
    for at, call, result in calls_done(messages):
        if at < turn:
            if state[:6] in call.name.casefold():
                return None  # the agent has brought it about: "the refund for your cancelled flight"
            if {kind, "status"}.issubset(call.name.casefold().split("_")):
                states.add((result.content or "").casefold())
    if not states or not all(one.split(" (")[0] in _EXCLUSIVE[state] for one in states):
        return None  # "late" may be another word for it
    return f"what was looked up shows {', '.join(sorted(map(repr, states))[:2])}"


# --- routes --------------------------------------------------------------------------------------------------------

_ROUTE = lazy(
    r"\b(?:your|the|this) (?:\w+ ){0,2}(?:reservation|booking|trip)\b[^.?!\n]{0,40}?"
    r"\bfrom [^.?!\n()]{0,30}\(?\b([A-Z]{3})\b\)?"
    r"[^.?!\n()]{0,12}\bto\b [^.?!\n()]{0,30}\(?\b([A-Z]{3})\b\)?"
)


def _other_route(sentence: str, seen: _Seen) -> str | None:
    """A trip of the customer's from one airport to another, while the records seen hold none between these."""
    found = _ROUTE.search(sentence)
    if found is None or not seen.routes or not re.search(r"\b(?:found|see|have|is|located)\b", sentence):
        return None
    ends = (found[1], found[2])
    known = {place for route in seen.routes for place in route}  # an end that no trip has is perhaps a new trip's
    if ends in seen.routes or ends[::-1] in seen.routes or _DENIED.search(sentence) or ends[0] not in known:
        return None
    return f"no record seen goes from {ends[0]} to {ends[1]}"


# --- what was not looked for ---------------------------------------------------------------------------------------

_ABSENT = lazy(
    r"\b(?:don't|do not|didn't|did not|can't|cannot|couldn't|could not) (?:\w+ )?(?:see|find|have|locate)\b"
    r"|\bthere (?:is|are|isn't|aren't|was|were) (?:no|not|any)\b"
    r"|\bthe only (?:\w+ ){0,2}(?:i have|i see|on file|you have)\b",
    re.IGNORECASE,
)
_ON_FILE = lazy(
    r"\bthe only (?:\w+ ){0,2}(?:i have|i see|you have)\b|"
    r"\bon file\b|\b(?:in|on|under|with|for) your (?:account|profile|orders?|reservations?|history|records?)\b"
    r"|\bany (?:\w+ ){0,2}(?:orders?|reservations?|bookings?)\b"
    r"|\b(?:orders?|reservations?) (?:with|containing|that|for)\b(?! you\b)",
    re.IGNORECASE,
)


_OF_A_PROFILE = lazy(r"\b(?:cards?|payment|paypal|certificates?|e-?mail|phone|membership|user)\b", re.IGNORECASE)


def _not_looked_for(sentence: str, seen: _Seen, opened: Sequence[tuple[int, str]], turn: int) -> str | None:
    """That something is not on file, while records that the customer is known to have were never opened."""
    if not (_ABSENT.search(sentence) and _ON_FILE.search(sentence)) or _OF_A_PROFILE.search(sentence):
        return None
    left = sorted(seen.listed - {one for at, one in opened if at < turn} - seen.records.keys())
    return f"{', '.join(left[:2])} was never looked at" if left else None


# --- whose line ----------------------------------------------------------------------------------------------------

PHONE = lazy(r"(?<![\w-])\d{3}-\d{3}-\d{4}(?![\w-])")
"""A phone number as records have it."""
_OF_A_LINE = lazy(
    r"\byour (?:\w+ )?(?:line|plan|data|number|account|service|roaming)\b[^.?!\n]{0,60}"
    r"\b(?:is|are|was|were|has|have|shows?|appears?|been|enabled|disabled|set up)\b",
    re.IGNORECASE,
)


def _other_line(sentence: str, seen: _Seen, phones: set[str]) -> str | None:
    """How the customer's line is, while only lines with other numbers than the customer's were looked up."""
    found = None if "?" in sentence else _OF_A_LINE.search(sentence)
    if found is None or _NOT_TOLD.search(sentence[: found.end()]):
        return None
    lines = {
        record["phone_number"]
        for record in seen.records.values()
        if isinstance(record.get("phone_number"), str) and "line_id" in record
    }
    if not lines or not lines.isdisjoint(phones):
        return None
    known = {record["line_id"] for record in seen.records.values() if "line_id" in record and "phone_number" in record}
    makes = {re.sub(r"\d", "0", record["line_id"]) for record in seen.records.values() if "line_id" in record}
    if any(one not in known and re.sub(r"\d", "0", one) in makes for one in seen.used):
        return None  # a line whose number was never shown was worked on
    return f"the line of {', '.join(sorted(phones)[:2])} was never looked at"
