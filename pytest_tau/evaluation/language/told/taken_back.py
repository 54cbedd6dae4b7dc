"""Refusals that the agent takes back: it turned something down, the customer insisted, and the agent did it.

Either the refusal was wrong or the deed was. No rule can tell which, so it is unclear. Not meant are refusals that wait
for something ("not without your zip code"), that find nothing, or that are about another record or action than all that
was done later. "You're right, that's the other order" takes nothing back: the agent may agree to what was news to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from ....environment.environment import Environment
from ....patterns import lazy
from ....schema.messages import AnyMessage
from ....schema.transcript import calls_done, lines_of
from ..actions import spoken_of
from ..narration import refuses
from ..spoken import spoken_call
from ..text import own_words, sentences
from .deeds import Claim

_TAKES_BACK = lazy(
    r"\b(?:(?:you(?:'re| are)|(?:your )?[a-z]+ is) (?:[a-z]+ )?right"
    r"(?=\W*$|\W+(?:and )?i(?:'m| am| was(?= not)| have to)\b)"
    r"|(?:i (?:was|had|gave you|told you)|that was)(?: [a-z]+)? (?:wrong|mistaken|incorrect)\b"
    r"|i (?:got|had) (?:that|it|this) wrong|my (?:mistake|error)\b|correct myself|stand corrected"
    r"|(?:i apologi[sz]e|my apologies)\b(?! (?:again )?(?:that|if|for (?:the|any|your|not)) ))"
    r"|^(?!.*(?:\bnot\b|n't\b)).*\bafter all\b",
    re.IGNORECASE,
)
_MISHEARD = lazy(r"\bmis(?:underst|heard)", re.IGNORECASE)
_NO_VERDICT = lazy(
    r"\b(?:without|unless|until|before|once|if) (?:i|you|we|your)\b|\bwithout (?:the|an?)\b"
    r"|(?:not|n't|unable to|not able to) (?:find|locate|see|look|verify|identify|access|tell)\b"
    r"|\b(?:some|any)(?:body|one) (?:else|but)\b",
    re.IGNORECASE,
)
_ANY_ACTION = lazy(r"\b(?:do|help|possible|allowed|permitted|covered|eligible)\b", re.IGNORECASE)


def refusals_taken_back(messages: Sequence[AnyMessage], env: Environment) -> Iterator[Claim]:
    """The refusals that the agent's next line takes back, where a change was made after it."""
    refused, refused_at, answered = "", -1, False
    for line in lines_of(messages):
        if not line.by_agent:
            answered = True
        elif not line.calls:
            if refused and answered and _takes_back(line.text) and _done_after(refused, line.turn, messages, env):
                yield Claim(refused_at, refused, "the agent takes it back and does it")
            refused, refused_at, answered = _refusal_in(line.text), line.turn, False


def _done_after(refused: str, turn: int, messages: Sequence[AnyMessage], env: Environment) -> bool:
    """Whether something was changed after a turn that a refusal may have been about."""
    for at, call, _ in calls_done(messages):
        if at > turn and env.writes(call.name, call.requestor):
            spoken = spoken_call(call, messages[:at], env)
            verbs = spoken_of((*spoken.verbs, *spoken.told, *spoken.follows))
            about = verbs.search(refused) or (_ANY_ACTION.search(refused) and not spoken.other_action(refused))
            if about and (spoken.subject.keys_in(refused) or not spoken.subject.others_in(refused)):
                return True
    return False


@lru_cache(maxsize=4096)
def _refusal_in(text: str) -> str:
    """The last sentence of a message that turns something down; "" if none does."""
    said = (one for one in reversed(sentences(own_words(text))) if "?" not in one)
    return next((one for one in said if refuses(one) and not _NO_VERDICT.search(one)), "")


@lru_cache(maxsize=4096)
def _takes_back(text: str) -> bool:
    """Whether a line takes back what was said before it, and does not go on to refuse: "You're right, but …"."""
    said = [*sentences(text), ""]
    return any(
        "?" not in one and _TAKES_BACK.search(one) and not any(map(refuses, (one, after))) and not _MISHEARD.search(one)
        for one, after in pairwise(said)
    )
