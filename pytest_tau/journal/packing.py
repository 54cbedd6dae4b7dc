"""What stands once in a journal: long texts, such as the results of tools, which later lines name by their hash.

A line of version 1 stands by itself. In a line of version 2, ``text:HASH`` is in the place of a text that stands whole
further up; a line in which such a word stands anyway is never one. Writer and reader know the last texts, up to a
number of characters, in the order in which they last stood whole: so neither needs memory for a whole file, and a
journal that several runs wrote, one after the other, reads as well. Values that a model has by default are left out.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any

from ..printable import one_line
from .lines import LineFile, is_open, is_trial, parse_line

PLAIN, PACKED = 1, 2
MISSING = "[this text is missing from the journal]"
_MARK = "text:"
_LONG = 60
_ROOM = 4_000_000
_OF_OTHERS = frozenset({"arguments", "raw_data", "expected", "actual", "agent_parameters", "user_parameters"})
"""Under these keys nothing is left out: the names there are not ours."""


def version_problem(content: Mapping[str, Any]) -> str | None:
    """Why a line of a journal cannot be read, None where it can: another version has written it."""
    if (version := content.get("version", PLAIN)) in (PLAIN, PACKED):
        return None
    return f"written in version {one_line(str(version)[:40])}, and this reads {PLAIN} and {PACKED}"


class PackedTexts:
    """The long texts that stood last in a file; ``hold``: with their words, as a reader needs them."""

    def __init__(self, *, hold: bool) -> None:
        self._hold = hold
        self._known: OrderedDict[str, tuple[int, str]] = OrderedDict()
        self._size = 0
        self._named = self._ambiguous = self._missing = False

    def forget(self) -> None:
        """Know nothing any more, so that the next line repeats what it needs."""
        self._known.clear()
        self._size = 0

    def pack(self, line: bytes, content: Any = None) -> bytes:
        """A line as the file needs it; that of a trial that is open as it is, to be read by itself.

        ``content``: what stands on it, where that is known.
        """
        content = parse_line(line) if content is None else content
        if not is_trial(content):
            return line
        if is_open(content):
            self.expand(content)
            return line
        self._named = self._ambiguous = False
        packed = self._pack(content, "")
        if self._ambiguous:
            self.forget()
            return line
        if self._named:
            packed["version"] = PACKED
        return json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")

    def _pack(self, value: Any, key: str | None) -> Any:
        """A value without what the file has; ``key``: what it stands under, None where the names are not ours."""
        kind = type(value)
        if kind is str:
            self._ambiguous |= value.startswith(_MARK)
            return value if len(value) < _LONG else self._name(value)
        if kind is dict:
            silent = _silent().get(key, {}) if key is not None else {}
            return {
                name: self._pack(one, None if key is None or name in _OF_OTHERS else name)
                for name, one in value.items()
                if name not in silent or one != silent[name]
            }
        if kind is list:
            return [self._pack(one, key) for one in value]
        return value

    def _name(self, text: str) -> str:
        name = _hash(text)
        if name in self._known:
            self._named = True
            return _MARK + name
        self._add(name, text)
        return text

    def expand(self, content: dict[str, Any]) -> bool:
        """Put the texts that a line only names back in place; False where the file lacks one."""
        self._missing = False
        self._expand(content, content.get("version") == PACKED)
        if content.get("version") == PACKED:
            content["version"] = PLAIN
        return not self._missing

    def _expand(self, value: Any, packed: bool) -> None:
        """Know the long texts in an object or list; in a packed line also find those that it names."""
        for place, one in value.items() if type(value) is dict else enumerate(value):
            kind = type(one)
            if kind is str:
                if len(one) >= _LONG:
                    self._add(_hash(one), one)
                elif packed and one.startswith(_MARK):
                    value[place] = self._find(one.removeprefix(_MARK))
            elif kind is dict or kind is list:
                self._expand(one, packed)

    def _find(self, name: str) -> str:
        if (known := self._known.get(name)) is None:
            self._missing = True
            return MISSING
        return known[1]

    def _add(self, name: str, text: str) -> None:
        if name in self._known:
            self._known.move_to_end(name)
            return
        self._known[name] = len(text), text if self._hold else ""
        self._size += len(text)
        while self._size > _ROOM:
            self._size -= self._known.popitem(last=False)[1][0]


class PackedFile(LineFile):
    """A file of lines in which long texts stand once."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._texts = PackedTexts(hold=False)
        self._queued: tuple[bytes, Any] = (b"", None)

    def queue(self, line: str | bytes, content: Any = None) -> None:
        """As :meth:`LineFile.queue`; ``content``: what stands on the line, for who knows it."""
        super().queue(line)
        self._queued = (self._unwritten[-1], content)

    def _write(self, file: IO[bytes], line: bytes) -> None:
        content = self._queued[1] if line is self._queued[0] else None
        try:
            super()._write(file, self._texts.pack(line.removesuffix(b"\n"), content) + b"\n")
        except BaseException:
            self._texts.forget()
            raise


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


@cache
def _silent() -> dict[str, dict[str, Any]]:
    """The values that say nothing, of the objects under a key."""
    from ..schema.messages import ToolCall, ToolMessage
    from ..schema.reward import Check, CriterionResult, Effort, MilestoneStatus, Reward
    from ..schema.simulation import Simulation
    from ..schema.values import Frozen

    models: dict[str, type[Frozen]] = {
        "messages": ToolMessage,
        "tool_calls": ToolCall,
        "reward": Reward,
        "results": CriterionResult,
        "checks": Check,
        "stations": MilestoneStatus,
        "effort": Effort,
        "simulation": Simulation,
    }
    return {
        key: {
            name: field.get_default(call_default_factory=True)
            for name, field in model.model_fields.items()
            if not field.is_required() and name != "role"
        }
        for key, model in models.items()
    }
