"""What a picture file is: kind and size, read off its bytes without an imaging library.

PNG, JPEG and WebP are chains of labelled parts. Walking the chain finds what a player would otherwise meet in the
middle of a paid conversation: another format under the name, a file that was cut off, one that was damaged on its way
(PNG carries a checksum for each part). The pixels themselves are not decoded.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

LARGEST = 5_000_000
"""Bytes that a picture may have."""
WIDEST = 16_384
"""Pixels that a side of it may have; the widest that WebP can hold."""
SUFFIXES = {"image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp"}
"""The kinds of pictures that models take, with the suffix of their files."""

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8"
# Frames of JPEG that say how large the picture is; C4, C8 and CC stand between them and are tables.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_ALONE = frozenset({0x01, *range(0xD0, 0xD8)})
_SCAN, _END = 0xDA, 0xD9
_OTHERS = {
    b"GIF8": "a GIF",
    b"BM": "a BMP",
    b"%PDF": "a PDF",
    b"<svg": "an SVG",
    b"<?xml": "an SVG or other XML",
    b"II*\x00": "a TIFF",
    b"MM\x00*": "a TIFF",
    b"\x00\x00\x00\x18ftyp": "a HEIC or video",
    b"\x00\x00\x00\x1cftyp": "a HEIC or video",
}


class _Header(NamedTuple):
    """Kind and size of a picture, in pixels."""

    media_type: str
    width: int
    height: int


def read_header(content: bytes) -> _Header:
    """Kind and size of a picture.

    Raises:
        ValueError: it is no PNG, JPEG or WebP, it is damaged, or it is too large; the text says which.
    """
    if not content:
        raise ValueError("is empty")
    if len(content) > LARGEST:
        raise ValueError(f"has more than {LARGEST:,} bytes; make it smaller")
    read, kind = _reader(content)
    try:
        width, height = read(content)
    except IndexError:
        raise ValueError(f"is a {kind} that is truncated") from None
    if not (0 < width <= WIDEST and 0 < height <= WIDEST):
        raise ValueError(f"says that it is {width}×{height} pixels; 1 to {WIDEST:,} per side are allowed")
    return _Header(f"image/{kind.lower()}", width, height)


def _reader(content: bytes) -> tuple[Callable[[bytes], tuple[int, int]], str]:
    if content.startswith(_PNG):
        return _png, "PNG"
    if content.startswith(_JPEG):
        return _jpeg, "JPEG"
    if content.startswith(b"RIFF") and content[8:12] == b"WEBP":
        return _webp, "WebP"
    found = next((name for start, name in _OTHERS.items() if content.startswith(start)), "something else")
    raise ValueError(f"is not a PNG, JPEG or WebP, but {found}")


def _take_bytes(content: bytes, start: int, length: int) -> bytes:
    """So many bytes; raises IndexError where there are fewer."""
    part = content[start : start + length]
    if len(part) < length:
        raise IndexError(start)
    return part


def _big(content: bytes, start: int, length: int) -> int:
    return int.from_bytes(_take_bytes(content, start, length), "big")


def _little(content: bytes, start: int, length: int) -> int:
    return int.from_bytes(_take_bytes(content, start, length), "little")


def _png(content: bytes) -> tuple[int, int]:
    at, size, pixels = len(_PNG), (0, 0), 0
    while True:
        length, name = _big(content, at, 4), _take_bytes(content, at + 4, 4)
        body = _take_bytes(content, at + 8, length)
        if zlib.crc32(name + body) != _big(content, at + 8 + length, 4):
            raise ValueError(f"is a PNG that is damaged: its part {name.decode('latin-1')!r} has another checksum")
        if name == b"IHDR":
            size = (_big(body, 0, 4), _big(body, 4, 4))
        elif at == len(_PNG):
            raise ValueError("is a PNG that is damaged: it does not begin with its header")
        pixels += length if name == b"IDAT" else 0
        at += 12 + length
        if name == b"IEND":
            if not pixels:
                raise ValueError("is a PNG without any pixels")
            return size


def _jpeg(content: bytes) -> tuple[int, int]:
    at, size = len(_JPEG), None
    while True:
        if _take_bytes(content, at, 1) != b"\xff":
            raise ValueError("is a JPEG that is damaged: a marker is missing")
        marker = content[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker == _END:
            raise ValueError("is a JPEG without any pixels")
        if marker in _ALONE:
            at += 2
            continue
        length = _big(content, at + 2, 2)
        if marker in _FRAMES:
            size = (_big(content, at + 7, 2), _big(content, at + 5, 2))
        if marker == _SCAN:
            break
        at += 2 + length
    if size is None:
        raise ValueError("is a JPEG that is damaged: it does not say how large it is")
    # Cameras append previews after the end, so it need not be the last thing in the file.
    if content.find(b"\xff\xd9", at) < 0:
        raise IndexError(at)
    return size


def _webp(content: bytes) -> tuple[int, int]:
    _take_bytes(content, 8, _little(content, 4, 4))  # all that it says there is
    kind, body = _take_bytes(content, 12, 4), 20
    if kind == b"VP8 ":
        if _take_bytes(content, body + 3, 3) != b"\x9d\x01\x2a":
            raise ValueError("is a WebP that is damaged: its frame does not begin as one")
        return _little(content, body + 6, 2) & 0x3FFF, _little(content, body + 8, 2) & 0x3FFF
    if kind == b"VP8L":
        if _take_bytes(content, body, 1) != b"\x2f":
            raise ValueError("is a WebP that is damaged: its frame does not begin as one")
        bits = _little(content, body + 1, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return _little(content, body + 4, 3) + 1, _little(content, body + 7, 3) + 1
    raise ValueError("is a WebP that is damaged: it holds no picture")
