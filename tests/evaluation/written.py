"""Reads conversations written by hand: tests/evaluation/conversations/*.txt. Each file says how it is written."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from pytest_tau import load_domain
from pytest_tau.environment.domain import Domain
from pytest_tau.evaluation.criteria.trajectory import trajectory
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage, UserMessage
from pytest_tau.schema.reward import Check
from tests.builders import task

FOLDER = Path(__file__).parent / "conversations"


class Written(NamedTuple):
    """A conversation with its name, what it is said to be, and what it is about besides."""

    name: str
    verdict: str
    messages: list[AnyMessage]
    fields: dict[str, Any]


def read(name: str) -> list[Written]:
    """The conversations of a file."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return [_conversation(part) for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]]


def _conversation(part: str) -> Written:
    heading, *lines = part.strip().splitlines()
    name, _, verdict = heading.partition(":")
    messages: list[AnyMessage] = []
    fields: dict[str, Any] = {}
    call: ToolCall | None = None

    def close(content: str = "ok", *, error: bool = False) -> None:
        nonlocal call
        if call is not None:
            messages.append(ToolMessage(id=call.id, content=content, error=error))
            call = None

    for line in filter(None, lines):
        mark, _, rest = line.partition(" ")
        if mark == "=" or mark == "!":
            close(rest, error=mark == "!")
            continue
        close()
        if mark == "C:":
            messages.append(UserMessage(content=rest))
        elif mark == "A:":
            messages.append(AssistantMessage(content=rest))
        elif mark == "#":
            continue
        elif mark == ">":
            tool, _, arguments = rest.partition(" ")
            call = ToolCall(id=f"call_{len(messages)}", name=tool, arguments=json.loads(arguments))
            messages.append(AssistantMessage(tool_calls=[call]))
        else:
            fields[mark.rstrip(":")] = json.loads(rest)
    close()
    return Written(name.strip(), verdict.strip(), messages, fields)


def last_call(messages: list[AnyMessage]) -> int:
    """The turn of the last call."""
    return max(
        turn for turn, message in enumerate(messages) if not isinstance(message, ToolMessage) and message.tool_calls
    )


def played(messages: list[AnyMessage], domain: Domain) -> list[AnyMessage]:
    """The same with the results that the domain's tools give."""
    env = domain.environment()
    found: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            call = next(call for m in reversed(found) for call in getattr(m, "tool_calls", None) or [])
            result = env.call(call.name, call.arguments)
            found.append(ToolMessage(id=call.id, content=result.content, error=result.error))
        else:
            found.append(message)
    return found


def retail_check(written: Written, kind: str) -> Check:
    """What a check that retail makes by itself finds in a conversation."""
    return check_in("retail", played(written.messages, load_domain("retail")), kind)


def check_in(name: str, messages: list[AnyMessage], kind: str) -> Check:
    """What a check that a domain makes by itself finds in a conversation."""
    env = load_domain(name).environment()
    found = trajectory(task(criteria={}, domain=name), messages, in_basis=True, env=env)
    return next(check for check in found.checks if check.kind == kind)
