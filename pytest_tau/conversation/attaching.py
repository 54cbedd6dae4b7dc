"""Pictures on their way from the customer to the agent: marks become attachments, who cannot see gets words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from ..environment.attachments import MARK
from ..schema.messages import PROBLEM, AnyMessage, Attachment, UserMessage, attachments_of

Images = Literal["send", "alt", "drop"]
"""What the agent gets of a picture: itself, its description, or the word that there was one."""

_WITH_SPACE = re.compile(rf"[ \t]*{MARK.pattern}")


def attach_pictures(message: UserMessage, pictures: Mapping[str, Attachment]) -> UserMessage:
    """The message with the pictures whose marks it holds, and without these marks.

    One that names a picture which the customer does not have is no usable message: it comes back empty, with the
    reason.
    """
    text = message.content or ""
    named = list(dict.fromkeys(MARK.findall(text)))
    if not named or message.tool_calls:
        return message
    if unknown := [name for name in named if name not in pictures]:
        problem = f"it wanted to send a picture '{unknown[0]}', and has {', '.join(pictures)}"
        return message.model_copy(update={"content": None, "raw_data": {PROBLEM: problem}})
    rest = _WITH_SPACE.sub("", text)
    before = [one for one in message.attachments or [] if one.id not in named]
    sent = [*before, *(_on_its_way(pictures[name]) for name in named)]
    return message.model_copy(update={"content": rest.strip() or None, "attachments": sent})


def bind_pictures(message: AnyMessage, pictures: Mapping[str, Attachment]) -> AnyMessage:
    """A message out of a record, whose pictures are only named there, with those of the task that are meant."""
    named = attachments_of(message)
    known = {one.sha256: _on_its_way(one) for one in pictures.values()}
    found = [known.get(sent.sha256, sent) for sent in named]
    return message.model_copy(update={"attachments": found}) if named else message


def as_seen(message: AnyMessage, images: Images) -> AnyMessage:
    """A message as an agent gets it that is shown pictures, told of them, or told that they are not shown."""
    pictures = attachments_of(message)
    if not pictures:
        return message
    if images == "send":  # without the words for it, which would tell what is to be seen
        bare = [one.model_copy(update={"alt": None, "path": None}) for one in pictures]
        return message.model_copy(update={"attachments": bare})
    notes = [_in_words(one, images) for one in pictures]
    content = "\n".join([*filter(None, [message.content]), *notes])
    return message.model_copy(update={"content": content, "attachments": None})


def _on_its_way(one: Attachment) -> Attachment:
    """A picture of a task as it goes with a message."""
    return one.model_copy(update={"data": None, "decides": None})


def _in_words(one: Attachment, images: Images) -> str:
    if images == "alt" and one.alt:
        return f"[photo: {one.alt}]"
    return "[photo: not shown]"
