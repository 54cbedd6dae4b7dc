"""What customers only want to know, and what nobody at the desk can do, so that a person takes over."""

from collections.abc import Iterator

from pytest_tau.schema.checks import Called
from tau_workshop.compose import Atom, look_up, phrases_of

from .bookings import Journey, a_journey
from .records import CITY, Flyer, Json, cabin_said, day_said, parts_of, profile, search, see, total_paid

say = phrases_of(__file__)
TRANSFER = "transfer_to_human_agents"
SERVICES = ("wheelchair", "dog", "meal")


def of_asking(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could ask."""
    for trip in flyer.upcoming():
        yield paid_for(flyer, trip)
        if flyer.aboard(trip):
            yield from services(flyer, trip)
    yield from cheapest_fare(flyer)


def paid_for(flyer: Flyer, trip: Json) -> Atom:
    """What a trip has cost."""
    return Atom(
        "price_paid",
        **say("price_paid"),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip),
        refers=flyer.names_of(trip),
        facts=(str(total_paid(trip)),),
        tags=("information",),
        policies=("How you work",),
    )


def cheapest_fare(flyer: Flyer) -> Iterator[Atom]:
    """What the cheapest direct flight costs."""
    wanted: Journey | None = a_journey(flyer.rng, flyer)
    if wanted is None:
        return
    leg, cabin = wanted.flights[0], cabin_said(wanted.cabin)
    one, other, on = CITY[wanted.origin], CITY[wanted.destination], day_said(wanted.out)
    offers = [flight["dates"][wanted.out] for flight in flyer.books.routes[wanted.origin, wanted.destination]]
    cheaper = [day for day in offers if day["status"] == "available" and day["prices"][wanted.cabin] < leg["price"]]
    if cheaper:  # without seats left, so that somebody could mean that one
        return
    yield Atom(
        "cheapest_fare",
        **say("cheapest_fare", one=one, other=other, on=on, cabin=cabin),
        steps=(look_up("list_all_airports"), search(wanted.origin, wanted.destination, wanted.out)),
        touches=frozenset({f"{flyer.id}:booking"}),
        facts=(str(leg["price"]),),
        follows=(wanted.out,),
        tags=("information",),
        policies=("Flights, cabins, bags",),
    )


def services(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """A service for which there is no tool, for themselves."""
    for service in SERVICES:
        summary = say("service.transfer.summary", number=trip["reservation_id"], service=service)
        yield Atom(
            f"service_{service}",
            **say("service", service=service),
            **say(f"service_{service}"),
            steps=(profile(flyer), see(trip), look_up(TRANSFER, summary=summary)),
            touches=parts_of(trip, "comfort", "people"),
            rank=9,
            refers=flyer.names_of(trip),
            checks=(Called(check="called", name=TRANSFER),),
            tags=("transfer",),
            last=True,
            policies=("Handing over",),
        )
