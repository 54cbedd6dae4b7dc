"""People, drawn from the profile of 1,477 who wrote to a service desk: how long, how correctly, how politely.

:func:`draw_person` draws one: normal numbers, mixed so that traits go together as they do in people, and each read off
the trait's quantiles. ``people.json`` has the figures; ``python -m tau_workshop.customers.profile`` makes it, and
docs/customers.md shows it. :class:`Person` writes what a script says as this person would, and tells a model how to.
What is said stays: ids, numbers, names, marks of pictures and what is quoted are never touched.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import erf, sqrt
from operator import mul
from pathlib import Path
from random import Random
from typing import Any

from ..environment.gists import Gists
from ..patterns import lazy
from .openings import GREETED, opening, small_start
from .pieces import facts, pack, repeats, sentences

FILE = Path(__file__).with_name("people.json")
SHORT = 80  # characters
LEADS_UP = 8  # words: small talk before a wish has no more
GREETS = 2.0
"""Who opens with fewer words only greets."""
NOTHING = Gists()
MOST_PARTS = 5
"""In so many messages one tells what one wants, at most: nobody has the patience for more."""

NEAR = {
    "a": "qsz", "b": "vn", "c": "xv", "d": "sf", "e": "wr", "f": "dg", "g": "fh", "h": "gj", "i": "uo", "j": "hk",
    "k": "jl", "l": "k", "m": "n", "n": "bm", "o": "ip", "p": "o", "q": "wa", "r": "et", "s": "ad", "t": "ry",
    "u": "yi", "v": "cb", "w": "qe", "x": "zc", "y": "tu", "z": "xs",
}  # fmt: skip
"""The keys beside each letter's."""

# What the script itself says, as people say it: in three words or fewer, and in more. Each yes is one to the rules.
_STOCK: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "Yes, please go ahead.": (
        ("Yes.", "Yes please.", "Yes, please.", "Sure.", "Okay.", "Yep.", "Please do.", "Yes, thanks."),
        ("Yes, please go ahead.", "Yes, that is fine with me.", "Sure, go ahead and do that.", "Yes, please do that."),
    ),
    "Thank you, that is all.": (
        ("Thanks.", "Thank you.", "Thanks, bye.", "Okay, thank you.", "Great, thanks!", "Perfect, thanks!"),
        (
            "Thank you, that is all.",
            "Thanks, that's all I needed.",
            "Okay, thank you very much.",
            "Thanks for the help!",
        ),
    ),
    "OK.": (("OK.", "Okay.", "Okay, thanks.", "Sure."), ("OK, thank you, I will wait.", "Okay, let me know.")),
    "All right, please do.": (("Okay.", "Okay, please do.", "Sure."), ("All right, please do that then.",)),
    "All right, I will hold.": (("Okay.", "Okay, thanks.", "I'll hold."), ("All right, I will hold, thanks.",)),
    "Here you are.": (("Here.", "Here it is.", "Here you go."), ("Sure, here you are.",)),
    "I have done that.": (("Done.", "Did that.", "Okay, done."), ("I have done that now.",)),
    "Sorry, I do not understand what that means.": (("Sorry, what?",), ("What does that mean, I don't get it.",)),
    "I have told you what I know. Yes, please go ahead with what I asked for.": (
        ("Yes, go ahead.", "Yes, please do."),
        ("That's all I know. Yes, please go ahead.", "Yes, please go ahead, that's all I know."),
    ),
}
_ASKS = ("Is that possible?", "Can you do that?", "Would that work?", "Can you help?")
_WANTS = lazy(r"\b(?:I'd like|I would like|I want|I need|please)\b[^?!]*\.$", re.IGNORECASE)
_WISHES = lazy(
    r"\?$|\b(?:I'd|I would|we'd|we would) like\b|\b(?:I|we) (?:want|need|have) to\b|\bplease [a-z]", re.IGNORECASE
)
_FILLERS = ("Okay,", "So,", "Well,", "Oh,")
_REFUSALS = lazy(r"\b(?:no|not|never|nor|without|cannot|instead|except)\b|n't\b", re.IGNORECASE)
# "My e-mail address is a@b." is answered as "a@b".
_BARE = lazy(
    r"(?:my|the) (?:e-?mail(?: address)?|(?:full )?name|user id|customer id|phone number|order number|number"
    r"|reservation(?: number| id| code)?) is (?P<value>[^,;]+?)\.?",
    re.IGNORECASE,
)
_FIXED = lazy(r"\"[^\"]+\"|“[^”]+”|\[attach: [^\]]*\]|\S*[\d@#$_%€£/]\S*")
_SLIPPABLE = lazy(r"(?<![\w'’-])[a-z]{4,}(?![\w'’-])")
_NO_SLIP = lazy(
    r"yes|okay|never|without|instead|except|only|both|none|either|neither|first|second|third|last|half|more|less"
    r"|three|four|five|seven|eight|nine|eleven|twelve|twenty|cheap\w*|before|after|until|unless",
)
_CONTRACTION = lazy(r"\b(I|it|that|don|can|didn|won|what|isn|doesn)'(m|d|ll|ve|s|t)\b", re.IGNORECASE)
_FIRST_WORD = lazy(r"(?:^|(?<=[.!?] ))([A-Z][\w'’]*)")


@dataclass(frozen=True)
class _Profile:
    """The figures: of each trait its quantiles, how normal numbers are mixed into those of traits, how people open."""

    number: int
    quantiles: Mapping[str, Sequence[float]]
    mixing: Sequence[Sequence[float]]
    openings: Mapping[str, Any]


@cache
def profile() -> _Profile:
    """The profile that comes with the package."""
    return _Profile(**json.loads(FILE.read_text(encoding="utf-8")))


def draw_person(seed: int) -> Person:
    """A person: the same seed gives the same one."""
    known, rng = profile(), Random(f"person/{seed}")
    noise = [rng.gauss() for _ in known.mixing]
    drawn = {}
    for (name, values), row in zip(known.quantiles.items(), known.mixing, strict=True):
        level = (1 + erf(sum(map(mul, row, noise)) / sqrt(2))) / 2
        place = level * (len(values) - 1)
        below = min(int(place), len(values) - 2)
        drawn[name] = values[below] + (place - below) * (values[below + 1] - values[below])
    return Person(seed, drawn)


@dataclass(frozen=True)
class Person:
    """Somebody who writes; ``traits`` as the profile names them."""

    seed: int
    traits: Mapping[str, float]

    def parts(self, wish: str, known: Sequence[str] = (), gists: Gists = NOTHING) -> list[str]:
        """What somebody wants, in the messages in which this person tells it, the first as typed: the opening.

        Args:
            wish: all that they want.
            known: what they know; they may open with their name.
            gists: what people call it in few words.
        """
        rng, wanted = Random(f"{self.seed}/parts"), self.traits["opening"]
        asks, longest = 2 * self.traits["question"], max(8.0, 0.7 * self.traits["longest"])
        said = sentences(wish)
        if said and (greeted := GREETED.match(said[0])):
            rest = said[0][greeted.end() :]
            said[:1] = [rest[0].upper() + rest[1:]] if rest else []
        if not any(letter.isalnum() for one in said for letter in one):
            return [wish]
        said = _wish_first(said)
        first, told = opening(wanted, said, gists, known, profile().openings, rng)
        if not told:
            first = _slip_words(first, self.traits["typos"] / 100, rng)
            told = int(repeats(said[0], first))
        while len(later := pack(said[told:], longest, first)) > MOST_PARTS:
            longest *= 1.25
        # The last may answer a proposal: a question would outweigh a few words, and be heard as an answer.
        last = later[-1:] if later and len(later[-1]) < SHORT else []
        asked = [one not in last and _WANTS.search(one) and not _REFUSALS.search(one) for one in later]
        return [first, *(f"{one} {rng.choice(_ASKS)}" if wants and rng.random() < asks else one
                         for one, wants in zip(later, asked, strict=True))]  # fmt: skip

    def facts(self, known: Sequence[str]) -> list[str]:
        """What somebody knows, in the messages in which this person tells it when asked."""
        told = [fact for line in known for one in sentences(line) for fact in facts(one)]
        told = list(dict.fromkeys(told))
        return told if len(told) < MOST_PARTS else [" ".join(told[at : at + 2]) for at in range(0, len(told), 2)]

    def write(self, text: str, place: int, *, padded: bool = True) -> str:
        """A text in this person's hand.

        Args:
            text: what they say.
            place: of the message in the conversation, which decides what is drawn.
            padded: whether they may put something around it.
        """
        rng = Random(f"{self.seed}/{place}")
        said, tail = self._stock(text, rng)
        if said is None:
            bare = _BARE.fullmatch(text)
            short = 0.4 + self.traits["short"]
            around = self._pad if padded else lambda text, rng: text
            said = bare["value"] if bare and rng.random() < short else around(text, rng)
        return " ".join(" ".join(filter(None, (self.type_out(said, rng), tail))).split())

    def _stock(self, text: str, rng: Random) -> tuple[str | None, str]:
        """A line of the script in other words, and what follows it and stays: a mark, a result."""
        for line, (short, longer) in _STOCK.items():
            if text.startswith(line):
                chosen = short if rng.random() < 0.5 + self.traits["short"] else longer
                return rng.choice(chosen), text.removeprefix(line).strip()
        return None, ""

    def _pad(self, text: str, rng: Random) -> str:
        """With what people put around what they tell."""
        if rng.random() < self.traits["fillers"] * 0.6 and not GREETED.match(text):
            return f"{rng.choice(_FILLERS)} {small_start(text)}"
        if rng.random() < self.traits["please"] and "please" not in text.lower() and _WANTS.search(text):
            return f"{text.rstrip('.')}, please."
        return f"{text} Thanks." if rng.random() < self.traits["thanks"] * 0.4 else text

    def type_out(self, text: str, rng: Random) -> str:
        """As typed: capitals, marks, apostrophes and slips."""
        has = self.traits
        if rng.random() > has["commas"] / 7:
            text = re.sub(r"(?<=[a-z]),(?= [a-z])", "", text)
        if rng.random() < has["unmarked"]:
            text = _CONTRACTION.sub(r"\1\2", text)
        text = _slip_words(text, has["typos"] / 100, rng)
        if rng.random() < has["small"]:
            text = re.sub(r"\bI\b(?!-)", "i", _FIRST_WORD.sub(lambda found: small_start(found[0]), text))
        if rng.random() < has["open_end"]:
            return text.rstrip(".!")
        return f"{text[:-1]}!" if text.endswith(".") and rng.random() < has["exclamation"] else text

    def describe(self) -> str:
        """How to write as this person does, for a model; with examples of length and tone."""
        return _describe(self)


def _wish_first(said: Sequence[str]) -> list[str]:
    """The sentences with small talk before the wish moved to the end: "My train leaves soon." is said last.

    It moves only where the second sentence asks for something. Else the first may be a wish itself, or the second may
    refer to it.
    """
    if len(said) < 2 or not _WISHES.search(said[1]):
        return list(said)
    first, *rest = said
    fixed = _FIXED.search(first) or _WISHES.search(first) or _REFUSALS.search(first)
    return list(said) if fixed or len(first.split()) > LEADS_UP else [*rest, first]


def _slip_words(text: str, rate: float, rng: Random) -> str:
    """With slips of the keyboard in words that tell nothing exact."""
    if rate <= 0 or _REFUSALS.search(text):
        return text
    fixed = [found.span() for found in _FIXED.finditer(text)]
    words = [found.span() for found in _SLIPPABLE.finditer(text) if not _NO_SLIP.fullmatch(found[0])]
    for start, end in reversed(words):
        if rng.random() < rate * 2 and not any(start < last and first < end for first, last in fixed):
            text = text[:start] + slip(text[start:end], rng) + text[end:]
    return text


def slip(word: str, rng: Random) -> str:
    """A word with one slip of the keyboard, never in its first letter."""
    at = rng.randrange(1, len(word))
    how = rng.randrange(4)
    if how == 0:
        return word[:at] + rng.choice(NEAR[word[at]]) + word[at + 1 :]
    if how == 1:
        return word[:at] + word[at + 1 :]
    if how == 2 and at + 1 < len(word) and word[at] != word[at + 1]:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return word[:at] + word[at] + word[at:]


MANNERS = {
    "length": "You write as people type in a chat: some {few} words a message, {most} at most, often one to three.",
    "greeting": "Your first message is a greeting or a word or two. You say what you want when you are asked.",
    "opening": "Your first message has about {opening} words: what you want, and no details.",
    "facts": "You give one fact a message, the one that is asked for, as bare as can be: just the number or the name.",
    "small": "You do not bother with capital letters.",
    "open_end": "You mostly leave out the mark at the end of a message.",
    "unmarked": "You leave out apostrophes.",
    "typos": "Now and then you make a slip of the keyboard, never in ids, names, numbers or addresses.",
    "polite": "You say please and thanks. You use no dashes, lists or line breaks.",
    "plain": "You rarely say please or thanks. You use no dashes, lists or line breaks.",
    "examples": "For length and tone only, messages of yours about other things: {shown}",
}
"""What a model is told of a person."""
_EXAMPLES = ("Hi, I need to send something back.", "It's the blue one, size 40.", "Yes please, go ahead.")


def _describe(one: Person) -> str:
    has, rng = one.traits, Random(f"{one.seed}/examples")
    lines = ["length", "greeting" if has["opening"] < GREETS else "opening", "facts"]
    lines += [
        name
        for name, least in (("small", 0.3), ("open_end", 0.3), ("unmarked", 0.5), ("typos", 1))
        if has[name] > least
    ]
    lines += ["polite" if has["please"] + has["thanks"] > 0.2 else "plain", "examples"]
    shown = " / ".join(one.type_out(example, rng) for example in _EXAMPLES)
    few, most = max(1, round(has["words"])), max(8, round(has["longest"]))
    return "\n".join(
        MANNERS[line].format(few=few, most=most, opening=round(has["opening"]), shown=shown) for line in lines
    )
