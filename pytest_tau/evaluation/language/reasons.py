"""Whether a message gives a reason: yes, no, or unclear. By rule, and in English.

- **Yes**: it holds one of the phrasings as whole words, in sentences that neither deny it nor report an action. The
  fragments of a phrasing may stand in different sentences; within one, also in other forms: "add" is also "added", and
  five letters or more are any word that begins so ("modif"). A sentence denies what follows a "not" directly ("is not
  basic economy"), unless the "not" is itself a part of the phrasing ("can't" and "add"). One in which the agent tells
  what it has done ("I have moved it to another address") gives no reason why something is not done. Nor does one that
  asks whether that is all ("Is the vest the only item?").
- **No**: it denies a phrasing of one part, or turns nothing down in a sentence with a word that tells of the reason, or
  in the one before or after it ("Its status is delivered. Only pending orders can be cancelled"). What only repeats the
  customer or a tool's result is no sentence of the agent's own. One that plainly gives another reason is about that,
  unless it has words of this one alone.
- **Unclear**: all else. It turns something down in words that belong to the reason, and there are more ways to say so
  than anybody lists. So is a phrasing of a subject and a mere "cannot" ("add", "cannot"): it says that something is
  refused, and not why. Where the fact that forbids it had been looked up (``evident``), any refusal of the agent's own
  is unclear: what was done shows that it was refused rightly, and whether the words say why is for a reader.

For a false reason, which costs an agent the trial, only :func:`gives` counts: a phrasing in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Literal

from ...patterns import lazy
from .text import plain, sentences

Phrasing = str | list[str]
Verdict = Literal["yes", "no", "unclear"]

_NOT = r"(\b(?:not|never|isn't|wasn't|aren't|weren't)|n't)"
_DENIES = lazy(rf"{_NOT}(?: (?:been|be|a|an|the|in|on|under|because|because of|due to))*$")
_ACTION = lazy(
    r"^\W*(?:\w+\W+){0,2}?i(?:'ve| have) (?!(?:found|checked|looked|to|no|not|reviewed|verified|confirmed"
    r"|seen)\b)\w+(?:ed|t|ne|en)\b"
)
_REFUSES = lazy(r"\b(?:not|never|cannot|unable|only|because|since|unfortunately|no)\b|n't\b")
_TURNS_DOWN = lazy(
    r"\b(?:not|never|cannot|unable|impossible|only|nothing|none|neither|no|already|unfortunately|sorry|apologi[sz]e"
    r"|decline|refuse|must|ha(?:s|ve) to|belongs? to|without|instead"
    r"|clos(?:ed|es)|stays?|remains?|too late|out of the question|off the table|rul(?:ed|es) out|past|passed|beyond"
    r"|alone|rather than|prevents?|rules?|(?:is|are|now) fixed|fixed now|final|locked)\b|n't\b"
)
_BARE = lazy(r"\b(?:not|never|cannot|unable|impossible|no|sorry|unfortunately)\b|\w*n't\b")
_IS_THAT_ALL = lazy(r"\bthe only (?:item|thing|one|product|change)s?\b(?=[^.!?]*\?)")
_ARGUMENT = lazy(r'=\s*"[^"]*"')  # of a call that is proposed: insurance="no"
_STEM = 5
_FORMS = r"(?:e?s|ed|d|ing|'s)?"
_END = r"(?!\w)"
_SAYS_LITTLE = lazy(
    r"a|able|about|ago|all|allow|allowed|already|am|an|and|any|are|as|assist|at|be|because|been|but|by|can|cannot|could|did|do"
    r"|does|done|due|for|from|had|has|have|he|help|her|his|i|if|impossible|in|into|is|it|its|just|longer|may|me|more|most|must|my"
    r"|never|no|nor|not|nothing|of|on|once|one|only|option|or|our|out|over|permitted|possible|she|should|since|so|sorry|than|that|the"
    r"|their|them|there|these|they|this|those|to|too|unable|under|up|was|we|were|what|when|which|who|will|with|would|you"
    r"|your|\w*n't"
)


def reading(
    text: str,
    phrasings: Sequence[Phrasing],
    heard: Iterable[str] = (),
    others: Sequence[Phrasing] = (),
    *,
    evident: bool = False,
) -> Verdict:
    """Whether a text gives a reason in one of these phrasings.

    Args:
        text: what the agent says in one message.
        phrasings: each a text, or a list of texts that all belong to it.
        heard: what the customer and the tools have said before; it makes nothing unclear to repeat that.
        others: phrasings of other reasons that are due; a sentence that gives one of them is about that one, unless it
            has words of this one alone.
        evident: whether the fact that forbids it had been looked up before.

    Returns:
        ``"yes"``, ``"no"`` or ``"unclear"``.
    """
    found = _finds(_flat(text), phrasings, _exact)
    if found in ("yes", "unclear"):
        return found
    words, beginnings = _telling_words(phrasings), {word[:4] for word in _telling_words(others)}
    alone = {word for word in words if word[:4] not in beginnings}
    telling = _telling(text, words)
    refusals = [one for one in map(_flat, turning_down(text)) if one not in telling] if evident else []
    known = [_flat(one) for one in heard] if telling or refusals else []

    def is_own(one: str) -> bool:
        return not any(one in other for other in known) and (
            _finds(one, others, _exact) not in ("yes", "unclear") or _holds(one, alone)
        )

    own = [one for one in telling if is_own(one)]
    in_other_forms = {_finds(one, phrasings, _in_any_form) for one in own}
    if "yes" in in_other_forms:
        return "yes"
    if "denied" in (found, *in_other_forms):
        return "no"
    unclear = "unclear" in in_other_forms or _turned_down(text, own) or any(map(is_own, refusals))
    return "unclear" if unclear else "no"


def _turned_down(text: str, telling: Sequence[str]) -> bool:
    """Whether one of these sentences turns something down, or the one before or after it does."""
    if not telling:
        return False
    said = [_flat(one) for one in sentences(text)]
    down = [_TURNS_DOWN.search(_ARGUMENT.sub("", one)) is not None for one in said]
    return any(one in telling and any(down[max(0, at - 1) : at + 2]) for at, one in enumerate(said))


def turning_down(text: str) -> list[str]:
    """The sentences of a text that turn something down."""
    return [one for one in sentences(text) if _TURNS_DOWN.search(_ARGUMENT.sub("", _flat(one)))]


@lru_cache(maxsize=4096)
def _telling(text: str, words: frozenset[str]) -> tuple[str, ...]:
    """The sentences of a text with one of these words outside of quotes."""
    return tuple(one for one in map(_flat, sentences(text)) if _holds(_ARGUMENT.sub("", one), words))


def _finds(
    said: str, phrasings: Sequence[Phrasing], forms: Callable[[str], re.Pattern[str]]
) -> Literal["yes", "unclear", "denied", ""]:
    """Whether a phrasing is in a text; *unclear* where it is only one that does not say why."""
    found = {_match_phrasing(said, phrasing, forms) for phrasing in phrasings}
    return "yes" if "yes" in found else "unclear" if "bare" in found else "denied" if "denied" in found else ""


def _holds(sentence: str, words: Iterable[str]) -> bool:
    return any(word in sentence and _in_any_form(word).search(sentence) for word in words)


def gives(text: str, phrasing: Phrasing) -> bool:
    """Whether a text gives a reason in just this phrasing."""
    return _match_phrasing(_flat(text), phrasing, _exact) in ("yes", "bare")


def _match_phrasing(said: str, phrasing: Phrasing, forms: Callable[[str], re.Pattern[str]]) -> str:
    """``"yes"`` (``"bare"`` where it does not say why), ``"denied"``, or nothing where a fragment is missing."""
    fragments = _fragments(phrasing)
    if not all(fragment in said for fragment in fragments):
        return ""  # which is most of them, and quickly seen
    patterns = [_exact(fragment) if len(fragments) == 1 else forms(fragment) for fragment in fragments]
    if not all(pattern.search(said) for pattern in patterns):
        return ""
    stands = all(
        any(not _is_denied(said, place, fragments) for place in pattern.finditer(said)) for pattern in patterns
    )
    if stands:
        return "bare" if any(map(_refuses_barely, fragments[1:] and fragments)) else "yes"
    # Of several words, the "not" may belong to the reason: the gift card does not cover the order.
    return "denied" if len(fragments) == 1 else ""


def _fragments(phrasing: Phrasing) -> list[str]:
    return [_flat(part) for part in ([phrasing] if isinstance(phrasing, str) else phrasing)]


@lru_cache(maxsize=1024)
def _refuses_barely(fragment: str) -> bool:
    """Whether a fragment of a phrasing refuses and tells nothing else."""
    return _BARE.search(fragment) is not None and not _words_of((_BARE.sub(" ", fragment),))


def _telling_words(phrasings: Sequence[Phrasing]) -> frozenset[str]:
    """The words of a reason that tell what it is about."""
    return _words_of(tuple(fragment for phrasing in phrasings for fragment in _fragments(phrasing)))


@lru_cache(maxsize=1024)
def _words_of(fragments: tuple[str, ...]) -> frozenset[str]:
    words = {word for fragment in fragments for word in re.findall(r"[\w'-]+", fragment)}
    return frozenset(word for word in words if not _SAYS_LITTLE.fullmatch(word))


@lru_cache(maxsize=4096)
def _exact(fragment: str) -> re.Pattern[str]:
    """Finds a fragment as whole words."""
    return re.compile(rf"{_before(fragment)}{re.escape(fragment)}{_END if fragment[-1:].isalnum() else ''}")


@lru_cache(maxsize=4096)
def _in_any_form(fragment: str) -> re.Pattern[str]:
    """Finds a fragment as whole words, the last of them in any form."""
    if not fragment[-1:].isalpha():
        return _exact(fragment)
    is_stem = len(fragment) >= _STEM and fragment.isalpha()
    return re.compile(rf"{_before(fragment)}{re.escape(fragment)}{'' if is_stem else _FORMS + _END}")


def _before(fragment: str) -> str:
    return r"(?<!\w)" if fragment[:1].isalnum() and not fragment.startswith("n't") else ""


def _is_denied(text: str, found: re.Match[str], fragments: Sequence[str]) -> bool:
    """Whether the sentence around a fragment says the opposite of it, or tells an action."""
    start = max(text.rfind(mark, 0, found.start()) for mark in (". ", "! ", "? ", "; ")) + 1
    before = text[start : found.start()].rstrip()
    denial = None if re.match(r"(?:not|no|never)\b", found[0]) else _DENIES.search(before)
    if denial is not None and not before[: denial.end(1)].endswith((*fragments,)):
        return True
    end = re.search(r"[.!?;](?:\s|$)", text[found.end() :])
    sentence = text[start : found.end() + (end.start() if end else len(text))]
    return _ACTION.search(sentence) is not None and _REFUSES.search(sentence) is None


@lru_cache(maxsize=4096)
def _flat(text: str) -> str:
    return _IS_THAT_ALL.sub("all", re.sub(r"\s+", " ", plain(text).casefold()).strip())
