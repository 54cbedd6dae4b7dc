"""``spoken``: the agent hears the customer through a transcriber of telephone calls, and the record has what was said.

It is a view of the agent's world, so what is right stays right: replay and grading read the customer's true words. What
the agent reads has no capitals and no marks. Numbers and ids are said ("w six five"), a letter or a digit of an id is
now and then another one; words that sound alike are mixed up, small ones get lost or come twice, and there are fillers.
A yes, a no and what is in a spelled id's "W as in whiskey" come through. The customer (users/phone.py) repeats, spells
and confirms ids when the agent asks.

How often a letter or a digit is heard as which other one was measured with a synthesiser and a recogniser
(``spoken.json``; ``python -m tau_workshop.speech.rates`` makes it); strength 0.5 is as measured, 1.0 twice as often.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from ..conversation.view import AgentView
from ..environment.domain import Domain
from ..schema.messages import USER_STOP_TOKENS, AnyMessage, UserMessage
from ..schema.task import Task
from ..users.spelling import DIGITS, SIGNS, is_id, parts_of, say_id, say_number
from .kinds import DEFAULT_STRENGTH, Dose, Kind, Perturbed
from .texts import is_in_english, retold

FILE = Path(__file__).with_name("spoken.json")
NOTE = (
    "You are on the telephone. Asked to repeat or to spell an id or a number, you say it letter by letter: W as in "
    "whiskey, six, five. Where the agent reads one back, you say whether it is right, and spell it if it is not."
)

_KEPT = re.compile(r"\[attach: [^\]]*\]|" + "|".join(map(re.escape, USER_STOP_TOKENS)))
_MONEY = re.compile(r"(?P<sign>[$€£])(?P<whole>\d+)(?:\.(?P<cents>\d\d))?")
_CURRENCY = {"$": "dollars", "€": "euros", "£": "pounds"}
_NUMBER = re.compile(r"(?P<whole>\d{1,6})(?:[.:](?P<rest>\d+))?(?:st|nd|rd|th)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_PARTS = re.compile(r"\d{1,6}|[^\W\d_]+")
_SMALL = frozenset(["a", "an", "the", "of", "to", "for", "is", "it", "that", "on", "in", "please", "have", "would"])
_ALIKE = {
    "to": "two", "too": "to", "two": "to", "for": "four", "four": "for", "their": "there", "there": "their",
    "your": "you're", "by": "buy", "buy": "by", "right": "write", "our": "hour", "mail": "male", "red": "read",
    "blue": "blew", "sent": "cent", "week": "weak", "fare": "fair", "plane": "plain", "size": "sighs", "cost": "cast",
}  # fmt: skip
_SPELLED = re.compile(rf" as in |(?:\b(?:{'|'.join(DIGITS)}), ){{3}}")
_FILLERS = ("uh", "um", "you know", "well")
# A share of words at strength 1.
_DROPPED, _DOUBLED, _FILLED, _MIXED, _AGAIN = 0.10, 0.04, 0.06, 0.30, 0.03


@cache
def hearing_errors() -> Mapping[str, Any]:
    """How often letters and digits are heard wrong, said and spelled."""
    figures: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return figures


@cache
def _heard_for_others(how: str, letter: str) -> dict[str, int]:
    """What others of its kind were heard as, for a letter or a digit that was never heard wrong."""
    heard = [one for found in hearing_errors()[how]["as"].values() for one in found]
    return {one: heard.count(one) for one in heard if one != letter and one.isdigit() == letter.isdigit()}


class PhoneLine(AgentView):
    """What a transcriber makes of the customer's words. The same words are heard alike throughout a trial.

    ``heard``: what one has made of some of them.
    """

    def __init__(self, strength: float, seed: int, heard: Mapping[str, str] | None = None) -> None:
        self._strength, self._seed = strength, seed
        self._heard = dict(heard or {})

    def message(self, message: AnyMessage) -> AnyMessage:
        """The customer's words as they are heard."""
        if not isinstance(message, UserMessage) or not message.content:
            return message
        return message.model_copy(update={"content": self.hear(message.content)})

    def hear(self, text: str) -> str:
        """What is heard of a text."""
        if text not in self._heard:
            rng = Random(f"spoken/{self._seed}/{text}")
            kept = _KEPT.findall(text)
            self._heard[text] = " ".join([*self._words(_KEPT.sub(" ", text), rng), *kept])
        return self._heard[text]

    def _words(self, text: str, rng: Random) -> Iterator[str]:
        words, how = text.split(), "spelled" if _SPELLED.search(text) else "said"
        for place, word in enumerate(words):
            bare = word.strip(".,;:!?()\"'“”‘’…")
            amount = _THOUSANDS.sub("", bare)
            if amount == bare and is_id(bare):
                yield self._id(bare, rng)
            elif (number := _in_words(amount)) is not None:
                yield number
            elif how == "spelled":
                yield self._spelled_word(bare, words[place + 1 : place + 2], rng)
            elif bare and any(letter.isalnum() for letter in bare):
                yield from self._word(bare.lower(), rng, short=len(words) <= 4)

    def _word(self, word: str, rng: Random, *, short: bool) -> Iterator[str]:
        """A word, with what happens to words on the telephone; not in a message as short as a yes."""
        free, strength = word in _SMALL or word in _ALIKE, self._strength
        if short or not free:
            if not short and rng.random() < _FILLED * strength:
                yield rng.choice(_FILLERS)
            yield word
            return
        draw = rng.random()
        if draw < _DROPPED * strength and word in _SMALL:
            return
        if draw > 1 - _MIXED * strength and word in _ALIKE:
            word = _ALIKE[word]
        yield word
        if rng.random() < _DOUBLED * strength:
            yield word
        elif rng.random() < _AGAIN * strength:
            yield f"i mean {word}"

    def _id(self, value: str, rng: Random) -> str:
        said = (self._mistaken(part, "said", rng) for part in parts_of(value))
        return say_id("".join(said)) if "@" not in value else " ".join(map(_say, map(str, said)))

    def _spelled_word(self, word: str, after: list[str], rng: Random) -> str:
        if word.lower() in DIGITS:
            return DIGITS[int(self._mistaken(str(DIGITS.index(word.lower())), "spelled", rng))]
        return self._mistaken(word, "spelled", rng).lower() if after == ["as"] and len(word) == 1 else word.lower()

    def _mistaken(self, part: str, how: str, rng: Random) -> str:
        """A part of an id, or what it is heard as; of a word one letter."""
        known = hearing_errors()[how]
        at = rng.randrange(len(part))
        letter = part[at].lower()
        others: dict[str, int] = known["as"].get(letter) or _heard_for_others(how, letter)
        rate = known["digit" if letter.isdigit() else "letter"] * self._strength / DEFAULT_STRENGTH
        if not others or rng.random() >= rate:
            return part
        other = rng.choices(list(others), weights=list(others.values()))[0]
        return part[:at] + (other.upper() if part[at].isupper() else other) + part[at + 1 :]


def _say(part: str) -> str:
    return DIGITS[int(part)] if part in "0123456789" else SIGNS.get(part, part.lower())


def _in_words(word: str) -> str | None:
    """An amount, a number or a word with numbers in it, in words; None for any other word."""
    if money := _MONEY.fullmatch(word):
        cents = money["cents"] and say_number(int(money["cents"]))
        return " ".join(filter(None, (say_number(int(money["whole"])), _CURRENCY[money["sign"]], cents)))
    if number := _NUMBER.fullmatch(word):
        rest = " ".join(DIGITS[int(one)] for one in number["rest"] or "")
        return say_number(int(number["whole"])) + (f" point {rest}" if rest else "")
    if any(letter.isdecimal() for letter in word):
        return " ".join(say_number(int(one)) if one.isdecimal() else one.lower() for one in _PARTS.findall(word))
    return None


def _change(task: Task, domain: Domain, dose: Dose, seed: int) -> Perturbed:
    told = retold(task, None, NOTE)
    update: dict[str, Any] = {"user_scenario": told.user_scenario.model_copy(update={"line": "phone"})}
    if told.episodes:
        update["episodes"] = [
            one.model_copy(update={"user_scenario": one.user_scenario.model_copy(update={"line": "phone"})})
            for one in told.episodes
        ]
    scenarios = [task.user_scenario, *(one.user_scenario for one in task.episodes or [])]
    heard = {line: words for one in reversed(scenarios) for line, words in (one.heard or {}).items()}
    return Perturbed(told.model_copy(update=update), PhoneLine(dose.strength, seed, heard))


SPOKEN = (Kind("spoken", "words", "on the telephone, through a transcriber", _change, is_in_english),)
