"""The records of the insurer: customers, their contracts and claims, and what the back office has run."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field

from pytest_tau.environment import Database, Table, owned_by

Interval = Literal["yearly", "half_yearly", "quarterly", "monthly"]
EndGround = Literal["ordinary_notice", "after_claim", "nothing_left_to_insure", "revocation"]
RejectionGround = Literal["not_insured", "waiting_period", "condition_not_met", "below_deductible"]
Paper = Literal[
    "police_report",
    "invoice",
    "proof_of_purchase",
    "photos",
    "repair_estimate",
    "medical_certificate",
    "booking_confirmation",
    "carrier_report",
    "vet_invoice",
    "vet_record",
]
Detail = bool | int | float | str


class Customer(BaseModel):
    """Somebody with contracts; ``relatives`` are customers of the same family by id, with what they are."""

    customer_id: str
    name: str
    date_of_birth: date
    email: str
    street: str
    postcode: str
    city: str
    customer_since: date
    contract_ids: list[str]
    relatives: dict[str, str] = Field(default_factory=dict)
    goodwill_for: list[str] = Field(default_factory=list)


class Extra(BaseModel):
    """Cover that was added to a contract."""

    code: str
    begins: date
    annual_price: float


class Contract(BaseModel):
    """A contract; ``details`` say what is insured. Premiums are in euros, ``instalment`` is one payment.

    A single journey has no insurance year: it ends with the journey.
    """

    contract_id: str
    customer_id: str
    product: str
    concluded: date
    cover_began: date
    insurance_year_ends: date
    status: Literal["active", "lapsed", "cancelled", "ended"] = "active"
    annual_premium: float
    payment: Interval
    instalment: float
    sum_insured: int | None = None
    details: dict[str, Detail] = Field(default_factory=dict)
    extras: list[Extra] = Field(default_factory=list)
    paid_this_year: dict[str, float] = Field(default_factory=dict)
    claim_ids: list[str] = Field(default_factory=list)
    last_day: date | None = None
    end_ground: EndGround | None = None
    premium_refunded: float | None = None
    lapsed_on: date | None = None
    open_instalments: float | None = None
    laid_up_from: date | None = None
    paused_months: int | None = None


class Claim(BaseModel):
    """A claim with the facts and the papers that are there; ``loss`` is established, in euros."""

    claim_id: str
    contract_id: str
    event: str
    event_date: date
    reported_on: date
    loss: float
    facts: dict[str, Detail] = Field(default_factory=dict)
    papers: list[Paper] = Field(default_factory=list)
    status: Literal["open", "papers requested", "with adjuster", "settled", "rejected"] = "open"
    decided_on: date | None = None
    settlement: float | None = None
    ground: RejectionGround | None = None
    requested: list[Paper] = Field(default_factory=list)
    deductible_waived: bool = False
    advance: float | None = None
    adjuster: str | None = None


class Run(BaseModel):
    """A procedure that was run."""

    run_id: str
    procedure: str
    details: dict[str, Detail]


class InsuranceDatabase(Database):
    """The insurer's books."""

    customers: Table[Customer] = owned_by("customer_id")
    contracts: Table[Contract] = owned_by("customer_id")
    claims: Table[Claim]
    procedure_runs: Table[Run]
