"""The shop's books as atoms need them: whose order holds what, and how its owner would name it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from pytest_tau import Domain, Environment
from tau_workshop.compose import Reference, phrases_of

from ..make_db import CITIES, STREETS
from .options import enumeration, noun

say = phrases_of(__file__)
Json = Mapping[str, Any]
Wanted = Callable[[Json], bool]


@dataclass(frozen=True)
class Books:
    """The tables as the file has them."""

    users: Mapping[str, Json]
    orders: Mapping[str, Json]
    products: Mapping[str, Json]

    @classmethod
    def of(cls, domain: Domain) -> "Books":
        """The books of a fresh world."""
        tables = domain.environment().dump()["agent"]
        return cls(tables["users"], tables["orders"], tables["products"])


@dataclass(frozen=True)
class Buyer:
    """A customer with their orders; ``rng`` is theirs alone, so that one buyer's draws do not shift another's."""

    books: Books
    row: Json
    rng: Random = field(compare=False)

    @property
    def id(self) -> str:
        """The user id."""
        return str(self.row["user_id"])

    def orders(self, *statuses: str) -> list[Json]:
        """Their orders, all or those of some statuses."""
        found = [self.books.orders[order_id] for order_id in self.row["orders"]]
        return [order for order in found if not statuses or order["status"] in statuses]

    def products_in(self, order: Json) -> list[str]:
        """The names of what an order holds, each once."""
        return list(dict.fromkeys(item["name"] for item in order["items"]))

    def never_ordered(self) -> list[Json]:
        """The products that are in none of their orders."""
        have = {name for order in self.orders() for name in self.products_in(order)}
        return [product for product in self.books.products.values() if product["name"] not in have]

    def order_named(self, order: Json, but: Collection[str] = ()) -> Reference:
        """An order by its number, or by what only it holds; ``but``: products not to name it by."""
        others = [set(self.products_in(other)) for other in self.orders() if other is not order]
        held = [item["name"] for item in order["items"]]  # "the order with the belt" holds one belt
        mine = [name for name in self.products_in(order) if name not in but and held.count(name) == 1]
        telling = [[name] for name in mine] + [[a, b] for a in mine for b in mine if a < b]
        names = next((names for names in telling if not any(set(names) <= other for other in others)), None)
        said = say("names.order", number=order["order_id"])
        if len(self.row["orders"]) == 1:
            return Reference(said, say("names.only_order"))
        things = None if names is None else enumeration([*map(noun, names)])
        return Reference(said, things and say("names.order_with", things=things))

    def item_named(self, order: Json, item: Json) -> Reference | None:
        """An item of an order that holds one of its kind: "the ukulele in order #W1", "the ukulele that I ordered"."""
        if [other["name"] for other in order["items"]].count(item["name"]) > 1:
            return None
        name = noun(item["name"])
        hidden: str | None = say("names.ordered", thing=name)
        if any(item["name"] in self.products_in(other) for other in self.orders() if other is not order):
            there = self.order_named(order, but=[item["name"]]).hidden
            hidden = None if there is None else say("names.from", thing=name, order=there)
        return Reference(say("names.in_order", thing=name, number=order["order_id"]), hidden)

    def methods(self) -> list[Json]:
        """Their payment methods."""
        return list(self.row["payment_methods"].values())

    def method_named(self, method: Json) -> str | None:
        """A payment method in their words: "my PayPal account", "my Visa"; None where that is not clear."""
        same = [other for other in self.methods() if other["source"] == method["source"]]
        words: dict[str, str] = say(f"methods.{method['source']}", last_four=method.get("last_four"))
        if method["source"] != "credit_card" or len(same) == 1:
            return words["alone"]
        alike = [card["brand"] for card in same].count(method["brand"])
        return words[method["brand"] if alike == 1 else f"{method['brand']}_of_several"]

    def paid_with(self, order: Json) -> Json:
        """The method that an order was paid with."""
        found: Json = self.row["payment_methods"][order["payment_history"][0]["payment_method_id"]]
        return found

    def total(self, order: Json) -> float:
        """What was paid for an order."""
        return float(order["payment_history"][0]["amount"])

    def new_address(self, kind: str, *, near: bool = False) -> dict[str, str]:
        """A place where they have nothing yet, perhaps in their town; the same for the same kind."""
        rng = Random(f"{self.id} {kind}")
        town = self.row["address"]["city"]
        city, state, prefix = rng.choice([place for place in CITIES if not near or place[0] == town])
        street = rng.choice([name.strip() for name in STREETS.split(",")])
        return {
            "address1": f"{rng.randrange(10, 990)} {street}",
            "address2": rng.choice(["", f"Apt {rng.randrange(1, 60)}", f"Unit {rng.randrange(1, 30)}"]),
            "city": city,
            "state": state,
            "country": "USA",
            "zip": f"{prefix}{rng.randrange(100):02}",
        }


def address_text(address: Mapping[str, str]) -> str:
    """An address in one line."""
    street = ", ".join(filter(None, [address["address1"], address["address2"]]))
    return f"{street}, {address['city']}, {address['state']} {address['zip']}, {address['country']}"


def money(amount: float) -> str:
    """An amount as the tools print it."""
    return f"{amount:.2f}"


def live_order(env: Environment, order_id: str) -> Json:
    """An order as it stands now."""
    found: Json = env.tools.db.orders[order_id].model_dump()
    return found


def in_stock(env: Environment, product_id: str) -> Iterator[Json]:
    """The variants of a product that are available now."""
    for variant in env.tools.db.products[product_id].variants.values():
        if variant.available:
            yield variant.model_dump()


def methods_called(env: Environment, user_id: str, words: str, buyer: Buyer) -> list[str]:
    """The payment methods in a profile that a customer's words could mean."""
    methods = [method.model_dump() for method in env.tools.db.users[user_id].payment_methods.values()]
    return [str(method["id"]) for method in methods if buyer.method_named(method) == words]


def differing(before: Json, after: Json) -> dict[str, str]:
    """The options of ``after`` that are not those of ``before``."""
    return {name: value for name, value in after["options"].items() if before["options"].get(name) != value}


def shuffle(rng: Random, among: Sequence[Any]) -> list[Any]:
    """In another order."""
    return rng.sample(list(among), len(among))
