"""A logged conversation up to a turn, as the history of a trial that goes on from there."""

from __future__ import annotations

import os
from collections.abc import Iterable

from ..environment.domain import Domain
from ..errors import RecordingError
from ..schema.messages import AnyMessage, ToolCall, ToolMessage
from ..schema.task import InitialState
from .logged import LoggedConversation
from .reading import Hook, read_conversations
from .reproducing import follows, is_known, world_in


def find_conversation(where: str, hooks: Iterable[Hook] = ()) -> LoggedConversation:
    """A conversation by its place, ``log.jsonl#id``; without an id the log must hold one only.

    Raises:
        RecordingError: there is none, or more than one.
    """
    return conversations_until(where, hooks)[-1]


def conversations_until(where: str, hooks: Iterable[Hook] = ()) -> list[LoggedConversation]:
    """That conversation, and before it those that stand before it in the log; raises the same."""
    words = where.split("#")
    places = (("#".join(words[:end]), "#".join(words[end:])) for end in range(len(words), 0, -1))
    path, id = next((place for place in places if os.path.exists(place[0])), (words[0], "#".join(words[1:])))
    found = read_conversations(path, hooks)
    if id:
        place = next((at for at, one in enumerate(found) if one.id == id), None)
        if place is None:
            names = ", ".join(one.id for one in found[:5]) + (", …" if len(found) > 5 else "")
            raise RecordingError(f"{path}: has no conversation '{id}'; it has {names}")
        return found[: place + 1]
    if len(found) > 1:
        raise RecordingError(f"{path}: holds {len(found)} conversations: name one, as in {path}#{found[0].id}")
    return found


def history_until(
    conversation: LoggedConversation, domain: Domain, initial: InitialState | None, turn: int
) -> list[AnyMessage]:
    """The messages before ``turn`` (from 0), with the results that the domain's tools give for them.

    A result that says more than the log, or says it in other words, takes the log's place, because a history must
    replay exactly. Calls of tools that the domain does not have are left out.

    Raises:
        RecordingError: there is no such turn, or nobody speaks there.
    """
    messages = conversation.messages
    last = len(messages) - 1
    if not 1 <= turn <= last:
        raise RecordingError(f"conversation {conversation.id} has no turn {turn} to begin at; it has 1 to {last}")
    if isinstance(messages[turn], ToolMessage):
        near = next(at for at in range(turn, -1, -1) if not isinstance(messages[at], ToolMessage))
        raise RecordingError(
            f"turn {turn} of conversation {conversation.id} is a tool's result: begin where somebody speaks, "
            f"such as {near}"
        )
    env = world_in(domain, initial)
    history: list[AnyMessage] = []
    calls: dict[str, ToolCall] = {}
    for message in messages[:turn]:
        if not isinstance(message, ToolMessage):
            known = [call for call in message.tool_calls or [] if is_known(env, call.name, call.requestor)]
            calls = {call.id: call for call in known}
            kept = message.model_copy(update={"tool_calls": known or None})
            history += [] if kept.empty else [kept]
        elif (call := calls.get(message.id)) is not None:
            result = env.execute(call.name, call.arguments, call.requestor)
            holds = follows(message.content or "", result.content) != "differs"
            writes = env.writes(call.name, call.requestor)
            now = {"content": result.content, "error": result.error} if writes or holds else {}
            history.append(message.model_copy(update=now))
    return history
