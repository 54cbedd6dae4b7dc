"""What the airline's customers can want, for composed tasks: who calls, how they say who they are, and their wishes.

pytest-tau generate airline --n 500 --seed 1 -o tasks/mine/airline.json
"""

from collections.abc import Sequence
from functools import cache, partial
from random import Random

from pytest_tau import Domain
from pytest_tau.schema.checks import Confirmed, NotCalled
from tau_workshop.compose import Atom, Customer, Family, Introduction, look_up, phrases_of, same_half, with_both_sides

from ..domain import CHANGES
from .asking import TRANSFER, of_asking
from .at_home import of_check_in, of_mails
from .bags import of_bags
from .bookings import of_bookings
from .cabins import of_cabins
from .cancelling import of_cancelling
from .compensation import of_compensation
from .flights import of_flights
from .people import of_people
from .records import TODAY, Books, Flyer
from .refused_cancelling import of_refused_cancelling
from .refused_changes import of_refused_changes, somebody_elses

say = phrases_of(__file__)
EVERYTHING = (
    of_cancelling,
    of_flights,
    of_cabins,
    of_bags,
    of_people,
    of_bookings,
    of_compensation,
    of_refused_cancelling,
    of_refused_changes,
    of_asking,
)


def customers(domain: Domain) -> list[Customer]:
    """Everybody with a reservation."""
    books = Books.of(domain)
    flyers = sorted(user_id for user_id, row in books.users.items() if row["reservations"])
    upcoming = [trip for trip in books.reservations.values() if trip["flights"][0]["date"] > TODAY]
    others = same_half(flyers, upcoming, lambda trip: str(trip["user_id"]))

    @cache
    def atoms_of(user_id: str) -> Sequence[Atom]:
        flyer = Flyer(books, books.users[user_id], Random(user_id))
        found = [atom for some in EVERYTHING for atom in some(flyer)]
        strangers = [trip for trip in others(user_id) if trip["user_id"] != user_id]
        return [*found, somebody_elses(flyer, flyer.rng.choice(strangers))]

    def at_home_of(user_id: str) -> Sequence[Atom]:
        flyer = Flyer(books, books.users[user_id], Random(f"{user_id} at home"))
        found = atoms_of(user_id)
        return [*with_both_sides(found, user_id, CHANGES), *of_mails(flyer), *of_check_in(flyer, found)]

    return [
        Customer(
            user_id,
            (introduction(user_id),),
            partial(atoms_of, user_id),
            search=(look_up("get_user_details", user_id=user_id),),
            dual=partial(at_home_of, user_id),
        )
        for user_id in flyers
    ]


def introduction(user_id: str) -> Introduction:
    """By their user id, which only they can tell; the domain's own checks see to it."""
    says = say("by_user_id.says", user_id=user_id)
    return Introduction(says, (look_up("get_user_details", user_id=user_id),))


family = Family(
    customers=customers,
    checks=(Confirmed(check="confirmed"), NotCalled(check="not_called", name=TRANSFER)),
    noun="reservations",
    seed=2024,
    without_ids=say("family.without_ids"),
)
