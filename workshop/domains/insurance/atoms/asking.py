"""What the wishes share: a customer's records, how they are named in words, and how a wish is graded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pytest_tau import Domain
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Evidence, NotCalled, ReadBefore, Reason, TrajectoryCheck
from tau_workshop.compose import Atom, Reference, look_up

from ..cases import PRODUCT_IDS
from ..rules import line_of

Json = Mapping[str, Any]
TRANSFER = "transfer_to_human_agents"
# How a customer calls what happened.
EVENTS = {
    "fire": "the fire",
    "escape_of_water": "the burst pipe",
    "burglary": "the burglary",
    "storm": "the storm damage",
    "valuables_theft": "the stolen jewellery",
    "bicycle_theft": "the stolen bicycle",
    "glass_breakage": "the broken glass",
    "car_break_in": "the things stolen from the car",
    "collision": "the accident with the car",
    "glass": "the windscreen",
    "animal": "the animal that I ran into",
    "marten_bite": "the marten in the engine",
    "key_loss": "the lost keys",
    "cancellation": "the trip that I had to cancel",
    "interruption": "the trip that I had to break off",
    "medical_abroad": "the doctor abroad",
    "baggage": "the lost baggage",
    "delay": "the delay",
    "accident_surgery": "the operation after the accident",
    "illness_surgery": "the operation",
    "accident_treatment": "the treatment after the accident",
    "illness_treatment": "the vet's treatment",
    "dental": "the tooth",
    "prevention": "the vaccination",
    "theft": "the theft",
    "vandalism": "the vandals",
    "fall": "the fall",
    "battery": "the battery",
    "flood": "the flood",
    "breeding": "the litter",
    "accidental_damage": "the broken device",
    "liquid_damage": "the water in the device",
    "device_theft": "the stolen device",
}


# Words of somebody who refuses; none of them stands in a document, so that reading documents out gives no reason.
REFUSES = (
    *("unfortunately", "sorry", "can't", "not possible", "unable", "not able", "not eligible", "not entitled"),
    *("don't have", "do not have", "does not apply", "doesn't apply", "won't", "isn't", "not available"),
    *("does not meet", "doesn't meet"),
)


def because(*topics: str) -> list[str | list[str]]:
    """Phrasings of a reason: one of the topics, and a word that refuses."""
    return [[topic, word] for topic in topics for word in REFUSES]


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
        said = f"my {product} contract {contract['contract_id']}"
        return Reference(said, f"my {product} contract" if alone else None)

    def claim_reference(self, claim: Json) -> Reference:
        """A claim by number, or by what happened where that happened once."""
        event = EVENTS[claim["event"]]
        alone = [EVENTS[one["event"]] for one in self.claims].count(event) == 1
        return Reference(f"claim {claim['claim_id']}", f"my claim about {event}" if alone else None)


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
    says: tuple[str, ...],
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
    return Atom(intent, says, (*looks, *writes), touches, documents=ids, checks=checks, **more)


def refusal(
    intent: str,
    says: tuple[str, ...],
    looks: Iterable[Action],
    forbidden: tuple[str, Json],
    reason: Iterable[str | list[str]],
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
    return Atom(intent, says, steps, touches, documents=ids, checks=tuple(checks), tags=tags, **more)
