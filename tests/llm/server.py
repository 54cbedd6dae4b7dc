"""A chat-completions server on loopback that does what a test tells it to, and remembers what it was asked.

    with ChatServer([rate_limited("1"), says("Done.")]) as server:
        ...  # api_base=server.url, model="openai/test", api_key="sk-test-1"
    assert server.requests[-1].messages[-1]["content"] == "Hello"

What it is told is one answer for every request, a list of answers for one request each (the last one is repeated), or a
function that answers a :class:`Request`. :func:`by_turn` and :func:`by_model` make such functions for conversations
that go on side by side. Nothing sleeps: a :func:`held` answer waits for an event the test sets.
"""

import json
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

PATH = "/v1/chat/completions"
PATHS = (PATH, "/v1/embeddings", "/v1/v1/messages")  # the last as litellm asks Anthropic below a base with /v1
_GIVE_UP = 30.0
_DRIP = 0.01
_DRIPS = 300
_RESET = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class Request:
    """One request as it came in; header names are lower-case."""

    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def model(self) -> str:
        """The model asked for, without litellm's provider prefix."""
        return str(self.body["model"])

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The chat so far."""
        return list(self.body["messages"])

    @property
    def tools(self) -> list[str]:
        """The names of the tools offered."""
        return [tool["function"]["name"] for tool in self.body.get("tools") or []]


@dataclass(frozen=True)
class Answer:
    """What is sent back: a status and JSON (or bytes as they are); or a reset connection.

    With ``hold`` it comes once the event is set; until then blanks come, one by one, if it is to ``drip``.
    """

    body: Mapping[str, Any] | bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None
    drip: bool = False
    reset: bool = False


Behaviour = Answer | list[Answer] | Callable[[Request], Answer]


# Answers


def says(
    text: str | None,
    *,
    calls: Sequence[Mapping[str, Any]] = (),
    finish: str | None = None,
    prompt_tokens: int = 10,
    completion_tokens: int = 5,
    **extra: Any,
) -> Answer:
    """A message; ``calls`` are raw tool calls, see :func:`raw_call`; ``extra`` are more keys of the message."""
    message: dict[str, Any] = {"role": "assistant", "content": text, **extra}
    if calls:
        message["tool_calls"] = [dict(call) for call in calls]
    choice = {"index": 0, "message": message, "finish_reason": finish or ("tool_calls" if calls else "stop")}
    return _completion([choice], prompt_tokens, completion_tokens)


def vectors(request: Request, *words: str, tokens: int = 7) -> Answer:
    """The vectors of the texts in a request: how often each of these words is in a text, and a one."""
    texts = request.body["input"]
    found = [[*(float(text.count(word)) for word in words), 1.0] for text in texts]
    data = [{"object": "embedding", "index": n, "embedding": vector} for n, vector in enumerate(found)]
    usage = {"prompt_tokens": tokens * len(texts), "total_tokens": tokens * len(texts)}
    return Answer({"object": "list", "data": data, "model": request.model, "usage": usage})


def calls(*wanted: tuple[str, Mapping[str, Any]], text: str | None = None) -> Answer:
    """A message of tool calls: ``calls(("get_user", {"user_id": "u1"}))``. Ids are call_1, call_2 and so on."""
    raw = [raw_call(name, json.dumps(arguments), id=f"call_{n}") for n, (name, arguments) in enumerate(wanted, 1)]
    return says(text, calls=raw)


def raw_call(name: str | None, arguments: Any, *, id: str | None = "call_1") -> dict[str, Any]:
    """A tool call to the letter, however malformed; an ``id`` of None is left out."""
    call: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": arguments}}
    return call if id is None else {"id": id, **call}


def bad_json_arguments(name: str = "get_user") -> Answer:
    """A tool call whose arguments are no JSON."""
    return says(None, calls=[raw_call(name, '{"user_id": "u1"')])


def list_arguments(name: str = "get_user") -> Answer:
    """A tool call whose arguments are a list."""
    return says(None, calls=[raw_call(name, '["u1"]')])


def no_choices() -> Answer:
    """A completion without a choice in it."""
    return _completion([], 10, 0)


def rate_limited(retry_after: str | None = None) -> Answer:
    """A 429; ``retry_after`` is the header's value, seconds or an HTTP date."""
    return fails(429, "Rate limit reached.", code="rate_limit_exceeded", retry_after=retry_after)


def fails(
    status: int = 500, message: str = "It broke.", *, code: str | None = None, retry_after: str | None = None
) -> Answer:
    """An error in the provider's form."""
    error = {"message": message, "type": "error", "param": None, "code": code}
    headers = {} if retry_after is None else {"Retry-After": retry_after}
    return Answer({"error": error}, status, headers)


def cut() -> Answer:
    """The connection is reset instead of an answer."""
    return Answer(reset=True)


def held(until: threading.Event, answer: Answer) -> Answer:
    """An answer that comes once the event is set."""
    return replace(answer, hold=until)


def dripping(until: threading.Event, answer: Answer) -> Answer:
    """An answer that begins at once and comes byte by byte, and in full once the event is set."""
    return replace(answer, hold=until, drip=True)


# Behaviours for whole conversations


def by_turn(replies: Sequence[Answer], *, said_before: int = 0) -> Callable[[Request], Answer]:
    """The n-th reply to a chat with n - 1 assistant messages in it, however many chats go on at once.

    ``said_before`` assistant messages, a greeting for example, are not counted; the last reply is repeated.
    """

    def answer(request: Request) -> Answer:
        said = [message for message in request.messages if message["role"] == "assistant"]
        return replies[min(max(len(said) - said_before, 0), len(replies) - 1)]

    return answer


def by_model(behaviours: Mapping[str, Behaviour]) -> Callable[[Request], Answer]:
    """One server for agent, user and judge: each model name has a behaviour of its own."""
    answerers = {model: _answerer(behaviour) for model, behaviour in behaviours.items()}
    return lambda request: answerers[request.model](request)


class ChatServer:
    """The server; a context manager. Leaving it raises what a behaviour raised.

    Attributes:
        requests: everything that was asked, in the order of arrival.
        peak: the most requests that were being answered at once.
        listed: the models that it lists, with what it tells of each; None where it lists none.
    """

    def __init__(self, behaviour: Behaviour, listed: Sequence[Mapping[str, Any]] | None = None) -> None:
        self.listed = listed
        self._answer = _answerer(behaviour)
        self._lock = threading.Lock()
        self._in_flight = 0
        self._errors: list[Exception] = []
        self.requests: list[Request] = []
        self.peak = 0
        self._http = _Http(self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True)

    @property
    def url(self) -> str:
        """What an ``api_base`` is set to."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        if kind is None and self._errors:
            raise self._errors[0]

    def answer(self, request: Request) -> Answer:
        """Record a request and decide on the answer."""
        with self._lock:
            self.requests.append(request)
            self._in_flight += 1
            self.peak = max(self.peak, self._in_flight)
            try:
                return self._answer(request)
            except Exception as error:
                self._errors.append(error)
                return fails(400, f"the test's behaviour raised {error!r}")

    def answered(self) -> None:
        """Count a request as done."""
        with self._lock:
            self._in_flight -= 1


class _Http(ThreadingHTTPServer):
    request_queue_size = 128
    daemon_threads = True
    block_on_close = False

    def __init__(self, chat: ChatServer) -> None:
        self.chat = chat
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that gave up is no failure of the test."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def do_GET(self) -> None:
        listed = self.server.chat.listed
        if self.path == "/v1/models" and listed is not None:
            self._send(Answer({"object": "list", "data": [dict(one) for one in listed]}))
        else:
            self._send(fails(404, f"there is no {self.path}"))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = Request({name.lower(): value for name, value in self.headers.items()}, body)
        chat = self.server.chat
        answer = fails(404, f"there is no {self.path}") if self.path not in PATHS else chat.answer(request)
        try:
            if answer.hold is not None and not answer.drip:
                answer.hold.wait(_GIVE_UP)
        finally:
            if self.path in PATHS:
                chat.answered()
        if answer.reset:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
            self.connection.close()
        else:
            self._send(_in_one_chunk(answer) if body.get("stream") and answer.status == 200 else answer)

    def _send(self, answer: Answer) -> None:
        data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in {"Content-Type": "application/json", **answer.headers}.items():
            self.send_header(name, value)
        # The body is over when the connection is: HTTP/1.0.
        self.end_headers()
        for _ in range(_DRIPS if answer.drip else 0):
            if answer.hold is None or answer.hold.wait(_DRIP):
                break
            self.wfile.write(b" ")
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: pytest's output is the test's."""


def _completion(choices: Sequence[Mapping[str, Any]], prompt_tokens: int, completion_tokens: int) -> Answer:
    usage = {
        "prompt_tokens": prompt_tokens,
        "completion_tokens": completion_tokens,
        "total_tokens": prompt_tokens + completion_tokens,
    }
    return Answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1,
            "model": "test",
            "choices": list(choices),
            "usage": usage,
        }
    )


def _in_one_chunk(answer: Answer) -> Answer:
    """A completion as a stream, for clients that insist on one."""
    if isinstance(answer.body, bytes):
        return answer
    [choice] = answer.body["choices"]
    delta = dict(choice["message"])
    if "tool_calls" in delta:
        delta["tool_calls"] = [{**call, "index": index} for index, call in enumerate(delta["tool_calls"])]
    chunk = {**answer.body, "object": "chat.completion.chunk", "choices": [{**choice, "delta": delta}]}
    events = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    return replace(answer, body=events.encode(), headers={**answer.headers, "Content-Type": "text/event-stream"})


def _answerer(behaviour: Behaviour) -> Callable[[Request], Answer]:
    if not isinstance(behaviour, Answer | list):
        return behaviour
    queue = [behaviour] if isinstance(behaviour, Answer) else list(behaviour)

    def answer(request: Request) -> Answer:
        return queue.pop(0) if len(queue) > 1 else queue[0]

    return answer
