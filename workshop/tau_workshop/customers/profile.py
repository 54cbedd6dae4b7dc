"""Makes ``pytest_tau/users/people.json``, the profile that people are drawn from: of each trait the values at 0, 5, …
100 % of people, and how traits go together.

    python -m tau_workshop.customers.profile PEOPLE.jsonl.gz

A trait is a number that is read off a dialogue of three turns or more. How traits go together is the correlation of
their normal scores (a Gaussian copula), stored as its Cholesky factor, so that a run needs no linear algebra. Only the
half of the dialogues that is not kept back is looked at. Figures enter the file, sentences do not.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import NormalDist, fmean, median
from typing import Any

from pytest_tau.metrics.likeness import FEATURES, features
from pytest_tau.users.people import FILE

from .corpus import Dialogue, dialogues, is_kept_back
from .openings import opening_rates

STEPS = 20  # quantiles at 0, 5, … 100 %
_OFTEN, _LEAST = 40, 4  # a word that stands so often is one, of so many letters


def _having(*words: str) -> re.Pattern[str]:
    return re.compile(r"\b(?:" + "|".join(words) + r")\b", re.IGNORECASE)


_CONTRACTED = _having("i'?m", "i'?d", "i'?ll", "i'?ve", "it'?s", "that'?s", "don'?t", "can'?t", "didn'?t", "what'?s")
SHARES: dict[str, tuple[str, re.Pattern[str]]] = {
    "please": ("turns with a please", _having("please", "pls", "plz")),
    "thanks": ("turns with thanks", _having("thanks?(?: you)?", "thx", "ty", "cheers")),
    "hedges": ("turns with a hedge", _having("maybe", "perhaps", "i think", "i guess", "not sure", "probably",
                                             "kind of", "i believe", "might")),
    "fillers": ("turns with a filler", _having("um+", "uh+", "hm+", "oh", "well", "so", "anyway", "actually", "like")),
    "corrections": ("turns that correct what was said", _having("i mean(?:t)?", "no wait", "sorry,? (?:it'?s|i)",
                                                                "correction", "on second thought", "i was wrong")),
    "impatient": ("turns that press", _having("hurry", "asap", "quick(?:ly)?", "already (?:told|said|gave)", "come on",
                                              "still (?:there|waiting)", "hello\\?", "right now", "how long")),
    "goodbye": ("turns with a goodbye", _having("bye", "good ?bye", "have a (?:good|nice|great)", "see you")),
    "giving_up": ("turns that give up", _having("never ?mind", "forget it", "i give up", "i'?ll (?:try|call) (?:later"
                                                "|again|somewhere)", "don'?t bother")),
}  # fmt: skip
"""Traits that are the share of turns with certain words, and what they mean."""
_GREETING = re.compile(r"^\W*(?:hello|hi+|hey|good (?:morning|afternoon|evening|day)|greetings)\b", re.IGNORECASE)

TRAITS: dict[str, str] = {
    **FEATURES,
    **{name: meaning for name, (meaning, _) in SHARES.items()},
    "greets": "begins with a greeting",
    "unmarked": "contractions without their apostrophe",
    "typos": "words with a slip of the keyboard, a hundred words",
    "asks_back": "questions of the agent that are answered by a question",
    "first": "facts the agent needs that stand in the first turn",
    "asked": "facts that are told in answer to a question, and not before",
    "facts": "facts a turn",
    "seconds": "seconds until the customer's next turn, the median",
}
"""What is read off a dialogue beside the form, and what it means."""


def read_traits(one: Dialogue, words: frozenset[str]) -> tuple[float, ...] | None:
    """The traits of a dialogue in the order of ``TRAITS``; None where it is too short.

    Args:
        one: the dialogue.
        words: in small letters, those that are certainly no slips.
    """
    form = features(one.said)
    if form is None:
        return None
    shares = [fmean(pattern.search(turn) is not None for turn in one.said) for _, pattern in SHARES.values()]
    contracted = [found[0] for turn in one.said for found in _CONTRACTED.finditer(turn)]
    every = [word for turn in one.said for word in re.findall(r"[^\W\d_]+", turn)]
    slips = sum(word.islower() and _is_slip(word, words) for word in every)
    asked = [turn for turn in one.turns if "?" in turn.after]
    first, told_when_asked, told = _facts(one)
    return (
        *form,
        *shares,
        float(_GREETING.search(one.said[0]) is not None),
        fmean("'" not in word for word in contracted) if contracted else 0.0,
        100 * slips / max(1, len(every)),
        fmean("?" in turn.text for turn in asked) if asked else 0.0,
        first,
        told_when_asked,
        told / len(one.said),
        median([turn.seconds for turn in one.turns if turn.seconds is not None] or [0.0]),
    )


def _facts(one: Dialogue) -> tuple[float, float, int]:
    """Of the values that the agent worked with and the customer told: in the first turn, when asked; and how many."""
    places = []
    for value in one.values:
        at = next((at for at, turn in enumerate(one.turns) if value in turn.text.casefold()), None)
        if at is not None:
            places.append(at)
    if not places:
        return 0.0, 0.0, 0
    asked = [at > 0 and "?" in one.turns[at].after for at in places]
    return fmean(at == 0 for at in places), fmean(asked), len(places)


def common_words(all_turns: Iterable[str]) -> frozenset[str]:
    """The words that stand often enough among all that people wrote."""
    count = Counter(word for turn in all_turns for word in re.findall(r"[^\W\d_]+", turn.casefold()))
    return frozenset(word for word, often in count.items() if often >= _OFTEN)


def _is_slip(word: str, words: frozenset[str]) -> bool:
    """Whether a word is none, but a frequent one with a letter left out, doubled, swapped or another in its place."""
    if len(word) < _LEAST or word in words:
        return False
    return any(near in words for near in _one_off(word))


@cache
def _one_off(word: str) -> frozenset[str]:
    letters = "abcdefghijklmnopqrstuvwxyz"
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    swapped = {a + b[1] + b[0] + b[2:] for a, b in splits if len(b) > 1}
    without = {a + b[1:] for a, b in splits if b and a.endswith(b[0])}  # a plural is none
    other = {a + c + b[1:] for a, b in splits if b and a for c in letters}
    more = {a + c + b for a, b in splits if a for c in letters if b}
    return frozenset(swapped | without | other | more) - {word}


def percentiles(values: Sequence[float], steps: int) -> list[float]:
    """The values at 0 … 100 %, in so many steps."""
    ranked = sorted(values)
    return [round(float(ranked[round(at * (len(ranked) - 1) / steps)]), 3) for at in range(steps + 1)]


def mixing(columns: Sequence[Sequence[float]]) -> list[list[float]]:
    """The Cholesky factor of the correlation of the columns' normal scores, a row for each."""
    import numpy as np

    normal = NormalDist()
    rows = []
    for column in columns:
        ranks = np.argsort(np.argsort(np.array(column) + np.random.default_rng(1).uniform(0, 1e-6, len(column))))
        rows.append([normal.inv_cdf((rank + 0.5) / len(column)) for rank in ranks])
    # A little of the unit matrix keeps it positive where traits say nearly the same.
    factor = np.linalg.cholesky(0.98 * np.corrcoef(rows) + 0.02 * np.eye(len(rows)))
    return [[round(float(x), 3) for x in row[: place + 1]] for place, row in enumerate(factor)]


def profile(found: Sequence[Sequence[float]], openings: Iterable[str]) -> Mapping[str, Any]:
    """What the file says, of the traits and the first turns of dialogues."""
    columns = list(zip(*found, strict=True))
    return {
        "number": len(found),
        "quantiles": {name: percentiles(column, STEPS) for name, column in zip(TRAITS, columns, strict=True)},
        "mixing": mixing(columns),
        "openings": opening_rates(openings),
    }


def main() -> None:
    """Write the file and print the profile as the table of docs/customers.md."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("people", type=Path)
    every = [one for one in dialogues(parser.parse_args().people) if not is_kept_back(one.id)]
    words = common_words(turn for one in every for turn in one.said)
    read = [(one, traits) for one in every if (traits := read_traits(one, words)) is not None]
    figures = profile([traits for _, traits in read], (one.said[0] for one, _ in read))
    FILE.write_text(json.dumps(figures).replace("], ", "],\n") + "\n", encoding="utf-8")
    print(f"{FILE}: {figures['number']} dialogues of people")
    _print_table(figures["quantiles"], read)


def _print_table(quantiles: Mapping[str, Sequence[float]], read: Sequence[tuple[Dialogue, Sequence[float]]]) -> None:
    by_domain: dict[str, list[Sequence[float]]] = {}
    for one, traits in read:
        if len(one.domains) == 1:
            by_domain.setdefault(one.domains[0], []).append(traits)
    domains = sorted(name for name, found in by_domain.items() if len(found) >= 50)
    at: Callable[[Sequence[float], int], float] = lambda values, share: values[share * STEPS // 100]  # noqa: E731
    for place, (name, meaning) in enumerate(TRAITS.items()):
        values = quantiles[name]
        mean = fmean(traits[place] for _, traits in read)
        each = {domain: fmean(traits[place] for traits in by_domain[domain]) for domain in domains}
        low, high = min(each, key=each.__getitem__), max(each, key=each.__getitem__)
        print(
            f"| {meaning} | {mean:.2f} | {at(values, 50):g} | {at(values, 25):g}–{at(values, 75):g} "
            f"| {each[low]:.2f} ({low}) – {each[high]:.2f} ({high}) |"
        )


if __name__ == "__main__":
    main()
