"""Where: the street of the call, and its zip or postal code, beside those that were named."""

from __future__ import annotations

import re

from ....patterns import lazy
from ..asked import read_question
from ..text import sentences
from .agreed import Agreed, Breach


def address(found: Agreed) -> Breach | None:
    """A street of the call that nobody said or showed, beside the same street with another number."""
    for name, value in found.call.arguments.items():
        parts = re.fullmatch(r"(\d+\w?) (\w.*)", value) if "address" in name and isinstance(value, str) else None
        if parts is None or found.has_heard(parts[0]):
            continue
        other = re.compile(rf"(?<!\w)\d+\w? {re.escape(parts[2])}(?!\w)", re.IGNORECASE)
        for turn, _, text in found.lines:
            if named := other.search(text):
                return Breach("address", named[0], parts[0], turn)
    return None


_ZIP = lazy(r"(?:\b[A-Z]{2},? |\bzip(?: code)?:? )(\d{5})(?![\w-])")


_FORMER = lazy(r"\b(?:instead of|so far|currently|at present|until now|old)\b", re.IGNORECASE)


def zip_code(found: Agreed) -> Breach | None:
    """The zip code of the call beside those of the last proposal of an address."""
    value = found.call.arguments.get("zip")
    for turn, by_agent, text in found.lines if isinstance(value, str) else ():
        new = (
            [one for one in sentences(text) if not _FORMER.search(one)]
            if by_agent and read_question(text).leave
            else []
        )
        named = _ZIP.findall("\n".join(new))
        if str(value) in text:
            return None
        if named:
            return Breach("zip code", ", ".join(dict.fromkeys(named)), str(value), turn)
    return None


def code_of_street(found: Agreed) -> Breach | None:
    """The zip or postal code of the call beside the one that its street was last named with.

    The customer, or a record with that street, may have it otherwise; and either side may have corrected it since.
    """
    given = [(name, value) for name, value in found.values if isinstance(value, str)]
    code = next((value for name, value in given if _POSTAL.match(name) and value.isdigit()), "")
    street = next((value for name, value in given if _STREET.match(name) and any(map(str.isdigit, value))), "")
    if not (code and street) or any(code in _APART.sub("", line.text) for line in found.said if not line.by_agent):
        return None
    is_shown = any(code in shown for shown in found.shown)  # of the old address, perhaps
    for line in reversed(found.said):
        if named := _beside(street, len(code)).findall(line.text):
            of_this_street = any(street in shown and code in shown for shown in found.shown)
            kept = code in named or of_this_street or _leads(code, street, line.text)
            return None if kept else Breach("zip code", named[0], code, line.turn)
        may_correct = code in line.text and not is_shown if line.by_agent else _OF_CODES.search(line.text)
        if may_correct:
            return None
    return None


def _beside(street: str, digits: int) -> re.Pattern[str]:
    """A street and then a code of so many digits, which is no sum, no year and not the number of a unit or a box."""
    number = rf"(?<![\w$€£#-]){_NO_UNIT}(?!(?:19|20)\d\d\b)(\d{{{digits}}})(?!\w|-(?!\d{{4}}\b))"
    return re.compile(rf"(?<!\w){re.escape(street)}(?!\d)[^\n;!?]{{0,60}}?{number}", re.IGNORECASE)


def _leads(code: str, street: str, text: str) -> bool:
    """Whether a text has the code first, and the street last: "1051 Budapest, Arany utca 12"."""
    ahead = rf"(?<!\w){code},? \w[^\n;!?]{{1,30}}, {re.escape(street)}(?!\d)"
    return re.search(ahead, text, re.IGNORECASE) is not None


_NO_UNIT = "".join(rf"(?<!\b{word} )" for word in ("box", "unit", "apt", r"apt\.", "apartment", "suite", "room"))
_APART = lazy(r"(?<=\d)[ .-]+(?=\d)")
_OF_CODES = lazy(r"\b(?:zip|post(?:al)?[ -]?codes?|codes?|digits?|ends? (?:in|with))\b", re.IGNORECASE)
_POSTAL = lazy(r"(?:zip|post(?:al)?)(?:_?code)?$", re.IGNORECASE)
_STREET = lazy(r"(?:address|street)(?:_?(?:line_?)?1)?$", re.IGNORECASE)
