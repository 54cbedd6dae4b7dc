"""Pictures in the chats of models: what they weigh, and the name under which a recording knows them."""

from __future__ import annotations

import base64
import binascii
import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ..schema.pictures import read_header

# High detail as OpenAI counts it: scaled into a square of 2,048 pixels, then to 768 at the shorter side, and so many
# tokens for each tile of 512 pixels and once. Others count a little differently; this is for forecasts and limits.
_SQUARE, _SHORTER, _TILE = 2048, 768, 512
_EACH, _ONCE = 170, 85
# A picture by address, or a broken one: nobody knows its size.
_UNKNOWN = _ONCE + 4 * _EACH
_INLINE = re.compile(r"data:(image/[\w.+-]+);base64,")


def picture_tokens(width: int, height: int) -> int:
    """Tokens that a model reads for a picture of so many pixels, about."""
    scale = min(1.0, _SQUARE / max(width, height))
    scale = min(scale, _SHORTER / min(width, height))
    return _ONCE + _EACH * math.ceil(width * scale / _TILE) * math.ceil(height * scale / _TILE)


def hash_picture(text: str) -> str:
    """A picture in a request as it is recorded, by its hash; any other text as it is."""
    found = _INLINE.match(text)
    if found is None:
        return text
    content = _decode_base64(text[found.end() :])
    digest = hashlib.sha256(text.encode() if content is None else content).hexdigest()
    return f"data:{found[1]};sha256,{digest}"


def split_pictures(chat: Sequence[Mapping[str, Any]]) -> tuple[list[Mapping[str, Any]], int]:
    """A chat without its pictures, and the tokens of these."""
    light: list[Mapping[str, Any]] = []
    tokens = 0
    for message in chat:
        parts = message.get("content")
        if isinstance(parts, list):
            pictures = [part for part in parts if isinstance(part, Mapping) and part.get("type") == "image_url"]
            tokens += sum(map(_tokens, pictures))
            light.append({**message, "content": [part for part in parts if part not in pictures]})
        else:
            light.append(message)
    return light, tokens


def _tokens(part: Mapping[str, Any]) -> int:
    address = part.get("image_url")
    url = address.get("url") if isinstance(address, Mapping) else address
    found = _INLINE.match(url) if isinstance(url, str) else None
    content = _decode_base64(url[found.end() :]) if found and isinstance(url, str) else None
    try:
        header = read_header(content or b"")
    except ValueError:
        return _UNKNOWN
    return picture_tokens(header.width, header.height)


def _decode_base64(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
