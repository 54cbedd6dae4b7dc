"""What stands in the compressed blocks of a report."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

BLOCK = re.compile(r'<script type="text/plain" class="conversations" data-first="(\d+)">(.*?)</script>', re.DOTALL)


def unpacked(block: str) -> str:
    return zlib.decompress(base64.b64decode(block)).decode("ascii")


def conversations(page: str) -> list[dict[str, Any]]:
    """The conversations of a page, in their order; the blocks say truly where each begins."""
    found: list[dict[str, Any]] = []
    for first, block in BLOCK.findall(page):
        assert int(first) == len(found)
        found += json.loads(unpacked(block))
    return found


def readable(path: Path) -> str:
    """All of a file: of a report, with its blocks as the browser shows them."""
    text = path.read_text(encoding="utf-8", errors="replace")
    return BLOCK.sub(lambda block: unpacked(block[2]), text)
