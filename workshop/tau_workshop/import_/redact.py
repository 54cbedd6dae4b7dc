"""Replaces what tells of people, consistently through messages, arguments and results, so that a replay still holds.

A value gets one replacement for the whole log, of the same form: an order number stays an order number. It is found
again however it is written: in other case, with other separators, spelled letter by letter or in words, and in pieces
over several turns. A second pass looks for what is left, and removes it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pytest_tau.files import loads
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.messages import AnyMessage, ToolMessage

from .hooks import Finder
from .personal import Kind, as_date, by_field, in_data, in_text, in_the_form_of
from .stand_ins import REMOVED, StandIns

# Words of ids that tell of nobody.
_OF_IDS = frozenset(
    """user customer account acct cust member client order res reservation booking ticket invoice tracking credit card
    debit paypal gift certificate bank transfer payment method policy loyalty gold silver id no number
    """.split()  # noqa: SIM905
)
_WORDS = ("zero|oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_BETWEEN = r"[\s.,/()-]{0,3}"
_TRIES = 100
_PIECE = 4  # digits of a number, or letters and digits of an id, that are a piece of it


class Redactor:
    """The replacements of one log; ``table`` is what was replaced by what, by kind.

    With a ``key``, a value has the same replacement in each log. ``find`` gives kind and value of what else tells of
    people in a text.
    """

    def __init__(self, keep: Iterable[str] = (), key: bytes | None = None, find: Finder | None = None) -> None:
        self._keep = {value.casefold() for value in keep}
        self._stand_ins = StandIns(key)
        self._find = find
        self._taken: set[str] = set()
        self.table: dict[str, dict[str, str]] = {}
        self._known: dict[str, str] = {}
        self._ours: set[str] = set()  # the replacements, as they are and bare
        self._words = 0  # of names, that have one
        self._left = 0

    @property
    def removed(self) -> int:
        """How much the second pass has found."""
        return self._left

    def redact(self, conversation: LoggedConversation) -> LoggedConversation:
        """A conversation without what tells of people; its hash stays that of the original."""
        found: dict[str, Kind] = {}
        for kind, value in [*_values(conversation), *self._found(conversation)]:
            if value.casefold() not in self._keep:
                found.setdefault(value, kind)
        # Names first: ids are made of them.
        order = sorted(found.items(), key=lambda one: one[1] != "name")
        pairs = [(value, kind, self._replacement(value, kind)) for value, kind in order]
        said = "\n".join(m.content or "" for m in conversation.messages if m.role != "tool")
        change = _change(pairs, spelled=_SPELLED.search(said) is not None)
        messages = [self._message(message, change, found) for message in conversation.messages]
        meta = {**conversation.meta, "hash": conversation.hash}
        for name in ("system", "initial_state", "notes"):
            if name in meta:
                meta[name] = _in_value(meta[name], change, found)
        made = replace(conversation, id=change(conversation.id), messages=messages, meta=meta)
        return self._second_pass(made, pairs)

    def _found(self, conversation: LoggedConversation) -> Iterator[tuple[Kind, str]]:
        """What the project's own finder finds in texts of both sides, results that are texts, and the prompt."""
        texts = [*(message.content or "" for message in conversation.messages), _prompt(conversation)]
        for text in texts if self._find is not None else ():
            if text and self._find is not None and not isinstance(_decode(text), (dict, list)):
                for kind, value in self._find(text):
                    parts = [value.strip(), *(value.split() if kind == "name" else ())]
                    yield from ((kind, part) for part in parts if len(part) > 1)

    def _message(self, message: AnyMessage, change: Callable[[str], str], found: Container[str] = ()) -> AnyMessage:
        if isinstance(message, ToolMessage):
            return message.model_copy(update={"content": in_content(message.content, change, found), "timestamp": None})
        calls = [
            # What arguments are called is the tool's.
            call.model_copy(
                update={"arguments": {k: _in_value(v, change, found, k) for k, v in call.arguments.items()}}
            )
            for call in message.tool_calls or []
        ]
        text = None if message.content is None else change(message.content)
        return message.model_copy(update={"content": text, "tool_calls": calls or None, "raw_data": None})

    # ---- replacements

    def _replacement(self, value: str, kind: Kind) -> str:
        day = as_date(value) if kind == "birth" else None
        same = _bare(value) if day is None else day.isoformat()
        known = self._known.get(same)
        if known is not None:
            return _as_written(value, known)
        made = self._make(value, kind)
        self._known.setdefault(same, made)
        self._note(kind, value, made)
        return made

    def _note(self, kind: Kind, value: str, made: str) -> None:
        self.table.setdefault(kind, {})[value] = made
        self._ours |= {made.casefold(), _bare(made)}

    def _make(self, value: str, kind: Kind) -> str:
        if kind == "name":
            return " ".join(self._name(part) for part in value.split())
        letters = value
        if kind in ("order", "account"):  # an id may be made of its owner's name
            letters = re.sub(r"[A-Za-z]{3,}", lambda found: self._of_id(found[0]), value)
        number = len(self.table.get(kind, {})) + 1
        return self._free(lambda tries: self._stand_ins.make(letters, kind, number, tries), kind)

    def _free(self, make: Callable[[int], str], kind: Kind) -> str:
        """The first stand-in that no other value has; of dates, and where there are too few, also one that has."""
        tries = 0
        while kind != "birth" and (made := make(tries)).casefold() in self._taken and tries < _TRIES:
            tries += 1
        made = make(tries)
        self._taken.add(made.casefold())
        return made

    def _name(self, part: str) -> str:
        bare = _bare(part)
        if bare not in self._known:
            made = self._stand_ins.name(bare, self._words)
            self._known[bare] = made
            self._words += 1
            self._note("name", part, made)
        return _as_written(part, self._known[bare])

    def _of_id(self, word: str) -> str:
        same = word.casefold()
        if same in self._known:
            return _as_written(word, self._known[same])
        if same in _OF_IDS or word.isupper():
            return word
        # With a key it must be the same where the name is not known.
        return self._name(word) if self._stand_ins.keyed else "user"

    # ---- what is left

    def _second_pass(self, conversation: LoggedConversation, pairs: list[tuple[str, Kind, str]]) -> LoggedConversation:
        """Removes whatever still looks like a person's, and values that stand in a text in a form nobody thought of."""
        bare = [
            _bare(value) for value, kind, made in pairs if kind not in ("name", "birth", "address") and value != made
        ]
        telling = [one for one in bare if len(one) >= 6]

        def clean(text: str) -> str:
            for kind, value in list(in_text(text)):
                ours = value.casefold() in self._ours or _bare(value) in self._ours
                if not (ours or value.casefold() in self._keep or kind in ("name", "order", "account")):
                    self._left += 1
                    text = text.replace(value, REMOVED)
            squeezed = _bare(text)
            for one in telling:
                if one in squeezed:
                    text, times = re.subn(r"[^\w]*".join(map(re.escape, one)), REMOVED, text, flags=re.I)
                    self._left += times
            return text

        messages = [self._message(message, clean) for message in conversation.messages]
        prompt = {"system": clean(_prompt(conversation))} if "system" in conversation.meta else {}
        return replace(conversation, id=clean(conversation.id), messages=messages, meta={**conversation.meta, **prompt})


def _values(conversation: LoggedConversation) -> Iterator[tuple[Kind, str]]:
    """All personal values of a conversation; those that fields hold come first, as their kind is sure."""
    for message in conversation.messages:
        if isinstance(message, ToolMessage):
            value = _decode(message.content)
            if isinstance(value, (dict, list)):
                yield from in_data(value)
        else:
            for call in message.tool_calls or []:
                yield from in_data(call.arguments)
    state = conversation.meta.get("initial_state")
    if isinstance(state, Mapping):
        yield from in_data(state)
    said = [m.content or "" for m in conversation.messages if isinstance(m, ToolMessage) or m.content]
    for text in [*said, conversation.id, _prompt(conversation)]:
        if not isinstance(_decode(text), (dict, list)):
            yield from in_text(text)
    yield from in_text(_together(conversation))


def _prompt(conversation: LoggedConversation) -> str:
    """The system prompt, which may tell of the customer as well."""
    return str(conversation.meta.get("system") or "")


def _together(conversation: LoggedConversation) -> str:
    """What the customer said, in one: a number that was told in pieces is whole again."""
    texts = [m.content or "" for m in conversation.messages if m.role == "user"]
    return " ".join(re.sub(r"[^\w@+#'’ .-]+$|\.$", "", text.strip()) for text in texts)


# Letters one by one, or four words of digits: where nobody spells, no pattern has to look for it.
_SPELLED = re.compile(
    r"(?<!\w)\w(?:[\s.,-]{1,2}\w){3}(?!\w)|(?:\b(?:zero|oh|one|two|three|four|five|six|seven|eight|nine)\b\W*){4}", re.I
)


def _change(pairs: Iterable[tuple[str, Kind, str]], *, spelled: bool) -> Callable[[str], str]:
    """The function that replaces all of these in a text; ``spelled``: also where they are spelled."""
    rules: dict[str, tuple[str, str]] = {}
    pieces: list[tuple[str, str]] = []
    patterns: list[tuple[int, str, str]] = []
    for value, kind, made in pairs:
        if value == made:
            continue
        patterns += [(len(value), pattern, made) for pattern in _forms(value, kind, spelled)]
        digits = re.sub(r"\D", "", value)
        if kind in ("card", "phone", "iban", "account", "order") and len(digits) >= 2 * _PIECE:
            pieces.append((digits, re.sub(r"\D", "", made)))
        if kind == "email":
            local, own = value.partition("@")[0], made.partition("@")[0]
            if len(local) > _PIECE:
                patterns.append((len(local), rf"(?<![\w.]){re.escape(local)}(?![\w@])", own))
    patterns.sort(key=lambda one: -one[0])
    alternatives = []
    for number, (_, pattern, made) in enumerate(patterns):
        alternatives.append(f"(?P<v{number}>{pattern})")
        rules[f"v{number}"] = (pattern, made)
    if not alternatives:
        return lambda text: text
    # Python allows any number of groups, and a text is gone through once.
    regex = re.compile("|".join(alternatives), re.IGNORECASE)

    def change(text: str) -> str:
        def put(found: re.Match[str]) -> str:
            return _as_written(found[0], rules[found.lastgroup or ""][1])

        text = regex.sub(put, text)
        return _PIECES.sub(lambda found: _piece(found[0], pieces), text) if pieces else text

    return change


_PIECES = re.compile(r"(?<![\w.#$€£-])\d(?:[ -]?\d){3,}(?![\w]|\.\d)")


def _piece(text: str, pieces: Iterable[tuple[str, str]]) -> str:
    """A piece of a number, replaced by the piece of its replacement that stands there."""
    digits = re.sub(r"\D", "", text)
    for whole, made in pieces:
        at = whole.find(digits)
        if at >= 0 and len(made) >= at + len(digits) and whole not in made:
            left = iter(made[at : at + len(digits)])
            return "".join(next(left) if one.isdecimal() else one for one in text)
    return text


def _forms(value: str, kind: Kind, spelled: bool) -> Iterator[str]:
    """The ways in which a value may be written, as patterns."""
    word = re.escape(value)
    yield rf"(?<!\w){word}(?!\w)" if value[:1].isalnum() else rf"{word}(?!\w)"
    if kind == "name" and len(value) >= 3 and value.isalpha() and spelled:
        yield r"(?<!\w)" + r"[\s.,-]{1,2}".join(map(re.escape, value)) + r"(?!\w)"
    if kind == "email":
        local, _, host = value.partition("@")
        dot = r"\s*(?:\.|\(dot\)|\bdot\b)\s*"
        yield (
            dot.join(map(re.escape, local.split(".")))
            + r"\s*(?:@|\(at\)|\bat\b)\s*"
            + dot.join(map(re.escape, host.split(".")))
        )
    bare = _bare(value)
    if (
        kind in ("card", "phone", "iban", "account", "order", "postal")
        and len(bare) >= _PIECE
        and any(c.isdecimal() for c in bare)
    ):
        words = [one.isdecimal() and spelled for one in bare]
        letters = [rf"(?:{c}|{_WORDS[int(c)]})" if w else re.escape(c) for c, w in zip(bare, words, strict=True)]
        yield r"(?<![\w])" + _BETWEEN.join(letters) + r"(?!\w)"
    if kind == "birth" and (day := as_date(value)) is not None:
        months = day.strftime("%B")
        yield rf"{months[:3]}(?:{months[3:]})?\.? {day.day}(?:st|nd|rd|th)?,? {day.year}"
        yield rf"{day.day}(?:st|nd|rd|th)? (?:of )?{months[:3]}(?:{months[3:]})?\.?,? {day.year}"
        yield rf"{day.year}-{day.month:02d}-{day.day:02d}"
        yield rf"0?{day.month}[/.-]0?{day.day}[/.-]{day.year}|0?{day.day}[/.-]0?{day.month}[/.-]{day.year}"


def _bare(value: str) -> str:
    return re.sub(r"[\W_]+", "", value).casefold()


def _as_written(value: str, made: str) -> str:
    """A replacement in the case of what it takes the place of; dates in their form."""
    if (day := as_date(made)) is not None and as_date(value) is not None:
        return in_the_form_of(day, value)
    if value.isupper() and made.isalpha() and len(value) > 1:
        return made.upper()
    return made.lower() if value.islower() and made.isalpha() else made


def in_content(content: str | None, change: Callable[[str], str], found: Container[str] = ()) -> str | None:
    """A result with its values changed; what is JSON stays JSON."""
    if content is None:
        return None
    value = _decode(content)
    if not isinstance(value, (dict, list)):
        return change(content)
    return json.dumps(_in_value(value, change, found), ensure_ascii=False)


def _in_value(value: Any, change: Callable[[str], str], found: Container[str], name: str = "") -> Any:
    """A JSON value with its values changed. A key that is a word in small letters is the name of a field, unless it was
    ``found`` so, or all values are objects, as records are: there are people who are called Price."""
    if isinstance(value, Mapping):
        keys = {key: str(key) for key in value}
        are_records = all(isinstance(inner, Mapping) for inner in value.values())
        made = {
            key: name if name.isalpha() and name.islower() and name not in found and not are_records else change(name)
            for key, name in keys.items()
        }
        return {made[key]: _in_value(inner, change, found, keys[key]) for key, inner in value.items()}
    if isinstance(value, list):
        return [_in_value(inner, change, found, name) for inner in value]
    if isinstance(value, str):
        return change(value)
    if isinstance(value, int) and not isinstance(value, bool) and by_field(name) is not None:
        text = change(str(value))
        return int(text) if text.isdecimal() else text
    return value


def _decode(text: str | None) -> Any:
    if not text or text.lstrip()[:1] not in ("{", "["):
        return text
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return text
