"""What customers only want to know, and what nobody at the desk can do, so that a person takes over."""

from collections.abc import Iterator

from pytest_tau.schema.checks import Called
from tau_workshop.compose import Atom, look_up

from .bookings import Journey, a_journey
from .records import CITY, Flyer, Json, cabin_said, day_said, parts_of, profile, search, see, total_paid

TRANSFER = "transfer_to_human_agents"
SERVICES = {
    "wheelchair": (
        "Please arrange a wheelchair for me at both airports of {trip}.",
        "For {trip} I need a wheelchair to the gate and from it. Can you see to it?",
        "Could you order a wheelchair for {trip}? My knee doesn't carry me far.",
        "I need wheelchair assistance on {trip}, and I'd like to have that arranged.",
    ),
    "dog": (
        "I'd like to take my small dog into the cabin on {trip}. Please register it.",
        "My dog has to come along on {trip}, in a carrier under the seat. Can you arrange that?",
        "I'd like to bring my dog in the cabin on {trip}; please add that.",
        "I want to bring my dog on {trip}, in the cabin. Can you register it?",
    ),
    "meal": (
        "I need a meal without gluten on {trip}. Please order it.",
        "For {trip} I'd like a gluten-free meal to be arranged.",
        "Could you see to it that I get something without gluten to eat on {trip}?",
        "Please have a gluten-free meal put on {trip} for me.",
    ),
}


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
        (
            "How much did I pay for {trip} altogether?",
            "Could you tell me what I paid for {trip} in total?",
            "I need to know the total that {trip} has cost me so far.",
            "Please look up how much I paid for {trip}, everything included.",
        ),
        (profile(flyer), see(trip)),
        parts_of(trip),
        about="what you paid for {trip}",
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
        (
            f"What does the cheapest direct flight from {one} to {other} on {on} cost in {cabin}, for one person?",
            f"I'd like to know the lowest {cabin} fare for one, from {one} to {other} on a direct flight on {on}.",
            f"Could you look up what the cheapest direct flight from {one} to {other} on {on} costs in {cabin}? Just "
            "for one person, and only the price.",
            f"How much is the cheapest {cabin} seat on a direct flight from {one} to {other} on {on}?",
        ),
        (look_up("list_all_airports"), search(wanted.origin, wanted.destination, wanted.out)),
        frozenset({f"{flyer.id}:booking"}),
        about=f"the cheapest fare from {one} to {other}",
        manner=(f"You do not book anything from {one} to {other} today.",),
        facts=(str(leg["price"]),),
        follows=(wanted.out,),
        tags=("information",),
        policies=("Flights, cabins, bags",),
    )


def services(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """A service for which there is no tool, for themselves."""
    for service, says in SERVICES.items():
        summary = f"The customer asks for this on reservation {trip['reservation_id']}: {service}."
        yield Atom(
            f"service_{service}",
            says,
            (profile(flyer), see(trip), look_up(TRANSFER, summary=summary)),
            parts_of(trip, "comfort", "people"),
            about=f"the {service} for {{trip}}",
            rank=9,
            refers=flyer.names_of(trip),
            manner=(f"For the {service} you agree to be handed over to a person, but not before all else is done.",),
            checks=(Called(check="called", name=TRANSFER),),
            tags=("transfer",),
            last=True,
            policies=("Handing over",),
        )
