"""Embeddings: vectors for texts. A recording keeps them as the answer of a chat, so that one form serves for both."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

from ...clock import monotonic
from ..embedding import EmbeddingClient, Vectors
from ..protocol import ChatMessage, ModelReply
from .asking import Body, Refused, object_of, refuse_strangers
from .chat import tokens_of

PATH = "/embeddings"
_KNOWN = {"model", "input", "encoding_format", "user"}


def texts_of(body: Any) -> list[str]:
    """The texts that vectors are asked for; raises Refused."""
    given = object_of(body).get("input")
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not texts or not all(isinstance(text, str) for text in texts):
        raise Refused(400, f"the input of the request is neither a text nor a list of texts{_hint(texts)}")
    refuse_strangers(body, _KNOWN, "leave it out")
    if body.get("encoding_format") not in (None, "float", "base64"):
        raise Refused(400, "the encoding_format is neither float nor base64")
    return texts


def _hint(given: Any) -> str:
    """What to do about tokens, which LangChain sends for texts: they are those of one provider's models."""
    numbers = isinstance(given, list) and given and all(isinstance(one, int | list) for one in given)
    return ": send texts, not tokens (in LangChain: check_embedding_ctx_length=False)" if numbers else ""


def answer(body: Body, reply: ModelReply) -> Body:
    """Vectors in the form that was asked for."""
    vectors: Vectors = json.loads(reply.content or "[]")
    read, _, _ = tokens_of(reply)
    packed = body.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _pack(vector) if packed else vector}
        for index, vector in enumerate(vectors)
    ]
    return {
        "object": "list",
        "model": body["model"],
        "data": data,
        "usage": {"prompt_tokens": read, "total_tokens": read},
    }


def _pack(vector: Sequence[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode("ascii")


class EmbeddingAsChat:
    """An embedding model as a ModelClient: each message is a text, the reply's content the vectors as JSON."""

    parameters: Mapping[str, Any] = {"embedding": True}

    def __init__(self, client: EmbeddingClient) -> None:
        self._client = client
        self.model = client.model

    async def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        tool_choice: str | Mapping[str, Any] | None = None,
        seed: int | None = None,
        response_format: Mapping[str, Any] | None = None,
    ) -> ModelReply:
        """The vectors of the messages' contents; raises what the client raises."""
        began = monotonic()
        vectors, usage, cost = await self._client.embed([str(message["content"]) for message in messages])
        return ModelReply(json.dumps(vectors), None, cost=cost, usage=usage, seconds=monotonic() - began)
