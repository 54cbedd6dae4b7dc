"""Makes ``pytest_tau/variants/spoken.json``: how often a letter or a digit of an id is heard as another, and as which.

    python -m tau_workshop.speech.rates [--model FOLDER] [--ids N]

Made-up order numbers, booking codes, phone numbers and zip codes go through a line (line.py), said and spelled. What
was heard is laid beside what was said; letters and digits that were left out or added are not counted.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path
from random import Random

from pytest_tau.users.spelling import normal, say_id, sounds, spell
from pytest_tau.variants.spoken import FILE

from .line import open_line


def made_up(number: int, rng: Random) -> Iterator[str]:
    """So many ids of the forms that our suites have."""
    letters, digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
    forms = ("L0000000", "LLLLL0", "L00LL0", "000-000-0000", "00000", "LL0LL0")
    for at in range(number):
        form = forms[at % len(forms)]
        yield "".join(rng.choice({"L": letters, "0": digits}.get(one, one)) for one in form)


def main() -> None:
    """Write the file and print the rates."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--model", type=Path)
    parser.add_argument("--ids", type=int, default=300)
    given = parser.parse_args()
    line = open_line(given.model)
    figures = {}
    for how, say in (("said", say_id), ("spelled", spell)):
        count: Counter[tuple[str, str]] = Counter()
        for at, value in enumerate(made_up(given.ids, Random(7))):
            heard = line.hear(f"The number is: {say(value)}.", at).casefold().partition(" is")[2]
            count.update(beside(normal(value), "".join(sounds(heard))))
        figures[how] = rates(count) | {"ids": given.ids}
        print(how, {name: value for name, value in figures[how].items() if name != "as"})
    FILE.write_text(json.dumps(figures, indent=0) + "\n", encoding="utf-8")


def beside(said: str, heard: str) -> Iterator[tuple[str, str]]:
    """Each letter and digit that was said, with what it was heard as, but for what was left out or added."""
    for kind, a, b, c, d in SequenceMatcher(None, said, heard, autojunk=False).get_opcodes():
        if kind == "equal" or (kind == "replace" and b - a == d - c):
            yield from zip(said[a:b], heard[c:d], strict=True)


def rates(count: Counter[tuple[str, str]]) -> dict[str, object]:
    """How often letters and digits are heard wrong, and as what those are heard that are."""
    found: dict[str, object] = {}
    for name, kind in (("letter", str.isalpha), ("digit", str.isdigit)):
        of = {pair: often for pair, often in count.items() if kind(pair[0])}
        wrong = sum(often for (one, other), often in of.items() if one != other)
        found[name] = round(wrong / max(1, sum(of.values())), 4)
    heard: dict[str, dict[str, int]] = {}
    for (one, other), often in sorted(count.items()):
        if one != other and one.isalpha() == other.isalpha():
            heard.setdefault(one, {})[other] = often
    return {**found, "as": heard}


if __name__ == "__main__":
    main()
