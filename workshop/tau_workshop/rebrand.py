"""Re-branding: the same domain under other names, against benchmarks that models have memorised.

Everything that can be recognised is another, and stays consistent in database, policy and tasks: people, products,
towns and streets get invented words, ids other digits, and all money is multiplied by a whole number, so that every
sum and difference is still right to the cent. What a product is like (its options) stays, as it has to make sense.

How it works. One :class:`Brand` is drawn from the database: a map of phrases, one of words, and one of the runs of
digits that ids are made of. It is then applied to every text of the domain and its tasks. Words that are ordinary
English, or that stand in an option, are changed only as part of a product's whole name. That all of it fits is not
taken for granted: every task is played again (:func:`prove_again`).
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_tau.environment.customer_side import codes_of
from pytest_tau.environment.domain import Domain, find_domain, load_domain
from pytest_tau.environment.tasks import REWORDED, SPLITS, load_tasks, read_tasks
from pytest_tau.errors import DomainError, SettingsError, TaskError, TauError, reason
from pytest_tau.evaluation.grade import grade
from pytest_tau.files import read_json
from pytest_tau.schema.task import Task
from pytest_tau.simulating import simulate

from .scaffold import refuse_builtin

MONEY = frozenset({"price", "amount", "balance", "cost", "fee", "total"})
_FIRST, _LAST, _TOWN, _STREET, _PRODUCT = "first_name", "last_name", "city", ("address1", "street"), "name"
_OPTIONS = "options"
# Words of products that are ordinary English: changed only in a product's whole name.
_ORDINARY = frozenset({
    "air", "arm", "bag", "block", "board", "card", "case", "cast", "coffee", "cutting", "down", "field", "iron",
    "light", "machine", "maker", "monitor", "office", "over", "pack", "pair", "player", "set", "smart", "stand",
    "standing", "travel", "wall", "water",
})  # fmt: skip
_LEAST_DIGITS = 4
# Of an id; a date's year is none, though records may be found by dates.
_RUN = re.compile(r"(?<!\d)(?!\d{4}-[01]\d-[0-3]\d(?!\d))\d{4,}(?![\dA-Za-z])")
_AMOUNT = r"(?:\d{1,3}(?:,\d{3})+|\d+)"
_PRICE = re.compile(
    rf"(?<![\d.,]){_AMOUNT}\.\d\d(?!\d)"  # 12.50, 1,234.50
    rf"|(?<=\$){_AMOUNT}(?:\.\d)?(?!\d|[.,]\d)"  # $12, $12.5, $1,234
    rf"|(?<![\d.,]){_AMOUNT}(?:\.\d)?(?= (?:dollars|USD)\b)"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_BEGINS = ("b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z", "br", "dr", "gl", "kr", "pl", "tr")
_ENDS = ("", "l", "n", "r", "s", "x")
_SYLLABLES = [begin + vowel + end for begin in _BEGINS for vowel in "aeiou" for end in _ENDS]
GRAM = 5


@dataclass
class Brand:
    """What stands for what. ``phrases`` are matched before ``words``; ``digits`` holds the runs of digits of ids."""

    factor: int
    phrases: dict[str, str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)
    people: dict[str, str] = field(default_factory=dict)
    digits: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._phrase: re.Pattern[str] | None = None

    def text(self, text: str) -> str:
        """A text under the other names."""
        if self._phrase is None:
            alike = [re.escape(phrase).replace(r"\ ", r"[ _-]").replace(r"\-", "[ _-]") for phrase in self.phrases]
            every = "|".join(sorted(alike, key=len, reverse=True)) or "(?!)"
            self._phrase = re.compile(rf"(?<![^\W_])(?:{every})(e?s)?(?![^\W_])", re.IGNORECASE)
        text = _PRICE.sub(lambda found: self._new_price(found[0]), text)
        text = self._phrase.sub(self._new_phrase, text)
        text = _LETTERS.sub(lambda found: self._new_word(found, text), text)
        return _RUN.sub(lambda found: self.digits.get(found[0], found[0]), text)

    def value(self, value: Any, key: str = "") -> Any:
        """A JSON value under the other names; options stay as they are, money is multiplied."""
        if key == _OPTIONS:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.text(name): self.value(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [self.value(one, key) for one in value]
        if key in MONEY and isinstance(value, (int, float)) and not isinstance(value, bool):
            return value * self.factor if isinstance(value, int) else round(value * self.factor, 2)
        return value

    def _new_price(self, money: str) -> str:
        whole, _, decimals = money.replace(",", "").partition(".")
        unit = 10 ** len(decimals)
        amount = int(whole + decimals) * self.factor
        new = f"{amount // unit:{',' if ',' in money else ''}}"
        return f"{new}.{amount % unit:0{len(decimals)}d}" if decimals else new

    def _new_phrase(self, found: re.Match[str]) -> str:
        plural = found[1] or ""
        said = found[0][: len(found[0]) - len(plural)]
        key = re.sub(r"[ _-]", " ", said).casefold()
        other = self.phrases.get(key) or self.phrases[f"{key}{plural}".casefold()]
        between = next((c for c in said if c in "_-"), " ")
        return _match_case(other, said).replace(" ", "_" if between == "_" else " ") + plural

    def _new_word(self, found: re.Match[str], text: str) -> str:
        word = found[0]
        begin, end = found.span()
        around = text[begin - 1 : begin] + text[end : end + 1]
        # Names of people are ordinary words, too, unless they have a capital or stand in an id or address.
        if word.casefold() in self.people and (word[0].isupper() or set(around) & set("_.@")):
            return _match_case(self.people[word.casefold()], word)
        for ending in ("", "s", "es"):
            stem = word.casefold().removesuffix(ending) if ending else word.casefold()
            if stem in self.words and (not ending or word.casefold().endswith(ending)):
                return _match_case(self.words[stem], word) + ending
        return word


def _match_case(other: str, like: str) -> str:
    if like.islower():
        return other.lower()
    return other.title() if like[0].isupper() and (" " not in like or like.istitle()) else other.capitalize()


def draw_brand(databases: Iterable[Mapping[str, Any]], seed: int) -> Brand:
    """Draw other names for all that the databases name."""
    rng = random.Random(f"rebrand {seed}")
    brand = Brand(factor=rng.choice([2, 3, 4, 6, 7]))
    found = list(databases)
    named = _Names(found)
    forbidden = {gram for name in named.all() for gram in grams(name)}
    used: set[str] = set()

    def word(least: int = 2, most: int = 2) -> str:
        while True:
            made = "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(least, most)))
            if len(made) > 4 and made not in used and forbidden.isdisjoint(grams(made)):
                used.add(made)
                return made

    for name in sorted(named.people):
        for part in name.split():
            if part.casefold() not in brand.people:
                brand.people[part.casefold()] = word().capitalize()
    for town in sorted(named.towns):
        brand.phrases[town.casefold()] = word(2, 3).capitalize()
    for street in sorted(named.streets):
        *own, kind = street.split()
        brand.phrases[street.casefold()] = f"{word().capitalize()} {kind}" if own else word().capitalize()
    for product in sorted(named.products):
        parts = [part.casefold() for part in re.split(r"[ -]", product)]
        for part in parts:
            if part not in brand.words and part not in named.options and part not in _ORDINARY:
                brand.words[part] = word()
        brand.phrases[" ".join(parts)] = " ".join(brand.words.get(part) or word() for part in parts).title()
    shift = {length: [rng.sample(range(10), 10) for _ in range(length)] for length in range(_LEAST_DIGITS, 25)}
    for run in sorted(named.runs):
        brand.digits[run] = "".join(str(shift[len(run)][at][int(digit)]) for at, digit in enumerate(run))
    return brand


class _Names:
    """What databases name, by the names of their fields."""

    def __init__(self, databases: Iterable[Mapping[str, Any]]) -> None:
        self.people: set[str] = set()
        self.towns: set[str] = set()
        self.streets: set[str] = set()
        self.products: set[str] = set()
        self.options: set[str] = set()
        self.runs: set[str] = set()
        for database in databases:
            self._look(database, "")

    def all(self) -> Iterator[str]:
        """Every name; of a street the part that is its own."""
        yield from (*self.people, *self.towns, *self.products)
        yield from (street.rpartition(" ")[0] or street for street in self.streets)

    def _look(self, value: Any, key: str) -> None:
        if key == _OPTIONS:
            self.options |= {word.casefold() for word in _LETTERS.findall(json.dumps(value))}
        elif isinstance(value, Mapping):
            for name, one in value.items():
                self._runs(name)
                self._look(one, name)
        elif isinstance(value, list):
            for one in value:
                self._look(one, key)
        elif isinstance(value, str):
            self._note_name(value, key)

    def _note_name(self, value: str, key: str) -> None:
        if key in (_FIRST, _LAST):
            self.people.add(value)
        elif key == _TOWN:
            self.towns.add(value)
        elif key in _STREET:
            self.streets.add(re.sub(r"^\d+ ", "", value))
        elif key == _PRODUCT:
            self.products.add(value)
        elif key.endswith(("id", "ids")) or key in ("zip", "email", "last_four", "orders", "user"):
            self._runs(value)

    def _runs(self, text: str) -> None:
        self.runs.update(run for run in re.findall(r"\d+", text) if _LEAST_DIGITS <= len(run) < 25)


def grams(name: str) -> set[str]:
    """The runs of five letters within the words of a name."""
    return {word[at : at + GRAM] for word in _LETTERS.findall(name.casefold()) for at in range(len(word) - GRAM + 1)}


def shared_grams(domain: Domain, other: Domain) -> set[str]:
    """What the names of two domains have in common: runs of five letters."""
    one, two = (_Names(_databases(each.texts)) for each in (domain, other))
    return {g for name in one.all() for g in grams(name)} & {g for name in two.all() for g in grams(name)}


def rebrand(name: str | Path, folder: Path, *, seed: int, called: str | None = None) -> tuple[Domain, list[Task]]:
    """Write a domain and its suite under other names: ``folder/domains/NAME`` and ``folder/tasks/NAME``.

    Args:
        name: a domain with a database and a suite of its own.
        folder: where to write.
        seed: of the names.
        called: the name of the new domain; by default the old one with the seed, as in retail_3.

    Returns:
        The new domain, and its tasks, each of which its oracle passes.

    Raises:
        SettingsError: it cannot be written, or stands there already, or a built-in domain has the name.
        TauError: the domain is not there, or a task of it does not pass under other names.
    """
    source = find_domain(name).resolve()
    called = called or f"{source.name}_{seed}"
    if not re.fullmatch(r"[a-z][a-z0-9_]*", called):
        raise SettingsError(f"'{called}' cannot be the name of a domain: use small letters, digits and underscores")
    refuse_builtin(called)
    target, suite = folder / "domains" / called, folder / "tasks" / called
    if target.exists() or suite.exists():
        raise SettingsError(f"{target if target.exists() else suite} already exists; give another folder")
    brand = draw_brand(_databases(source), seed)
    try:
        _write_domain(source, target, brand)
        _write_suite(source.parent.parent / "tasks" / source.name, suite, brand, source.name, called)
        domain = load_domain(target)
        tasks = load_tasks(suite)
        if not (brand.people or brand.phrases):
            fields = ", ".join((_FIRST, _LAST, _TOWN, *_STREET, _PRODUCT))
            raise SettingsError(
                f"{source}: its database has none of the fields that are renamed ({fields}); call the fields of "
                "people, towns, streets and products so"
            )
        prove_again(tasks, domain)
    except BaseException as error:
        for made in (target, suite):  # nothing is left that looks as if it were proven, and is in the way next time
            shutil.rmtree(made, ignore_errors=True)
        if isinstance(error, OSError):
            raise SettingsError(f"{folder}: cannot be written: {error.strerror}") from None
        raise
    return domain, tasks


def prove_again(tasks: Iterable[Task], domain: Domain) -> None:
    """Play every task with the oracle; raises TauError for one that does not pass."""
    for task in tasks:
        reward = grade(task, simulate(task, domain), domain)
        if not reward.passed and not reward.ungraded:
            raise TauError(f"task '{task.id}' does not pass under other names: it names what was not changed with it")


def _databases(folder: Path) -> list[dict[str, Any]]:
    return [_json(path, "the database") for path in sorted(folder.glob("*db.json"))]


def _json(path: Path, what: str, error: type[TauError] = DomainError) -> Any:
    value = read_json(path, error, what)
    if not isinstance(value, (dict, list)):
        raise error(f"{path}: {what} is neither an object nor a list")
    return value


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, ValueError) as error:
        raise DomainError(f"{path}: the file cannot be read: {reason(error)}") from None


def _write_domain(source: Path, target: Path, brand: Brand) -> None:
    """Code as it is; databases and texts under the other names."""
    for path in sorted(source.rglob("*")):
        if path.is_dir() or "__pycache__" in path.parts or path.name.startswith("make_"):
            continue
        copy = target / path.relative_to(source)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".json":
            _write_json(copy, brand.value(_json(path, "the file")))
        elif path.suffix in (".md", ".toml"):
            copy.write_text(brand.text(_text(path)), "utf-8")
        else:
            shutil.copyfile(path, copy)


def _write_suite(source: Path, target: Path, brand: Brand, old: str, new: str) -> None:
    for path in sorted(source.rglob("*.json")):
        before = _json(path, "the task file", TaskError)
        content = brand.value(before)
        if path.name not in (SPLITS, REWORDED):
            read_tasks(path)  # refuses what is no task file
            tasks = zip(*(one if isinstance(one, list) else [one] for one in (before, content)), strict=True)
            for task, renamed in tasks:
                _move_task(renamed, old, new)
                _replace_codes(task, renamed)
        _write_json(target / path.relative_to(source).with_stem(brand.text(path.stem)), content)


def _replace_codes(task: dict[str, Any], renamed: dict[str, Any]) -> None:
    """Codes that were sent to a customer depend on the customer's id; the gold path and checks name them."""
    gold = ((one.get("evaluation_criteria") or {}).get("actions") or [] for one in (task, renamed))
    for before, after in zip(*gold, strict=True):
        was, now = before.get("arguments", {}), after.get("arguments", {})
        if before["name"] == "check_code" and {"user_id", "code"} <= was.keys():
            code = codes_of(was["user_id"], now["user_id"]).get(was["code"], was["code"])
            renamed.update(json.loads(json.dumps(renamed).replace(f'"{now["code"]}"', f'"{code}"')))


def _move_task(task: dict[str, Any], old: str, new: str) -> None:
    """Let a task name the new domain."""
    if task.get("domain") in (old, None):
        task["domain"] = new
    instructions = (task.get("user_scenario") or {}).get("instructions")
    if isinstance(instructions, dict) and instructions.get("domain") == old:
        instructions["domain"] = new


def _write_json(path: Path, content: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")
