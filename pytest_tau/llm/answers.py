"""What a provider answers that is no completion, and how to say so: the same for direct calls and for litellm's.

litellm tells of such answers in dozens of ways, and of some not at all. So what came is looked at itself.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import describe
from ..printable import one_line
from .replies import ProviderAnswered, UnreadableAnswer

_WEB_PAGE = "the answer is a web page, not an API: check the address"
_BAD_GATEWAY = 502  # of an error in an answer that tells no other status
_STATUS_OF = {
    "authentication_error": 401,
    "context_length_exceeded": 400,
    "insufficient_quota": 429,
    "invalid_api_key": 401,
    "invalid_request_error": 400,
    "model_not_found": 404,
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
}
_SOCKET = re.compile(r" ssl:(?:default|<[^<>]*>)")


class Response(dict[str, Any]):
    """A JSON object whose keys can be read as attributes, as those of litellm's responses; None where it has none.

    ``headers``: those it came with.
    """

    headers: Mapping[str, str] = {}

    def __getattr__(self, name: str) -> Any:
        value = self.get(name)
        if isinstance(value, list):
            return [Response(one) if isinstance(one, dict) else one for one in value]
        return Response(value) if isinstance(value, dict) else value


def read_answer(url: str, status: int, headers: Mapping[str, str], content: bytes) -> Response:
    """The JSON object that a provider has answered with.

    Raises:
        ProviderAnswered: it refuses, tells of an error, or sends the call on to another address.
        UnreadableAnswer: it is not a JSON object.
    """
    if "Location" in headers and 300 <= status < 400:
        to = f"{one_line(url[:200])} redirects to {one_line(headers['Location'][:200])}"
        advice = "and no redirect is followed: if the models are there, name that address as api_base"
        raise ProviderAnswered(f"{to}, {advice}", status)
    found, broken = None, "the answer is JSON, and no object"
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        broken = _what_it_is(content, status, describe(error))
    if isinstance(found, list) and found and isinstance(found[0], dict) and "error" in found[0]:
        [found, *_] = found
    if status >= 300:
        raise ProviderAnswered(_complaint(found, content, status), status, headers, _first_of(_error_in(found)))
    if not isinstance(found, dict):
        raise UnreadableAnswer(broken if found is None else f"{broken}: {_short(content)}")
    told = found.get("error") or found.get("errors") or (found if found.get("object") == "error" else None)
    if not found.get("choices") and told:
        first = _first_of(told)
        codes = [str(first.get(name))[:40] for name in ("code", "type")] if isinstance(first, dict) else []
        numbers = [int(code) if re.fullmatch(r"[45]\d\d", code, re.ASCII) else _STATUS_OF.get(code) for code in codes]
        number = next(filter(None, numbers), _BAD_GATEWAY)
        raise ProviderAnswered(_complaint(found, content, number), number, headers, first)
    response = Response(found)
    response.headers = headers
    if _holds_another_message(response):
        raise UnreadableAnswer(f"the message has no content, but another message in it: {_short(content)}")
    return response


def _holds_another_message(response: Response) -> bool:
    """Whether a gateway has wrapped the message once more; read as it is, it would be an empty reply of the model's."""
    choices = response.choices
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    said = isinstance(message, dict) and (message.get("content") is not None or message.get("tool_calls"))
    return isinstance(message, dict) and not said and isinstance(message.get("message"), dict)


def no_completion(content: bytes) -> UnreadableAnswer:
    """What to raise for JSON that is no completion."""
    return UnreadableAnswer(f"the response is no completion: {_short(content)}")


def read_again(came: Any, error: Exception) -> Response:
    """The completion in what came from a provider, where litellm could not read it.

    Args:
        came: httpx's response, or what it raised in place of one.
        error: what litellm raised.

    Raises:
        ProviderAnswered, UnreadableAnswer, ConnectionError: what came, where it is no completion.
        Exception: ``error``, where nothing more is known.
    """
    if isinstance(came, Exception):
        raise error if "TimeoutException" in {cls.__name__ for cls in type(came).__mro__} else no_answer_error(came)
    if not came.is_closed:  # nobody has read it
        raise error
    try:
        found = read_answer(str(came.request.url), came.status_code, came.headers, came.content)
    except (ProviderAnswered, UnreadableAnswer) as told:
        raise told from error  # whose class may tell more
    if not found.get("choices") and not found.get("usage"):
        raise no_completion(came.content)
    return found


def refuse_invented(made: Any, came: Any) -> None:
    """Raise what an answer says that is no completion, where litellm has made an empty reply of it."""
    choices = getattr(made, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if message is None or getattr(message, "content", None) or getattr(message, "tool_calls", None):
        return
    of_openai = not isinstance(came, Exception) and came.request.url.path.endswith("/chat/completions")
    if of_openai and came.is_closed:
        found = read_answer(str(came.request.url), came.status_code, came.headers, came.content)
        if not found.get("choices"):
            raise no_completion(came.content)


def no_answer_error(error: Exception) -> Exception:
    """What to raise for what the client below raised in place of a response."""
    text = _SOCKET.sub("", one_line(str(error) or type(error).__name__))[:300]
    if re.search(r"content-encoding|decompress", text, re.IGNORECASE):
        return UnreadableAnswer(f"the answer cannot be unpacked ({text})")
    return ConnectionError(f"Connection error: {text}")


def _what_it_is(content: bytes, status: int, broken: str) -> str:
    """What came in place of JSON."""
    if not content.removeprefix(codecs.BOM_UTF8).strip():
        return f"the answer is empty (HTTP {status})"
    if _is_web_page(content):
        return _WEB_PAGE
    if content.lstrip().startswith((b"data:", b"event:", b": ")):
        return "the answer is a stream of events, and none was asked for: turn streaming off at the server"
    if content[:2] == b"\x1f\x8b":
        return "the answer is packed (gzip), and does not say so"
    return f"the answer is not JSON ({broken}): {_short(content)}"


def _is_web_page(content: bytes) -> bool:
    begin = content[:20_000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    return begin.startswith((b"<!doctype", b"<head", b"<body")) or b"<html" in begin


def _error_in(found: Any) -> Any:
    if not isinstance(found, dict):
        return None
    told = found.get("error") or found.get("errors")
    return told if isinstance(told, dict | str | list) else found


def _first_of(told: Any) -> Any:
    """An error; of several the first."""
    return told[0] if isinstance(told, list) and told else told


def _complaint(found: Any, content: bytes, status: int) -> str:
    error = _error_in(found)
    parts: list[Any]
    if isinstance(error, list):
        parts = ["; ".join(str(one.get("message", one) if isinstance(one, dict) else one) for one in error)]
    elif isinstance(error, dict):
        inner = error.get("metadata")  # of a router: what the provider behind it said
        parts = [error.get("message"), inner.get("raw") if isinstance(inner, dict) else None]
    else:
        parts = [error, *(found.get(name) for name in ("message", "error_description") if isinstance(found, dict))]
    if told := ": ".join(str(part) for part in parts if part):
        return told
    return _WEB_PAGE if _is_web_page(content) else _short(content) or f"HTTP {status} without a word"


def _short(content: bytes) -> str:
    return " ".join(content[:300].decode("utf-8", "replace").split())
