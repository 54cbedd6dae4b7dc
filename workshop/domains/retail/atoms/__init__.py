"""What the shop's customers can want, for composed tasks: who calls, how they say who they are, and their wishes.

pytest-tau generate retail --n 500 --seed 1 -o tasks/mine/retail.json
"""

from collections.abc import Sequence
from functools import cache, partial
from random import Random

from pytest_tau import Domain
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.schema.checks import Confirmed, Identified, NotCalled
from tau_workshop.compose import Atom, Customer, Family, Introduction, look_up, phrases_of, same_half, with_both_sides

from ..domain import CHANGES
from ..tools import RetailTools
from .asking import TRANSFER
from .at_home import of_mails
from .delivered import of_delivered
from .pending import of_pending
from .records import Books, Buyer, Json
from .refused import of_refused

say = phrases_of(__file__)
FINDERS = ("find_user_id_by_email", "find_user_id_by_name_zip")
ROOM = {"pending": 3, "delivered": 1}  # changes that an order has room for
NEEDED_FOR = ["get_user_details", "get_order_details", *(n for n, t in tools_of(RetailTools).items() if t.writes)]


def customers(domain: Domain) -> list[Customer]:
    """Everybody with an order."""
    books = Books.of(domain)
    buyers = sorted(user_id for user_id, row in books.users.items() if row["orders"])
    pending = [order for order in books.orders.values() if order["status"] == "pending"]
    others = same_half(buyers, pending, lambda order: str(order["user_id"]))

    @cache
    def atoms_of(user_id: str) -> Sequence[Atom]:
        buyer = Buyer(books, books.users[user_id], Random(user_id))
        return [*of_pending(buyer), *of_delivered(buyer), *of_refused(buyer, others(user_id))]

    def at_home_of(user_id: str) -> Sequence[Atom]:
        buyer = Buyer(books, books.users[user_id], Random(f"{user_id} at home"))
        return [*with_both_sides(atoms_of(user_id), user_id, CHANGES), *of_mails(buyer)]

    return [
        Customer(
            user_id,
            introductions(books.users[user_id]),
            partial(atoms_of, user_id),
            search=(look_up("get_user_details", user_id=user_id),),
            dual=partial(at_home_of, user_id),
            room=1 + sum(ROOM.get(books.orders[order_id]["status"], 0) for order_id in books.users[user_id]["orders"]),
        )
        for user_id in buyers
    ]


def introductions(row: Json) -> tuple[Introduction, Introduction]:
    """By e-mail address, or by name and zip code."""
    user_id, email, zip_code = row["user_id"], row["email"], row["address"]["zip"]
    first, last, city = row["name"]["first_name"], row["name"]["last_name"], row["address"]["city"]
    known = Identified(check="identified", by=list(FINDERS), needed_for=NEEDED_FOR, shows=user_id)
    return (
        Introduction(
            say("by_email.says", email=email, first=first, last=last),
            (look_up("find_user_id_by_email", email=email),),
            (known,),
        ),
        Introduction(
            say("by_name.says", first=first, last=last, zip_code=zip_code, city=city),
            (look_up("find_user_id_by_name_zip", first_name=first, last_name=last, zip=zip_code),),
            (known,),
        ),
    )


family = Family(
    customers=customers,
    checks=(Confirmed(check="confirmed"), NotCalled(check="not_called", name=TRANSFER)),
    noun="orders",
    without_ids=say("family.without_ids"),
)
