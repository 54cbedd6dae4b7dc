"""What the insurer's tools stand on: records or a sentence why not, and the procedures of the back office."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter, ValidationError

from pytest_tau.environment import Toolkit

from .schema import Claim, Contract, Customer, Detail, InsuranceDatabase

_DAY = TypeAdapter(date)


class BackOffice(Toolkit):
    """The books, as every tool looks into them, and what the procedures change in them."""

    db: InsuranceDatabase

    def _today(self) -> date:
        return (self.now or datetime.min).date()

    def _find(self, fits: Callable[[Any], bool]) -> str:
        for customer in self.db.customers.scan():
            if fits(customer):
                return str(customer["customer_id"])
        raise ValueError("Customer not found")

    def _customer(self, customer_id: str) -> Customer:
        if customer_id not in self.db.customers:
            raise ValueError(f"Customer {customer_id} not found")
        return self.db.customers[customer_id]

    def _contract(self, contract_id: str) -> Contract:
        if contract_id not in self.db.contracts:
            raise ValueError(f"Contract {contract_id} not found")
        return self.db.contracts[contract_id]

    def _active_contract(self, contract_id: str) -> Contract:
        contract = self._contract(contract_id)
        if contract.status != "active":
            raise ValueError(f"Contract {contract_id} is {contract.status}")
        return contract

    def _claim(self, claim_id: str) -> Claim:
        if claim_id not in self.db.claims:
            raise ValueError(f"Claim {claim_id} not found")
        return self.db.claims[claim_id]

    def _open_claim(self, claim_id: str) -> Claim:
        claim = self._claim(claim_id)
        if claim.status != "open":
            raise ValueError(f"Claim {claim_id} is not open but {claim.status}")
        return claim

    # -- procedures: each takes the details as given, and returns them as they are kept -------------------------------

    def _premium_refund(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        contract, amount = self._contract(_text(details, "contract_id")), _number(details, "amount")
        if contract.status != "cancelled":
            raise ValueError("Cancel the contract first")
        if contract.premium_refunded is not None:
            raise ValueError("The premium of this contract was given back already")
        contract.premium_refunded = amount
        return {"contract_id": contract.contract_id, "amount": amount}

    def _waive_deductible(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        claim = self._open_claim(_text(details, "claim_id"))
        claim.deductible_waived = True
        return {"claim_id": claim.claim_id}

    def _goodwill_payment(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        claim, amount = self._claim(_text(details, "claim_id")), _number(details, "amount")
        if claim.status != "rejected":
            raise ValueError("Goodwill is paid on rejected claims only")
        customer = self._customer(self._contract(claim.contract_id).customer_id)
        customer.goodwill_for.append(claim.claim_id)
        return {"claim_id": claim.claim_id, "amount": amount}

    def _reinstate_contract(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        contract, arrears = self._contract(_text(details, "contract_id")), _number(details, "arrears")
        if contract.status != "lapsed":
            raise ValueError("The contract has not lapsed")
        contract.status, contract.lapsed_on, contract.open_instalments = "active", None, None
        return {"contract_id": contract.contract_id, "arrears": arrears}

    def _send_adjuster(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        claim, firm = self._open_claim(_text(details, "claim_id")), _text(details, "firm")
        claim.status, claim.adjuster = "with adjuster", firm
        return {"claim_id": claim.claim_id, "firm": firm}

    def _lay_up_vehicle(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        contract = self._active_contract(_text(details, "contract_id"))
        if "kilometres" not in contract.details:
            raise ValueError("Only vehicles can be laid up")
        contract.laid_up_from = _day(details, "first_day")
        return {"contract_id": contract.contract_id, "first_day": str(contract.laid_up_from)}

    def _extend_trip(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        contract, surcharge = self._active_contract(_text(details, "contract_id")), _number(details, "surcharge")
        if "journey_last_day" not in contract.details:
            raise ValueError("No journey is under way in this contract")
        last_day = str(_day(details, "last_day"))
        contract.details["journey_last_day"] = last_day
        return {"contract_id": contract.contract_id, "last_day": last_day, "surcharge": surcharge}

    def _transfer_no_claims_years(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        giver = self._contract(_text(details, "from_contract_id"))
        receiver = self._active_contract(_text(details, "to_contract_id"))
        years = int(_number(details, "years"))
        if "no_claims_years" not in giver.details or "no_claims_years" not in receiver.details:
            raise ValueError("Only motor contracts have no-claims years")
        giver.details["no_claims_years"], receiver.details["no_claims_years"] = 0, years
        return {"from_contract_id": giver.contract_id, "to_contract_id": receiver.contract_id, "years": years}

    def _advance_payment(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        claim, amount = self._claim(_text(details, "claim_id")), _number(details, "amount")
        if claim.status in ("settled", "rejected"):
            raise ValueError("The claim is closed")
        if claim.advance is not None:
            raise ValueError("An advance was paid on this claim already")
        claim.advance = amount
        return {"claim_id": claim.claim_id, "amount": amount}

    def _reopen_claim(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        claim = self._claim(_text(details, "claim_id"))
        if claim.status not in ("settled", "rejected"):
            raise ValueError("The claim is not closed")
        claim.status, claim.settlement, claim.ground, claim.decided_on = "open", None, None, None
        return {"claim_id": claim.claim_id}

    def _payment_pause(self, details: Mapping[str, Any]) -> dict[str, Detail]:
        contract = self._active_contract(_text(details, "contract_id"))
        contract.paused_months = int(_number(details, "months"))
        return {"contract_id": contract.contract_id, "months": contract.paused_months}


def _text(details: Mapping[str, Any], name: str) -> str:
    if not isinstance(details[name], str):
        raise ValueError(f"The detail '{name}' must be a text")
    return str(details[name])


def _number(details: Mapping[str, Any], name: str) -> float:
    try:
        return round(float(details[name]), 2)
    except ValueError:
        raise ValueError(f"The detail '{name}' must be a number") from None


def _day(details: Mapping[str, Any], name: str) -> date:
    try:
        return _DAY.validate_python(details[name])
    except ValidationError:
        raise ValueError(f"The detail '{name}' must be a day, as year-month-day") from None
