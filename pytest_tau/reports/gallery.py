"""The pictures of an HTML report: within the page, or, where it would get heavy, beside it with small ones within.

Small ones need Pillow (the extra ``images``). Without it the page shows those beside it, which looks the same and is
lost only when the page is sent around alone; their descriptions stay.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..files import write_whole
from ..pictures import pictures_of
from ..schema.messages import Attachment
from ..schema.pictures import SUFFIXES
from ..schema.simulation import Simulation
from .evidence import embed_json

HEAVY = 20_000_000
"""Bytes from which on a page has its pictures beside it."""
_SMALL = 320

Find = Callable[[Attachment], bytes | None]


class Gallery:
    """The pictures of the trials in a report, each once; their bytes are read when they are written.

    Args:
        find: gives the bytes of a picture that a journal names, None where nobody has them.
        heavy: bytes that the page may have.
    """

    def __init__(self, find: Find, heavy: int = HEAVY) -> None:
        self._find = find
        self._heavy = heavy
        self._known: dict[str, Attachment] = {}

    def add(self, played: Simulation) -> None:
        """Take in the pictures of a conversation."""
        self._known |= {one.sha256: one for one in pictures_of(played) if one.sha256 and one.media_type}

    def is_heavy(self, size: int) -> bool:
        """Whether a page that has so many bytes without its pictures is to have them beside it."""
        return size + sum(len(self._find(one) or b"") * 4 // 3 for one in self._known.values()) > self._heavy

    def sources(self, *, heavy: bool) -> str:
        """What the page's content security policy lets images come from; "" where it has none."""
        if not self._known:
            return ""
        return "data: 'self' file:" if heavy else "data:"

    def page_pictures(self, page: Path, *, heavy: bool) -> Iterator[tuple[str, str]]:
        """The pictures as a page shows them: hash and JSON; written beside it where it would be too heavy.

        Raises:
            OSError: a picture cannot be written beside the page.
        """
        beside = page.with_name(f"{page.stem}_pictures") if heavy else None
        for digest, one in self._known.items():
            content = self._find(one)
            if content is None:
                continue
            view: dict[str, Any] = {"src": _uri(content, one.media_type or "")}
            if beside is not None:
                file = beside / (digest + SUFFIXES[one.media_type or ""])
                beside.mkdir(exist_ok=True)
                write_whole(file, content)
                there, small = quote(f"{beside.name}/{file.name}"), _thumbnail(content)
                view = {"src": there if small is None else _uri(small, "image/jpeg"), "full": there}
            yield digest, embed_json(view)


def _uri(content: bytes, media_type: str) -> str:
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def _thumbnail(content: bytes) -> bytes | None:
    """A small JPEG of a picture; None without Pillow, or where it cannot read it."""
    try:
        from PIL import Image

        with Image.open(io.BytesIO(content)) as image:
            small = image.convert("RGB")
            small.thumbnail((_SMALL, _SMALL))
            file = io.BytesIO()
            small.save(file, "JPEG", quality=70)
            return file.getvalue()
    except Exception:  # it raises different classes for what it cannot read
        return None
