"""What runs in the processes of an isolated agent: it imports the agent's module once, and forks for each trial.

Started by :class:`~.nursery.Nursery`, which it speaks to over a socket. A trial's process finds the module as it was
imported, whatever another one has done to it. There the agent stands in its ordinary place: it is made by its factory,
from an AgentContext, and asked for its replies; tools, endpoint and notes are asked for over the trial's own socket.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import itertools
import json
import os
import queue
import shutil
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..conversation.factories import import_factory
from ..conversation.faults import whose_fault
from ..conversation.following import dump_messages, read
from ..conversation.protocols import AgentContext, ContextTool
from ..conversation.replies import as_message, parameters, player
from ..environment.spec import TeamRole
from ..errors import AgentFault, ConversationOver, InfraError, PlayerError, TauError, TrialCancelled, describe
from ..schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage
from ..schema.values import json_values
from .hiding import hide

_LONGEST = 1 << 16
_DIES, _LOOK = 1.0, 0.005  # seconds for a process that is about to end, and between two looks


def main(descriptor: int, name: str, hidden: list[str], home: str) -> None:
    """Import the agent, and fork until nobody asks any more: then the folder goes, whose run may have been killed."""
    control = socket.socket(fileno=descriptor)
    try:
        hide(map(Path, hidden))
        factory = import_factory(name, "agent")
        read(dump_messages([AssistantMessage(content="a"), UserMessage(content="b"), ToolMessage(id="1", content="c")]))
    except BaseException as error:  # also SystemExit: an import ends no run
        told = f"the agent '{name}' cannot be imported: {type(error).__name__}: {describe(error)}"
        _send(control, {"refused": describe(error) if isinstance(error, TauError) else told})
        return
    _send(control, {"forks": threading.active_count() == 1})
    sys.stdout.flush()
    sys.stderr.flush()
    gc.freeze()
    _serve(control, factory)
    shutil.rmtree(home, ignore_errors=True)


def _serve(control: socket.socket, factory: Any) -> None:
    begun: set[int] = set()
    while True:
        asked, given = b"", list[int]()
        with suppress(OSError):
            asked, given, *_ = socket.recv_fds(control, _LONGEST, 3)
        if not asked:
            break
        if given:
            pid = os.fork()
            if not pid:
                control.close()
                _live(factory, given)
            begun.add(pid)
            for one in given:
                os.close(one)
            _send(control, {"pid": pid})
            continue
        ended = json.loads(asked)
        begun.discard(ended["pid"])
        _send(control, {"status": _end(ended["pid"], _DIES if ended["dies"] else 0.0)})
    for pid in begun:
        _end(pid)


def _end(pid: int, seconds: float = 0.0) -> int:
    """End a process and all it has started, after so many seconds at most, and return how it ended."""
    until = time.monotonic() + seconds
    ended, status = os.waitpid(pid, os.WNOHANG)
    while not ended and time.monotonic() < until:
        time.sleep(_LOOK)
        ended, status = os.waitpid(pid, os.WNOHANG)
    for kill in (os.killpg, os.kill):
        with suppress(OSError):
            kill(pid, signal.SIGKILL)
    if not ended:
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _send(control: socket.socket, message: Mapping[str, Any]) -> None:
    control.sendall(json.dumps(message).encode() + b"\n")


def _live(factory: Any, given: list[int]) -> None:
    """The life of a trial's process; does not return."""
    status = 1
    try:
        os.setsid()  # so that what it starts ends with it
        for descriptor, place in zip(given[1:], (1, 2), strict=True):
            os.dup2(descriptor, place)
            os.close(descriptor)
        sys.stdout, sys.stderr = (
            os.fdopen(place, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
            for place in (1, 2)
        )
        _Seat(socket.socket(fileno=given[0]), factory).play()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        with suppress(BaseException):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


class _Seat:
    """The place of one agent: what it is told and asked comes over the socket, and what it says goes there."""

    def __init__(self, line: socket.socket, factory: Any) -> None:
        self._lines = line.makefile("rwb")
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[Any]] = {}
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._factory = factory
        self._agent: Any = None
        self._seen: list[AnyMessage] = []
        threading.Thread(target=self._read, name="tau-seat", daemon=True).start()

    def play(self) -> None:
        """Answer until there is nothing more to come; the socket stays open, which the thread that reads it holds."""
        if (told := self._inbox.get()) is not None:
            self._play(told)

    def _play(self, told: Mapping[str, Any]) -> None:
        os.chdir(told["folder"])
        self._context = self._made_context(told["context"])
        with asyncio.Runner() as loop:
            while (asked := self._inbox.get()) is not None:
                try:
                    self._agent = self._agent or player(self._factory, self._context, "agent")
                    answer = self._answer(asked, loop)
                except BaseException as error:  # the agent's, whatever it is
                    answer = {"error": _told_error(error)}
                self._write(answer)

    def _answer(self, asked: Mapping[str, Any], loop: asyncio.Runner) -> dict[str, Any]:
        if asked.get("close"):
            close = getattr(self._agent, "close", None)
            if callable(close) and not asyncio.iscoroutinefunction(close):
                close()
            return {"closed": True}
        self._seen = [*([] if asked["anew"] else self._seen), *map(_with_pictures, read(asked["messages"]))]
        if (begin := asked.get("resume")) is not None:
            if hasattr(self._agent, "resume"):
                self._agent.resume(list(self._seen), begin)
            return {"resumed": True}
        reply = self._agent.reply(list(self._seen))
        if hasattr(reply, "__await__"):
            reply = loop.run(_await_reply(reply))
        message = as_message(reply, "agent", self._agent)
        return {
            "reply": message.model_dump(mode="json", exclude_defaults=True),
            "parameters": json_values(parameters(self._agent)),
            "memory": json_values(self._context.memory),
        }

    def _made_context(self, fields: dict[str, Any]) -> AgentContext:
        tools = tuple(ContextTool(run=self._call, **tool) for tool in fields.pop("tools"))
        roles = {name: TeamRole(**role) for name, role in fields.pop("roles").items()}
        return AgentContext(
            **fields,
            tools=tools,
            roles=roles,
            open_endpoint=lambda: self._ask({"need": "endpoint"}),
            open_mcp=lambda tools: self._ask({"need": "mcp"}),  # those of the context that is asked
            speak=lambda name, reason: self._ask({"speaks": [name, reason]}),
        )

    def _call(self, name: str, arguments: dict[str, Any]) -> str:
        try:
            plain = json_values(arguments)
        except ValueError as error:
            raise AgentFault(f"{name} was called with arguments that JSON cannot hold: {error}") from None
        return str(self._ask({"call": name, "arguments": plain}))

    def _ask(self, question: dict[str, Any]) -> Any:
        number = next(self._numbers)
        answer = self._waiting[number] = queue.SimpleQueue()
        self._write({"id": number, **question})
        found = answer.get()
        if found is None:
            raise ConversationOver("the trial is over")
        if "error" in found:
            kind, text = found["error"]
            raise ERRORS.get(kind, TauError)(text)
        return found["result"]

    def _write(self, message: Mapping[str, Any]) -> None:
        text = json.dumps(message).encode() + b"\n"
        with self._lock:
            self._lines.write(text)
            self._lines.flush()

    def _read(self) -> None:
        with suppress(OSError):  # reset, where the run was killed
            for line in self._lines:
                found = json.loads(line)
                if "id" in found:
                    self._waiting.pop(found["id"]).put(found)
                else:
                    self._inbox.put(found)
        for waiting in list(self._waiting.values()):
            waiting.put(None)
        self._inbox.put(None)


async def _await_reply(reply: Any) -> Any:
    return await reply


def _told_error(error: BaseException) -> dict[str, Any]:
    """An exception of the agent for the other side; its traceback is output like any other."""
    if not isinstance(error, TauError):
        traceback.print_exception(error)
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    kind = next((cls.__name__ for cls in type(error).__mro__ if cls.__name__ in ERRORS), "")
    return {
        "kind": kind or {True: "InfraError", "miss": "AgentFault"}.get(whose_fault(error), ""),
        "text": describe(error) if kind else f"{type(error).__name__}: {describe(error)}{where}",
    }


def _with_pictures(message: AnyMessage) -> AnyMessage:
    """A message whose pictures have their bytes, which came as base64."""
    if isinstance(message, AssistantMessage) or not message.attachments:
        return message
    held = []
    for one in message.attachments:
        content = base64.b64decode(one.data or "")
        held.append(one.holding(content, lambda content=content: content) if content else one)  # type: ignore[misc]
    return message.model_copy(update={"attachments": held})


ERRORS = {cls.__name__: cls for cls in (AgentFault, ConversationOver, InfraError, PlayerError, TrialCancelled)}
"""The exceptions that go from one side to the other as what they are."""
