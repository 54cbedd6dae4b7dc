"""Can openings be told from people's? Writes sheets for a blind reader, and trains one that counts words.

    python -m tau_workshop.customers.reader PEOPLE.jsonl.gz FOLDER

A sheet has 60 openings in random order, half of people and half of `scripted:people`, both from what is kept back; the
keys are in ``key.json``. On masked sheets every word that tells of the matter is hidden: all but closed classes of
words. The trained reader is a ridge classifier over one to three words in a row. Its bar is how well it tells people
who write of some matters from people who write of others: so much is not the writer's doing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from pytest_tau import load_domain, load_tasks
from pytest_tau.environment.gists import gists_of, wish_of
from pytest_tau.metrics.likeness import auc
from pytest_tau.schema.scenario import Instructions
from pytest_tau.users.people import draw_person

from .__main__ import SUITES
from .corpus import Dialogue, dialogues, is_kept_back

HALF, SHEETS, SEED = 30, 3, 500
LONG_ENOUGH = 3  # turns
_WORD = re.compile(r"[A-Za-z][A-Za-z'’]*")
_KEPT = frozenset(
    """a an the this that these those some any every all my your our his her its their me you us him them it i we he
    she they who what which where when why how there here of in on at to from for with by about as into onto up down
    out off over under after before until since and or but so because if than then not no don't doesn't can't won't
    isn't didn't am is are was were be been being have has had do does did will would can could should might must
    i'd i'm i've i'll it's that's what's there's hi hello hey please thanks thank help need want like name sorry ok
    okay yes just too also very really now more other""".split()  # noqa: SIM905
)
MATTERS = (
    (frozenset({"bank", "spaceship", "trip"}), frozenset({"hotel", "restaurant", "party", "doctor", "apartment"})),
    (frozenset({"plane", "ride", "trip"}), frozenset({"bank", "doctor", "party", "restaurant"})),
    (frozenset({"bank"}), frozenset({"plane", "hotel"})),
)
"""Domains of people that are told from each other."""


def masked(text: str) -> str:
    """A text in which words and numbers of the matter are hidden."""
    text = re.sub(r"\S*[@#$€£\d]\S*?(?=[.,!?]?(?:\s|$))", "__", text)
    text = _WORD.sub(lambda found: found[0] if found[0].lower().replace("’", "'") in _KEPT else "__", text)
    return re.sub(r"__(?:[ '/-]*__)*", "__", text)


def of_ours(seed: int, *, kept: bool, suites: Sequence[str] = SUITES) -> list[str]:
    """An opening of a drawn person for each task."""
    found: list[str] = []
    for suite in suites:
        folder = load_domain(suite).folder
        for task in load_tasks(suite):
            told = task.user_scenario.instructions
            if isinstance(told, Instructions) and is_kept_back(task.id) is kept:
                person = draw_person(seed * 100_003 + len(found))
                gists = gists_of(folder, wish_of(task))
                found.append(person.parts(told.reason_for_call, [told.known_info or ""], gists)[0])
    return found


def _grams(text: str) -> Counter[str]:
    words = ["^", *re.findall(r"\w+(?:'\w+)?|[^\w\s]", text), "$"]
    return Counter(" ".join(words[at : at + size]) for size in (1, 2, 3) for at in range(len(words) - size + 1))


def reads(trained: tuple[list[str], list[str]], tested: tuple[list[str], list[str]]) -> tuple[float, float]:
    """How well a reader who has seen some texts of two kinds tells others: AUC, and the share that is told rightly.

    They know that each kind is half of what they read.
    """
    import numpy as np

    counted = [[_grams(text) for text in kind] for kind in trained]
    often = Counter(gram for kind in counted for one in kind for gram in one)
    places = {gram: place for place, gram in enumerate(gram for gram, times in often.items() if times >= 4)}

    def table(texts: Sequence[Counter[str]]) -> np.ndarray:
        made = np.zeros((len(texts), len(places) + 1), dtype=np.float32)
        for row, grams in zip(made, texts, strict=True):
            for gram, times in grams.items():
                if gram in places:
                    row[places[gram]] = 1 + np.log(times)
            row /= max(1e-9, float(np.linalg.norm(row)))
            row[-1] = 1
        return made

    known = table([*counted[0], *counted[1]])
    sides = np.array([-1.0] * len(counted[0]) + [1.0] * len(counted[1]))
    weights = known.T @ np.linalg.solve(known @ known.T + 0.5 * np.eye(len(known)), sides)
    first, second = (table([_grams(text) for text in kind]) @ weights for kind in tested)
    middle = np.median([*first, *second])
    right = [*(first < middle), *(second > middle), *([0.5] * int(sum(one == middle for one in (*first, *second))))]
    return auc(list(second), list(first)), float(sum(right)) / (len(first) + len(second))


def _halves(people: Sequence[Dialogue], *, domains: frozenset[str], only: bool, kept: bool) -> list[str]:
    """The openings of people who write of these domains, and of nothing else where ``only``."""
    found = [one for one in people if is_kept_back(one.id) is kept]
    if domains:
        found = [one for one in found if (domains >= {*one.domains} if only else domains & {*one.domains})]
    return [one.said[0].strip() for one in found if one.domains or not only]


def main() -> None:
    """Write the sheets and print how well the trained reader does."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("people", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    people = [one for one in dialogues(given.people) if len(one.said) >= LONG_ENOUGH]
    nothing: frozenset[str] = frozenset()
    comparisons = [("all suites", nothing, SUITES), ("flights", frozenset({"plane"}), ("airline",))]
    given.folder.mkdir(parents=True, exist_ok=True)
    keys = {}
    for name, domains, suites in comparisons:
        theirs = {kept: _halves(people, domains=domains, only=False, kept=kept) for kept in (False, True)}
        ours = {kept: [text for seed in range(4) for text in of_ours(seed, kept=kept, suites=suites)]
                for kept in (False, True)}  # fmt: skip
        for hides in (True, False):
            shown: Callable[[str], str] = masked if hides else str
            kinds = [_balanced(theirs[kept], ours[kept], shown) for kept in (False, True)]
            found = reads(*kinds)
            how = "masked" if hides else "as they are"
            print(f"{name}, {how}: AUC {found[0]:.3f}, {found[1]:.1%} right on twice {len(kinds[1][0])}")
            for sheet in range(1, SHEETS + 1):
                stem = f"{name} {how} {sheet}".replace(" ", "_")
                fresh = of_ours(SEED + sheet + SHEETS * hides, kept=True, suites=suites)
                keys[stem] = write_sheet(given.folder / f"{stem}.txt", theirs[True], fresh, shown)
    (given.folder / "key.json").write_text(json.dumps(keys, indent=0) + "\n", encoding="utf-8")
    for one, other in MATTERS:
        for shown in (masked, str):
            sides = [[_halves(people, domains=side, only=True, kept=kept) for side in (one, other)]
                     for kept in (False, True)]  # fmt: skip
            kinds = [_balanced(side[0], side[1], shown) for side in sides]
            found = reads(*kinds)
            names = f"people on {', '.join(sorted(one))} and on {', '.join(sorted(other))}"
            how = "masked" if shown is masked else "as they are"
            print(f"{names}, {how}: AUC {found[0]:.3f}, {found[1]:.1%} right on twice {len(kinds[1][0])}")


def _balanced(one: Sequence[str], other: Sequence[str], shown: Callable[[str], str]) -> tuple[list[str], list[str]]:
    """As many of either."""
    rng, number = random.Random(SEED), min(len(one), len(other))
    return [shown(text) for text in rng.sample(one, number)], [shown(text) for text in rng.sample(other, number)]


def write_sheet(path: Path, theirs: Sequence[str], ours: Sequence[str], shown: Callable[[str], str]) -> dict[int, str]:
    """Write 60 openings in random order; returns whose each is, by its number."""
    rng = random.Random(path.stem)
    drawn = [(text, "people") for text in rng.sample(theirs, HALF)] + [
        (text, "ours") for text in rng.sample(ours, HALF)
    ]
    rng.shuffle(drawn)
    head = f"First messages of customers to service desks. {HALF} are people's, {HALF} a program's: which?\n"
    lines = [f"{number:2}. {shown(text)}" for number, (text, _) in enumerate(drawn, start=1)]
    path.write_text("\n".join([head, *lines, ""]), encoding="utf-8")
    return {number: who for number, (_, who) in enumerate(drawn, start=1)}


if __name__ == "__main__":
    main()
