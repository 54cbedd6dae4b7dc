"""The boundary between players and models: what a call takes and gives. Nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ..schema.messages import ToolCall
from ..schema.spending import Usage

Role = Literal["agent", "user", "judge"]
ChatMessage = Mapping[str, Any]


@dataclass(frozen=True)
class ModelReply:
    """One answer of a model.

    ``cost`` is in USD, None when the price is unknown; ``seconds`` is the time of the attempt that succeeded;
    ``parameters`` are those that were really sent; ``problem`` says why a reply is no usable message (nothing in it,
    arguments that are not JSON object), and is None otherwise. ``thoughts`` is what the model thought, which only
    the record keeps; ``leaked``: they stood in its text, and were taken out. ``broken_calls``: calls that nobody can
    carry out, with ``id``, ``name`` and ``arguments`` as the model wrote them; then there are no ``tool_calls``.
    ``thinking``: fields of the message that the provider wants back with its calls, such as signed thoughts.
    """

    content: str | None
    tool_calls: list[ToolCall] | None
    cost: float | None
    usage: Usage | None
    seconds: float
    finish_reason: str | None = None
    problem: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    thoughts: str | None = None
    leaked: bool = False
    broken_calls: Sequence[Mapping[str, str]] = field(default_factory=list)
    thinking: Mapping[str, Any] = field(default_factory=dict)


class ModelClient(Protocol):
    """Completes chats with one model. Raises InfraError when the provider fails for good."""

    @property
    def model(self) -> str:
        """The model's name, as litellm knows it."""

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters every call is made with (temperature and the like)."""

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """Ask for the next message of a chat in chat-completions form."""
