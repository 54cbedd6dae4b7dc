"""Passes requests on to a small model, and makes calls of those that it writes as text, as other servers do.

After the result of a call it says a few words, and calls nothing: that is the customer's next turn.
"""

import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def with_calls(said: dict[str, Any]) -> dict[str, Any]:
    """The message with the call that its text is; the message itself where it is none."""
    text = said.get("content") or ""
    try:
        call, _ = json.JSONDecoder().raw_decode(text[text.index("{") :] + "}")  # the stop has taken the last one
        given = call.get("arguments") or {}
        function = {"name": call["name"], "arguments": json.dumps(given.get("properties", given))}
    except (ValueError, KeyError, AttributeError):
        return said
    made = {"id": f"call_{len(text)}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [made]}


@contextmanager
def calling(address: str) -> Iterator[str]:
    """The address of a relay to the model at ``address``."""

    class Relay(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            begins = body["messages"][-1]["role"] == "user"
            body |= {"max_tokens": 64, "stop": ["}\n```"]} if begins else {"max_tokens": 10}
            url = address.removesuffix("/v1") + self.path
            asked = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310
            try:
                with urllib.request.urlopen(asked) as answer:  # noqa: S310
                    status, said = answer.status, json.loads(answer.read())
            except urllib.error.HTTPError as error:
                status, said = error.code, json.loads(error.read())
            if status == 200:
                [choice] = said["choices"]
                choice["message"] = with_calls(choice["message"]) if begins else choice["message"]
                choice["finish_reason"] = "tool_calls" if choice["message"].get("tool_calls") else "stop"
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(said).encode())

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the output is the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Relay) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
