"""Agents in a process of their own: ``--tau-isolate``, for an agent that is named ``module:factory``.

Each process of the run starts one nursery for an agent (:mod:`.nursery`). That is a Python which has few variables of
the environment, no descriptor of ours, an empty folder to be in, and which may open no file of the tasks, domains and
results where the system can see to that (:mod:`.hiding`). It imports the agent's module, and forks for each trial. What
a trial's process does to itself is gone with it.

The two speak JSON, a line each way, as an agent behind a command does; messages stand in it with all their fields, and
each is sent once. The process may ask between two replies: it calls a tool, or wants the endpoint's address.
"""

from __future__ import annotations

import base64
import contextvars
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..clock import monotonic
from ..conversation.protocols import AgentContext
from ..errors import InfraError, PlayerError, SettingsError, describe
from ..printable import one_line
from ..schema.messages import AnyMessage, AssistantMessage, attachments_of
from ..schema.problems import first_problem
from ..scrub import scrub
from .nursery import Nursery, environment, how_it_ended
from .seat import ERRORS
from .service import LONGEST_OUTPUT, in_thread

_TO_CLOSE = 5.0
_LAST_WORDS = 1.0
_LONGEST = 50_000_000  # bytes of a line
_LINES, _SHOWN = 5, 300


class AgentEnded(InfraError):
    """The process of an agent has ended by itself."""


def opaque(context: AgentContext) -> AgentContext:
    """A context whose task has a name that says nothing; the same in each run, as its requests may be recorded."""
    name = sha256(f"{context.seed} {context.task_id}".encode()).hexdigest()[:12]
    return replace(context, task_id=f"task-{name}")


class IsolatedService:
    """An agent of Python whose trials each have a process of their own.

    Args:
        name: ``module:factory``.
        keeps: names of variables that it needs.
        hidden: files and folders that it is not to open.
    """

    refusal = None

    def __init__(self, name: str, *, keeps: Sequence[str] = (), hidden: Iterable[Path] = ()) -> None:
        if not hasattr(os, "fork"):
            raise SettingsError("--tau-isolate: this system cannot fork; leave it out, or use --tau-agent-command")
        self.name = name
        self._environment = environment(keeps)
        self._hidden = [str(path) for path in hidden]
        self._lock = threading.Lock()
        self._nursery: Nursery | None = None
        self._keeper = os.getpid()

    @property
    def process(self) -> int | None:
        """The id of the nursery's process, while there is one."""
        return None if self._nursery is None else self._nursery.process_id

    def check(self) -> None:
        """Import it; raises SettingsError where it cannot be."""
        with self._lock:
            self._ready()

    def agent(self, context: AgentContext) -> _IsolatedAgent:
        """The agent of one trial, in its process."""
        with self._lock:
            nursery = self._ready()
            folder = Path(tempfile.mkdtemp(dir=nursery.home))
            if not nursery.forks:
                self._nursery = None  # it has threads, which no fork takes along: it is good for one
        return _IsolatedAgent(self.name, nursery, folder, context)

    def close(self) -> None:
        """End all of its processes."""
        if self._nursery is not None and self._keeper == os.getpid():
            self._nursery.close()
            self._nursery = None

    def _ready(self) -> Nursery:
        if self._keeper != os.getpid():  # a fork of ours, which cannot share it
            self._nursery, self._keeper = None, os.getpid()
        if self._nursery is None or not self._nursery.is_alive:
            self._nursery = Nursery(self.name, self._environment, self._hidden)
        return self._nursery


class _IsolatedAgent:
    """One trial's agent, which lives in a process of its own."""

    def __init__(self, name: str, nursery: Nursery, folder: Path, context: AgentContext) -> None:
        self._name, self._nursery, self._folder, self._context = name, nursery, folder, context
        self.parameters: dict[str, Any] = {}
        self._is_busy = False
        self._length = 0  # of what it has written since its last answer
        self._sent: list[AnyMessage] = []
        self._errors: deque[str] = deque(maxlen=_LINES)
        ours, theirs = socket.socketpair()
        out, err = os.pipe(), os.pipe()
        try:
            self._pid = nursery.begin([theirs.fileno(), out[1], err[1]])
        except InfraError:
            for one in (out[0], err[0], ours.detach()):
                os.close(one)
            raise
        finally:
            theirs.close()
            os.close(out[1])
            os.close(err[1])
        self._socket, self._line = ours, ours.makefile("rwb")
        self._readers = [_reader(out[0], self._print), _reader(err[0], self._note)]
        self._write({"folder": str(folder), "context": _fields(context)})

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the agent answers.

        Raises:
            PlayerError: it raised an exception of its own, said what is no message, or wrote without end.
            AgentFault: it did so.
            InfraError: its process has ended, or its provider failed.
        """
        answer = await self._ask({}, messages)
        self._context.memory.clear()
        self._context.memory.update(answer.get("memory") or {})
        told = answer.get("parameters")
        self.parameters = told if isinstance(told, dict) else {}
        try:
            return AssistantMessage.model_validate({**answer["reply"], "role": "assistant"})
        except (KeyError, TypeError, ValidationError) as error:
            why = first_problem(error) if isinstance(error, ValidationError) else "no reply is in it"
            raise PlayerError(f"the process of the agent '{self._name}' wrote a broken message: {why}") from None

    def resume(self, messages: Sequence[AnyMessage], begin: int) -> None:
        """Let it take up a conversation, where it can."""
        self._exchange(self._question({"resume": begin}, messages))

    def close(self) -> None:
        """Let the agent close what it holds, and end its process: the trial is over."""
        began, timer = monotonic(), threading.Timer(_TO_CLOSE, self._end)
        timer.daemon = True
        try:
            if self._pid and not self._is_busy:
                timer.start()
                self._exchange({"close": True})
        except InfraError as error:
            if monotonic() - began >= _TO_CLOSE:
                raise TimeoutError(f"it had not returned after {_TO_CLOSE:.0f} seconds") from error
            raise
        finally:
            timer.cancel()
            self._end()
            for reader in self._readers:
                reader.join(_LAST_WORDS)
            with suppress(OSError):  # for who still waits for an answer: what the agent has left may hold the other end
                self._socket.shutdown(socket.SHUT_RDWR)
            with suppress(OSError):
                self._line.close()
            self._socket.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            if not self._nursery.forks:
                self._nursery.close()

    def _end(self, *, dies: bool = False) -> int | None:
        pid, self._pid = self._pid, 0
        return self._nursery.end(pid, dies=dies) if pid else None

    async def _ask(self, question: dict[str, Any], messages: Sequence[AnyMessage]) -> dict[str, Any]:
        return await in_thread(partial(self._exchange, self._question(question, messages)))

    def _question(self, question: dict[str, Any], messages: Sequence[AnyMessage]) -> dict[str, Any]:
        known = len(self._sent)
        anew = known > len(messages) or self._sent != list(messages[:known])
        fresh = messages if anew else messages[known:]
        self._sent = list(messages)
        return {**question, "anew": anew, "messages": [_plain(message) for message in fresh]}

    def _exchange(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """What is answered to a question, after all that is asked before."""
        self._is_busy = True  # and no more where it has not come back: it is asked nothing again
        self._write(question)
        while "id" in (found := self._read()):
            self._write({"id": found["id"], **self._serve(found)})
        self._is_busy = False
        self._length = 0
        if "error" in found:
            raise self._error(found["error"])
        return found

    def _serve(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """The result of what the process wants to know, or the error."""
        try:
            if "speaks" in asked:
                self._context.speaks_as(*asked["speaks"])
                return {"result": None}
            if "need" in asked:
                return {"result": self._context.endpoint if asked["need"] == "endpoint" else self._context.mcp}
            arguments = asked.get("arguments")
            run = self._context.tools[0].run
            return {"result": run(str(asked.get("call")), arguments if isinstance(arguments, dict) else {})}
        except Exception as error:
            kind = type(error).__name__
            return {"error": [kind, describe(error) if kind in ERRORS else f"{kind}: {describe(error)}"]}

    def _write(self, message: Mapping[str, Any]) -> None:
        with suppress(OSError, ValueError):  # it has ended, and what is read next says how
            self._line.write(json.dumps(message).encode() + b"\n")
            self._line.flush()

    def _read(self) -> dict[str, Any]:
        line = b""
        with suppress(OSError, ValueError):
            line = self._line.readline(_LONGEST)
        if not line:
            raise self._exit_error()
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise PlayerError(f"the process of the agent '{self._name}' sent something that is not a JSON object")
        return found

    def _error(self, told: Any) -> Exception:
        kind, text = (told.get("kind"), str(told.get("text"))) if isinstance(told, dict) else ("", str(told))
        text = scrub(text)
        return ERRORS[kind](text) if kind in ERRORS else PlayerError(f"the agent '{self._name}' raised {text}")

    def _exit_error(self) -> AgentEnded | PlayerError:
        if (length := self._length) > LONGEST_OUTPUT:
            return PlayerError(f"the agent '{self._name}' has written {length:,} characters and no answer")
        status = self._end(dies=True)
        self._readers[1].join(_LAST_WORDS)
        told = one_line(scrub(" ".join(line.strip() for line in self._errors)))[-_SHOWN:]
        return AgentEnded(
            f"the process of the agent '{self._name}' has ended {how_it_ended(status)} instead of answering"
            f"{': …' + told if told else ''}"
        )

    def _count(self, line: str) -> None:
        """End a process that writes and writes: what it writes is kept."""
        self._length += len(line)
        if self._length > LONGEST_OUTPUT:
            self._end()

    def _print(self, line: str) -> None:
        self._count(line)
        sys.stdout.write(line)

    def _note(self, line: str) -> None:
        self._count(line)
        self._errors.append(line)
        sys.stderr.write(line)


def _reader(descriptor: int, take: Callable[[str], object]) -> threading.Thread:
    """Read what the process writes in a thread, whose output counts as the trial's."""

    def read() -> None:
        with open(descriptor, encoding="utf-8", errors="replace") as stream, suppress(OSError, ValueError):
            while line := stream.readline(_LONGEST):
                take(line)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(read,), daemon=True)
    thread.start()
    return thread


def _fields(context: AgentContext) -> dict[str, Any]:
    names = ("task_id", "trial", "seed", "policy", "ticket", "plan", "memory", "episode", "session_id")
    tools = [{"name": tool.name, "schema": tool.schema, "writes": tool.writes} for tool in context.tools]
    roles = {name: asdict(role) for name, role in context.roles.items()}
    return {**{name: getattr(context, name) for name in names}, "tools": tools, "roles": roles}


def _plain(message: AnyMessage) -> dict[str, Any]:
    """A message as JSON, its pictures with their bytes."""
    plain = {**message.model_dump(mode="json", exclude_defaults=True), "role": message.role}
    if pictures := attachments_of(message):
        plain["attachments"] = [
            {**told, "data": base64.b64encode(one.content).decode()}
            for told, one in zip(plain["attachments"], pictures, strict=True)
        ]
    return plain
