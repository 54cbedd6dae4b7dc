"""Back-office procedures: each can be run only with the name and code that its work instruction states.

``EDITIONS`` holds what the instructions say; the last of each is in force, and only its code is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from .values import VALUES


@dataclass(frozen=True)
class Procedure:
    """An edition of a work instruction. ``details``: what has to be given. ``figures``: the numbers in its rules."""

    slug: str
    name: str
    code: str
    start: date
    end: date | None
    details: tuple[str, ...]
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def document(self) -> str:
        """The id of the document."""
        return f"instruction-{self.slug}-{self.start:%Y-%m}"


def _two(slug: str, details: tuple[str, ...], old: tuple[str, str, Any], new: tuple[str, str, Any], since: date) -> Any:
    before = date.fromordinal(since.toordinal() - 1)
    return (
        Procedure(slug, old[0], old[1], date(2023, 1, 1), before, details, old[2]),
        Procedure(slug, new[0], new[1], since, None, details, new[2]),
    )


OLD_FIRMS = {"2": "Harbour Loss Services", "4": "Brandt & Oyelaran", "5": "Mittel Survey", "6": "Brandt & Oyelaran",
             "7": "Mittel Survey"}  # fmt: skip
FIRMS = {"2": "Coastline Adjusters", "4": "Mittel Survey", "5": "Brandt & Oyelaran", "6": "Harbour Loss Services",
         "7": "Alder Valuations"}  # fmt: skip

EDITIONS: dict[str, tuple[Procedure, ...]] = {
    "refund": _two("premium-refund", ("contract_id", "amount"),
                   ("premium_return", "PR-1180", {"keep": 10, "least": 10}),
                   ("premium_refund", "PR-2064", {"keep": 0, "least": VALUES["premium_refund_least"]}),
                   date(2025, 6, 1)),
    "waiver": _two("deductible-waiver", ("claim_id",),
                   ("waive_deductible", "DW-0412", {}), ("waive_deductible", "DW-0771", {}), date(2025, 10, 1)),
    "goodwill": _two("goodwill", ("claim_id", "amount"),
                     ("goodwill_payment", "GW-3305", {"percent": 50, "most": 500, "years": 3}),
                     ("goodwill_payment", "GW-3519", {"percent": VALUES["goodwill_percent"],
                                                      "most": VALUES["goodwill_most"], "years": 5}), date(2025, 4, 1)),
    "reinstatement": _two("reinstatement", ("contract_id", "arrears"),
                          ("revive_contract", "RC-0098", {"days": 60, "fee": 8}),
                          ("reinstate_contract", "RC-0153", {"days": 90, "fee": VALUES["reinstatement_fee"]}),
                          date(2024, 9, 1)),
    "adjuster": _two("loss-adjuster", ("claim_id", "firm"),
                     ("send_adjuster", "LA-5520", {"firms": OLD_FIRMS}),
                     ("send_adjuster", "LA-5871", {"firms": FIRMS}), date(2025, 11, 1)),
    "layup": _two("lay-up", ("contract_id", "first_day"),
                  ("rest_vehicle", "LU-7012", {"least_days": 28, "percent": 50}),
                  ("lay_up_vehicle", "LU-7140", {"least_days": 14, "percent": 65}), date(2025, 2, 1)),
    "extension": _two("trip-extension", ("contract_id", "last_day", "surcharge"),
                      ("extend_trip", "TE-2207", {"prices": {"trip-single": 2.5, "trip-annual": 2.0,
                                                             "trip-family": 4.5}, "most": 21}),
                      ("extend_trip", "TE-2391", {"prices": {"trip-single": 3.2, "trip-annual": 2.4,
                                                             "trip-family": 5.6}, "most": 14}),
                      date(2025, 7, 1)),
    "transfer": _two("no-claims-transfer", ("from_contract_id", "to_contract_id", "years"),
                     ("pass_on_no_claims", "NC-6600", {"share": 50}),
                     ("transfer_no_claims_years", "NC-6744", {"share": 100}), date(2025, 1, 1)),
    "advance": _two("advance-payment", ("claim_id", "amount"),
                    ("advance_payment", "AP-4408", {"percent": 30, "most": 2000, "from": 2000}),
                    ("advance_payment", "AP-4526", {"percent": VALUES["advance_percent"],
                                                     "most": VALUES["advance_most"], "from": 5000}), date(2026, 1, 1)),
    "reopening": _two("reopening", ("claim_id",),
                      ("reopen_claim", "RO-9021", {"months": 24}), ("reopen_claim", "RO-9133", {"months": 12}),
                      date(2025, 5, 1)),
    "hardship": _two("payment-pause", ("contract_id", "months"),
                     ("payment_pause", "PP-8190", {"most": 2, "years": 3}),
                     ("payment_pause", "PP-8244", {"most": VALUES["pause_most"], "years": 2}), date(2025, 8, 1)),
}  # fmt: skip

CURRENT: dict[str, Procedure] = {editions[-1].name: editions[-1] for editions in EDITIONS.values()}


def goodwill_amount(loss: float, figures: Mapping[str, Any]) -> float:
    """What goodwill pays of a loss."""
    return round(min(loss * float(figures["percent"]) / 100, float(figures["most"])), 2)


def advance_amount(loss: float, figures: Mapping[str, Any]) -> float:
    """What is paid in advance of a loss."""
    return round(min(loss * float(figures["percent"]) / 100, float(figures["most"])), 2)
