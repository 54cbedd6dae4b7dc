"""What a personal value is replaced by: of the same form, and with a key the same in each run.

Without a key, stand-ins are counted as they come. With one, they follow from the value by HMAC-SHA256, so nobody needs
a table of the originals, and nobody can undo them or try out guesses who does not have the key. Who has it can: there
are few phone numbers and birthdays, so a key is as secret as the log.

Digits of ids are exchanged by a keyed permutation of all numbers of their length (a Feistel network, turned by a step
so that none stays), and no two ids of one form become one.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
from datetime import date, timedelta
from pathlib import Path

from pytest_tau.errors import SettingsError, reason

from .personal import Kind, as_date, in_the_form_of

REMOVED = "[removed]"
_BYTES = 32
_ROUNDS = 8
_MANY = 10**6  # numbers for what has no digits of its own
FIRST = """Alva Bram Cleo Dario Edda Finn Greta Hugo Ida Joris Kaia Levi Mona Nils Olga Piet Quinn Runa Sven Tilda Ugo
Vera Wim Xenia Yara Zeno""".split()  # noqa: SIM905
LAST = """Aldern Brook Calder Dunmore Eskell Farrow Garland Holt Ingram Jarvis Kestrel Lorne Marlow Norwood Orchard
Penrose Quarry Rowan Selwyn Thorne Underhill Vance Wickham Yarrow Zeller""".split()  # noqa: SIM905
_FIRST_BIRTHDAY, _BIRTHDAYS = date(1950, 1, 1), 20_000
# A booking code: capitals and digits in one word, and a letter after a digit.
_CODE = re.compile(r"(?<![A-Za-z0-9])(?=[A-Z]*\d)(?=[A-Z0-9]*\d[A-Z])[A-Z0-9]{5,8}(?![A-Za-z0-9])")


def read_key(file: Path, *, apart_from: Path | None = None) -> bytes:
    """The key in a file, which is made where there is none, readable by its owner only.

    Args:
        file: the file.
        apart_from: a folder that is shared, in which no key may lie.

    Raises:
        SettingsError: the file cannot be read or made, is no key, or lies in that folder.
    """
    if apart_from is not None and file.resolve().is_relative_to(apart_from.resolve()):
        raise SettingsError(f"{file}: the key lies in the folder of the tasks; keep it where the log is kept")
    try:
        if not file.exists():
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as out:
                out.write(f"{secrets.token_hex(_BYTES)}\n")
        key = bytes.fromhex(file.read_text(encoding="ascii"))
    except OSError as error:
        raise SettingsError(f"{file}: the key cannot be read or written: {reason(error)}") from None
    except ValueError:
        key = b""
    if len(key) != _BYTES:
        raise SettingsError(f"{file}: holds no key; name a file that does not exist, and one is made")
    return key


class StandIns:
    """Makes stand-ins; ``key``: what they follow from, or None to count them."""

    def __init__(self, key: bytes | None = None) -> None:
        self._key = key

    @property
    def keyed(self) -> bool:
        """Whether they follow from a key."""
        return self._key is not None

    def make(self, value: str, kind: Kind, number: int, tries: int = 0) -> str:
        """The stand-in of a value that is no name.

        Args:
            value: the value.
            kind: its kind.
            number: how many of the kind there were, for stand-ins that are counted.
            tries: how many stand-ins of this value were taken already by others.
        """
        day = as_date(value) if kind == "birth" else None
        if kind == "birth" and day is None:
            return REMOVED
        if self._key is not None and kind in ("email", "address", "birth", "secret"):
            same = value.casefold() if day is None else day.isoformat()
            number = self._hash(kind, same, tries) % (_BIRTHDAYS if day else _MANY) + 1
        if day is not None:
            return in_the_form_of(_FIRST_BIRTHDAY + timedelta(days=number if self._key else 37 * number), value)
        if kind == "email":
            return f"person{number}@example.com"
        if kind == "secret" and not value.isdecimal():
            return f"secret-{number}"
        if kind == "address":
            return f"{number} Sample Street" if re.match(r"\d", value) else f"Unit {number}"
        return self._renumber(value, kind, number, tries)

    def name(self, part: str, number: int) -> str:
        """The stand-in of a word of a name; ``number``: how many there were."""
        if self._key is not None:
            # Of three parts, as hundreds would soon be used up; who has another's is a stranger in another call.
            found = self._hash("name", part.casefold())
            parts = FIRST[found % 25], LAST[found // 25 % 25], FIRST[found // 625 % 25]
            return "".join(parts).capitalize()
        pool = FIRST if number % 2 == 0 else LAST
        turn, at = divmod(number // 2, len(pool))
        return pool[at] if not turn else f"{pool[at]}{pool[(at + turn) % len(pool)].lower()}"

    def _renumber(self, value: str, kind: Kind, number: int, tries: int) -> str:
        """The same form with other digits; a booking code is another one, and an IBAN's letters become zeros."""
        if kind == "iban":
            value = value[:2] + re.sub(r"[A-Z]", "0", value[2:])
        if kind == "order" and (code := _CODE.search(value)):
            counted = number if self._key is None else self._hash(kind, code[0], tries)
            made = f"X{counted % 10 ** (len(code[0]) - 1):0{len(code[0]) - 1}d}"
            return value.replace(code[0], made, 1)
        places = [at for at, one in enumerate(value) if one.isdecimal()]
        if not places:
            found = number if self._key is None else self._hash(kind, value.casefold(), tries) % _MANY
            return f"{kind}-{found}"
        digits = "".join(value[at] for at in places)
        if self._key is not None:
            # Signs between them are written or not.
            letters = re.sub(r"[\W\d_]", "", value).casefold() if kind in ("order", "account") else ""
            new = self._permuted(f"{kind}{tries}{letters}", digits)
        else:
            new = _counted(number, len(places), "4" if kind == "card" and len(places) > 8 else "9")
        if len(new) > len(places):
            return f"{re.sub('[0-9]', '', value)}{number}" if kind in ("order", "account") else f"{value}-{number}"
        left = iter(new)
        return "".join(next(left) if one.isdecimal() else one for one in value)

    # ---- what follows from the key

    def _hash(self, *what: object) -> int:
        said = "\x00".join(map(str, what)).encode()
        return int.from_bytes(hmac.digest(self._key or b"", said, "sha256"), "big")

    def _permuted(self, form: str, digits: str) -> str:
        """Other digits of the same number: P⁻¹(P(x) + r) for a keyed permutation P and a keyed step r that is not 0."""
        size = 10 ** len(digits)
        step = self._hash("step", form, len(digits)) % (size - 1) + 1
        turned = (int(self._feistel(form, digits)) + step) % size
        return self._feistel(form, str(turned).zfill(len(digits)), back=True)

    def _feistel(self, form: str, digits: str, *, back: bool = False) -> str:
        """All numbers of some digits, in a keyed order. One digit alone has no halves, and stays."""
        half = len(digits) // 2
        sides = [digits[:half], digits[half:]]
        for turn in range(_ROUNDS)[:: -1 if back else 1] if half else ():
            own, other = turn % 2, 1 - turn % 2
            change = self._hash("round", form, turn, len(digits), sides[other])
            size = 10 ** len(sides[own])
            sides[own] = str((int(sides[own]) + (-change if back else change)) % size).zfill(len(sides[own]))
        return "".join(sides)


def _counted(number: int, places: int, lead: str) -> str:
    """A number of so many digits, that nobody has: a leading digit, zeros and the count; longer where it must be."""
    return lead + str(number).zfill(places - 1) if len(str(number)) < places else str(number).zfill(places)
