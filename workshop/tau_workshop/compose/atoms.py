"""What a domain author writes: the wishes that customers can have, each bound to one customer's records.

    domains/<name>/atoms.py, or domains/<name>/atoms/__init__.py if there are many
        family = Family(checks=(...,), customers=customers)     # the generator reads this name
        def customers(domain: Domain) -> list[Customer]: ...    # each with a function that returns their atoms

An **atom** is one wish with everything that belongs to it: words, gold steps, what is graded, the records it touches.
Atoms do not know about each other. The generator picks several atoms of one customer that do not touch the same thing,
orders them by rank, assigns words, manner and changes of mind, and proves the resulting task (``proof.py``).

To write one:

1. Find a record that the wish fits, such as a delivered order with an item that has another available variant.
2. Write the gold ``steps``: the look-ups, then the changes. The arguments of a step must be known by then, from the
   customer's words or from the result of an earlier step; the proof checks this.
3. Write four to six ``says``: complete sentences of a customer, in the first person, each sufficient by itself. Half of
   them are used for ``train`` and half for ``test``, so each half needs two. ``{order}`` and the like are references;
   see :class:`Reference`.
4. Write ``fits``: the arguments of every call that the words could mean, computed from the conditions in the words and
   from the world, not copied from the step. The proof requires exactly one, the gold one; for a refusal, none.
5. ``touches``: what no other atom of the task may touch, such as ``"#W1:items"``. Two wishes about one order can be
   combined if their texts differ; a cancellation touches the whole order.
6. ``rank``: changes are made in this order, lower first. Give the highest rank to a change that closes a record.
7. A wish that must be refused has no writing step. Its ``checks`` contain the evidence, the reason, and the calls that
   must not be made (with the record among their arguments, so that another atom may call them elsewhere).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from pytest_tau.environment.domain import Domain
from pytest_tau.environment.environment import Environment
from pytest_tau.errors import DomainError
from pytest_tau.schema.calls import Action, EnvAssertion, EnvFunctionCall
from pytest_tau.schema.checks import TrajectoryCheck

Row = TypeVar("Row")
Fits = Callable[[Environment], Iterable[Mapping[str, Any]]]


@dataclass(frozen=True)
class Reference:
    """How a record is named in words: with its id, and without it if that is clear enough for this customer.

    A task names all of its records without ids, or none.
    """

    said: str
    hidden: str | None = None

    def text(self, hidden: bool) -> str:
        """The words; with the id if there are no others."""
        return self.hidden if hidden and self.hidden is not None else self.said


@dataclass(frozen=True)
class Revision:
    """An earlier version of the wish: ``says`` opens with it, and ``then`` changes it into the atom's own.

    ``proposal`` is the call that the earlier version asks for, ``looks`` what has to be looked up for it alone.
    ``says`` and ``then`` have as many wordings as the atom.
    """

    says: tuple[str, ...]
    then: tuple[str, ...]
    proposal: Action
    looks: tuple[Action, ...] = ()


@dataclass(frozen=True)
class Atom:
    """One wish of a customer, bound to their records; the module's docstring says how to write one.

    - ``intent``: the kind of wish, a tag. ``about``: the wish as a noun phrase, for a change of mind.
    - ``says``: wordings. ``refers``: what the names in braces stand for. ``known``: sentences that the customer says
      when asked for details. ``manner``: sentences about their behaviour, in the second person.
    - ``steps``: the gold path. ``fits``: all calls that the words could mean, evaluated right before the first change.
    - ``facts``: what the agent must say. ``checks``, ``asserts``: more that is graded.
    - ``initialise``: calls that bring the world into a state in which the wish makes sense.
    - ``tags``: ``refusal`` if it must be refused, ``information`` if the agent only has to say something, ``transfer``,
      ``abstract``, ``false_belief``, ``dual``, and the domain's own.
    - ``withdraws``: words that withdraw the wish after the proposal. ``revision``: an earlier version of the wish.
    - ``last``: nothing can follow it, such as a transfer. ``policies``: the sections of the policy it is about.
    - ``documents``: the ids of the documents it depends on. The task requires them, and the proof treats their content
      as known.
    - ``follows``: values of the steps that appear nowhere but follow from what is known, such as a computed date.
    - ``charges``: the payment method that the change charges, and the amount.
    """

    intent: str
    says: tuple[str, ...]
    steps: tuple[Action, ...]
    touches: frozenset[str]
    about: str = "what you have asked for"
    rank: int = 0
    refers: Mapping[str, Reference] | None = None
    known: tuple[str, ...] = ()
    manner: tuple[str, ...] = ()
    fits: Fits | None = None
    facts: tuple[str, ...] = ()
    checks: tuple[TrajectoryCheck, ...] = ()
    asserts: tuple[EnvAssertion, ...] = ()
    initialise: tuple[EnvFunctionCall, ...] = ()
    tags: tuple[str, ...] = ()
    withdraws: tuple[str, ...] = ()
    revision: Revision | None = None
    last: bool = False
    policies: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    charges: tuple[str, float] | None = None

    def __post_init__(self) -> None:
        lists = {"says": self.says, "known": self.known, "manner": self.manner, "withdraws": self.withdraws}
        wrong = next((name for name, words in lists.items() if isinstance(words, str)), None)
        if wrong or not isinstance(self.about, str):
            is_not = f"'{wrong}' is a list of sentences, not one" if wrong else "'about' is one phrase, not a list"
            raise DomainError(f"atom '{self.intent}': {is_not}")
        told = (self.says, *((self.revision.says, self.revision.then) if self.revision else ()))
        if not all(told):
            raise DomainError(f"atom '{self.intent}': it is told in no words; write some into 'says' (and 'then')")
        if not isinstance(self.touches, (frozenset, set)):
            raise DomainError(f"atom '{self.intent}': 'touches' is a set of texts, as in frozenset({{\"#W1\"}})")
        _refuse_single(f"atom '{self.intent}'", self, ("steps", "facts", "checks", "asserts", "initialise", "tags"))


@dataclass(frozen=True)
class Introduction:
    """How customers identify themselves: ``says`` when asked, ``steps`` that find them, ``checks`` of that."""

    says: tuple[str, ...]
    steps: tuple[Action, ...]
    checks: tuple[TrajectoryCheck, ...] = ()

    def __post_init__(self) -> None:
        _refuse_single("an introduction", self, ("says", "steps", "checks"))


@dataclass(frozen=True)
class Customer:
    """A possible caller. ``search``: the look-ups that find their records if no id is said.

    ``atoms`` is called once, and only for customers that are considered. ``room``: the maximum number of changes for
    them in one task, so that most customers can be skipped when many changes are wanted. ``dual``: the atoms in which
    the customer acts as well, used only for tasks that should have one.
    """

    key: str
    introductions: tuple[Introduction, ...]
    atoms: Callable[[], Sequence[Atom]]
    search: tuple[Action, ...] = ()
    room: int = 99
    dual: Callable[[], Sequence[Atom]] = tuple


@dataclass(frozen=True)
class Family:
    """A domain's composed tasks.

    ``customers``: the possible callers. ``checks``: graded in every task, except a ``not_called`` that forbids one of
    the task's own gold steps. ``state``: whether the final state is graded. ``noun``: what callers call their records
    ("orders"). ``without_ids``: what they say when asked for ids of records that they named without ids.
    ``seed``: that of the domain's own suite, whose plans a ghost of the domain makes again.
    """

    customers: Callable[[Domain], Sequence[Customer]]
    checks: tuple[TrajectoryCheck, ...] = ()
    state: bool = True
    noun: str = "records"
    without_ids: tuple[str, ...] = ()
    seed: int = 42

    def __post_init__(self) -> None:
        _refuse_single("the family", self, ("checks", "without_ids"))

    def everybody(self, domain: Domain) -> Sequence[Customer]:
        """The possible callers of a domain; what one of them can want is made once in all its compositions."""
        known: WeakKeyDictionary[Any, Sequence[Customer]]
        known = domain.memo.setdefault("customers", WeakKeyDictionary())
        if self.customers not in known:
            known[self.customers] = [
                replace(one, atoms=cache(one.atoms), dual=cache(one.dual)) for one in self.customers(domain)
            ]
        return known[self.customers]


def same_half(keys: Sequence[str], rows: Iterable[Row], owner: Callable[[Row], str]) -> Callable[[str], list[Row]]:
    """For each customer the records of all who are in the same half of the customers as they are.

    A wish that is about somebody else's record takes one of these, so that two halves have no record in common.

    Args:
        keys: the customers, sorted.
        rows: records.
        owner: whose a record is.
    """
    first = frozenset(keys[::2])
    halves = [row for row in rows if owner(row) in first], [row for row in rows if owner(row) in {*keys} - first]
    return lambda key: halves[key not in first]


def look_up(name: str, /, **arguments: Any) -> Action:
    """A gold step of the agent."""
    # Not validated: a domain makes tens of thousands of these, and those of a task are executed in its proof.
    return Action.model_construct(action_id=name, name=name, arguments=arguments)


def on_their_side(name: str, /, **arguments: Any) -> Action:
    """A gold step of the customer, with one of their own tools."""
    return Action.model_construct(action_id=name, name=name, arguments=arguments, requestor="user")


def _refuse_single(of: str, made: Any, names: Sequence[str]) -> None:
    """Raise DomainError for one thing in the place of several: (one) is no tuple, and a text is its letters."""
    for name in names:
        if not isinstance(getattr(made, name), (tuple, list)):
            raise DomainError(f"{of}: '{name}' holds several; write (one,) with a comma for one")
