"""The messages of a conversation, in the field names of τ² result files.

Unknown keys are ignored on load, so that files with fields of other modalities read as they are.
"""

import base64
import hashlib
from collections.abc import Callable, Sequence
from pathlib import PurePosixPath
from typing import Annotated, Any, Literal, NotRequired, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    PrivateAttr,
    WithJsonSchema,
)
from typing_extensions import TypedDict  # comes with pydantic, which wants it before Python 3.12

from ..errors import RecordingError
from .pictures import SUFFIXES, read_header
from .spending import Usage, Usd
from .values import Frozen, Text, json_values

Requestor = Literal["assistant", "user"]

OUT_OF_SCOPE = "###OUT-OF-SCOPE###"
USER_STOP_TOKENS = ("###STOP###", "###TRANSFER###", OUT_OF_SCOPE)
AGENT_STOP_TOKEN = "###STOP###"  # noqa: S105 (a word of the protocol, not a secret)


def _no_text(arguments: Any) -> Any:
    """Refuse the text that chat-completions has in the place of arguments, in a sentence."""
    if isinstance(arguments, str):
        raise ValueError("the arguments are a dict by name, not its text: read it with json.loads")
    return arguments


class ToolCall(Frozen):
    """One tool call. ``requestor`` says whose tool it is."""

    id: Text = ""
    """The id of the call; its result has the same id."""
    name: Text
    """The tool."""
    arguments: Annotated[dict[str, Any], BeforeValidator(_no_text), AfterValidator(json_values)]
    """Its arguments by name."""
    requestor: Requestor = "assistant"
    """Whose tool it is: `assistant` (the agent's) or `user` (the customer's)."""


class Attachment(Frozen):
    """A picture in a message. A task file gives ``id`` and either ``path`` or ``data``; the rest is derived."""

    id: Annotated[str, Field(pattern=r"^[\w.-]{1,64}$")]
    """A name that is unique in the task: letters, digits, `_`, `-` and `.`."""
    path: str | None = None
    """The file, relative to the folder of the task file and inside it."""
    data: str | None = Field(default=None, repr=False)
    """The picture in base64, instead of `path`; journals omit it."""
    media_type: Literal["image/png", "image/jpeg", "image/webp"] | None = None
    """The type; by default read from the picture."""
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None
    """The hash of its bytes, in hexadecimal; if given, it must match."""
    width: int | None = None
    """In pixels; read from the picture."""
    height: int | None = None
    """In pixels; read from the picture."""
    alt: Text | None = None
    """A full description in words: for agents that cannot see, for reports, and to prove that the task can be
    solved."""
    decides: list[str] | None = None
    """In a task: what can be learned only from this picture: names of arguments of gold actions, `tool` if it shows
    which tool is right, `reason` if it shows what the agent must say."""

    _read: Callable[[], bytes] | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, content: bytes, id: str, *, alt: str | None = None, path: str | None = None) -> Self:
        """A picture from its bytes; raises ValueError if they are not a picture."""
        return cls(id=id, alt=alt, path=path).holding(content, lambda: content)

    def holding(self, content: bytes, read: Callable[[], bytes]) -> Self:
        """This attachment with everything derived from its bytes; ``read`` returns them again when needed.

        Raises:
            ValueError: the bytes are not a picture, or not the one that the attachment describes.
        """
        header, digest = read_header(content), hashlib.sha256(content).hexdigest()
        if self.media_type not in (None, header.media_type):
            raise ValueError(f"is {header.media_type}, and its media_type says {self.media_type}")
        if self.sha256 not in (None, digest):
            raise ValueError(f"is another picture than the one whose sha256 is given: its own is {digest}")
        made = self.model_copy(update={**header._asdict(), "sha256": digest, "data": None})
        made._read = read
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Attachment) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        return hash((self.id, self.sha256))

    @property
    def content(self) -> bytes:
        """The bytes; raises RecordingError if only the description was kept, as in a journal."""
        if self._read is None:
            raise RecordingError(f"the picture '{self.id}' is only named here: its bytes are not in the file")
        try:
            content = self._read()
        except ValueError as error:
            raise RecordingError(f"the picture '{self.id}' {error}") from None
        if hashlib.sha256(content).hexdigest() != self.sha256:
            raise RecordingError(f"the picture '{self.id}' has changed since the task was read; run again")
        return content

    @property
    def uri(self) -> str:
        """The picture as a data URI."""
        return f"data:{self.media_type};base64,{base64.b64encode(self.content).decode()}"

    @property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; zeros if they have not been read."""
        return self.width or 0, self.height or 0

    @property
    def file_name(self) -> str:
        """A readable name: the file name, or the id with a suffix."""
        return PurePosixPath(self.path).name if self.path else self.id + SUFFIXES.get(self.media_type or "", "")

    def __str__(self) -> str:
        size = f", {self.width}×{self.height}" if self.width else ""
        return f"[photo: {self.file_name}{size}]"


Attachments = Annotated[list[Attachment] | None, BeforeValidator(lambda value: None if value == [] else value)]


def _no_calls_is_none(value: Any) -> Any:
    return None if value == [] else value


_ToolCalls = Annotated[list[ToolCall] | None, BeforeValidator(_no_calls_is_none)]


# Of a message's raw_data: what its player's model gave instead of a usable reply, and how its answer ended.
PROBLEM, FINISH = "problem", "finish_reason"
# What it thought; whether that stood in the text and was taken out; the calls that it wrote as text; the fields that
# its provider wants back with the calls.
THOUGHT, LEAKED, TEXT_CALLS, THINKING = "thoughts", "thoughts_in_text", "text_calls", "thinking"
# Of a model that plays the customer: why it was asked again, what is wrong with the message all the same, and whether
# it ended the conversation by a mark in another form.
ASKED_AGAIN, ROLE_LOST, END_MARK = "asked_again", "role_lost", "end_mark"


class _Spoken(Frozen):
    content: Text | None = None
    """The text."""
    tool_calls: _ToolCalls = None
    """The tool calls; a message has a text or calls."""
    turn_idx: int | None = None
    """Its position in the conversation; only in recordings."""
    timestamp: str | None = None
    """When it was said: local time, ISO 8601 without a zone."""
    cost: Usd | None = None
    """The cost in USD; null if unknown."""
    usage: Usage | None = None
    """The tokens used; null if unknown."""
    generation_time_seconds: float | None = None
    """The time to generate it, in seconds."""
    raw_data: dict[str, Any] | None = None
    """The model's raw reply; only in recordings."""

    @property
    def problem(self) -> str | None:
        """Why a model's reply was no usable message, where the message is empty because of that."""
        return self._note(PROBLEM)

    @property
    def cut_off(self) -> bool:
        """Whether the model stopped because it had reached its token limit."""
        return self._note(FINISH) == "length"

    @property
    def thoughts(self) -> str | None:
        """What the model thought, where it says so: nobody else has read it."""
        return self._note(THOUGHT)

    @property
    def asked_again(self) -> list[str]:
        """Why a model that plays the customer was asked for this message again, each time in a few words."""
        told = (self.raw_data or {}).get(ASKED_AGAIN)
        return [one for one in told if isinstance(one, str)] if isinstance(told, list) else []

    @property
    def role_lost(self) -> str | None:
        """What is wrong with a customer's message though it was asked for again, in a few words."""
        return self._note(ROLE_LOST)

    @property
    def mended_end(self) -> bool:
        """Whether the customer ended the conversation by a mark in another form than it was told."""
        return bool((self.raw_data or {}).get(END_MARK))

    @property
    def leaked_thoughts(self) -> bool:
        """Whether the thoughts stood in the text, where they were taken out."""
        return bool((self.raw_data or {}).get(LEAKED))

    @property
    def text_calls(self) -> list[str]:
        """The names of the tools whose calls the model wrote as text."""
        names = self._text_calls.get("names")
        return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []

    @property
    def text_calls_run(self) -> bool:
        """Whether those were run all the same (``--tau-text-calls run``)."""
        return self._text_calls.get("run") is True

    @property
    def _text_calls(self) -> dict[str, Any]:
        noted = (self.raw_data or {}).get(TEXT_CALLS)
        return noted if isinstance(noted, dict) else {}

    def _note(self, name: str) -> str | None:
        note = (self.raw_data or {}).get(name)
        return note if isinstance(note, str) else None

    @property
    def text(self) -> str:
        """The content, or "" when there is none but white space."""
        content = self.content  # read once: a model's attributes take their time, and texts are asked for all the time
        return content if content and not content.isspace() else ""

    @property
    def empty(self) -> bool:
        """Whether the message neither says nor calls anything."""
        return self.tool_calls is None and not self.text


Handoff = TypedDict("Handoff", {"from": Text, "to": Text, "reason": NotRequired[Text], "cost": NotRequired[Usd]})
"""A hand-over between two agents inside one: who handed over to whom, why, and what the first had spent since its last
message, in USD."""


class AssistantMessage(_Spoken):
    """A message of the agent: a text or tool calls."""

    role: Literal["assistant"] = "assistant"
    author: Text | None = None
    """Which of several agents inside one speaks or calls; null if it does not say so."""
    handoffs: list[Annotated[Handoff, WithJsonSchema({"type": "object"})]] | None = None
    """The hand-overs since the last message of the agent, in order, each with `from` and `to`, and `reason` and `cost`
    (USD of the first, a part of this message's cost) where they are known."""


class UserMessage(_Spoken):
    """A message of the (simulated) customer: a text, or calls of the customer's own tools."""

    role: Literal["user"] = "user"
    attachments: Attachments = None
    """Pictures that the customer sends."""
    heard: Text | None = None
    """What the agent read in place of `content`, such as what a transcriber heard on the telephone."""

    @property
    def empty(self) -> bool:
        """Whether the message has no text, calls or pictures."""
        return super().empty and not self.attachments


class InjectedFault(Frozen):
    """A fault injected between the agent and its tool; see ``pytest_tau.variants.tool_faults``."""

    kind: str
    """The kind: `timeout`, `rate_limit`, `stale` …"""
    happened: bool = True
    """Whether the call reached the tool, so that a change took place."""
    result: Text | None = None
    """What the tool returned if it was reached; the agent read the message's content instead."""
    error: bool = False
    """Whether the tool itself failed."""
    seconds: float = 0.0
    """Additional duration of the call in seconds: counted as virtual time, not waited for."""
    detail: Text | None = None
    """What is wrong in the content, if it looks right."""

    @property
    def unheard(self) -> bool:
        """Whether the call was made and its answer got lost."""
        return self.happened and self.kind in ("timeout", "connection")


class ToolMessage(Frozen):
    """The result of one tool call; ``id`` and ``requestor`` are those of the call."""

    role: Literal["tool"] = "tool"
    id: Text
    """The id of the call."""
    content: Text | None = None
    """The result, as the caller reads it."""
    requestor: Requestor = "assistant"
    """Who called: `assistant` (the agent) or `user` (the customer)."""
    error: bool = False
    """Whether the call failed."""
    fault: InjectedFault | None = None
    """The fault injected into this result, if any."""
    turn_idx: int | None = None
    """Its position in the conversation; only in recordings."""
    timestamp: str | None = None
    """When it was returned: local time, ISO 8601 without a zone."""
    attachments: Attachments = None
    """Pictures that the tool returned."""

    @property
    def kept_back(self) -> bool:
        """Whether a fault kept the call from its tool."""
        return self.fault is not None and not self.fault.happened

    @property
    def failed(self) -> bool:
        """Whether the call did nothing: its tool refused it, or a fault kept it back."""
        return self.error if self.fault is None else self.fault.error or not self.fault.happened


SpokenMessage = AssistantMessage | UserMessage
Message = Annotated[AssistantMessage | UserMessage | ToolMessage, Discriminator("role")]
AnyMessage = AssistantMessage | UserMessage | ToolMessage


def attachments_of(message: AnyMessage) -> Sequence[Attachment]:
    """The pictures that go with a message."""
    return () if isinstance(message, AssistantMessage) else message.attachments or ()


def with_names(message: AnyMessage) -> str:
    """A message's text, with its pictures as ``[photo: receipt.png, 640×480]``."""
    text = message.content if isinstance(message, ToolMessage) else message.text
    return " ".join(filter(None, [text, *map(str, attachments_of(message))]))


def in_words(message: AnyMessage) -> AnyMessage:
    """A message for those who take texts only: its pictures are named in the text."""
    if not attachments_of(message):
        return message
    return message.model_copy(update={"content": with_names(message), "attachments": None})
