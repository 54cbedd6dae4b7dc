"""COMMUNICATE: the agent told the customer what had to be told."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from ...patterns import UNSPACED, lazy
from ...schema.messages import AnyMessage
from ...schema.reward import Check, CriterionResult
from ...schema.task import Task
from ...schema.transcript import lines_of
from ..language.text import NUMBER_WORDS, english_amounts


def communicate(task: Task, messages: Sequence[AnyMessage], *, parity: bool, in_basis: bool) -> CriterionResult:
    """Each item must stand in some text of the agent, the greeting and texts beside calls included."""
    criteria = task.evaluation_criteria
    wanted = (criteria.communicate_info if criteria else None) or []
    texts = [line.text for line in lines_of(messages) if line.by_agent] if wanted else []
    says = _contains if parity else mentions
    checks = []
    for info in wanted:
        found = next((text for text in texts if says(text, info)), None)
        explanation = "no message of the agent says it" if found is None else f"said in: {found[:200]}"
        checks.append(Check(name=info, met=found is not None, explanation=explanation))
    return CriterionResult(
        criterion="COMMUNICATE",
        value=1.0 if all(check.met for check in checks) else 0.0,
        in_basis=in_basis,
        checks=checks,
        note=None if wanted else "No communicate_info to evaluate",
    )


def _contains(text: str, info: str) -> bool:
    """The reference's rule: a substring, whatever stands around it, of the text without its commas."""
    return info.lower() in text.lower().replace(",", "")


def mentions(text: str, info: str) -> bool:
    """Our rule: the same, but as whole words, and numbers by their value.

    "4" is not in "42", "task_4", "4.50", "3-4 days", "4:15" or "2024-05-04", but in "4.00"; "$1,234.50" is "1234.5".
    "8" is in "eight versions", too, but not in "twenty-eight" or "eight hundred"; "1" is not in "one".
    Neither end of "5 to 7 business days" counts, nor the day in "20 May" or "May 20", nor a number of "12月5日".
    "0.47" is in "47 cents".
    "1.443,88 $" is "1443.88", as a currency stands beside it.
    What Markdown puts around a number does not count, nor a currency before it, nor the end of an abbreviation
    ("no.12345"). Where a script puts no blank between words, as Chinese does, what stands beside is another word.
    """
    wanted = _flat(info)
    if number := _AMOUNT.fullmatch(wanted):
        sign, digits = _value(*number.groups())
        said = _amounts(text)
        if any(value == digits and (negative or not sign) for negative, value in _numbers(said)):
            return True
        word = None if sign or not info.strip().isdigit() else _IN_WORDS.get(digits)
        return word is not None and word.search(said) is not None
    said = _flat(text)
    return wanted in said and _as_whole_words(wanted).search(said) is not None


@lru_cache(maxsize=4096)
def _as_whole_words(wanted: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!{_LETTER})(?<!\d\.){re.escape(wanted)}(?!{_LETTER}|\.\d)")


_SPACE = lazy(r"\s+")
_AMOUNT = lazy(r"([-−]?)\$?(\d+(?:\.\d+)?)")
_LETTER = rf"[^\W_{UNSPACED}]"
_CURRENCY = rf"(?:(?<!{_LETTER})(?:usd|eur|gbp|jpy|cny|inr|chf|cad|aud)|[$€£¥])?"
_ALONE = rf"(?<!{_LETTER})(?<!{_LETTER}_)(?<![\W\d]\.)(?<!\A\.)(?<!\d[-–/:])"
_NUMBER = lazy(rf"{_ALONE}{_CURRENCY}{_AMOUNT.pattern}(?!{_LETTER}|\.\d|[-–/:]\d)")

# "one" is everywhere, and larger numbers are written as digits.
_IN_WORDS = {
    str(number): lazy(
        rf"(?<![\w-])(?<!hundred )(?<!hundred and )(?<!thousand )(?<!minus )(?<!point ){word}"
        r"(?![\w-])(?! (?:hundred|thousand|million|dozen|point|percent|cents?)\b)"
    )
    for number, word in enumerate(NUMBER_WORDS[1:12], start=2)
}

_MARKS = r"[*_`]{0,6}"  # a longer run is no emphasis, and would be read to its end from each of its places
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?"
    r"|Nov(?:ember)?|Dec(?:ember)?)(?![^\W_])"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
# Written with a capital: "20 may be charged" is about an amount.
_DATE = lazy(
    rf"(?<![\d.,$€£¥-]){_DAY} (?:of )?(?={_MONTH})|({_MONTH}\.? ){_DAY}(?!\d|[.,:]\d|[^\W_])"
    rf"|(?<!\d)\d?\d ?月 ?{_DAY} ?[日号號]"
)
_IN_CENTS = rf"(\d\d?){_MARKS} ?(?:cents?(?![^\W_])|¢)"
_DOLLARS_AND_CENTS = lazy(
    rf"(?:(?<=[$€£])(\d+)|(?<![\w.])(\d+){_MARKS} (?:us )?(?:dollars?|euros?|pounds?))"
    rf"{_MARKS},? (?:and )?{_MARKS}{_IN_CENTS}"
)
_CENTS = lazy(rf"(?<![\w.,:-]){_IN_CENTS}")
_END = (
    rf"{_MARKS}({_CURRENCY}\d+(?:\.\d+)?|{'|'.join(NUMBER_WORDS[1:12])}){_MARKS}"
    r"(?![^\W_]|[.:/-]\d)"
)
_RANGE = lazy(rf"(\bfrom )?(\bbetween )?(?<![\w.,:/-]){_END} (to|and|or) {_END}( (?:business|working) days?)?")


def _value(sign: str, digits: str) -> tuple[bool, str]:
    """Whether a number is negative, and its digits without zeros that mean nothing; those in front mark an id."""
    return bool(sign), digits.rstrip("0").rstrip(".") if "." in digits else digits


@lru_cache(maxsize=1024)
def _numbers(text: str) -> tuple[tuple[bool, str], ...]:
    """The numbers of a text, by their value."""
    return tuple(_value(*match.groups()) for match in _NUMBER.finditer(text))


@lru_cache(maxsize=1024)
def _amounts(text: str) -> str:
    """The text, flat, without the numbers that are no amounts, and with cents as parts of a dollar."""
    said = _flat(_DATE.sub(r"\1", _SPACE.sub(" ", text)))
    said = _DOLLARS_AND_CENTS.sub(lambda found: f"{found[1] or found[2]}.{found[3]:0>2}", said)
    return _RANGE.sub(_without_ends, _CENTS.sub(lambda found: f"0.{found[1]:0>2}", said))


def _without_ends(found: re.Match[str]) -> str:
    """Nothing in place of a range. What changes "from 5 to 7" has both values, and days that a thing takes have not."""
    since, between, low, word, high, days = found.groups()
    is_range = days or between or (word == "to" and not since)
    return " " if is_range and _rises(low, high) else found[0]


def _rises(low: str, high: str) -> bool:
    """Whether two numbers can be the ends of a range; "refund $20 to 4242" has none."""
    first, last = (re.sub(r"[^\d.]", "", one) for one in (low, high))
    if not (first and last):
        return True
    return float(first) < float(last) and not (low[0] in "$€£¥" and high[0].isdigit())


@lru_cache(maxsize=1024)
def _flat(text: str) -> str:
    said = unicodedata.normalize("NFC", english_amounts(text).casefold())
    return _SPACE.sub(" ", re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", said)).strip()
