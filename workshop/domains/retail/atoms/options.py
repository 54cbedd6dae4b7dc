"""How customers speak of products and their options: "the ukulele in tenor size, made of koa"."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tau_workshop.compose import read_words

_INCHES = re.compile(r"^([\d.]+) in$")

_WORDS = read_words(Path(__file__).with_suffix(".toml"))

KEEP_CAPITALS = {"Dutch"}
PAIRS = {"Snow Boots", "Binoculars"}
LARGEST: dict[str, list[str]] = _WORDS["largest"]
KINDS: dict[str, set[str]] = {kind: set(names) for kind, names in _WORDS["kinds"].items()}
UNCLEAR: dict[str, set[str]] = {kind: set(names) for kind, names in _WORDS["unclear"].items()}
# Nobody wants these cheaper or better in another size.
WORN = KINDS["clothes"] - {"Beanie"}
_WITH = "with "


def noun(name: str) -> str:
    """One piece of a product in running text: "ukulele", "Dutch oven", "pair of snow boots"."""
    if name == "Curtain Pair":
        return "pair of curtains"
    pair = "pair of " if name in PAIRS else ""
    return pair + " ".join(word if word in KEEP_CAPITALS else word[0].lower() + word[1:] for word in name.split())


def option(product: str, name: str, value: str) -> str:
    """An option as it reads after the product's name."""
    words: str | None = _WORDS["by_product"].get(product, {}).get(name)
    words = words or _WORDS["by_value"].get(name, {}).get(value) or _WORDS["by_option"][name]
    if "a {v}" in words and words.split("a {v}")[0][-1:] in (" ", ""):
        words = words.replace("a {v}", f"{article(value)} {value}")
    unit = "-inch" if "wheels" in words else " inch" if value == "1 in" else " inches"
    return words.replace("{v}", _INCHES.sub(lambda found: f"{found[1]}{unit}", value))


def options(product: str, chosen: Mapping[str, str]) -> str:
    """Several options: "in red, with a zipper and a hood"."""
    parts = [option(product, name, value) for name, value in chosen.items()]
    last = next((n for n, part in enumerate(reversed(parts)) if not part.startswith(_WITH)), len(parts))
    alike = parts[len(parts) - last + 1 :] if last else []  # one "with" is enough for what comes at the end
    return enumeration([*parts[: len(parts) - len(alike)], *(part.removeprefix(_WITH) for part in alike)])


def enumeration(parts: Sequence[str]) -> str:
    """ "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def article(value: str) -> str:
    """The indefinite article of a word or number."""
    starts = value.lower()
    vowel = starts.startswith(("a", "e", "i", "o", "8", "11", "18", "herb ")) or value == "XLR"
    return "an" if vowel else "a"


def measure(value: str) -> float | None:
    """A size as a number, where it has one."""
    letters = {"S": 1.0, "M": 2.0, "L": 3.0, "XL": 4.0, "small": 1.0, "medium": 2.0, "large": 3.0}
    if value in letters:
        return letters[value]
    head, _, unit = value.partition(" ")
    try:
        return float(head) if unit in ("in", "ft", "qt", "gal", "lb") else None
    except ValueError:
        return None
