"""What retail's customers want makes sense: against their records, and one wish beside another."""

import re

from pytest_tau.environment.folders import builtin_folder
from tau_workshop.compose import Atom
from tests.builders import workshop_part
from tests.domains.test_atoms import domain, family
from tests.domains.wishes import steps, tables, wishes


def test_what_is_worn_stays_in_its_size_when_it_becomes_cheaper_or_dearer() -> None:
    variants = {
        key: one for product in tables("retail")["products"].values() for key, one in product["variants"].items()
    }
    worn = workshop_part(builtin_folder("domains", "retail"), "atoms.options").WORN
    items = {item["item_id"]: item["name"] for o in tables("retail")["orders"].values() for item in o["items"]}
    found = 0
    for _, atom, step in steps("retail", "modify_pending_order_items", "exchange_delivered_order_items"):
        for old, new in zip(step.arguments["item_ids"], step.arguments["new_item_ids"], strict=True):
            if atom.intent.endswith(("_cheapest", "_within_budget")) and items[old] in worn:
                found += 1
                assert variants[old]["options"]["size"] == variants[new]["options"]["size"]
                assert all("in the same size" in text for text in atom.says)
    assert found


def test_the_largest_is_larger_than_theirs() -> None:
    variants = {
        key: one for product in tables("retail")["products"].values() for key, one in product["variants"].items()
    }
    measure = workshop_part(builtin_folder("domains", "retail"), "atoms.options").measure
    found = 0
    for _, atom, step in steps("retail", "modify_pending_order_items", "exchange_delivered_order_items"):
        if atom.intent.endswith("_largest"):
            old, new = (variants[step.arguments[name][0]]["options"] for name in ("item_ids", "new_item_ids"))
            (size,) = (name for name in old if old[name] != new[name])
            found += 1
            assert measure(old[size]) < measure(new[size])
    assert found


def test_an_order_that_is_taken_for_not_sent_has_no_tracking_number() -> None:
    asked = [atom for _, atom in wishes("retail") if atom.intent == "tracking_number"]
    believed = [atom for _, atom in wishes("retail") if atom.intent in ("thinks_on_its_way", "thinks_pending")]
    beside = [(one, other) for one in asked for other in believed if one.steps[0] == other.steps[0]]
    assert beside
    assert all(one.touches & other.touches for one, other in beside)


def test_the_difference_is_not_paid_by_the_method_that_an_order_is_taken_off() -> None:
    paid = {key: order["payment_history"][0]["payment_method_id"] for key, order in tables("retail")["orders"].items()}
    off = [atom for _, atom in wishes("retail") if atom.intent in ("payment", "gift_card_or_other")]
    compared = 0
    for _, swap, step in steps("retail", "modify_pending_order_items"):
        order_id = step.arguments["order_id"]
        if step.arguments["payment_method_id"] == paid[order_id]:
            beside = [one for one in off if one.steps[-1].arguments["order_id"] == order_id]
            compared += len(beside)
            assert all(one.touches & swap.touches for one in beside)
    assert compared


def test_an_order_goes_elsewhere_in_their_own_town() -> None:
    found = 0
    for key, atom in wishes("retail"):
        if atom.intent == "order_address":
            steps = [atom.steps[-1], *([atom.revision.proposal] if atom.revision else ())]
            found += 1
            assert {step.arguments["city"] for step in steps} == {tables("retail")["users"][key]["address"]["city"]}
    assert found


def test_what_is_returned_by_its_kind_is_one_of_each() -> None:
    found = [atom for _, atom in wishes("retail") if re.fullmatch("return_(all_but_)?category", atom.intent)]
    for atom in found:
        order = tables("retail")["orders"][atom.steps[-1].arguments["order_id"]]
        gone = [one["name"] for one in order["items"] if one["item_id"] in atom.steps[-1].arguments["item_ids"]]
        assert len(set(gone)) == len(gone)
    assert found


def test_things_are_sent_to_one_other_place_in_a_task() -> None:
    owners: dict[str, list[Atom]] = {}
    for key, atom in wishes("retail"):
        if atom.intent == "order_address":
            owners.setdefault(key, []).append(atom)
    assert any(len(atoms) > 1 for atoms in owners.values())
    assert all(frozenset.intersection(*(atom.touches for atom in atoms)) for atoms in owners.values())


def test_who_moves_house_sends_nothing_to_a_third_place() -> None:
    owners: dict[str, dict[str, Atom]] = {}
    for key, atom in wishes("retail"):
        owners.setdefault(key, {})[atom.intent] = atom
    both = [mine for mine in owners.values() if {"moved_house", "too_late_to_move"} <= mine.keys()]
    assert both
    assert all(mine["moved_house"].touches & mine["too_late_to_move"].touches for mine in both)


def test_nobody_wants_a_product_in_another_version_that_they_cancel_elsewhere() -> None:
    cancelling = [atom for _, atom in wishes("retail") if atom.intent in {"cancel", "cancel_all_pending"}]
    assert cancelling
    for atom in cancelling:
        for step in atom.steps:
            if step.name == "cancel_pending_order":
                items = tables("retail")["orders"][step.arguments["order_id"]]["items"]
                assert {f"product {item['product_id']}:wanted" for item in items} <= atom.touches


def test_who_keeps_one_thing_of_an_order_sends_back_more_than_one() -> None:
    found = [step for _, atom, step in steps("retail", "return_delivered_order_items")
             if atom.intent == "return_all_but_one"]  # fmt: skip
    assert found
    assert all(len(step.arguments["item_ids"]) > 1 for step in found)


def test_who_cancels_all_that_is_pending_wants_nothing_else_of_what_they_take_for_it() -> None:
    by_customer: dict[str, list[Atom]] = {}
    for key, atom in wishes("retail"):
        by_customer.setdefault(key, []).append(atom)
    believed = {"too_late_to_move", "too_late_to_cancel", "thinks_pending", "thinks_on_its_way"}
    beside: set[str] = set()
    for atoms in by_customer.values():
        for every in (atom for atom in atoms if atom.intent == "cancel_all_pending"):
            for other in (atom for atom in atoms if atom.intent in believed):
                beside.add(other.intent)
                assert every.touches & other.touches, other.intent
    assert beside == believed


def test_an_order_is_named_after_what_it_holds_once() -> None:
    named = 0
    for customer in family("retail").everybody(domain("retail"))[::10]:
        held = [tables("retail")["orders"][number] for number in tables("retail")["users"][customer.key]["orders"]]
        doubles = {
            item["name"].casefold()
            for order in held
            for item in order["items"]
            if [one["name"] for one in order["items"]].count(item["name"]) > 1
        }
        for atom in customer.atoms():
            for reference in (atom.refers or {}).values():
                found = re.fullmatch(r"[Tt]he order with the (.*)", reference.hidden or "")
                if found is not None and " and " not in found[1]:
                    named += 1
                    assert found[1].casefold() not in doubles or any(
                        [one["name"].casefold() for one in order["items"]].count(found[1].casefold()) == 1
                        for order in held
                    ), found[0]
    assert named > 100


def test_an_order_is_not_named_after_what_is_to_be_found_in_it() -> None:
    found = 0
    for _, atom in wishes("retail"):
        if atom.intent in {"return_category", "return_all_but_category"} and atom.refers:
            order = tables("retail")["orders"][atom.steps[-1].arguments["order_id"]]
            gone = {
                one["name"].lower() for one in order["items"] if one["item_id"] in atom.steps[-1].arguments["item_ids"]
            }
            told = (atom.refers["order"].hidden or "").lower()
            found += bool(told)
            assert not any(name in told for name in gone)
    assert found
