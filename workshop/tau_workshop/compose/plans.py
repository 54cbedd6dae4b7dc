"""Chooses which wishes of which customer make a task, and how they are told: seeded, spread, and without conflicts."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal, TypeVar

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.spec import DUAL
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.errors import DomainError, TaskError
from pytest_tau.printable import count_of
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import CallPattern, NotCalled, Reason

from .atoms import Atom, Customer, Family, Introduction
from .personas import Part, Persona, half, halved_personas

Mind = Literal["kept", "withdrawn", "revised"]
MINDS: tuple[Mind, ...] = ("kept", "withdrawn", "revised")
Item = TypeVar("Item")

MOST_WRITES = 6
# How often a task has so many writes, where nobody asks for a number: more than the public set of retail has.
WRITES = {0: 10, 1: 24, 2: 28, 3: 21, 4: 11, 5: 4, 6: 2}
EXTRAS = {"information": 0.15, "transfer": 0.08}  # how often something is only to be told, or handed over
SHARE = 0.08  # of the tasks that have an intent, at most where there is another choice
NEAR = 8  # customers whose turn is next, of whom the one with the rarest wish is asked first
MANY = 100  # customers who are asked for a plan, before another kind of plan is looked for
ALIKE = 3  # wishes of one intent in a task, at most
MUCH_ALIKE = 0.6  # share of common words from which on two wishes sound the same
_TRIES = 400  # plans a task, before there are taken to be no more


@dataclass(frozen=True)
class ComposeOptions:
    """What composed tasks are to be like; None leaves it to the draw.

    ``writes``: the least and the most changes. ``refusals``: "none", "mixed" with changes, or "only". ``ids``: "said"
    or "hidden". ``told``: "once" or "in_turn". ``mind``: "kept", "withdrawn" or "revised" after the proposal.
    ``persona``: a name. ``demands``: tags that some atom of the task has, such as "abstract", "false_belief", "dual".
    ``same_record``: several wishes for one record. ``part``: 0 or 1, of two suites without common customers or words;
    (number, of) of several, as :data:`~.personas.Part` says.
    """

    writes: tuple[int, int] | None = None
    refusals: Literal["none", "mixed", "only"] | None = None
    ids: Literal["said", "hidden"] | None = None
    told: Literal["once", "in_turn"] | None = None
    mind: Mind | None = None
    persona: str | None = None
    demands: tuple[str, ...] = ()
    same_record: bool = False
    part: Part | None = None


@dataclass(frozen=True)
class Chosen:
    """An atom in a plan; ``wording`` numbers its words."""

    atom: Atom
    mind: Mind
    wording: int


@dataclass(frozen=True)
class Plan:
    """A task before it has words: ``wishes`` in the order in which they are carried out; ``words`` seeds the rest."""

    customer: Customer
    introduction: Introduction
    wishes: tuple[Chosen, ...]
    hidden: bool
    in_turn: bool
    persona: Persona
    words: str
    part: Part | None = None

    @property
    def key(self) -> tuple[str, ...]:
        """What makes the task another one: who wants what."""
        return (self.customer.key, *sorted(f"{one.mind} {_atom_key(one.atom)}" for one in self.wishes))


@dataclass(frozen=True)
class _Target:
    """What the next plan shall be like."""

    writes: int
    refusals: int
    mind: Mind
    demands: tuple[str, ...]
    same_record: bool


@dataclass
class Planner:
    """Hands out plans of a family, each of them once. ``changes`` are the names of the tools that write."""

    family: Family
    domain: Domain
    seed: int
    options: ComposeOptions = field(default_factory=ComposeOptions)

    def __post_init__(self) -> None:
        specs = [tools_of(kit) for kit in (self.domain.spec.tools, self.domain.spec.user_tools) if kit]
        # What only asks the customer for something is no change.
        self.changes = {name for tools in specs for name, spec in tools.items() if spec.writes and not spec.dual}
        customers = list(half(sorted(self.family.everybody(self.domain), key=lambda one: one.key), self.options.part))
        random.Random(f"customers {self.seed}").shuffle(customers)
        self._waiting = customers
        self._atoms: dict[str, list[Atom]] = {}
        self._kinds: dict[str, set[tuple[str, bool, int]]] = {}
        self._capacity: dict[str, int] = {}
        self._writes: dict[int, tuple[Atom, int]] = {}  # with the atoms, so that no others get their ids
        self._seen: set[tuple[str, ...]] = set()
        self._wanted: Counter[str] = Counter()
        self._asked_in_vain: Counter[_Target] = Counter()
        self._deck: list[Persona] = []
        self._deals = 0
        self.personas = halved_personas(self.options.part, self.options.persona)
        if not self.personas:
            raise TaskError(f"there is no persona '{self.options.persona}'; there are {', '.join(_persona_names())}")

    def plans(self, tries: int = _TRIES) -> Iterator[Plan]:
        """Plans without end, until so many tries in a row have found none."""
        number = failed = 0
        while failed < tries:
            rng = random.Random(f"plan {self.seed} {number}")
            number += 1
            plan = self._plan(rng, self._target(rng), f"words {self.seed} {number}")
            if plan is None or plan.key in self._seen:
                failed += 1
                continue
            self._seen.add(plan.key)
            self._deck.pop()
            self._wanted.update(one.atom.intent for one in plan.wishes)
            failed = 0
            yield plan

    def _target(self, rng: random.Random) -> _Target:
        options = self.options
        least, most = options.writes or ((0, 0) if options.refusals == "only" else (0, MOST_WRITES))
        # Where the customer acts as well, something is changed.
        numbers = [number for number in WRITES if least <= number <= most and (number or DUAL not in options.demands)]
        numbers = numbers or [least]
        writes = rng.choices(numbers, [WRITES[number] for number in numbers])[0]
        if options.refusals == "mixed":
            writes = max(writes, 1)
        draw = {"none": 0.0, "mixed": 1.0, "only": 1.0, None: 0.35 if writes else 1.0}[options.refusals]
        refusals = (rng.random() < draw) * rng.choices([1, 2], [4, 1])[0]
        mind: Mind = options.mind or rng.choices(MINDS, [6, 2, 2])[0]
        # A wish in which the customer acts as well is not revised, so another one has to be.
        if mind == "revised" and writes < (2 if DUAL in options.demands else 1):
            mind = options.mind or "kept"
        return _Target(writes, refusals, mind, options.demands, options.same_record)

    def _plan(self, rng: random.Random, target: _Target, words: str) -> Plan | None:
        if self._asked_in_vain[target] >= len(self._waiting) >= MANY:
            return None
        for but in (self._frequent(), frozenset[str]()):
            able = self._able(target)
            while near := list(islice(able, NEAR)):
                for customer in sorted(near, key=lambda one: self._rarest(one, target)):
                    atoms = [atom for atom in self.atoms_of(customer) if atom.intent not in but]
                    if picked := self._pick(rng, atoms, target):
                        self._waiting.remove(customer)
                        self._waiting.append(customer)
                        return self._plan_of(rng, customer, picked, words)
        # The next time, others are asked.
        self._asked_in_vain[target] += MANY
        self._waiting = self._waiting[MANY:] + self._waiting[:MANY]
        return None

    def _able(self, target: _Target) -> Iterator[Customer]:
        """The customers who wait longest, as far as they have room for so many changes."""
        for customer in self._waiting[:MANY]:
            if customer.room >= target.writes and self._room(customer) >= target.writes:
                yield customer

    def _rarest(self, customer: Customer, target: _Target) -> int:
        """How often the rarest of their wishes was wanted so far, of those that such a task can have."""
        if customer.key not in self._kinds:
            kinds = {(atom.intent, _refuses(atom), self.writes(atom)) for atom in self.atoms_of(customer)}
            self._kinds[customer.key] = kinds
        counts = [
            self._wanted[intent]
            for intent, refused, writes in self._kinds[customer.key]
            if (target.refusals if refused else 0 < writes <= target.writes)
        ]
        return min(counts, default=len(self._seen))

    def _frequent(self) -> frozenset[str]:
        """Intents that have had their share: what everybody can want shall not be in every task."""
        share = max(SHARE, 2 / max(1, len(self._wanted)))
        return frozenset(intent for intent, count in self._wanted.items() if count > 2 + share * len(self._seen))

    def _plan_of(self, rng: random.Random, customer: Customer, picked: list[tuple[Atom, Mind]], words: str) -> Plan:
        options = self.options
        ordered = sorted(picked, key=lambda one: (one[0].last, one[0].rank))
        wishes = self._choose_wordings(rng, ordered)
        hidden = options.ids == "hidden" if options.ids else rng.random() < 0.6
        hidden = hidden and hides([one.atom for one in wishes])
        in_turn = len(wishes) > 1 and (options.told == "in_turn" if options.told else rng.random() < 0.5)
        # What nothing can follow is said last.
        in_turn = in_turn or (len(wishes) > 1 and ordered[-1][0].last)
        introduction = rng.choice(customer.introductions)
        persona = self._next_persona()
        return Plan(customer, introduction, tuple(wishes), hidden, in_turn, persona, words, options.part)

    def _next_persona(self) -> Persona:
        """The top card: personas are dealt like cards, so that a few tasks already have many."""
        if not self._deck:
            self._deck = list(self.personas)
            self._deals += 1
            random.Random(f"personas {self.seed} {self._deals}").shuffle(self._deck)
        return self._deck[-1]

    def _choose_wordings(self, rng: random.Random, picked: list[tuple[Atom, Mind]]) -> list[Chosen]:
        """Wishes in different words, as far as there are any: also two kinds that are told alike."""
        used: list[set[str]] = []
        chosen = []
        for atom, mind in picked:
            says = atom.revision.says if mind == "revised" and atom.revision else atom.says
            words = {n: set(says[n % len(says)].split()) for n in half(range(len(atom.says)), self.options.part)}
            if not words:
                raise DomainError(
                    f"atom '{atom.intent}': it has {count_of(len(atom.says), 'wordings')} in 'says', not enough for "
                    "suites that share none; write two, and four for a data set"
                )
            alike = {n: max((_likeness(own, other) for other in used), default=0.0) for n, own in words.items()}
            wording = rng.choice([n for n in alike if alike[n] < MUCH_ALIKE] or [min(alike, key=alike.__getitem__)])
            used.append(words[wording])
            chosen.append(Chosen(atom, mind, wording))
        return chosen

    def atoms_of(self, customer: Customer) -> list[Atom]:
        """What a customer can wish for."""
        if customer.key not in self._atoms:
            beside = customer.dual() if DUAL in self.options.demands else ()
            self._atoms[customer.key] = [*customer.atoms(), *beside]
        return self._atoms[customer.key]

    def _room(self, customer: Customer) -> int:
        """How many changes can be made for a customer in one task, about."""
        if customer.key not in self._capacity:
            chosen: list[Atom] = []
            for atom in self.atoms_of(customer):
                if self.writes(atom) and _fits_beside(atom, chosen):
                    chosen.append(atom)
            self._capacity[customer.key] = sum(map(self.writes, chosen))
        return self._capacity[customer.key]

    def writes(self, atom: Atom) -> int:
        """How many changes an atom makes."""
        if id(atom) not in self._writes:
            made = sum(step.name in self.changes and step.requestor == "assistant" for step in atom.steps)
            self._writes[id(atom)] = (atom, made)
        return self._writes[id(atom)][1]

    def _pick(self, rng: random.Random, atoms: Sequence[Atom], target: _Target) -> list[tuple[Atom, Mind]] | None:
        """Atoms that make the target, or None."""
        chosen: list[tuple[Atom, Mind]] = []
        left = target.writes

        def take(may: Callable[[Atom], bool], mind: Mind = "kept") -> bool:
            nonlocal left
            atom = self._one(rng, [atom for atom in atoms if may(atom)], [one for one, _ in chosen])
            if atom is None:
                return False
            chosen.append((atom, mind))
            left -= self.writes(atom) if mind != "withdrawn" else 0
            return True

        def changes(atom: Atom) -> bool:
            return 0 < self.writes(atom) <= left

        def on_taken_record(atom: Atom) -> bool:
            taken = {record_of(touched) for one, _ in chosen for touched in one.touches}
            return changes(atom) and any(record_of(touched) in taken for touched in atom.touches)

        def has_tags(tags: set[str]) -> Callable[[Atom], bool]:
            return lambda atom: tags <= set(atom.tags) and self.writes(atom) <= left

        wanted: list[tuple[Callable[[Atom], bool], Mind]] = []
        if target.mind == "withdrawn":
            wanted.append((lambda atom: bool(atom.withdraws) and self.writes(atom) == 1, "withdrawn"))
        if target.mind == "revised":
            wanted.append((lambda atom: atom.revision is not None and self.writes(atom) == 1 <= left, "revised"))
        demands = [{tag} for tag in target.demands]  # one wish can be all of them
        if demands and any(set(target.demands) <= set(atom.tags) for atom in atoms):
            demands = [set(target.demands)]
        wanted += [(has_tags(tags), "kept") for tags in demands]
        if not all(take(may, mind) for may, mind in wanted):
            return None
        refusals = target.refusals - sum(_refuses(atom) for atom, _ in chosen)
        for _ in range(max(0, refusals)):  # before the changes, which leave room for few of them
            if not take(_refuses):
                return None
        while left > 0:
            again = target.same_record and chosen and take(on_taken_record)
            if not again and not take(changes):
                return None
        for tag, often in EXTRAS.items():
            if self.options.refusals is None and rng.random() < often:
                take(has_tags({tag}))
        return chosen if self._is_asked_for([atom for atom, _ in chosen]) else None

    def _one(self, rng: random.Random, among: Sequence[Atom], beside: Sequence[Atom]) -> Atom | None:
        """One of them that goes with the others; what was wanted seldom so far is likelier."""
        intents: dict[str, list[Atom]] = {}
        for atom in among:
            intents.setdefault(atom.intent, []).append(atom)
        while intents:
            names = list(intents)
            intent = rng.choices(names, [1 / (1 + self._wanted[name]) ** 3 for name in names])[0]
            if found := [atom for atom in intents.pop(intent) if _fits_beside(atom, beside)]:
                return rng.choice(found)
        return None

    def _is_asked_for(self, atoms: Sequence[Atom]) -> bool:
        """Whether atoms can be told as the options say."""
        options = self.options
        if options.same_record and not shared_records(atoms):
            return False
        if options.ids == "hidden" and not hides(atoms):
            return False
        if options.told == "in_turn":
            return len(atoms) > 1
        return options.told is None or len(atoms) == 1 or not any(atom.last for atom in atoms)


def _likeness(one: set[str], other: set[str]) -> float:
    """Which share of their words two sentences have in common."""
    return len(one & other) / max(1, len(one | other))


def _refuses(atom: Atom) -> bool:
    """Whether a wish is turned down."""
    return "refusal" in atom.tags


def _fits_beside(atom: Atom, chosen: Sequence[Atom]) -> bool:
    """Whether an atom can be in one task with others: nothing touched twice, nothing forbidden that another does."""
    if sum(other.intent == atom.intent for other in chosen) >= (1 if _refuses(atom) else ALIKE):
        return False
    if any(atom.touches & other.touches for other in chosen):
        return False
    if any(fact in other.facts for other in chosen for fact in atom.facts):  # telling it once would stand for both
        return False
    reasons = [check.any_of for check in atom.checks if isinstance(check, Reason)]
    for other in chosen:
        if atom.last and other.last:
            return False
        if _forbids(atom, other) or _forbids(other, atom):
            return False
        if any(isinstance(check, Reason) and check.any_of in reasons for check in other.checks):
            return False
    return True


def _forbids(atom: Atom, other: Atom) -> bool:
    return any(
        covers(check, step) for check in atom.checks if isinstance(check, NotCalled) for step in _may_call(other)
    )


def _may_call(atom: Atom) -> Iterator[Action]:
    yield from atom.steps
    if atom.revision is not None:
        yield atom.revision.proposal


def covers(pattern: CallPattern, step: Action) -> bool:
    """Whether a step is one of the calls that a pattern means."""
    same = pattern.name == step.name and pattern.requestor == step.requestor
    return same and all(step.arguments.get(name) == value for name, value in pattern.arguments.items())


def record_of(touched: str) -> str:
    """The record of "#W1:items" is "#W1"."""
    return touched.partition(":")[0]


def hides(atoms: Sequence[Atom]) -> bool:
    """Whether all of their records can be named without an id; who says one of the numbers has the others at hand."""
    references = [reference for atom in atoms for reference in (atom.refers or {}).values()]
    return bool(references) and all(reference.hidden is not None for reference in references)


def shared_records(atoms: Sequence[Atom]) -> int:
    """How many records several wishes are about."""
    counts = Counter(record for atom in atoms for record in {record_of(touched) for touched in atom.touches})
    return sum(count > 1 for count in counts.values())


def _atom_key(atom: Atom) -> str:
    return f"{atom.intent} {atom.says[0]} {[str(step) for step in atom.steps]} {sorted(atom.touches)}"


def _persona_names() -> list[str]:
    return list(dict.fromkeys(persona.name for persona in halved_personas(None)))
