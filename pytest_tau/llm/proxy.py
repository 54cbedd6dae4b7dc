"""A chat-completions server on loopback for agents that bring a client of their own.

What such an agent asks there goes through our client: retries, limits, budget, prices and recordings hold for it, and
what it costs is billed to its trial. Which trial that is, the token in the address says.
"""

from __future__ import annotations

import asyncio
import json
import re
import secrets
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any, NamedTuple

from ..errors import InfraError, TauError
from ..loopback import LoopbackServer
from .limits import BudgetReached
from .protocol import ModelClient, ModelReply
from .retry import ProviderError

ClientFor = Callable[[str, Mapping[str, Any]], ModelClient]

_COMPLETIONS = "/chat/completions"
_MODELS = "/models"
# What our client takes by name; all else of a request, but for how the answer is to come, is a parameter of the model.
_NAMED = frozenset({"model", "messages", "tools", "tool_choice", "seed", "response_format"})
_OF_THE_ANSWER = frozenset({"n", "stream", "stream_options"})
# How to sample. Whatever else a request holds could say where the model is, or with whose key it is asked.
_SAMPLING = frozenset(
    {
        "temperature",
        "top_p",
        "top_k",
        "min_p",
        "max_tokens",
        "max_completion_tokens",
        "stop",
        "presence_penalty",
        "frequency_penalty",
        "repetition_penalty",
        "logit_bias",
        "logprobs",
        "top_logprobs",
        "parallel_tool_calls",
        "reasoning_effort",
        "thinking",
        "verbosity",
        "modalities",
        "prediction",
        "service_tier",
        "metadata",
        "store",
        "user",
        "safety_identifier",
        "prompt_cache_key",
    }
)
# litellm takes such names for the place where the model is.
_ADDRESS = re.compile(r"//|https?\b", re.IGNORECASE)
_FINISHES = frozenset({"stop", "length", "tool_calls", "content_filter"})
_NO_ANSWER = 502
_POLL = 0.1
_LONGEST = 64_000_000  # bytes of a request


class Refused(Exception):
    """A request that gets an error for an answer."""

    def __init__(self, status: int, message: str, kind: str = "invalid_request_error") -> None:
        super().__init__(message)
        self.status = status
        self.kind = kind


class Proxy:
    """The server of a process; it listens from the first trial on that wants its address."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._http: _Http | None = None
        self._trials: dict[str, TrialEndpoint] = {}

    def open(self, trial: TrialEndpoint) -> str:
        """The address for one trial, which nobody can guess from another's."""
        with self._lock:
            if self._http is None:
                self._http = _Http(self)
                threading.Thread(
                    target=self._http.serve_forever, args=(_POLL,), name="pytest-tau-proxy", daemon=True
                ).start()
            token = secrets.token_hex(16)
            self._trials[token] = trial
            return f"http://127.0.0.1:{self._http.server_address[1]}/{token}/v1"

    def trial(self, token: str) -> TrialEndpoint | None:
        """Whose token this is, while its trial lasts."""
        return self._trials.get(token)

    def forget(self, trial: TrialEndpoint) -> None:
        """No longer answer for a trial that is over."""
        with self._lock:
            self._trials = {token: other for token, other in self._trials.items() if other is not trial}

    def close(self) -> None:
        """Stop listening."""
        with self._lock:
            http, self._http = self._http, None
        if http is not None:
            http.shutdown()
            http.server_close()


class TrialEndpoint:
    """What one trial's agent reaches at its address.

    Args:
        proxy: gives the server, when it is needed.
        client_for: gives the client for a model's name and the parameters of a request.

    Attributes:
        failure: why the trial cannot count, whatever its agent made of the answer: a request that is not the recorded
            one, a model that cannot be called.
    """

    def __init__(self, proxy: Callable[[], Proxy], client_for: ClientFor) -> None:
        self._proxy = proxy
        self._client_for = client_for
        self._lock = threading.Lock()
        self._url: str | None = None
        self._unbilled: list[ModelReply] = []
        self.failure: Exception | None = None

    def url(self) -> str:
        """The base URL for a client of chat completions; it is listened at from now on."""
        with self._lock:
            if self._url is None:
                self._url = self._proxy().open(self)
            return self._url

    def take_answers(self) -> list[ModelReply]:
        """What has been answered since this was asked last."""
        with self._lock:
            asked, self._unbilled = self._unbilled, []
        return asked

    def close(self) -> None:
        """Answer no more: the trial is over."""
        if self._url is not None:
            self._proxy().forget(self)

    def complete(self, body: Any) -> ModelReply:
        """The reply to a request in chat-completions form; raises Refused."""
        _check(body)
        parameters = {name: value for name, value in body.items() if name not in _NAMED | _OF_THE_ANSWER}
        try:
            client = self._client_for(str(body["model"]), parameters)
            reply = asyncio.run(
                client.complete(
                    body["messages"],
                    tools=body.get("tools") or (),
                    tool_choice=body.get("tool_choice"),
                    seed=body.get("seed"),
                    response_format=body.get("response_format"),
                )
            )
        except BudgetReached as error:
            raise Refused(429, str(error), "insufficient_quota") from None
        except InfraError as error:
            status = error.status if isinstance(error, ProviderError) else 0
            raise Refused(status or _NO_ANSWER, str(error), "provider_error") from None
        except TauError as error:
            self.failure = self.failure or error
            raise Refused(400, str(error)) from None
        except Exception as error:
            self.failure = self.failure or error
            raise Refused(500, f"{type(error).__name__}: {error}", "bug") from None
        with self._lock:
            self._unbilled.append(reply)
        return reply


def _check(body: Any) -> None:
    """Refuse what is no request for one completion."""
    if not isinstance(body, dict):
        raise Refused(400, "the request is not a JSON object")
    messages, tools = body.get("messages"), body.get("tools") or []
    if not isinstance(body.get("model"), str):
        raise Refused(400, "the request names no model")
    if _ADDRESS.search(body["model"]):
        raise Refused(400, "the request's model brings its own address: name the model with --tau-agent-llm")
    if not isinstance(messages, list) or not messages or not all(isinstance(message, dict) for message in messages):
        raise Refused(400, "the request has no list of messages")
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        raise Refused(400, "the tools of the request are not a list of objects")
    if body.get("n") not in (None, 1):
        raise Refused(400, "one completion is given for a request: leave n out")
    if strangers := sorted(body.keys() - _NAMED - _OF_THE_ANSWER - _SAMPLING):
        raise Refused(
            400,
            f"the request's {strangers[0][:60]!r} is not passed on: give it with --tau-agent-llm-args, or leave it out",
        )
    if not isinstance(body.get("stream_options") or {}, dict):
        raise Refused(400, "the stream_options of the request are not an object")


class _Http(LoopbackServer):
    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        super().__init__(0, _CompletionHandler)


class _CompletionHandler(BaseHTTPRequestHandler):
    server: _Http

    def do_POST(self) -> None:
        """Answer a request for a completion."""
        try:
            trial = self._trial(_COMPLETIONS)
            body = self._body()
            answered = _Answer(trial.complete(body), body["model"])
        except Refused as refused:
            self._refuse(refused)
            return
        if body.get("stream"):
            usage = bool((body.get("stream_options") or {}).get("include_usage"))
            self._send(200, answered.stream(with_usage=usage), "text/event-stream")
        else:
            self._send_json(200, answered.completion())

    def do_GET(self) -> None:
        """Answer clients that look for models first."""
        try:
            self._trial(_MODELS)
        except Refused as refused:
            self._refuse(refused)
        else:
            self._send_json(200, {"object": "list", "data": []})

    def _trial(self, wanted: str) -> TrialEndpoint:
        token, _, path = self.path.removeprefix("/").partition("/")
        trial = self.server.proxy.trial(token)
        if trial is None:
            raise Refused(404, "no trial has this address, or it is over")
        if path.partition("?")[0] != f"v1{wanted}":
            raise Refused(404, "there are only POST /chat/completions and GET /models here")
        return trial

    def _body(self) -> Any:
        try:
            length = max(0, int(self.headers["Content-Length"]))
            if length > _LONGEST:
                raise Refused(413, f"the request is longer than {_LONGEST} bytes")
            return json.loads(self.rfile.read(length))
        except (TypeError, ValueError, RecursionError):
            raise Refused(400, "the request is no JSON of a given length") from None

    def _refuse(self, refused: Refused) -> None:
        error = {"message": str(refused), "type": refused.kind, "param": None, "code": refused.kind}
        # Our client has tried again already, as often as it may.
        self._send_json(refused.status, {"error": error}, {"x-should-retry": "false"})

    def _send_json(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._send(status, json.dumps(body), "application/json", headers)

    def _send(self, status: int, text: str, kind: str, headers: Mapping[str, str] | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the output belongs to pytest."""


class _Answer(NamedTuple):
    """A reply in the forms of chat completions."""

    reply: ModelReply
    model: str

    def completion(self) -> dict[str, Any]:
        """The whole of it."""
        choice = {"index": 0, "message": self._message(), "finish_reason": self._finish()}
        return self._object("chat.completion", choices=[choice], usage=self._usage())

    def stream(self, *, with_usage: bool) -> str:
        """The whole of it as one event, followed by those that end a stream."""
        delta = self._message()
        for number, call in enumerate(delta.get("tool_calls", [])):
            call["index"] = number
        kind = "chat.completion.chunk"
        said = {"index": 0, "delta": delta, "finish_reason": None}
        ended = {"index": 0, "delta": {}, "finish_reason": self._finish()}
        events = [self._object(kind, choices=[said]), self._object(kind, choices=[ended])]
        if with_usage:
            events.append(self._object(kind, choices=[], usage=self._usage()))
        return "".join(f"data: {text}\n\n" for text in [*map(json.dumps, events), "[DONE]"])

    def _object(self, kind: str, **parts: Any) -> dict[str, Any]:
        created = int(time.time())
        return {"id": f"chatcmpl-{uuid.uuid4().hex}", "object": kind, "created": created, "model": self.model, **parts}

    def _message(self) -> dict[str, Any]:
        message: dict[str, Any] = {"role": "assistant", "content": self.reply.content}
        if self.reply.tool_calls:
            message["tool_calls"] = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)},
                }
                for call in self.reply.tool_calls
            ]
        return message

    def _finish(self) -> str:
        if self.reply.tool_calls:
            return "tool_calls"
        return self.reply.finish_reason if self.reply.finish_reason in _FINISHES else "stop"

    def _usage(self) -> dict[str, int]:
        usage = self.reply.usage
        prompt, completion = (usage.prompt_tokens, usage.completion_tokens) if usage else (0, 0)
        return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion}
