"""What the forms of the endpoint have in common: a request that can be refused, and the messages it becomes."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from ..protocol import ModelReply

Body = dict[str, Any]
# Fields that say how the answer is to come, or who keeps it; the endpoint sees to that itself.
ABOUT_THE_ANSWER = frozenset({"stream", "stream_options", "store"})
# litellm takes such names for the place where the model is.
_ADDRESS = re.compile(r"//|https?\b", re.IGNORECASE)


class Refused(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, status: int, message: str, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class Event(NamedTuple):
    """One event of a streamed answer; ``name`` where the API names its events."""

    data: Mapping[str, Any] | str
    name: str | None = None


class ApiRequest(Protocol):
    """One request in the form of an API. Making it raises Refused for what is none."""

    @property
    def chat(self) -> Body:
        """The same as a request for a chat completion."""

    def answer(self, reply: ModelReply) -> Body:
        """A reply to it in the API's form."""

    def stream(self, reply: ModelReply) -> Iterator[Event]:
        """A reply to it as the events of a stream."""


def new_id(kind: str) -> str:
    """An id that nothing else has."""
    return f"{kind}_{uuid.uuid4().hex}"


def object_of(body: Any) -> Body:
    """The body as an object that names a model; raises Refused."""
    if not isinstance(body, dict):
        raise Refused(400, "the request is not a JSON object")
    if not isinstance(body.get("model"), str):
        raise Refused(400, "the request names no model")
    if _ADDRESS.search(body["model"]):
        raise Refused(400, "the request's model brings its own address: name the model with --tau-agent-llm")
    return body


def list_of_objects(value: Any, what: str) -> list[Body]:
    """The value as a list of objects; raises Refused, which calls it by ``what``."""
    if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
        raise Refused(400, f"{what} of the request are not a list of objects")
    return value


def refuse_strangers(
    body: Body, known: Iterable[str], instead: str = "give it with --tau-agent-llm-args, or leave it out"
) -> None:
    """Raise Refused for a field that cannot be passed on."""
    if strangers := sorted(body.keys() - set(known)):
        raise Refused(400, f"the request's {strangers[0][:60]!r} is not passed on: {instead}")


def refuse_field(body: Body, name: str, why: str) -> None:
    """Raise Refused where the request sets a field that nothing here can do."""
    if body.get(name) not in (None, False, 0, "", []):
        raise Refused(400, f"{why}: leave {name} out")


def function_tool(name: Any, description: Any, parameters: Any, strict: Any = None) -> Body:
    """A tool as chat completions have it."""
    given = {"name": name, "description": description, "parameters": parameters, "strict": strict}
    return {"type": "function", "function": {key: value for key, value in given.items() if value is not None}}


def function_call(id: Any, name: Any, arguments: str) -> Body:
    """A call as chat completions have it."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def text_or_parts(parts: list[Body]) -> str | list[Body]:
    """The content of a message: a text, where there is nothing but text in it."""
    if all(part["type"] == "text" for part in parts):
        return "".join(part["text"] for part in parts)
    return parts
