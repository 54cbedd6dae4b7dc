"""What the agent says an option is like, beside the option that its price or id shows: "oak, single motor, $443.56".

Where the words beside a price name one trait of that option rightly, and for another trait only what other options of
the list have, they may be about two things, or wrong: that is unclear. So is a trait that nothing shown has, and other
records of the world have: "the mechanical one" of a watch that is quartz.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from ....environment.environment import Environment
from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import readable
from ..terms.money import money_in
from ..text import own_words, plain, sentences
from .deeds import Claim
from .options import Option, Options, lists_of, named_in

_WHY = "what has that price or id is otherwise"
_FEWEST = 3  # options of a list whose traits tell them apart
_SHORTEST = 4  # letters of a trait: "S" and "no" are said of other things as well
_BETWEEN = lazy(
    r"[|;→]|[-=]>|, and |\b(?:to|into|from|instead of|rather than|than|while|unlike|compared|besides|yours?|current\w*"
    r"|for (?=the|an?\b|your))\b",
    re.IGNORECASE,
)
_OPEN_LEFT = lazy(
    r"\?|\b(?:not|no|none|never|without|cannot|if|whether|either|or|any|all|both|unavailable|sold out)\b|n't\b",
    re.IGNORECASE,
)


def mixed_traits(messages: Sequence[AnyMessage], env: Environment) -> Iterator[Claim]:
    """The parts of lines that name an option with a trait of another one."""
    for turn, message in enumerate(messages):
        if message.role != "assistant" or message.tool_calls or not (text := message.text):
            continue
        if (parts := _priced_parts(text)) and (lists := lists_of(messages[:turn])):
            shown = [readable(one.content or "") for one in messages[:turn] if one.role == "tool"]
            yield from (Claim(turn, part, _WHY) for part in parts if _mixes(part, lists, shown, env))


@lru_cache(maxsize=4096)
def _priced_parts(text: str) -> tuple[str, ...]:
    """The parts of a message that tell a price, each of one thing."""
    if "$" not in text:  # in no time
        return ()
    lines = (one for line in plain(own_words(text)).split("\n") for one in sentences(line))
    parts = (part.strip() for one in lines for part in _BETWEEN.split(one))
    return tuple(part for part in parts if money_in(part) and not _OPEN_LEFT.search(part))


def _mixes(part: str, lists: Sequence[Options], shown: Sequence[str], env: Environment) -> bool:
    """Whether a part is about one option, names a trait of it, and another trait as only others have it."""
    held = {one.key: (one, options) for options in lists for one in named_in(part, options)}
    if len(held) != 1:
        return False
    ((option, options),) = held.values()
    own = dict(option.traits)
    told = [name for name, value in own.items() if _says(value, part)]
    if not told:
        return False
    known = env.domain.base.texts_of_fields
    return any(_says_another(name, option, options, shown, known, part) for name in own if name not in told)


def _says_another(
    name: str, option: Option, options: Options, shown: Sequence[str], known: Mapping[str, frozenset[str]], part: str
) -> bool:
    """Whether a part has a text that this field has in other options of the list, or only in what was never shown."""
    listed = {dict(one.traits).get(name, "") for one in options} if len(options) >= _FEWEST else set[str]()
    return any(
        len(one) >= _SHORTEST
        and not one.isdigit()
        and _says(one, part)
        and not _is_part_of(one, option)
        and (one in listed or not any(_says(one, result) for result in shown))
        for one in known.get(name, frozenset()) | listed
    )


def _is_part_of(value: str, option: Option) -> bool:
    """Whether the option says it itself, in another trait perhaps: "Ice Cream Maker"."""
    return any(_says(value, own) for _, own in option.traits)


def _says(value: str, text: str) -> bool:
    said, word = text.casefold(), value.casefold()
    return word in said and re.search(rf"(?<![\w.]){re.escape(word)}(?![\w.])", said) is not None
