"""Agents that are a program: ``--tau-agent-command "node agent.js"``.

One process a trial. Each turn it gets a line of JSON on its standard input and writes one on its standard output, as in
:mod:`.simple`; other lines that it writes are output like any other. What else it may want stands in its environment:
``TAU_MCP_URL`` (this trial's tools over MCP), ``TAU_LLM_URL`` (chat completions that are limited and billed to this
trial), ``TAU_POLICY``, ``TAU_MODEL``, ``TAU_TASK_ID``, ``TAU_TRIAL`` and ``TAU_SEED``. It ends with its trial.
"""

from __future__ import annotations

import asyncio
import contextvars
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import nullcontext, suppress
from typing import IO, Any
from uuid import uuid4

from ..clock import monotonic
from ..conversation.protocols import AgentContext
from ..errors import PlayerError, SettingsError
from ..llm.client import seconds_of
from ..printable import one_line
from ..schema.messages import AnyMessage, AssistantMessage
from ..scrub import public, scrub
from .http import ProtocolContext
from .nursery import how_it_ended
from .service import LONGEST_OUTPUT, ServiceSettings, agent_message, in_thread, note_author, reply_of, tools_url
from .simple import completion, is_answer, request
from .tracing import trace_headers

_TIMEOUT = 120.0
_LONGEST_VARIABLE = 100_000  # bytes; systems take no more of one
_MARK = "\ufeff"  # which some programs write in front of all
_WAITING = 100  # lines that are read ahead
_KEPT = 5
_LAST_WORDS = 1.0
_SHOWN = 300


class CommandService:
    """A program that is started anew for each trial.

    Args:
        command: as a shell splits it; no shell runs it.
        settings: what the run says of it.

    Raises:
        SettingsError: it cannot be split.
    """

    refusal = None

    def __init__(self, command: str, settings: ServiceSettings) -> None:
        self.command = command
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise SettingsError(f"--tau-agent-command {command!r}: {error}") from None
        if not self._words or "\0" in command:
            raise SettingsError("--tau-agent-command: names no program")
        parameters = dict(settings.parameters)
        self._timeout = seconds_of(command, parameters.pop("timeout", _TIMEOUT))
        self._parameters = parameters
        self._model = settings.model
        self._prices = settings.prices
        self._environment = os.environ if settings.environment is None else settings.environment

    def check(self) -> None:
        """Raise SettingsError when there is no such program."""
        if shutil.which(self._words[0]) is None:
            raise SettingsError(
                f"--tau-agent-command: there is no program '{self._words[0]}' here: install it, or give its path"
            )

    def agent(self, context: AgentContext) -> _CommandAgent:
        """The agent of one trial, and its process."""
        about = ProtocolContext(self.command, context, uuid4().hex, self._model, self._parameters)
        try:
            return _CommandAgent(about, self._words, self._timeout, self._prices, self._environment)
        except OSError as error:
            raise SettingsError(f"--tau-agent-command {self.command!r}: cannot be started: {error}") from None


class _CommandAgent:
    """One trial's process."""

    def __init__(
        self, about: ProtocolContext, words: list[str], timeout: float, prices: Any, environment: Mapping[str, str]
    ) -> None:
        self._about = about
        self._timeout = timeout
        self._prices = prices
        self._lines: queue.Queue[str | None] = queue.Queue(_WAITING)
        self._over = False
        self._length = 0  # of what it has written since its last answer
        self._errors: deque[str] = deque(maxlen=_KEPT)
        self._process = subprocess.Popen(  # noqa: S603 (the user's own command)
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**environment, **_environment(about)},
            encoding="utf-8",
            errors="replace",
            start_new_session=True,  # so that what it starts can be ended with it
        )
        self._readers = [self._reader(self._process.stdout, self._take), self._reader(self._process.stderr, self._note)]

    @property
    def parameters(self) -> dict[str, Any]:
        """What records say of it beside its command, which is its name."""
        model = {} if self._about.model is None else {"model": self._about.model}
        shown: dict[str, Any] = public({**model, **self._about.parameters})
        return shown

    async def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """What the program answers; raises PlayerError when it has ended, TimeoutError when it does not answer."""
        began = monotonic()
        try:
            async with asyncio.timeout(self._timeout):
                answer = await in_thread(lambda: self._ask(messages))
        except TimeoutError:
            raise TimeoutError(
                f"the agent '{self._about.address}' has not answered in {self._timeout:g} s: an answer is one line of "
                "JSON with content or tool_calls, and is flushed"
            ) from None
        read, seconds = completion(answer, self._about.address), monotonic() - began
        note_author(read, self._about.context)
        return agent_message(reply_of(read, seconds=seconds, prices=self._prices, model=self._about.model))

    def close(self) -> None:
        """End the process: its trial is over."""
        self._kill()
        self._process.wait()
        with suppress(OSError):
            if self._process.stdin is not None:  # only now: who waits for it to be read holds it
                self._process.stdin.close()
        until = monotonic() + _LAST_WORDS
        with suppress(queue.Empty):  # what it has written since its last answer
            while (left := until - monotonic()) > 0 and (line := self._lines.get(timeout=left)) is not None:
                sys.stdout.write(line)
        self._over = True
        with suppress(queue.Empty):
            while True:
                self._lines.get_nowait()  # for what waits with the next one
        self._lines.put(None)  # for who still waits for an answer, in a thread that would stay for good
        for reader in self._readers:  # which stays where something in a session of its own holds the output open
            reader.join(_LAST_WORDS)

    def _ask(self, messages: list[AnyMessage]) -> Any:
        line, stdin = json.dumps(request(self._about, messages), ensure_ascii=False), self._process.stdin
        if stdin is None:
            raise self._exit_error()
        self._refuse_unasked()
        try:
            stdin.write(line + "\n")
            stdin.flush()
        except (OSError, ValueError):
            raise self._exit_error() from None
        while (written := self._lines.get()) is not None:
            if self._length > LONGEST_OUTPUT:
                raise self._exit_error()
            if (found := _answer_in(written)) is not None:
                self._length = 0
                return found
            sys.stdout.write(written)
        self._lines.put(None)  # for whoever else waits for the end
        raise self._exit_error()

    def _refuse_unasked(self) -> None:
        """Take no answer that came before its question for one to it; raises PlayerError."""
        with suppress(queue.Empty):
            while (written := self._lines.get_nowait()) is not None:
                if _answer_in(written) is not None:
                    raise PlayerError(
                        f"the agent '{self._about.address}' has written an answer that nobody asked for, "
                        f"{one_line(scrub(written))[:_SHOWN]}: write one for each line that is read"
                    )
                sys.stdout.write(written)
            self._lines.put(None)

    def _kill(self) -> None:
        """End the program and what it has started, which may hold its output open."""
        if hasattr(os, "killpg"):
            with suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()

    def _exit_error(self) -> PlayerError:
        if (length := self._length) > LONGEST_OUTPUT:
            return PlayerError(f"the agent '{self._about.address}' has written {length:,} characters and no answer")
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WORDS)
        self._readers[1].join(_LAST_WORDS)
        told = one_line(scrub(" ".join(line.strip() for line in self._errors)))[-_SHOWN:]
        status = self._process.returncode
        ended = "closed its output" if status is None else f"ended {how_it_ended(status)}"
        return PlayerError(
            f"the agent '{self._about.address}' has {ended} instead of answering{': …' + told if told else ''}"
        )

    def _count(self, line: str) -> None:
        """End a program that writes and writes, on whichever stream."""
        self._length += len(line)
        if self._length > LONGEST_OUTPUT:
            self._kill()

    def _take(self, line: str | None) -> None:
        if not self._over:
            self._count(line or "")
            self._lines.put(line)

    def _note(self, line: str | None) -> None:
        if line is not None and not self._over:
            self._count(line)
            self._errors.append(line)
            sys.stderr.write(line)

    def _reader(self, stream: IO[str] | None, take: Any) -> threading.Thread:
        """Read a stream in a thread, whose output counts as the trial's."""

        def read() -> None:
            with suppress(OSError, ValueError), stream or nullcontext():
                while stream is not None and (line := stream.readline(LONGEST_OUTPUT)):
                    take(line)
            take(None)

        thread = threading.Thread(target=contextvars.copy_context().run, args=(read,), daemon=True)
        thread.start()
        return thread


def _answer_in(line: str) -> Any:
    """The answer on a line; None for other output, such as a line of a log, which is JSON in many programs."""
    try:
        found = json.loads(line.removeprefix(_MARK))
    except (ValueError, RecursionError):
        return None
    return found if is_answer(found) else None


def _environment(about: ProtocolContext) -> dict[str, str]:
    context = about.context
    found = {
        "TAU_MCP_URL": tools_url(context),
        "TAU_LLM_URL": context.endpoint,
        "TAU_POLICY": context.policy,
        "TAU_MODEL": about.model,
        "TAU_TASK_ID": context.task_id,
        "TAU_TRIAL": str(context.trial),
        "TAU_SEED": str(context.seed),
        "TAU_SESSION_ID": context.session_id,
        **{name.upper(): value for name, value in trace_headers().items()},
    }
    return {name: text for name, text in found.items() if text is not None and _is_a_variable(text)}


def _is_a_variable(text: str) -> bool:
    """Whether an environment can hold a text."""
    try:
        return "\0" not in text and len(text.encode()) < _LONGEST_VARIABLE
    except UnicodeEncodeError:
        return False
