"""Gold follows from the documents alone: a reader who knows nothing of the rules decides as the gold paths do."""

import json
from datetime import date
from typing import Any

from pytest_tau.environment.documents import Documents
from pytest_tau.environment.folders import builtin_folder
from tests.builders import workshop_part

from .insurance_reader import Library

FOLDER = builtin_folder("domains", "insurance")
WORLD = json.loads((FOLDER / "db.json").read_text(encoding="utf-8"))
# Days in which a bulletin sets something aside; the reader reads no bulletins.
BULLETINS = (date(2026, 1, 6), date(2026, 2, 27))


def by_the_rules(contract: Any, claim: Any) -> str:
    customer = WORLD["customers"][contract["customer_id"]]
    decision = workshop_part(FOLDER, "cases").case_of(contract, claim, customer["postcode"])[1].decision
    if decision.settle is not None:
        return f"{decision.settle:.2f}"
    return str(decision.reject or ("adjuster" if decision.adjuster else " ".join(decision.missing)))


def test_a_reader_decides_every_claim_as_the_rules_do() -> None:
    library = Library({document.id: document.text for document in Documents(FOLDER / "documents")})
    decided: dict[str, str] = {}
    for claim in WORLD["claims"].values():
        if not BULLETINS[0] <= date.fromisoformat(claim["event_date"]) <= BULLETINS[1]:
            contract = WORLD["contracts"][claim["contract_id"]]
            decided[claim["claim_id"]] = library.decide(contract, claim)
            assert decided[claim["claim_id"]] == by_the_rules(contract, claim), (contract, claim)
    assert len(decided) >= 150
    assert len(set(decided.values())) >= 100
