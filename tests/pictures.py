"""Pictures for tests, made and read without an imaging library: a strip of black and white squares that says a word.

A strip is 8 rows, one for each bit of a character, and a column for each character; a square has ``SQUARE`` pixels.
"""

import base64
import json
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

SQUARE = 8
SIGNATURE = b"\x89PNG\r\n\x1a\n"


def part(name: bytes, body: bytes) -> bytes:
    """A part of a PNG with its checksum."""
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(rows: Sequence[bytes]) -> bytes:
    """A grey picture from its rows of pixels."""
    header = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 0, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows))
    return SIGNATURE + part(b"IHDR", header) + part(b"IDAT", body) + part(b"IEND", b"")


def jpeg(width: int = 30, height: int = 20, *, scan: bytes = b"\xff\xda\x00\x02pixels\xff\xd9") -> bytes:
    """The frame of a JPEG, with what follows it."""
    frame = b"\xff\xc0" + struct.pack(">HBHH", 11, 8, height, width) + b"\x01\x01\x11\x00"
    return b"\xff\xd8\xff\xe0\x00\x04ab" + frame + scan


def webp(kind: bytes, body: bytes) -> bytes:
    """A WebP with one part."""
    inner = b"WEBP" + kind + struct.pack("<I", len(body)) + body
    return b"RIFF" + struct.pack("<I", len(inner)) + inner


def headed(width: int, height: int) -> bytes:
    """A PNG that says that it is so large."""
    header = part(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return SIGNATURE + header + part(b"IDAT", b"x") + part(b"IEND", b"")


LOSSY = webp(b"VP8 ", b"\0\0\0\x9d\x01\x2a" + struct.pack("<HH", 40, 30))
LOSSLESS = webp(b"VP8L", b"\x2f" + struct.pack("<I", 39 | 29 << 14))
EXTENDED = webp(b"VP8X", b"\0\0\0\0" + (39).to_bytes(3, "little") + (29).to_bytes(3, "little"))


def strip(word: str) -> bytes:
    """A picture that says a word in its pixels."""
    rows = []
    for bit in range(8):
        squares = b"".join((b"\xff" if ord(char) >> bit & 1 else b"\0") * SQUARE for char in word)
        rows += [squares] * SQUARE
    return png(rows)


def word_of(content: bytes) -> str:
    """The word that a strip says, read off its pixels."""
    width, height = struct.unpack(">II", content[16:24])
    data, at = b"", len(SIGNATURE)
    while at < len(content):
        length = int.from_bytes(content[at : at + 4], "big")
        data += content[at + 8 : at + 8 + length] if content[at + 4 : at + 8] == b"IDAT" else b""
        at += 12 + length
    pixels = zlib.decompress(data)
    rows = [pixels[(width + 1) * y + 1 : (width + 1) * (y + 1)] for y in range(height)]
    middle = SQUARE // 2
    columns = range(middle, width, SQUARE)
    return "".join(chr(sum((rows[bit * SQUARE + middle][x] > 127) << bit for bit in range(8))) for x in columns)


def words_in(chat: Sequence[dict[str, Any]]) -> list[str]:
    """The words of all pictures in a chat, in order."""
    parts = [p for message in chat if isinstance(message.get("content"), list) for p in message["content"]]
    urls = [p["image_url"]["url"] for p in parts if p["type"] == "image_url"]
    return [word_of(base64.b64decode(url.partition("base64,")[2])) for url in urls]


def picture_task(folder: Path, *, words: Sequence[str] = ("STAMPS",), when: str = "at_start", **more: Any) -> Path:
    """The file of a task of the mock domain, whose customer has pictures that say what the new entry is called."""
    names = [f"note{number}" for number in range(1, len(words) + 1)]
    for name, word in zip(names, words, strict=True):
        (folder / f"{name}.png").write_bytes(strip(word))
    attachments = [
        {"id": name, "path": f"{name}.png", "alt": f"A note that says {word}.", "decides": ["title"]}
        for name, word in zip(names, words, strict=True)
    ]
    gold = {"action_id": "create", "name": "create_task", "arguments": {"user_id": "user_1", "title": words[0]}}
    task = {
        "id": "from_a_picture",
        "domain": "mock",
        "user_scenario": {
            "instructions": {
                "domain": "mock",
                "reason_for_call": "Please put what is on my note on the list of user_1.",
                "task_instructions": "You agree to what is on the note.",
                "known_info": "I am user_1.",
            },
            "attachments": attachments,
            "attach": [{"when": when, "image": name} for name in names],
        },
        "evaluation_criteria": {"actions": [gold], "reward_basis": ["DB"]},
        **more,
    }
    file = folder / "from_a_picture.json"
    file.write_text(json.dumps(task), encoding="utf-8")
    return file
