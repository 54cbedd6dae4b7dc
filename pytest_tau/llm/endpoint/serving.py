"""A server of models on loopback for agents that bring a client of their own.

What such an agent asks there goes through our client: retries, limits, budget, prices and recordings hold for it, and
what it costs is billed to its trial. Which trial that is, the token in the address says. Chat completions, Responses
and Messages are served, streamed or not, and embeddings; an answer is streamed once it is whole.
"""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

from ...loopback import LoopbackServer
from . import chat, embeddings, messages, responses
from .asking import ApiRequest, Body, Event, Refused
from .trial import TrialEndpoint

_MODELS = "/models"
_PLACES = "there are only POST /chat/completions, /responses, /messages and /embeddings, and GET /models here"
_POLL = 0.02
_LONGEST = 64_000_000  # bytes of a request


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


class _Http(LoopbackServer):
    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        super().__init__(0, _CompletionHandler)


class _CompletionHandler(BaseHTTPRequestHandler):
    server: _Http

    def do_POST(self) -> None:
        """Answer a request in the form of the API that its path names."""
        try:
            trial, path = self._place()
            body = self._body()
            if path == embeddings.PATH:
                texts = embeddings.texts_of(body)
                reply = trial.embed(body["model"], texts)
                self._send_json(200, embeddings.answer(body, reply))
                return
            request = _request(path, body, trial)
            reply = trial.complete(request.chat)
        except Refused as refused:
            self._refuse(refused)
            return
        if body.get("stream"):
            self._send(200, "".join(map(_event_lines, request.stream(reply))), "text/event-stream")
        else:
            self._send_json(200, request.answer(reply))

    def do_GET(self) -> None:
        """Answer clients that look for models first."""
        try:
            trial, path = self._place()
            if path != _MODELS:
                raise Refused(404, _PLACES)
        except Refused as refused:
            self._refuse(refused)
        else:
            found = [{"id": name, "object": "model", "created": 0, "owned_by": "pytest-tau"} for name in trial.models]
            self._send_json(200, {"object": "list", "data": found})

    def do_DELETE(self) -> None:
        """Refuse what clients ask to forget; else they would take a missing method for a failure, and ask again."""
        self._refuse(Refused(404, _PLACES))

    def _place(self) -> tuple[TrialEndpoint, str]:
        """Whose address was asked, and the path behind it; raises Refused."""
        token, _, path = self.path.removeprefix("/").partition("/")
        trial = self.server.proxy.trial(token)
        if trial is None:
            raise Refused(404, "no trial has this address, or it is over")
        # Clients of Anthropic's put the version before the path by themselves.
        path = path.partition("?")[0].removeprefix("v1/").removeprefix("v1/")
        return trial, f"/{path}"

    def _body(self) -> Any:
        try:
            length = max(0, int(self.headers["Content-Length"]))
            if length > _LONGEST:
                raise Refused(413, f"the request is longer than {_LONGEST} bytes")
            return json.loads(self.rfile.read(length))
        except (TypeError, ValueError, RecursionError):
            raise Refused(400, "the request is not JSON of a given length") from None

    def _refuse(self, refused: Refused) -> None:
        error: Body = {"message": str(refused), "type": refused.kind, "param": None, "code": refused.kind}
        told = messages.error_of(refused) if self.path.partition("?")[0].endswith(messages.PATH) else {"error": error}
        # Our client has tried again already, as often as it may.
        self._send_json(refused.status, told, {"x-should-retry": "false"})

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


def _request(path: str, body: Any, trial: TrialEndpoint) -> ApiRequest:
    """The request in the form of the API at this path; raises Refused."""
    if path == chat.PATH:
        return chat.ChatRequest(body)
    if path == responses.PATH:
        return responses.ResponsesRequest(body, trial.responses)
    if path == messages.PATH:
        return messages.MessagesRequest(body)
    raise Refused(404, _PLACES)


def _event_lines(event: Event) -> str:
    """An event as the lines of a stream."""
    data = event.data if isinstance(event.data, str) else json.dumps(event.data)
    return f"{f'event: {event.name}{chr(10)}' if event.name else ''}data: {data}\n\n"
