"""A chat-completions server on loopback that plays agent and customer: pytest-tau against "real" models without a key.

    python examples/local_model/serve.py tasks/retail
    python examples/local_model/serve.py tasks/retail --slip 0.05 --rate-limited 0.2 --resets 0.05 --latency 0.5

It is no language model. As the model "user" it says what the task wants; as the model "agent" it recognises the task by
that and makes the calls of the task's gold path. The options make it err, and fail, as models and providers do.
"""

import argparse
import json
import random
import socket
import struct
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PATH = "/v1/chat/completions"
CHARACTERS_A_TOKEN = 4
PROPOSAL = "Shall I go ahead?"
LOOK_UPS = ("find_", "get_", "list_", "search_", "calculate")


class Task:
    """What this server needs of a task: the customer's opening, and what a good agent calls and says."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        instructions = data["user_scenario"]["instructions"]
        if isinstance(instructions, str):
            instructions = {"reason_for_call": instructions}
        known = [instructions.get(key) for key in ("reason_for_call", "known_info")]
        known += [moment["say"] for moment in instructions.get("later") or []]  # this customer says it all at once
        self.opening = plain(" ".join(text for text in known if text))
        self.marks = [plain(text) for text in instructions.values() if isinstance(text, str) and text]
        criteria = data.get("evaluation_criteria") or {}
        actions = criteria.get("actions") or []
        self.calls = [action for action in actions if action.get("requestor", "assistant") == "assistant"]
        reasons = [check["any_of"][0] for check in criteria.get("trajectory") or [] if check["check"] == "reason"]
        texts = [text if isinstance(text, str) else " ".join(text) for text in reasons]
        self.closing = " ".join(["That is all.", *texts, *(criteria.get("communicate_info") or [])])


def in_words(call: Mapping[str, Any]) -> str:
    """A call as one tells a customer of it; as JSON it would count as a call that was written and not made."""
    told = [f"{name.replace('_', ' ')} {value}" for name, value in call["arguments"].items()]
    return f"{call['name'].replace('_', ' ')} ({', '.join(told)})"


class Player:
    """Answers chats as one of the two models.

    Args:
        tasks: the tasks it knows.
        slip: how likely the agent is, at each turn, to believe that it is done.
        chance: the randomness.
    """

    def __init__(self, tasks: Sequence[Task], slip: float, chance: random.Random) -> None:
        self._tasks = tasks
        self._slip = slip
        self._chance = chance

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The next message of a chat."""
        messages = body["messages"]
        message = self._user(messages) if body["model"] == "user" else self._agent(messages)
        return {"role": "assistant", "content": None, **message}

    def _user(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        if any(message["role"] == "assistant" for message in messages):
            asked = PROPOSAL in plain(messages[-1]["content"])
            return {"content": "Yes, please go ahead." if asked else "Thank you. ###STOP###"}
        prompt = plain(messages[0]["content"])
        fits = [task for task in self._tasks if all(mark in prompt for mark in task.marks)]
        return {"content": fits[0].opening if fits else "###OUT-OF-SCOPE###"}

    def _agent(self, messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        said = {plain(message["content"]) for message in messages if message["role"] == "user"}
        task = next((task for task in self._tasks if task.opening in said), None)
        if task is None:
            return {"content": "I am sorry, I do not know that task."}
        made = sum(len(message.get("tool_calls") or []) for message in messages)
        if made == len(task.calls) or self._chance.random() < self._slip:
            return {"content": task.closing}
        call = task.calls[made]
        asked = any(PROPOSAL in plain(message.get("content")) for message in messages if message["role"] == "assistant")
        if not asked and not call["name"].startswith(LOOK_UPS):
            steps = "; ".join(map(in_words, task.calls[made:]))
            return {"content": f"I will change this: {steps}. {PROPOSAL}"}
        function = {"name": call["name"], "arguments": json.dumps(call["arguments"])}
        return {"tool_calls": [{"id": f"call_{made + 1}", "type": "function", "function": function}]}


class Server(ThreadingHTTPServer):
    """The server: a player behind a provider with bad days."""

    request_queue_size = 256
    daemon_threads = True

    def __init__(self, player: Player, options: argparse.Namespace, chance: random.Random) -> None:
        super().__init__(("127.0.0.1", options.port), Handler)
        self.player = player
        self.options = options
        self.counts: Counter[str] = Counter()
        self._chance = chance
        self._lock = threading.Lock()

    @property
    def url(self) -> str:
        """The address for ``api_base``."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def fate(self) -> str:
        """What becomes of the next request."""
        with self._lock:
            drawn = self._chance.random() - self.options.rate_limited
            fate = "rate limited" if drawn < 0 else "reset" if drawn < self.options.resets else "answered"
            self.counts[fate] += 1
        return fate


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: Server

    def do_POST(self) -> None:
        """Answer, or fail as a provider does."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != PATH or body["model"] not in ("agent", "user"):
            self._send(404, {"error": {"message": f"There are the models agent and user at {PATH}."}})
            return
        fate = self.server.fate()
        if fate == "rate limited":
            self._send(429, {"error": {"message": "Too many requests."}}, {"Retry-After": "1"})
        elif fate == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
        else:
            time.sleep(self.server.options.latency)
            self._send(200, completion(body, self.server.player.answer(body)))

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: the counts at the end say it."""


def completion(body: Mapping[str, Any], message: Mapping[str, Any]) -> dict[str, Any]:
    """A response in chat-completions form; its tokens are guesses."""
    prompt, written = (len(json.dumps(part)) // CHARACTERS_A_TOKEN for part in (body, message))
    return {
        "id": "chatcmpl-local",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body["model"],
        "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if "tool_calls" in message else "stop"}
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": written, "total_tokens": prompt + written},
    }


def plain(content: str | list[dict[str, Any]] | None) -> str:
    """Text on one line: prompts indent what they quote, and some clients send it in parts."""
    parts = [part.get("text", "") for part in content] if isinstance(content, list) else [content or ""]
    return " ".join(" ".join(parts).split())


def read_tasks(paths: Sequence[Path]) -> list[Task]:
    """The tasks in files and folders, one or an array of them in each file; splits and paraphrases are none."""
    files = [file for path in paths for file in (sorted(path.rglob("*.json")) if path.is_dir() else [path])]
    read = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    found = [one for data in read for one in (data if isinstance(data, list) else [data])]
    return [Task(one) for one in found if "user_scenario" in one]


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("tasks", nargs="+", type=Path, help="task files, or folders of them")
    parser.add_argument("--port", type=int, default=8766, help="0 takes a free one (8766)")
    parser.add_argument("--slip", type=float, default=0.0, help="how likely the agent stops too early, at each turn")
    parser.add_argument("--rate-limited", type=float, default=0.0, help="the share of requests answered with 429")
    parser.add_argument("--resets", type=float, default=0.0, help="the share of connections that are reset")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument("--seed", type=int, default=None, help="of the chances above")
    return parser.parse_args(arguments)


def make_server(arguments: Sequence[str]) -> Server:
    """The server as the command line wants it, listening."""
    options = parse(arguments)
    chance = random.Random(options.seed)
    return Server(Player(read_tasks(options.tasks), options.slip, chance), options, chance)


def main() -> None:
    """Serve until interrupted, then say what became of the requests."""
    server = make_server(sys.argv[1:])
    print(f"models openai/agent and openai/user at {server.url}; Ctrl-C ends", flush=True)  # noqa: T201 (a script talks)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(", ".join(f"{count} {fate}" for fate, count in server.counts.items()) or "no requests")  # noqa: T201


if __name__ == "__main__":
    main()
