"""What the wishes share: a customer's records, how they are named in words, and how a wish is graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pytest_tau import Domain
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Evidence, NotCalled, ReadBefore, Reason, TrajectoryCheck
from tau_workshop.compose import Atom, Reference, look_up, phrases_of

from ..cases import PRODUCT_IDS
from ..rules import line_of

Json = Mapping[str, Any]
TRANSFER = "transfer_to_human_agents"
say = phrases_of(__file__)
Phrasing = str | list[str]


def because(
    any_of: Iterable[Phrasing] = (), topics: Iterable[str] = (), more: Iterable[Phrasing] = ()
) -> list[Phrasing]:
    """Phrasings of a reason: those that are listed, and one of the topics with a word that refuses."""
    return [*any_of, *([topic, word] for topic in topics for word in say("refuses.words")), *more]


@dataclass(frozen=True)
class Holder:
    """A customer with their contracts and claims, as raw records."""

    customer: Json
    contracts: tuple[Json, ...]
    claims: tuple[Json, ...]

    @property
    def since(self) -> date:
        """Since when they are a customer."""
        return date.fromisoformat(self.customer["customer_since"])

    def contract_of(self, claim: Json) -> Json:
        """The contract that a claim is about."""
        return next(one for one in self.contracts if one["contract_id"] == claim["contract_id"])

    def active(self, *lines: str) -> list[Json]:
        """Contracts that run, of some lines or all."""
        return [
            one
            for one in self.contracts
            if one.get("status", "active") == "active" and line(one) in (lines or (line(one),))
        ]

    def contract_reference(self, contract: Json) -> Reference:
        """A contract by number, or by product where the customer has only one of it."""
        product = contract["product"]
        alone = [one["product"] for one in self.contracts].count(product) == 1
        said = say("names.contract", product=product, number=contract["contract_id"])
        return Reference(said, say("names.only_contract", product=product) if alone else None)

    def claim_reference(self, claim: Json) -> Reference:
        """A claim by number, or by what happened where that happened once."""
        events = say("events")
        event = events[claim["event"]]
        alone = [events[one["event"]] for one in self.claims].count(event) == 1
        said = say("names.claim", number=claim["claim_id"])
        return Reference(said, say("names.claim_about", event=event) if alone else None)


def holders(domain: Domain) -> list[Holder]:
    """All customers."""
    tables = {name: table.raw for name, table in domain.base.tables.items()}
    found = []
    for customer in tables["customers"].values():
        contracts = tuple(tables["contracts"][one] for one in customer["contract_ids"])
        claims = tuple(tables["claims"][one] for contract in contracts for one in contract.get("claim_ids", []))
        found.append(Holder(customer, contracts, claims))
    return found


def product(contract: Json) -> str:
    """The id of a contract's product."""
    return PRODUCT_IDS[contract["product"]]


def line(contract: Json) -> str:
    """The line of a contract's product."""
    return line_of(product(contract))


def see(contract: Json, claim: Json | None = None) -> list[Action]:
    """Look at a contract, and perhaps at a claim: the customer shows their contracts, a contract its claims."""
    steps = [look_up("get_contract", contract_id=contract["contract_id"])]
    if claim is None:
        return steps
    customer = look_up("get_customer", customer_id=contract["customer_id"])
    return [customer, *steps, look_up("get_claim", claim_id=claim["claim_id"])]


def grant(
    intent: str,
    looks: Iterable[Action],
    acts: Iterable[Action],
    documents: Iterable[str],
    **more: Any,
) -> Atom:
    """A wish that is fulfilled, or decided, by ``acts``; the documents have to be read before them.

    Two wishes about the same tool are never in one task: what one of them rests on could rightly be read after the
    other is done. And two about the same contract are not, because what one changes may be what the other goes by.
    """
    ids, writes = tuple(dict.fromkeys(documents)), tuple(acts)
    names = list(dict.fromkeys(step.name for step in writes))
    checks = (*more.pop("checks", ()), ReadBefore(check="read_before", documents=list(ids), names=names))
    touches = frozenset({*more.pop("touches"), *names})
    return Atom(intent, steps=(*looks, *writes), touches=touches, documents=ids, checks=checks, **more)


def refusal(
    intent: str,
    looks: Iterable[Action],
    forbidden: tuple[str, Json],
    reason: Iterable[Phrasing],
    documents: Iterable[str],
    **more: Any,
) -> Atom:
    """A wish that is turned down: the fact was looked at, the rule was read, the reason given, and nothing called."""
    steps, ids = tuple(looks), tuple(dict.fromkeys(documents))
    name, arguments = forbidden
    checks: list[TrajectoryCheck] = [
        *(Evidence(check="evidence", name=step.name, arguments=step.arguments) for step in steps),
        ReadBefore(check="read_before", documents=list(ids), names=[name]),
        Reason(check="reason", any_of=list(reason)),
        NotCalled(check="not_called", name=name, arguments=dict(arguments)),
    ]
    touches = frozenset({*more.pop("touches"), name})
    tags = ("refusal", *more.pop("tags", ()))
    return Atom(intent, steps=steps, touches=touches, documents=ids, checks=tuple(checks), tags=tags, **more)
