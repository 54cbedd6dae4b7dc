"""What tells of people in a log: which values they are, by the fields that hold them and by how they look in texts.

These kinds are looked for: names, e-mail addresses, phone numbers, street addresses, postal codes, cards, IBANs, dates
of birth, order numbers, account numbers, and secrets, which are keys, passwords and PINs. What is not: cities,
employers, health, and whatever has no form that a pattern could know; names count where a field holds them or somebody
introduces themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, Literal

from pytest_tau.scrub import keys_in

Kind = (
    Literal["name", "email", "phone", "address", "postal", "card", "iban", "birth", "order", "account", "secret"] | str
)
KINDS: tuple[Kind, ...] = (
    "name", "email", "phone", "address", "postal", "card", "iban", "birth", "order", "account", "secret",
)  # fmt: skip
NOT_LOOKED_FOR = (
    "not looked for: cities, employers, health, and names that no field holds and nobody says of themselves "
    "(pytest-tau[privacy] looks for more)"
)
READ_IT = "read what was written before you share it"

_OF_ORDERS = "order|reservation|booking|ticket|invoice|tracking|confirmation"
_OF_ACCOUNTS = "user|customer|account|member|client|policy|passport|licen[cs]e"
_PEOPLE = "user|customer|(?:card_?|account_?)?holder|contact|patient|member|client|guest|passenger|owner|recipient"
_FIELDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "secret",
        re.compile(
            r"passw|passphrase|pass_?code|secret$|api_?key|(?:access|auth|bearer|refresh)_?token"
            r"|(?:\b|_)(?:pin|cvv2?|cvc)(?:_?(?:code|number|no))?$",
            re.I,
        ),
    ),
    ("email", re.compile(r"e[-_]?mail", re.I)),
    ("birth", re.compile(r"(?:\b|_)(?:dob|born)(?:\b|_)|birth", re.I)),
    ("iban", re.compile(r"iban", re.I)),
    ("phone", re.compile(r"phone|mobile|(?:\b|_)tel(?:\b|_)|fax", re.I)),
    ("postal", re.compile(r"^zip|postal|post_?code|zip_?code", re.I)),
    ("card", re.compile(r"card_?(?:number|no)\b|^pan$|credit_?card$|last_?four|last_?4", re.I)),
    ("address", re.compile(r"^address(?:_?line)?_?\d?$|street|^line_?\d$", re.I)),
    ("name", re.compile(rf"^(?:first|last|full|middle|given|family|sur|{_PEOPLE})?_?name$", re.I)),
    ("order", re.compile(rf"(?:{_OF_ORDERS}|shipment)s?_?(?:id|number|no|code)s?$", re.I)),
    ("account", re.compile(rf"(?:{_OF_ACCOUNTS}|patient|payment|payment_method|loyalty)s?_?(?:id|number|no)s?$", re.I)),
)  # fmt: skip
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
# From its "at" on; what stands before is looked at only there, so that a long text costs no more than its length.
_SPOKEN_HOST = re.compile(r"\s(?:\(at\)|at)\s+([\w-]+(?:\s*(?:\.|\(dot\)|\bdot\b)\s*[\w-]+){1,4})\b", re.I)
_SPOKEN_LOCAL = re.compile(r"[\w+-]+(?:\s*(?:\.|\(dot\)|\bdot\b)\s*[\w+-]+){0,4}\Z", re.I)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{4}){2,7}(?:[ -]?[A-Z0-9]{1,3})?\b")
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
# The hour of a time and its minutes ("10:30") are no part of a number.
_PHONE = re.compile(
    r"(?<![\w.#-])(?<!\d:)(?:\+\d{1,3}[ .-]?)?(?:\(\d{2,4}\)[ .-]?)?\d{2,4}(?:[ .-]\d{2,4}){1,4}"
    r"(?![\w-]|(?<=[ .-]\d\d):\d\d)"
)
# Written as machines and other countries write them: all digits in one, or a long last group.
_PHONE_IN_ONE = re.compile(
    r"(?<!\w)\+\d(?:[ .()/-]{0,2}\d){6,14}(?!\w)|(?<![\w.#/-])0\d{1,4}[ /-]\d{5,8}(?:-\d{1,4})?(?![\w-])"
    r"|(?:(?<=phone )|(?<=phone is )|(?<=phone number )|(?<=phone number is )|(?<=mobile )|(?<=mobile is )|(?<=cell )"
    r"|(?<=call me at )|(?<=call me on )|(?<=reach me at )|(?<=reach me on ))\d{7,12}(?!\w)",
    re.I,
)
# A password has a digit, or it would be a word of the sentence: "my password is wrong".
_SAID_SECRET = re.compile(
    r"\b(?:password|passphrase|passcode|pin|cvv2?|cvc|security code)(?: (?:code|number))?(?: is|:| =|=) ?"
    r"(?=[^\s\d]*\d)(\S*\w)",
    re.I,
)
_STREET = re.compile(
    r"\b\d{1,5}\s+(?:[A-Z][\w'.]+\s+){1,3}(?:Street|St|Avenue|Ave|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Way|Place|Pl"
    r"|Terrace|Parkway|Pkwy|Circle|Square|Row|Close|Gardens|Walk)\b\.?(?:,?\s*(?:Apt|Apartment|Suite|Unit|No)\.?\s*\w+)?"
)
_INTRODUCED = re.compile(
    r"\b(?:my (?:full )?name(?:'s| is)|name:|this is|i am called|i'm called|(?-i:I am|I'm)) +"
    r"((?-i:[A-Z][\w'’-]+)(?: (?-i:[A-Z][\w'’-]+)){0,2}|(?<=is )[\w'’-]{3,}(?: [\w'’-]{3,})?)",
    re.I,
)
_MONTHS = "January February March April May June July August September October November December".split()  # noqa: SIM905
_MONTH = "|".join(f"{name}|{name[:3]}" for name in _MONTHS)
_DATE = re.compile(
    rf"\b(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<mdy>(?:{_MONTH})\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}})"
    rf"|(?P<dmy>\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTH})\.?,? \d{{4}})"
    r"|(?P<num>\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}-\d{1,2}-(?:19|20)\d\d))\b",
    re.I,
)
_DAY = re.compile(r"\d{4}[ .-]\d\d[ .-]\d\d")  # as machines write it
_HOUR = re.compile(r"^(?:\d\d\.)?\d\d (?=\d)|(?<=\d) \d\d(?:\.\d\d)?$")  # before or after a day: "10.30"
_BORN = re.compile(r"born|birth|\bdob\b", re.I)
_NUMBER_OF = r"[^\w#]+(?:(?:number|no|nr|id|code|is)[^\w#]+)*"
_ORDER = re.compile(rf"\b(?:{_OF_ORDERS}){_NUMBER_OF}(#?[A-Z]{{0,4}}[-_]?\d{{3,}}[\w-]*)", re.I)
_ACCOUNT = re.compile(
    rf"\b(?:{_OF_ACCOUNTS}|membership){_NUMBER_OF}([A-Z]{{0,4}}[-_]?\d{{4,}}[\w-]*|[a-z]+_[a-z]+_\d+)", re.I
)
_NO_NAMES = frozenset(
    """sorry calling trying looking having just not very really so here in on a the an afraid sure going interested
    unable still about also happy fine good ok okay it correct right that for regarding urgent customer user
    and""".split()  # noqa: SIM905
)


def by_field(name: str) -> Kind | None:
    """The kind of the values of a field with this name."""
    return next((kind for kind, pattern in _FIELDS if pattern.search(name)), None)


def in_data(value: Any, name: str = "") -> Iterator[tuple[Kind, str]]:
    """The personal values of a JSON value, by the fields that hold them; the keys of objects count as well."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from in_data(inner, str(key))
    elif isinstance(value, list):
        for inner in value:
            yield from in_data(inner, name)
    elif (kind := by_field(name)) is not None and isinstance(value, (str, int)) and not isinstance(value, bool):
        text = str(value).strip()
        if len(text) >= 2:
            yield kind, text
            if kind == "name":
                yield from (("name", part) for part in text.split() if len(part) > 1)
    elif isinstance(value, str):
        yield from in_text(value)


def in_text(text: str) -> Iterator[tuple[Kind, str]]:
    """The personal values of a text, by their form."""
    yield from (("email", found[0].rstrip(".")) for found in _EMAIL.finditer(text))
    for found in _SPOKEN_HOST.finditer(text):
        local = _SPOKEN_LOCAL.search(text[max(0, found.start() - 60) : found.start()])
        if local is not None:
            yield "email", _as_address(f"{local[0]}@{found[1]}")
    yield from (("iban", found[0]) for found in _IBAN.finditer(text))
    yield from (("card", found[0]) for found in _CARD.finditer(text))
    yield from (("phone", found[0]) for found in _PHONE.finditer(text) if _is_phone(found[0]))
    yield from (("phone", found[0]) for found in _PHONE_IN_ONE.finditer(text))
    yield from (("secret", found[1]) for found in _SAID_SECRET.finditer(text))
    yield from (("secret", key) for key in keys_in(text))
    yield from (("address", found[0]) for found in _STREET.finditer(text))
    yield from (("order", found[1]) for found in _ORDER.finditer(text))
    yield from (("account", found[1]) for found in _ACCOUNT.finditer(text))
    for found in _DATE.finditer(text):
        if _BORN.search(text[max(0, found.start() - 40) : found.end() + 20]) and as_date(found[0]) is not None:
            yield "birth", found[0]
    for found in _INTRODUCED.finditer(text):
        words = found[1].split()
        if words[0].lower() not in _NO_NAMES:
            yield from (("name", word) for word in words if word.lower() not in _NO_NAMES)


def _as_address(spoken: str) -> str:
    """An e-mail address that was spelled, as it is written."""
    return re.sub(r"\s*(?:\(dot\)|\bdot\b)\s*", ".", spoken, flags=re.I).replace(" ", "").lower()


def _is_phone(text: str) -> bool:
    digits = re.sub(r"\D", "", text)
    is_day = _DAY.fullmatch(text) or as_date(text) or as_date(_HOUR.sub("", text, count=1))
    return 7 <= len(digits) <= 15 and not is_day


def as_date(text: str) -> date | None:
    """A date, however it is written; of two numbers that may be months the first is the month."""
    found = _DATE.fullmatch(text.strip())
    if found is None:
        return None
    try:
        if found["iso"]:
            return date.fromisoformat(found["iso"])
        if found["num"]:
            first, second, year = (int(part) for part in re.split(r"[/.-]", found["num"]))
            return date(year, first, second) if first <= 12 else date(year, second, first)
        name = re.search(_MONTH, text, re.I)
        day, year = (int(part) for part in re.findall(r"\d+", text))
        months = [month[:3].lower() for month in _MONTHS]
        return date(year, months.index(name[0][:3].lower()) + 1, day) if name else None
    except ValueError:
        return None


def in_the_form_of(other: date, text: str) -> str:
    """A date, written as another one was."""
    if re.match(r"\d{4}-", text):
        return other.isoformat()
    if (found := re.match(r"\d{1,2}([/.-])", text)) is not None:
        sign = found[1]
        return f"{other.month:02d}{sign}{other.day:02d}{sign}{other.year}"
    month = _MONTHS[other.month - 1]
    return f"{month} {other.day}, {other.year}" if text[:1].isalpha() else f"{other.day} {month} {other.year}"
