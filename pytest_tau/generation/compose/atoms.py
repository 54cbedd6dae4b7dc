"""What a domain author writes: the things that customers can want, each bound to somebody's records.

    domains/<name>/atoms.py, or domains/<name>/atoms/__init__.py where they are many
        family = Family(checks=(...,), customers=customers)     # the machinery reads this name
        def customers(domain: Domain) -> list[Customer]: ...    # each with a function that gives their atoms

An **atom** is one wish with everything that belongs to it: words, gold steps, what is graded, which records it touches.
Atoms know nothing of each other. The machinery picks some of one customer's that do not touch the same thing, orders
them by rank, deals out words, manner and changes of mind, and proves the task that comes out (``proof.py``).

To write one:

1. Find a record that the wish fits, such as a delivered order with an item of which another variant is available.
2. Write the gold ``steps``: what has to be looked up, then the changes. A step's arguments must be known by then, from
   the customer's words or from a result of an earlier step; the proof looks.
3. Write four to six ``says``: whole sentences of a customer, in the first person, each of them complete by itself.
   They are cut in half for ``train`` and ``test``, so that each half needs two. ``{order}`` and the like are
   references; see :class:`Reference`.
4. Give ``fits``: the arguments of every call that the words could mean, computed from the words' conditions and the
   world, not copied from the step. The proof demands that there is exactly one, the gold one; for a refusal, none.
5. ``touches``: what no other atom of the task may touch as well, such as ``"#W1:items"``. Two wishes for one order go
   together where their texts differ; a cancellation touches all of the order.
6. ``rank``: changes are made in this order, lower first. Give the change that closes a record the highest.
7. A wish that is refused has no step that writes, and ``checks`` with the evidence, the reason, and what must not be
   called (with the record among its arguments, so that another atom may call it elsewhere).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...environment.domain import Domain
from ...environment.environment import Environment
from ...schema.calls import Action, EnvAssertion, EnvFunctionCall
from ...schema.checks import TrajectoryCheck

Fits = Callable[[Environment], Iterable[Mapping[str, Any]]]


@dataclass(frozen=True)
class Reference:
    """How a record is named in words: with its id, and without where that is clear enough for this customer."""

    said: str
    hidden: str | None = None

    def text(self, hidden: bool) -> str:
        """The words; with the id where there are no others."""
        return self.hidden if hidden and self.hidden is not None else self.said


@dataclass(frozen=True)
class Revision:
    """The same wish as it was at first: ``says`` opens with it, ``then`` changes it into the atom's own.

    ``proposal`` is the call that the first wish asks for. ``says`` and ``then`` have as many wordings as the atom.
    """

    says: tuple[str, ...]
    then: tuple[str, ...]
    proposal: Action


@dataclass(frozen=True)
class Atom:
    """One wish of a customer, bound to their records; the module's text says how to write one.

    ``intent``: what kind of wish, a tag. ``about``: the wish as a noun phrase, for the moment of a change of mind.
    ``says``: wordings. ``refers``: what the names in braces stand for. ``known``: sentences that the customer says
    when they are asked for details; ``manner``: sentences about how they behave, in the second person.
    ``steps``: the gold path. ``fits``: all calls that the words could mean, evaluated right before the first change.
    ``facts``: what must be told. ``checks``, ``asserts``: more that is graded. ``initialise``: calls that bring the
    world to where the wish makes sense.
    ``tags``: ``refusal`` where it is turned down, ``information`` where something is only to be told, ``transfer``,
    ``abstract``, ``false_belief``, ``dual``, and others of the domain's own.
    ``withdraws``: words that take the wish back once it was proposed. ``revision``: how it was at first.
    ``last``: nothing can follow it, such as a hand-over. ``policies``: the sections of the policy it is about.
    ``documents``: those that the wish rests on, by id; the task requires them, and the proof takes what they say as
    known. ``follows``: values of the steps that stand nowhere and follow from what is known, such as a day counted
    from another. ``charges``: the payment method that the change takes money from, and how much.
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


@dataclass(frozen=True)
class Introduction:
    """A way for a customer to say who they are: ``says`` when asked, ``steps`` that find them, ``checks`` of it."""

    says: tuple[str, ...]
    steps: tuple[Action, ...]
    checks: tuple[TrajectoryCheck, ...] = ()


@dataclass(frozen=True)
class Customer:
    """Somebody who may call. ``search``: the look-ups that find their records where no id is said.

    ``atoms`` is called once, and only for those who come into question; ``room`` says that there can be no more changes
    than that for them in one task, which spares making the atoms of most when many changes are wanted. ``dual``: the
    atoms in which they act as well, only for tasks that are to have such a wish.
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

    ``customers``: who may call. ``checks``: graded in every task, but for a ``not_called`` that forbids one of its own
    gold steps. ``state``: whether the state in the end is graded. ``noun``: what callers call their records ("orders").
    ``without_ids``: what they say, asked for the ids of records that they named without.
    """

    customers: Callable[[Domain], Sequence[Customer]]
    checks: tuple[TrajectoryCheck, ...] = ()
    state: bool = True
    noun: str = "records"
    without_ids: tuple[str, ...] = ()


def look_up(name: str, /, **arguments: Any) -> Action:
    """A gold step of the agent."""
    # Not validated: a domain makes tens of thousands of these, and those of a task are executed in its proof.
    return Action.model_construct(action_id=name, name=name, arguments=arguments)


def on_their_side(name: str, /, **arguments: Any) -> Action:
    """A gold step of the customer, with a tool of theirs."""
    return Action.model_construct(action_id=name, name=name, arguments=arguments, requestor="user")
