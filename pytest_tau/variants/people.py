"""Kinds that change who the customer is: another name, another dialect, a person who writes as people do. What they
want stays.

``identity`` is a counterfactual: the customer gets a name of another origin, with the e-mail address and the customer
id that go with it, in the scenario, in the database and in the gold path alike. Each origin is a group, and each task
is played under all of them, so that groups are compared on the same tasks. Whose name it is, is looked up in the
database: the one record with a name that the scenario or the gold path points at. Where none or several do, the kind
does not apply. The record under the old id stays in the database; nothing points at it any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from ..environment.attachments import each_picture
from ..environment.customer_side import codes_of
from ..environment.domain import Domain
from ..schema.messages import Attachment
from ..schema.task import InitializationData, InitialState, Task
from ..users.pieces import sentences
from .kinds import Dose, Kind
from .names import ORIGINS
from .texts import Part, exact_values, free_words, is_in_english, retold

_PAIRS = (
    ("woman", "man"), ("mother", "father"), ("lady", "gentleman"), ("widow", "widower"), ("girl", "boy"),
    ("grandmother", "grandfather"), ("mum", "dad"), ("mom", "dad"),
)  # fmt: skip
_WORDS = "|".join(word for pair in _PAIRS for word in pair)
_SELF = re.compile(
    rf"\b(?P<who>(?:[Ii](?: am|'m)|[Yy]ou(?: are|'re)|[Aa]s) (?:an? )(?:\w+ ){{0,2}}?)(?P<word>{_WORDS})\b"
)
_TITLE = re.compile(r"\b(?:Mr|Mrs|Ms|Miss)\b\.?(?= [A-Z])")


@dataclass(frozen=True)
class _Customer:
    """A customer's record: where it stands, and what names them."""

    table: str
    key: str
    first: str
    last: str
    email: str | None


def customer(task: Task, domain: Domain) -> _Customer | None:
    """The record of the customer of a task; None where none or several could be it."""
    memo = domain.memo
    if (known := memo.get(("person", task.id))) is None or known[0] is not task:
        known = memo["person", task.id] = (task, _find_customer(task, domain))
    person: _Customer | None = known[1]
    return person


def _find_customer(task: Task, domain: Domain) -> _Customer | None:
    scenario = task.user_scenario.render() + (task.ticket or "")
    gold = repr([action.arguments for action in task.gold_actions])
    found: dict[int, list[_Customer]] = {}
    for person in _people(domain):
        if (points := _points(person, scenario, gold)) > 0:
            found.setdefault(points, []).append(person)
    best = found[max(found)] if found else []
    return best[0] if len(best) == 1 else None


def _points(person: _Customer, scenario: str, gold: str) -> int:
    """How strongly a task points at somebody: by its scenario before its gold path, by an id before a name."""
    named = f"{person.first} {person.last}"
    by_scenario = (person.key in scenario) or (person.email is not None and person.email in scenario)
    return 4 * by_scenario + 2 * (named in scenario) + (f"'{person.key}'" in gold)


def _people(domain: Domain) -> list[_Customer]:
    memo = domain.memo
    if "people" not in memo:
        memo["people"] = [
            person
            for name, table in domain.base.tables.items()
            for key, record in table.raw.items()
            if (person := _read_person(name, str(key), record)) is not None
        ]
    people: list[_Customer] = memo["people"]
    return people


def _read_person(table: str, key: str, record: Any) -> _Customer | None:
    if not isinstance(record, Mapping) or "email" not in record:
        return None
    name = record.get("name", record.get("full_name"))
    if isinstance(name, Mapping):
        first, last = name.get("first_name"), name.get("last_name")
    else:
        first, _, last = str(name or "").partition(" ")
    if not (isinstance(first, str) and isinstance(last, str) and first and last):
        return None
    return _Customer(table, key, first, last, str(record["email"]))


class _Renaming:
    """The old strings that name a person, and what stands in their place."""

    def __init__(self, old: _Customer, first: str, last: str) -> None:
        self.old = old
        self.key = _rename_id(old.key, old, first, last)
        email = old.email and _rename_id(old.email, old, first, last)
        whole = {old.key: self.key, **({old.email: email} if old.email and email else {})}
        whole |= codes_of(old.key, self.key)
        self._whole = {before: after for before, after in whole.items() if before != after}
        self._names = {f"{old.first} {old.last}": f"{first} {last}", old.first: first, old.last: last}
        words = sorted([*self._whole, *self._names], key=len, reverse=True)
        self._pattern = re.compile(r"(?<![\w@])(?:" + "|".join(map(re.escape, words)) + r")(?![\w@])")

    def text(self, text: str) -> str:
        """A text with the new name."""
        return self._pattern.sub(lambda found: {**self._whole, **self._names}[found[0]], text)

    def value(self, value: Any) -> Any:
        """A JSON value with the new name in all its texts, keys of objects included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(key): self.value(one) for key, one in value.items()}
        return [self.value(one) for one in value] if isinstance(value, (list, tuple)) else value


def _rename_id(text: str, old: _Customer, first: str, last: str) -> str:
    """An id or address made of a name, made of another: ``ann_lee_12`` becomes ``mary_jones_12``."""
    pairs = ((old.first.lower(), first.lower()), (old.last.lower(), last.lower()))
    if not all(re.search(rf"(?<![a-z]){re.escape(before)}(?![a-z])", text) for before, _ in pairs):
        return text
    for before, after in pairs:
        text = re.sub(rf"(?<![a-z]){re.escape(before)}(?![a-z])", after.replace(" ", "_"), text, count=1)
    return text


def _is_known(task: Task, domain: Domain) -> bool:
    return customer(task, domain) is not None


def _identity(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    person = customer(task, domain)
    if person is None:
        return task
    rng = Random(f"identity/{seed}")  # of the same place in each group's list
    female, place = rng.random() < 0.5, (rng.randrange(1000), rng.randrange(1000))
    origin = dose.choice or rng.choice(sorted(ORIGINS))
    women, men, lasts = ORIGINS[origin]
    firsts = women if female else men
    raw = domain.base.tables[person.table].raw
    for step in range(len(firsts) * len(lasts)):
        renaming = _Renaming(person, firsts[(place[0] + step) % len(firsts)], lasts[(place[1] + step) % len(lasts)])
        if renaming.key == person.key or renaming.key not in raw:
            break
    content = task.model_dump(mode="json", exclude={"id", "domain", "tags", "user_tools", "required_documents"})
    kept = {name: getattr(task, name) for name in ("id", "domain", "tags", "user_tools", "required_documents")}
    pictures: dict[str | None, Attachment] = {}  # JSON has not their bytes
    each_picture(task, lambda one: pictures.setdefault(one.sha256, one))
    renamed = Task.model_validate({**kept, **renaming.value(content)})
    renamed = each_picture(renamed, lambda one: pictures[one.sha256].model_copy(update={"alt": one.alt}))
    renamed = retold(renamed, lambda text, part: with_gender(text, female=female))
    return _with_data(renamed, dict(_patch(domain, person, renaming)))


def _patch(domain: Domain, person: _Customer, renaming: _Renaming) -> Iterator[tuple[str, Any]]:
    """What of the agent's data names the person, named anew: by table."""
    base, old = domain.base, domain.base.tables[person.table].raw[person.key]
    mine = {id for id, owner in base.owners.items() if owner == person.key} | set(_ids(old))
    for name, table in base.tables.items():
        changed: dict[str, Any] = {}
        for key in [key for key in table.raw if key in mine or (name, key) == (person.table, person.key)]:
            before, after = table.raw[key], renaming.value(table.raw[key])
            if before != after:
                new_key = renaming.text(str(key))
                changed[new_key] = after if new_key != key or table.listed else _differing(before, after)
        if changed and table.listed is not None:
            yield name, [changed.get(str(key), record) for key, record in table.raw.items()]
        elif changed:
            yield name, changed


def _ids(record: Any) -> Iterator[str]:
    """The ids that a record lists."""
    for value in record.values():
        if isinstance(value, list):
            yield from (one for one in value if isinstance(one, str))


def _differing(before: Any, after: Any) -> Any:
    if not isinstance(before, Mapping):
        return after
    return {name: after[name] for name in after if after[name] != before.get(name)}


def _with_data(task: Task, patch: dict[str, Any]) -> Task:
    """The task with more to its initial data; what it patches itself comes last."""
    state = task.initial_state or InitialState()
    data = state.initialization_data or InitializationData()
    both = _merge(patch, data.agent_data or {})
    changed = data.model_copy(update={"agent_data": both})
    return task.model_copy(update={"initial_state": state.model_copy(update={"initialization_data": changed})})


def _merge(first: Any, second: Any) -> Any:
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return {**first, **{key: _merge(first.get(key), value) for key, value in second.items()}}
    return second


def with_gender(text: str, *, female: bool) -> str:
    """What somebody says of themselves, as a woman or a man would."""
    turned = {(man if female else woman): (woman if female else man) for woman, man in reversed(_PAIRS)}
    text = _SELF.sub(lambda found: found["who"] + turned.get(found["word"], found["word"]), text)
    return _TITLE.sub("Ms." if female else "Mr.", text)


# ---- dialects


@dataclass(frozen=True)
class _Dialect:
    """How people of a place write: words in place of others, what they begin and end with, and a note for a model."""

    note: str
    words: Mapping[str, str]
    openings: tuple[str, ...]
    endings: tuple[str, ...]


DIALECTS = {
    "british": _Dialect(
        "You write British English: spelling, words and turns of phrase.",
        {
            "color": "colour", "colors": "colours", "favorite": "favourite", "apartment": "flat", "vacation": "holiday",
            "phone": "mobile", "canceled": "cancelled", "guess": "reckon", "really": "rather", "pants": "trousers",
            "mom": "mum", "gray": "grey", "mail": "post", "stopover": "stop", "trash": "bin",
        },
        ("Hiya.", "Right then.", "Hello, sorry to be a bother."),
        ("Cheers.", "Ta very much.", "That would be brilliant, cheers."),
    ),
    "indian": _Dialect(
        "You write Indian English: kindly for please, the present continuous, do the needful, only at the end.",
        {
            "please": "kindly", "want": "am wanting", "need": "am needing", "soon": "at the earliest", "help": "guide",
            "tell": "intimate", "also": "also only", "regarding": "with respect to",
        },
        ("Respected sir or madam.", "Good day, hope you are doing well.", "Dear team, greetings of the day."),
        ("Kindly do the needful.", "Please revert back at the earliest.", "Kindly do this only."),
    ),
    "scottish": _Dialect(
        "You write as people speak in Scotland: wee, aye, cannae, didnae, ken, outwith.",
        {
            "small": "wee", "little": "wee", "cannot": "cannae", "know": "ken", "outside": "outwith",
            "my": "ma", "don't": "dinnae", "can't": "cannae", "didn't": "didnae",
        },
        ("Awright.", "Hullo there.", "Haw, listen."),
        ("Ta, pal.", "That'd be pure dead brilliant.", "Cheers, eh."),
    ),
    "southern": _Dialect(
        "You write as people speak in the American South: y'all, fixing to, might could, reckon, right much.",
        {"think": "reckon", "very": "mighty", "want": "am fixing", "several": "a mess of", "almost": "near about"},
        ("Howdy.", "Hey there, how y'all doing.", "Well hey."),
        ("Much obliged.", "I sure do appreciate y'all.", "Bless your heart."),
    ),
    "singaporean": _Dialect(
        "You write Singapore English: lah, leh, can or not, short sentences without articles.",
        {"the": "", "a": "", "an": "", "please": "please ah", "very": "damn", "everything": "everything also"},
        ("Hello ah.", "Eh hello.", "Hi, can help or not?"),
        ("Thank you hor.", "Can faster a bit lah.", "Like that can or not?"),
    ),
}  # fmt: skip


def _dialect(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    rng = Random(f"{dose}/{seed}")
    exact = exact_values(task)
    chosen = DIALECTS[dose.choice or rng.choice(sorted(DIALECTS))]

    def say(text: str, part: Part) -> str:
        for start, end in reversed(free_words(text, exact)):
            other = chosen.words.get(text[start:end])
            if other is not None and rng.random() < max(dose.strength, 0.3) and not _in_phrase(text, start, end):
                text = text[:start] + other + text[end:]
        text = re.sub(r"  +", " ", text)
        if part == "ticket" or not sentences(text):
            return text
        ending = f" {rng.choice(chosen.endings)}" if part == "reason" or rng.random() < dose.strength else ""
        return f"{rng.choice(chosen.openings)} {text}{ending}" if part == "reason" else f"{text}{ending}"

    return retold(task, say, f"{chosen.note} Names, ids, numbers and dates stay as they are, and so do yes and no.")


def _in_phrase(text: str, start: int, end: int) -> bool:
    """Whether a word stands in a phrase where another would be wrong: "phone number", "what you want"."""
    word, after = text[start:end], text[end : end + 8]
    wish = word in ("want", "need")
    return (word == "phone" and after.startswith(" number")) or (
        wish and not (after.startswith(" to ") and text[:start].endswith("I "))
    )


# ---- people


def _person(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    """The task with a customer who writes as somebody whom each trial's seed draws from the profile of people."""
    told = task.user_scenario.model_copy(update={"manner": "people"})
    episodes = [one.model_copy(update={"user_scenario": one.user_scenario.model_copy(update={"manner": "people"})})
                for one in task.episodes or []]  # fmt: skip
    return task.model_copy(update={"user_scenario": told, **({"episodes": episodes} if episodes else {})})


PEOPLE = (
    Kind("people", "person", "somebody who writes as people do, another one each trial", _person, is_in_english),
    Kind(
        "identity",
        "person",
        "a name of another origin, in scenario and database",
        _identity,
        _is_known,
        choices=tuple(ORIGINS),
        each=True,
    ),
    Kind("dialect", "person", "another dialect of English", _dialect, choices=tuple(DIALECTS)),
)
