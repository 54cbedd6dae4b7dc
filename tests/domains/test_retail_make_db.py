"""The shop's world: it is what the generator writes, and it hangs together."""

import json
from functools import cache
from types import ModuleType
from typing import Any

from pytest_tau import load_domain
from pytest_tau.environment.folders import builtin_folder
from tests.builders import workshop_part

FOLDER = builtin_folder("domains", "retail")


def generator() -> ModuleType:
    return workshop_part(FOLDER, "make_db")


@cache
def world() -> Any:
    return json.loads((FOLDER / "db.json").read_text(encoding="utf-8"))


def test_the_committed_file_is_what_the_generator_writes() -> None:
    module = generator()
    # Not as a comparison of texts, whose difference would take pytest minutes to show.
    same = module.render(module.World(module.SEED).build()) == (FOLDER / "db.json").read_text(encoding="utf-8")
    assert same, "run python workshop/domains/retail/make_db.py, then check the tasks of the suite"


def test_every_record_is_valid() -> None:
    assert list(load_domain("retail").base.problems()) == []


def test_sizes() -> None:
    products, users, orders = world()["products"], world()["users"], world()["orders"]
    assert (len(products), len(users), len(orders)) == (50, 500, 1000)
    assert all(5 <= len(product["variants"]) <= 20 for product in products.values())
    assert {order["status"] for order in orders.values()} == {"pending", "processed", "delivered", "cancelled"}
    methods = [method["source"] for user in users.values() for method in user["payment_methods"].values()]
    assert set(methods) == {"credit_card", "gift_card", "paypal"}


def test_products() -> None:
    item_ids: set[str] = set()
    for product_id, product in world()["products"].items():
        variants = list(product["variants"].values())
        combinations = {tuple(variant["options"].values()) for variant in variants}
        assert product_id == product["product_id"]
        assert len(combinations) == len(variants), "two variants have the same options"
        assert {tuple(variant["options"]) for variant in variants} == {tuple(variants[0]["options"])}
        assert sum(variant["available"] for variant in variants) >= 2
        assert item_ids.isdisjoint(product["variants"])
        item_ids |= set(product["variants"])
    assert item_ids.isdisjoint(world()["products"])


def test_customers_can_be_told_apart() -> None:
    users = list(world()["users"].values())
    assert len({user["email"] for user in users}) == len(users)
    assert len({(*user["name"].values(), user["address"]["zip"]) for user in users}) == len(users)


def test_orders_belong_to_those_who_list_them() -> None:
    listed = [(order_id, user_id) for user_id, user in world()["users"].items() for order_id in user["orders"]]
    assert sorted(listed) == sorted((key, order["user_id"]) for key, order in world()["orders"].items())


def test_orders_show_the_catalogue_and_add_up() -> None:
    for order in world()["orders"].values():
        for item in order["items"]:
            product = world()["products"][item["product_id"]]
            variant = product["variants"][item["item_id"]]
            assert (item["name"], item["price"], item["options"]) == (
                product["name"],
                variant["price"],
                variant["options"],
            )
        total = round(sum(item["price"] for item in order["items"]), 2)
        assert {payment["amount"] for payment in order["payment_history"]} == {total}
        kinds = [payment["transaction_type"] for payment in order["payment_history"]]
        assert kinds == (["payment", "refund"] if order["status"] == "cancelled" else ["payment"])
        methods = {payment["payment_method_id"] for payment in order["payment_history"]}
        assert len(methods) == 1
        assert methods <= set(world()["users"][order["user_id"]]["payment_methods"])
        shipped = [item_id for parcel in order["fulfillments"] for item_id in parcel["item_ids"]]
        assert shipped == ([] if order["status"] == "pending" else [item["item_id"] for item in order["items"]])
