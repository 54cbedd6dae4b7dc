"""The insurer's books: they are what the generator writes, and they hang together."""

import json
from collections import Counter
from datetime import date
from functools import cache
from types import ModuleType
from typing import Any

from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_folder
from tests.builders import workshop_part

FOLDER = builtin_folder("domains", "insurance")


def part(name: str) -> ModuleType:
    return workshop_part(FOLDER, name)


@cache
def world() -> Any:
    return json.loads((FOLDER / "db.json").read_text(encoding="utf-8"))


def test_the_committed_file_is_what_the_generator_writes() -> None:
    module = part("make_db")
    # Not as a comparison of texts, whose difference would take pytest minutes to show.
    same = module.render(module.build()) == (FOLDER / "db.json").read_text(encoding="utf-8")
    assert same, "run python -m domains.insurance.make_db, then check the tasks of the suite again"


def test_every_record_is_valid() -> None:
    assert list(load_domain(FOLDER).base.problems()) == []


def test_contracts_and_claims_belong_to_those_who_list_them() -> None:
    contracts, claims = world()["contracts"], world()["claims"]
    listed = [(one, key) for key, customer in world()["customers"].items() for one in customer["contract_ids"]]
    assert sorted(listed) == sorted((key, contract["customer_id"]) for key, contract in contracts.items())
    listed = [(one, key) for key, contract in contracts.items() for one in contract.get("claim_ids", [])]
    assert sorted(listed) == sorted((key, claim["contract_id"]) for key, claim in claims.items())


def test_customers_can_be_told_apart() -> None:
    customers = list(world()["customers"].values())
    assert len({one["email"] for one in customers}) == len(customers)
    assert len({(one["name"], one["date_of_birth"]) for one in customers}) == len(customers)


def test_days_follow_each_other() -> None:
    today = part("rules").TODAY
    for contract in world()["contracts"].values():
        concluded, began, ends = (
            date.fromisoformat(contract[key]) for key in ("concluded", "cover_began", "insurance_year_ends")
        )
        since = date.fromisoformat(world()["customers"][contract["customer_id"]]["customer_since"])
        assert since <= concluded <= began <= today, contract["contract_id"]
        assert (contract.get("status") == "ended") == (ends < today), contract["contract_id"]
    for claim in world()["claims"].values():
        event, reported = date.fromisoformat(claim["event_date"]), date.fromisoformat(claim["reported_on"])
        assert date.fromisoformat(world()["contracts"][claim["contract_id"]]["cover_began"]) <= event < reported < today


def test_a_single_journey_has_its_claims_before_it_or_on_the_way() -> None:
    for claim in world()["claims"].values():
        details = world()["contracts"][claim["contract_id"]]["details"]
        if first := details.get("journey_first_day"):
            early = claim["event"] == "cancellation"
            assert early == (claim["event_date"] < first), claim["claim_id"]
            assert claim["event_date"] <= details["journey_last_day"]


def test_nothing_was_paid_beyond_a_limit_and_nobody_drove_before_their_licence() -> None:
    for contract in world()["contracts"].values():
        details = contract["details"]
        assert details.get("no_claims_years", 0) <= details.get("licence_years", 0)
        for event, paid in contract.get("paid_this_year", {}).items():
            product = part("cases").PRODUCT_IDS[contract["product"]]
            began = date.fromisoformat(contract["cover_began"])
            cover = part("rules").in_force(part("products").EDITIONS[product], began).cover(event)
            assert 0 < paid < cover.limit


def test_nothing_was_paid_in_a_waiting_period_and_what_was_settled_has_an_amount() -> None:
    for claim in world()["claims"].values():
        contract = world()["contracts"][claim["contract_id"]]
        assert (claim.get("settlement") is not None) == (claim.get("status") == "settled"), claim["claim_id"]
        if claim["event"] in contract.get("paid_this_year", {}):
            postcode = world()["customers"][contract["customer_id"]]["postcode"]
            assert part("cases").case_of(contract, claim, postcode)[1].decision.kind != "waiting_period"


def test_what_was_rejected_was_rejected_rightly() -> None:
    for claim in world()["claims"].values():
        if claim.get("status") == "rejected":
            contract = world()["contracts"][claim["contract_id"]]
            postcode = world()["customers"][contract["customer_id"]]["postcode"]
            assert part("cases").case_of(contract, claim, postcode)[1].decision.kind == claim["ground"], claim


def test_a_single_journey_is_as_long_as_its_claims_say() -> None:
    for claim in world()["claims"].values():
        details = world()["contracts"][claim["contract_id"]]["details"]
        if "journey_first_day" in details and "trip_days" in claim["facts"]:
            first, last = (date.fromisoformat(details[f"journey_{end}_day"]) for end in ("first", "last"))
            assert claim["facts"]["trip_days"] == (last - first).days + 1, claim["claim_id"]


def test_devices_are_of_a_kind_that_the_terms_insure() -> None:
    for contract in world()["contracts"].values():
        if (device := contract["details"].get("device")) is not None:
            product = part("cases").PRODUCT_IDS[contract["product"]]
            for path in (FOLDER / "documents").glob(f"{product}-terms-*.md"):
                assert device in path.read_text(encoding="utf-8"), (path.name, device)


def test_parents_are_older_than_their_children() -> None:
    for customer in world()["customers"].values():
        for relative, what in customer.get("relatives", {}).items():
            other = world()["customers"][relative]
            years = int(customer["date_of_birth"][:4]) - int(other["date_of_birth"][:4])
            assert years >= 18 if what == "parent" else years <= -18


def test_every_open_claim_can_be_decided_and_every_way_to_decide_occurs() -> None:
    case_of, wrong_decisions = part("cases").case_of, part("cases").wrong_decisions
    kinds: Counter[str] = Counter()
    mistaken = 0
    for claim in world()["claims"].values():
        if claim.get("status", "open") == "open":
            contract = world()["contracts"][claim["contract_id"]]
            postcode = world()["customers"][contract["customer_id"]]["postcode"]
            case, verdict = case_of(contract, claim, postcode)
            kinds[verdict.decision.kind] += 1
            mistaken += {one.kind for one in wrong_decisions(case, verdict.decision)} >= {"stale", "neighbour"}
    assert set(kinds) == {
        "settled", "papers", "adjuster", "not_insured", "waiting_period", "condition_not_met", "below_deductible",
    }  # fmt: skip
    assert mistaken >= 80, "cases in which both an old edition and a neighbour lead elsewhere"
