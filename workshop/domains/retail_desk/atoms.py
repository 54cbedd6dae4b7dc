"""The wishes of retail, with the supervisor's approval where a return needs it.

pytest-tau generate retail_desk --n 48 --seed 48 -o tasks/mine/retail_desk.json
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from pytest_tau import Domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import CallPattern, Order
from tau_workshop.compose import Atom, Customer, Family, look_up
from tau_workshop.parts import load_workshop_part

from .domain import APPROVED_FROM, worth

RETURN = "return_delivered_order_items"
Orders = Mapping[str, Mapping[str, Any]]


_SHOP: Family = load_workshop_part(builtin_folder("domains", "retail").resolve(), "atoms").family  # type: ignore[union-attr]


def customers(domain: Domain) -> list[Customer]:
    """Those of retail."""
    orders = domain.environment().dump()["agent"]["orders"]
    return [
        replace(one, atoms=partial(_approved, one.atoms, orders), dual=partial(_approved, one.dual, orders))
        for one in _SHOP.customers(domain)
    ]


def _approved(atoms: Callable[[], Sequence[Atom]], orders: Orders) -> list[Atom]:
    return [with_approval(atom, orders) for atom in atoms()]


def with_approval(atom: Atom, orders: Orders) -> Atom:
    """The wish with an approval before each return that needs one; who wants one of these keeps to it."""
    steps: list[Action] = []
    checks = [*atom.checks]
    for step in atom.steps:
        if step.name == RETURN and _cost(step, orders) >= APPROVED_FROM:
            what = {name: step.arguments[name] for name in ("order_id", "item_ids")}
            steps.append(look_up("approve_return", **what))
            calls = [
                CallPattern(name=name, arguments={"order_id": what["order_id"]}) for name in (steps[-1].name, RETURN)
            ]
            checks.append(Order(check="order", calls=calls))
        steps.append(step)
    if len(steps) == len(atom.steps):
        return atom
    tags = (*atom.tags, "approval")
    return replace(atom, steps=tuple(steps), checks=tuple(checks), tags=tags, withdraws=(), revision=None)


def _cost(step: Action, orders: Orders) -> float:
    prices = {item["item_id"]: item["price"] for item in orders[step.arguments["order_id"]]["items"]}
    return worth([prices[item_id] for item_id in step.arguments["item_ids"]])


family = replace(_SHOP, customers=customers)
