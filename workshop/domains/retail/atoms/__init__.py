"""What the shop's customers can want, for composed tasks: who calls, how they say who they are, and their wishes.

pytest-tau generate retail --n 500 --seed 1 -o tasks/mine/retail.json
"""

from collections.abc import Sequence
from functools import cache, partial
from random import Random

from pytest_tau import Domain
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.schema.checks import Confirmed, Identified, NotCalled
from tau_workshop.compose import Atom, Customer, Family, Introduction, look_up, same_half, with_both_sides

from ..domain import CHANGES
from ..tools import RetailTools
from .asking import TRANSFER
from .at_home import of_mails
from .delivered import of_delivered
from .pending import of_pending
from .records import Books, Buyer, Json
from .refused import of_refused

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
    ]  # fmt: skip


def introductions(row: Json) -> tuple[Introduction, Introduction]:
    """By e-mail address, or by name and zip code."""
    user_id, email, zip_code = row["user_id"], row["email"], row["address"]["zip"]
    first, last, city = row["name"]["first_name"], row["name"]["last_name"], row["address"]["city"]
    known = Identified(check="identified", by=list(FINDERS), needed_for=NEEDED_FOR, shows=user_id)
    return (
        Introduction(
            (
                f"My e-mail address is {email}.",
                f"You can find me by my e-mail address, {email}.",
                f"The e-mail address of my account is {email}.",
                f"I'm registered as {email}.",
                f"I'm {first} {last}, and I order with {email}.",
                f"Your mails reach me at {email}.",
                f"{email} is what I use in your shop. I have moved a few times, so don't go by the zip code.",
                f"My name is {first}. I signed up as {email}.",
            ),
            (look_up("find_user_id_by_email", email=email),),
            (known,),
        ),
        Introduction(
            (
                f"My name is {first} {last} and my zip code is {zip_code}.",
                f"I'm {first} {last}, zip code {zip_code}. I'm not sure which e-mail address you have.",
                f"{first} {last}, and the zip code is {zip_code}.",
                f"My name is {first} {last}. I can't say which e-mail address I used, but my zip code is {zip_code}.",
                f"I'm {first}, last name {last}; my account has an address in {city}, {zip_code}.",
                f"Please look under {last}, first name {first}. The zip code with my address is {zip_code}.",
                f"The account is in the name of {first} {last}, at zip code {zip_code}. I have several e-mail "
                "addresses and mix them up.",
                f"{last}, {first}. You have me in {city} with the zip code {zip_code}.",
            ),
            (look_up("find_user_id_by_name_zip", first_name=first, last_name=last, zip=zip_code),),
            (known,),
        ),
    )


family = Family(
    customers=customers,
    checks=(Confirmed(check="confirmed"), NotCalled(check="not_called", name=TRANSFER)),
    noun="orders",
    without_ids=(
        "I don't have my order numbers at hand.",
        "I don't know my order numbers.",
        "I can't find any of my order numbers.",
        "I haven't written down my order numbers.",
        "I have deleted the emails with my order numbers.",
        "I never look at order numbers.",
    ),
)
