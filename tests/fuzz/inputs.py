"""How sound files are made unsound: by their structure, and by their bytes."""

from __future__ import annotations

import json
import random
from typing import Any

from tests.laws.test_crafted_files import changed, damaged

# Beside the values of the laws: what looks like something else, and what grows.
VALUES: list[Any] = ["7", 10**400, -1, 10**18, "a" * 10_000, "\ud800", "=1+1", "x\r=2", [[[[]]]], {"$ref": "#"}]


def crafted(rng: random.Random, value: Any) -> bytes:
    """A JSON file that should hold this value."""
    if rng.random() < 0.3:
        return damaged(rng, json.dumps(value).encode())
    return json.dumps(retyped(rng, value) if rng.random() < 0.5 else changed(rng, value)).encode()


def crafted_lines(rng: random.Random, values: list[Any]) -> bytes:
    """A file of JSON lines, one of which is crafted."""
    at = rng.randrange(len(values))
    lines = [json.dumps(value).encode() for value in values]
    lines[at] = crafted(rng, values[at])
    return b"\n".join(lines) + b"\n"


def retyped(rng: random.Random, value: Any) -> Any:
    """The value with one of its plain parts replaced by one of another type or size, wherever it is."""
    value = json.loads(json.dumps(value))
    places = list(_plain_parts(value))
    if not places:
        return rng.choice(VALUES)
    parent, key = rng.choice(places)
    was = parent[key]
    parent[key] = str(was) if isinstance(was, (int, float)) and rng.random() < 0.5 else rng.choice(VALUES)
    return value


def _plain_parts(value: Any) -> Any:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        if isinstance(part, (dict, list)):
            yield from _plain_parts(part)
        else:
            yield value, key
