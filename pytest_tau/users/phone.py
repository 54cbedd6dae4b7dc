"""A customer on the telephone: spells an id when asked to, and says whether one that is read back is right."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..patterns import lazy
from .spelling import best_match, distance, ids_in, normal, sounds, spell

_AGAIN = lazy(
    r"\b(?:spell|repeat|letter by letter|digit by digit|(?:say|tell me) (?:that|it) again|once more)\b"
    r"|\bdid(?:n't| not) (?:catch|get|hear|understand)\b",
    re.IGNORECASE,
)
_READ_BACK = lazy(
    r"\b(?:is|was) (?:that|this|it) (?:right|correct|your)\b|\b(?:have|got|get) (?:that|it|you) (?:right|correctly)\b"
    r"|\bdid you say\b|\b(?:right|correct)\?",
    re.IGNORECASE,
)
_KINDS = (
    (lazy(r"e-?mail", re.IGNORECASE), lazy(r"@")),
    (lazy(r"\b(?:user|customer|account) (?:id|name)", re.IGNORECASE), lazy(r"_")),
    (lazy(r"\bphone\b", re.IGNORECASE), lazy(r"\d-\d")),
    (lazy(r"\bzip|postal\b", re.IGNORECASE), lazy(r"^\d{5}$")),
    (lazy(r"\border\b", re.IGNORECASE), lazy(r"^#")),
)
_NEAR = 3  # letters
_MEANT = 0.5  # of an id's letters, as many may be others where it is read back
_LEADS = ("it is", "again,", "once more,", "slowly now,", "listen,", "I say it again,")


class OnThePhone:
    """What a customer whose words are transcribed answers about ids.

    Args:
        texts: all that the scenario lets them say.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._times = 0
        self._ids = list(dict.fromkeys(one for text in texts for one in ids_in(text)))

    def answer(self, text: str) -> str | None:
        """The answer to an agent's line; None where it is about no id."""
        if not self._ids:
            return None
        if _READ_BACK.search(text) and (answer := self._check(text)):
            return answer
        if _AGAIN.search(text):
            lead = self._lead()
            return f"{lead[0].upper()}{lead[1:]} {'. And '.join(map(spell, self._meant(text)))}."
        return None

    def _check(self, text: str) -> str | None:
        """Whether what is read back is right; None where it is nothing of theirs."""
        heard = "".join(sounds(text))
        if any(normal(one) in heard for one in self._ids):
            return "Yes, that is right."
        heard_as = ((one, best_match(one, text, _NEAR, self._ids)) for one in self._ids)
        far = [(distance(normal(one), said) / len(said), one) for one, said in heard_as if said is not None]
        near = min(far, default=(1.0, ""))  # of a short id most letters may be others
        return f"No, {self._lead()} {spell(near[1])}." if near[0] <= _MEANT else None

    def _lead(self) -> str:
        """How an id begins that is said once more; never twice in a row the same, as people have it."""
        self._times += 1
        return _LEADS[(self._times - 1) % len(_LEADS)]

    def _meant(self, text: str) -> list[str]:
        """The ids that are asked for, or all there are."""
        kinds = [told for asked, told in _KINDS if asked.search(text)]
        return [one for one in self._ids if any(told.search(one) for told in kinds)] or self._ids[:2]
