"""Whether an agent begins with what it cannot know in this trial: then it keeps a session of an earlier one."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Sequence

from ..patterns import TOKEN
from ..schema.messages import AnyMessage, AssistantMessage, UserMessage

_NO_LETTER = re.compile(r"\W+")


def foreign_ids(messages: Sequence[AnyMessage], told: str, ids: Collection[str]) -> list[str]:
    """The ids of records that the agent names or calls a tool with in its first turn, and that it has from nowhere.

    Args:
        messages: the conversation, without what was said before the agent's first turn.
        told: all that the agent knew before: policy, ticket, earlier messages.
        ids: those of all records of the world that belong to somebody.
    """
    known, found, spoke = _plain(told), list[str](), False
    for message in messages:
        if isinstance(message, UserMessage):
            if spoke:
                break
        elif isinstance(message, AssistantMessage):
            spoke = True
            said = " ".join([message.text, *(json.dumps(call.arguments) for call in message.tool_calls or [])])
            named = [one for one in dict.fromkeys(TOKEN.findall(said)) if one in ids]
            found += [one for one in named if _plain(one) not in known]
        known += _plain(message.content or "")
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    """Without what people leave out of an id."""
    return _NO_LETTER.sub("", text).casefold()
