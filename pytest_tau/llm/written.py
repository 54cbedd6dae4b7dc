"""What models write into a text that is none: thoughts, and tool calls that their server did not take for calls.

Servers without the right parser hand both on as text. Thoughts are told by their tags. A call is told by its marks
(``<tool_call>``, ``[TOOL_CALLS]``, ``<function=…>``), or by a JSON object, fenced or alone, with a known tool's name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

from ..files import loads_or_text
from ..patterns import lazy
from .chat import json_values_in

_TAG = "think|thinking|thought|reasoning"
# A thought ends with the tag it began with, or else with any of them: models mix their names up.
# One inside it that is closed as well is a part of it.
_PLAIN = r"(?:(?!</?(?P=name)>).)*+"
_THOUGHTS = lazy(
    rf"<(?P<name>{_TAG})>"
    rf"(?:{_PLAIN}(?:<(?P=name)>{_PLAIN}</(?P=name)>{_PLAIN})*+</(?P=name)>|.*?</(?:{_TAG})>|.*)",
    re.DOTALL | re.IGNORECASE,
)
_TAGS = lazy(rf"</?(?:{_TAG})>", re.IGNORECASE)

# A model in a circle writes blanks or tags without end: nothing here looks at a part of them twice.
_TAGGED = lazy(r"<tool_call>(.*?)(?:</tool_call>|(?=<tool_call>)|\Z)", re.DOTALL)
_LISTED = lazy(
    r"\[TOOL_CALLS\]\s*+(?:(?P<name>[\w.-]++)\s*+(?:\[CALL_ID\]\s*+[\w-]++\s*+)?(?:\[ARGS\]\s*+)?(?=\{))?"
    r"(?P<rest>.*?)(?=\[TOOL_CALLS\]|\Z)",
    re.DOTALL,
)
_FUNCTION = lazy(r"<function[= ](?:name=)?[\"']?(?P<name>[\w.-]+)[\"']?>(?P<body>.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = lazy(
    r"<parameter[= ](?:name=)?[\"']?([\w.-]+)[\"']?>\n?(.*?)\n?(?:</parameter>|(?=<parameter[= ]))", re.DOTALL
)
_FENCED = lazy(r"```[\w-]*\s*\n?(.*?)(?:```|\Z)", re.DOTALL)
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args", "input")
# More than any conversation needs; a text of thousands of objects is garbage.
_MOST_CALLS = 20
_MOST_LETTERS = 100_000


class WrittenCall(NamedTuple):
    """A tool call in a text."""

    name: str
    arguments: dict[str, Any]


def thoughts_apart(text: str) -> tuple[str, str]:
    """What a text says without the thoughts in it, and these thoughts ("" for none)."""
    first = _TAGS.search(text) if "<" in text else None
    if first is None:
        return text, ""
    # Templates that open the thought in the prompt leave its end alone.
    ended = first[0].startswith("</")
    before, rest = (text[: first.start()], text[first.end() :]) if ended else ("", text)
    thoughts = [found[0] for found in _THOUGHTS.finditer(rest)]
    said = _TAGS.sub("", _THOUGHTS.sub("", rest)).strip()
    return said, "\n".join(filter(None, (_TAGS.sub("", one).strip() for one in (before, *thoughts))))


def written_calls(text: str, tools: Collection[str]) -> list[WrittenCall]:
    """The tool calls that stand in a text; ``tools`` are the names that there are.

    Marks say that something is a call whatever its name is; JSON without marks is one if a tool has that name.
    """
    if not ("{" in text or "<function" in text):
        return []
    text = text[:_MOST_LETTERS]
    found = list(_marked_calls(text)) or [call for call in _plain(text) if call.name in tools]
    return list(found[:_MOST_CALLS])


def _marked_calls(text: str) -> Iterator[WrittenCall]:
    for tagged in _TAGGED.finditer(text):
        yield from _functions(tagged[1]) if "<function" in tagged[1] else _objects(tagged[1])
    if "<tool_call>" in text:
        return
    for listed in _LISTED.finditer(text):
        if listed["name"]:
            first: Any = next(json_values_in(listed["rest"]), None)
            if isinstance(first, dict):
                yield WrittenCall(listed["name"], first)
        else:
            yield from _objects(listed["rest"])
    if "[TOOL_CALLS]" not in text:
        yield from _functions(text)


def _functions(text: str) -> Iterator[WrittenCall]:
    for found in _FUNCTION.finditer(text):
        values = _PARAMETER.findall(found["body"])
        if values:
            yield WrittenCall(found["name"], {name: loads_or_text(text) for name, text in values})
            continue
        given: Any = next(json_values_in(found["body"]), {})
        if isinstance(given, dict):
            yield WrittenCall(found["name"], given)


def _plain(text: str) -> Iterator[WrittenCall]:
    """Calls in fences, or without: as the whole text, or behind what is said."""
    fenced = [found[1] for found in _FENCED.finditer(text)]
    for part in fenced or [text]:
        yield from _objects(part)


def _objects(text: str) -> Iterator[WrittenCall]:
    for value in json_values_in(text):
        for one in value if isinstance(value, list) else [value]:
            if (call := _as_call(one)) is not None:
                yield call


def _as_call(value: Any) -> WrittenCall | None:
    """A JSON value as a call: {"name": …, "arguments": {…}} in the spellings that models use."""
    if not isinstance(value, dict):
        return None
    if isinstance(inner := value.get("function"), dict):
        return _as_call(inner)
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    given = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(given, str):
        given = loads_or_text(given)
    if name is None or not isinstance(given, dict):
        return None
    return WrittenCall(name, given)
