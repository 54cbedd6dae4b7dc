"""Wishes in which the customer has something to do as well, made of ordinary ones.

For domains of which both sides take part in ``environment/customer_side.py``: a code that only the customer's inbox
has, a payment that they approve in an app, a number that stands in a mail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle

from pytest_tau.environment.customer_side import code_of
from pytest_tau.environment.spec import DUAL
from pytest_tau.schema.calls import Action, EnvFunctionCall
from pytest_tau.schema.checks import CallPattern, Order

from .atoms import Atom, Reference, look_up, on_their_side
from .phrases import phrases_of

FIRST = -1  # a code is checked before anything is changed
say = phrases_of(__file__)


def home_of(user_id: str, *calls: EnvFunctionCall) -> tuple[EnvFunctionCall, ...]:
    """The beginning of a task with a home in it; ``calls`` follow."""
    return (EnvFunctionCall(env_type="user", func_name="belongs_to", arguments={"user_id": user_id}), *calls)


def at_home(user_id: str) -> frozenset[str]:
    """One such wish is enough for a task."""
    return frozenset({f"{user_id}:home"})


def with_both_sides(atoms: Iterable[Atom], user_id: str, changes: Sequence[str]) -> Iterator[Atom]:
    """Such wishes, of those that make one change and are granted.

    Args:
        atoms: a customer's wishes.
        user_id: the customer.
        changes: the agent's tools that change something.
    """
    for atom in atoms:
        if atom.last or sum(step.name in changes for step in atom.steps) != 1 or atom.steps[-1].name not in changes:
            continue
        yield protect(atom, user_id)
        if atom.charges is not None:
            yield by_request(atom, user_id, *atom.charges)


def protect(atom: Atom, user_id: str) -> Atom:
    """The account needs a code, which the customer reads out of a mail."""
    *looks, act = atom.steps
    code = code_of(user_id, 1)
    checked = look_up("check_code", user_id=user_id, code=code)
    protect = EnvFunctionCall(env_type="assistant", func_name="protect", arguments={"user_id": user_id})
    steps = (look_up("send_code", user_id=user_id), on_their_side("check_inbox"))
    return _dual(
        atom,
        "protected_account",
        (*looks, *steps, on_their_side("open_mail", mail_id="code_1"), checked, act),
        user_id,
        rank=FIRST,
        manner=(*atom.manner, say("protected_account.told")),
        checks=(*atom.checks, _in_order(checked, act)),
        initialise=(*atom.initialise, *home_of(user_id, protect)),
    )


def by_request(atom: Atom, user_id: str, method_id: str, amount: float) -> Atom:
    """They approve in an app what the change costs."""
    *looks, act = atom.steps
    asked = look_up("request_payment", user_id=user_id, payment_method_id=method_id, amount=amount)
    seen = look_up("get_user_details", user_id=user_id)
    return _dual(
        atom,
        "payment_by_request",
        (*looks, asked, on_their_side("check_payment_app"), on_their_side("approve_payment", request_id="request_1"),
         seen, act),
        user_id,
        says=tuple(map(" ".join, zip(atom.says, cycle(say("payment_by_request.asks")), strict=False))),
        manner=(*atom.manner, say("payment_by_request.told")),
        checks=(*atom.checks, _in_order(asked, act)),
        initialise=(*atom.initialise, *home_of(user_id)),
    )  # fmt: skip


def number_in_mail(
    atom: Atom, user_id: str, called: str, subject: str, text: str, record: frozenset[str] = frozenset()
) -> Atom:
    """They do not know the number of their record; a mail has it.

    Args:
        atom: the wish.
        user_id: the customer.
        called: the record in their words, such as "the order that the mail in my inbox is about".
        subject: of the mail.
        text: of the mail, with the number.
        record: what else of the record no other wish of the task may touch, which would call it by its number.
    """
    capital = called[0].upper() + called[1:]
    words = {name: Reference(capital if name[0].isupper() else called) for name in atom.refers or {}}
    receive = EnvFunctionCall(env_type="user", func_name="receive", arguments={"subject": subject, "text": text})
    return _dual(
        replace(atom, touches=atom.touches | record),
        "number_in_mail",
        (on_their_side("check_inbox"), on_their_side("open_mail", mail_id="mail_1"), *atom.steps),
        user_id,
        refers=words,
        manner=(*atom.manner, say("number_in_mail.told", called=called)),
        initialise=(*atom.initialise, *home_of(user_id, receive)),
    )


def _dual(atom: Atom, intent: str, steps: Sequence[Action], user_id: str, **changed: object) -> Atom:
    return replace(
        atom,
        intent=intent,
        steps=tuple(steps),
        touches=atom.touches | at_home(user_id),
        tags=(*atom.tags, atom.intent, DUAL),
        withdraws=(),
        revision=None,
        **changed,  # type: ignore[arg-type]
    )


def _in_order(first: Action, then: Action) -> Order:
    calls = [CallPattern(name=step.name, arguments=step.arguments) for step in (first, then)]
    return Order(check="order", calls=calls)
