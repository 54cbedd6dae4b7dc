"""The file of a recorded trial: JSON lines that a diff can show, appended an exchange at a time.

An exchange is a line for what was asked with (model, parameters, seed …), a line for each message that no earlier
request of the same role begins with, a line for the reply and a line for what it took. Long texts that trials share,
such as the policy, are files of their own, named by a hash of what is in them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from ..errors import CassetteError
from ..files import append_whole, write_whole
from ..printable import one_line
from ..schema.messages import ToolCall
from ..schema.spending import Usage, Usd
from .protocol import ModelReply, Role

VERSION = 1
AGAIN = "record the trial again with --tau-cassette record"

_PLAIN = re.compile(r"(?!(?:con|prn|aux|nul|com\d|lpt\d)$)[a-z0-9][a-z0-9_-]{0,47}")
_SHARED = "shared"
_LONG = 500


@dataclass(frozen=True)
class TrialKey:
    """Which trial a recording is of; ``variant`` tells tests apart that play the same trial in different ways."""

    domain: str
    task_id: str
    trial: int
    variant: str = ""

    def __str__(self) -> str:
        return f"trial {self.trial} of the task '{self.task_id}'"

    def file(self, root: Path) -> Path:
        """Where its recording is below the folder of all of them."""
        variant = f".{_hash(self.variant, 8)}" if self.variant else ""
        return root / _safe(self.domain) / f"{_safe(self.task_id)}.trial{self.trial}{variant}.jsonl"


def _safe(name: str) -> str:
    """A short file name for a text that can be anything; different ones for different texts, on any file system."""
    if _PLAIN.fullmatch(name):
        return name
    readable = re.sub(r"[^a-z0-9]+", "-", name.lower())[:40].strip("-")
    return f"{readable}-{_hash(name, 8)}".removeprefix("-")


def _hash(text: str, digits: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:digits]


@dataclass(frozen=True)
class Request:
    """What a role asked its model, in the form it is stored in.

    ``options`` is all but the messages: model, parameters, and tools, tool_choice, seed, response_format where given.
    """

    role: Role
    options: dict[str, Any]
    messages: list[Any]


@dataclass(frozen=True)
class RecordedCall:
    """A request and the reply to it."""

    request: Request
    reply: ModelReply


class _SharedTexts:
    """The long texts of a domain's recordings: each stands there once, in a file named by its hash."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fresh: dict[str, str] = {}

    def refer(self, text: str, suffix: str) -> str:
        """What stands for the text in a recording."""
        name = f"{_hash(text, 16)}{suffix}"
        self._fresh[name] = text
        return f"<{_SHARED}/{name}>"

    def expand(self, text: str) -> str:
        """The text with what its references stand for, as far as that is known."""
        return _REFERENCE.sub(lambda found: self._text(found[1], found[0]), text)

    def _text(self, name: str, unknown: str) -> str:
        text = self._fresh.get(name)
        if text is None:
            try:
                text = (self._folder / _SHARED / name).read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                return unknown
        return self.expand(text)

    def write(self, texts: str) -> None:
        """Write the files that these texts refer to, unless they are there."""
        for name in _REFERENCE.findall(texts):
            if name in self._fresh:
                file, text = self._folder / _SHARED / name, self._fresh[name]
                if not file.exists():
                    file.parent.mkdir(parents=True, exist_ok=True)
                    write_whole(file, text.encode("utf-8"))
                self.write(text)


_REFERENCE = re.compile(rf"<{_SHARED}/([0-9a-f]{{16}}\.(?:md|json))>")


class Tape:
    """The file of one trial.

    Args:
        root: the folder of all recordings.
        key: the trial.
    """

    def __init__(self, root: Path, key: TrialKey) -> None:
        self.path = key.file(root)
        self.shared = _SharedTexts(self.path.parent)
        self._key = key

    @property
    def _header(self) -> dict[str, Any]:
        return {
            "cassette": VERSION,
            "domain": self._key.domain,
            "task": self._key.task_id,
            "trial": self._key.trial,
        } | ({"test": self._key.variant} if self._key.variant else {})

    def read(self) -> list[RecordedCall] | None:
        """The exchanges recorded so far, None where there is no file.

        What an interrupted recording left unfinished at the end is left out.

        Raises:
            CassetteError: the file cannot be read, or is no recording of this trial.
        """
        try:
            # Without what follows the last line end: a line that was cut short.
            lines = self.path.read_bytes().split(b"\n")[:-1]
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CassetteError(f"{self.path}: the recording cannot be read: {error.strerror}") from None
        if not lines:
            return []
        header = _line(lines[0])
        if isinstance(header, dict) and header.get("cassette", VERSION) != VERSION:
            told = one_line(str(header["cassette"])[:40])
            raise CassetteError(f"{self.path}: recorded in version {told}, and this reads {VERSION}; {AGAIN}")
        if header != self._header:
            raise CassetteError(f"{self.path}: this is not a recording of {self._key} of {self._key.domain}; {AGAIN}")
        reader = _Reader()
        for number, line in enumerate(lines[1:], start=2):
            try:
                reader.take(_line(line))
            except (ValueError, LookupError, TypeError):
                raise CassetteError(f"{self.path}:{number}: this is not a line of a recording; {AGAIN}") from None
        return reader.exchanges

    def append(self, before: Sequence[RecordedCall], exchange: RecordedCall) -> None:
        """Add an exchange to a file that holds those before it; raises CassetteError."""
        self._write(_text(_lines(before, exchange)), whole=False)

    def rewrite(self, exchanges: Sequence[RecordedCall]) -> None:
        """Make the file anew with these exchanges; raises CassetteError."""
        lines: list[Any] = [self._header]
        for number, exchange in enumerate(exchanges):
            lines += _lines(exchanges[:number], exchange)
        self._write(_text(lines), whole=True)

    def _write(self, text: str, *, whole: bool) -> None:
        data = text.encode("utf-8")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.shared.write(text)
            if whole:
                write_whole(self.path, data)
                return
            with self.path.open("ab", buffering=0) as file:
                append_whole(file, data)
        except OSError as error:
            raise CassetteError(f"{self.path}: the recording cannot be written: {error.strerror}") from None


def _text(lines: Iterable[Any]) -> str:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _line(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def _lines(before: Sequence[RecordedCall], exchange: RecordedCall) -> list[Any]:
    """An exchange as the lines of a file that holds those before it."""
    request, reply = exchange.request, exchange.reply
    begins = _longest_beginning(before, request)
    asked = {"exchange": len(before) + 1, "ask": request.role, **request.options}
    new = request.messages
    if begins is not None:
        asked["begins"] = begins.model_dump(exclude_defaults=True)
        new = new[begins.messages :]
        if begins.characters:
            new = [{**new[0], "content": new[0]["content"][begins.characters :]}, *new[1:]]
    said = {
        "content": reply.content,
        "tool_calls": [call.model_dump(exclude_defaults=True) for call in reply.tool_calls or []],
        "finish_reason": reply.finish_reason,
        "problem": reply.problem,
        "thoughts": reply.thoughts,
        "leaked": reply.leaked or None,
        "broken_calls": [dict(call) for call in reply.broken_calls],
        "thinking": dict(reply.thinking),
        "parameters": dict(reply.parameters),
    }
    spent = {
        "seconds": reply.seconds,
        "cost": reply.cost,
        "usage": None if reply.usage is None else reply.usage.model_dump(),
    }
    return [
        asked,
        *({"message": message} for message in new),
        {"reply": {name: value for name, value in said.items() if value not in (None, [], {})}},
        {"took": spent},
    ]


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Begins(_Line):
    """What a request has in common with an earlier exchange: whole messages, and characters of the next one's text."""

    like: int = Field(ge=1)
    messages: int = Field(ge=0)
    characters: int = Field(default=0, ge=0)


def _longest_beginning(before: Sequence[RecordedCall], request: Request) -> _Begins | None:
    """The earlier exchange of the role whose request begins most like this one, the latest of equals."""
    best: _Begins | None = None
    for number in range(len(before), 0, -1):
        earlier = before[number - 1].request
        # Of a conversation, which grows, the latest request has most in common with this one, and no shorter one more.
        if earlier.role != request.role or (best is not None and len(earlier.messages) <= best.messages):
            continue
        found = _beginning(number, earlier, request)
        if best is None or (found.messages, found.characters) > (best.messages, best.characters):
            best = found
    return best if best and (best.messages or best.characters) else None


def _beginning(number: int, earlier: Request, request: Request) -> _Begins:
    same = 0
    for one, other in zip(earlier.messages, request.messages, strict=False):
        if one != other:
            # A prompt that quotes the conversation grows with it: only what is new in it is stored again.
            texts = [str(message.get("content")) for message in (one, other) if _is_text(message)]
            characters = len(os.path.commonprefix(texts)) if len(texts) == 2 else 0  # noqa: RUF071 (they are no paths)
            return _Begins(like=number, messages=same, characters=characters if characters >= _LONG else 0)
        same += 1
    return _Begins(like=number, messages=same)


def _is_text(message: Any) -> bool:
    return isinstance(message, dict) and isinstance(message.get("content"), str)


class _Said(_Line):
    content: str | None = None
    tool_calls: list[ToolCall] | None = None
    finish_reason: str | None = None
    problem: str | None = None
    thoughts: str | None = None
    leaked: bool | None = None
    broken_calls: list[dict[str, str]] = []
    thinking: dict[str, Any] = {}
    parameters: dict[str, Any] = {}


class _Took(_Line):
    seconds: float
    cost: Usd | None
    usage: Usage | None


class _Asked(BaseModel):
    model_config = ConfigDict(extra="allow")

    exchange: int
    ask: Role
    model: str
    begins: _Begins | None = None


@dataclass
class _Reader:
    """Makes exchanges of lines; raises ValueError and the like for a line that cannot stand where it does."""

    exchanges: list[RecordedCall] = field(default_factory=list)
    _request: Request | None = None
    _said: _Said | None = None
    _opening: str = ""

    def take(self, line: Any) -> None:
        """The next line."""
        if not isinstance(line, dict) or not (len(line) == 1 or "exchange" in line):
            raise ValueError(line)
        kind, value = next(iter(line.items()))
        if kind == "exchange":
            self._ask(line)
        elif self._request is None or (kind == "took") != (self._said is not None):
            raise ValueError(f"{kind} is out of place")
        elif kind == "message":
            if self._opening:
                value, self._opening = {**value, "content": self._opening + value["content"]}, ""
            self._request.messages.append(value)
        elif kind == "reply":
            self._said = _Said.model_validate(value)
        elif kind == "took":
            self._finish_reply(_Took.model_validate(value))
        else:
            raise ValueError(kind)

    def _ask(self, line: dict[str, Any]) -> None:
        if self._request is not None:
            raise ValueError("a request without a reply")
        asked = _Asked.model_validate(line)
        if asked.exchange != len(self.exchanges) + 1:
            raise ValueError("an exchange is missing")
        messages: list[Any] = []
        if (begins := asked.begins) is not None:
            earlier = self.exchanges[begins.like - 1].request.messages
            messages = earlier[: begins.messages]
            if begins.characters:
                self._opening = earlier[begins.messages]["content"][: begins.characters]
        options = {name: value for name, value in line.items() if name not in ("exchange", "ask", "begins")}
        self._request = Request(asked.ask, options, messages)

    def _finish_reply(self, took: _Took) -> None:
        if self._request is None or self._said is None:
            raise ValueError("there is nothing it took")
        said = self._said
        reply = ModelReply(
            content=said.content,
            tool_calls=said.tool_calls or None,
            cost=took.cost,
            usage=took.usage,
            seconds=took.seconds,
            finish_reason=said.finish_reason,
            problem=said.problem,
            thoughts=said.thoughts,
            leaked=bool(said.leaked),
            broken_calls=said.broken_calls,
            thinking=said.thinking,
            parameters=said.parameters,
        )
        self.exchanges.append(RecordedCall(self._request, reply))
        self._request = self._said = None
