"""Changes of a reservation that the policy rules out."""

from collections.abc import Iterator

from pytest_tau.schema.checks import NotSaid
from tau_workshop.compose import Atom, Reference, because, not_yours, phrases_of

from .bags import NUMBERS
from .flights import direct_ways
from .people import a_person
from .records import (
    CITY,
    FLOWN,
    PLACE,
    TODAY,
    Flyer,
    Json,
    birthday,
    day_said,
    full,
    parts_of,
    profile,
    see,
    travelling,
    visiting,
)
from .refused_cabins import by_certificate, cabin_when_flown, part_of_a_cabin, too_dear
from .refusing import CHANGES, not_called_for, parts, refusal, shows, unavailable

say = phrases_of(__file__)


def of_refused_changes(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want changed in vain."""
    for trip in flyer.upcoming():
        if trip["cabin"] == "basic_economy":
            yield from basic(flyer, trip)
        else:
            yield elsewhere(flyer, trip)
        if flyer.bookable(trip):
            yield from part_of_a_cabin(flyer, trip)
            yield from too_dear(flyer, trip)
            yield from by_certificate(flyer, trip)
        yield from fewer_bags(flyer, trip)
        yield from insurance(flyer, trip)
        yield from number_of_people(flyer, trip)
    for trip in flyer.trips():
        if flyer.statuses(trip)[0] in FLOWN and trip["flights"][-1]["date"] > TODAY:
            yield from cabin_when_flown(flyer, trip)


def basic(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Flights in basic economy cannot be changed."""
    for way in direct_ways(flyer, trip):
        days = [day for day in way.days if day != way.leg["date"]]
        if not days:
            continue
        day = flyer.rng.choice(days)
        what, on = way.called, day_said(day)
        yield unavailable(
            "move_basic_economy",
            **say("move_basic_economy", what=what, on=on),
            tags=("false_belief",),
            checks=(
                shows(trip, '"cabin": "basic_economy"'),
                because(**say("move_basic_economy.because")),
                *not_called_for(trip, "update_reservation_flights", "cancel_reservation"),
            ),
            **parts(flyer, trip, "flights", besides=travelling(trip["passengers"], way.put(way.leg, day))),
        )
        return


def elsewhere(flyer: Flyer, trip: Json) -> Atom:
    """The trip must go where it goes."""
    served = {other["destination"] for other in flyer.trips()} | {trip["origin"]}
    code = flyer.rng.choice(sorted(set(CITY) - served))
    place = CITY[code]
    return unavailable(
        "move_elsewhere",
        **say("move_elsewhere", place=place),
        checks=(
            because(**say("move_elsewhere.because", place=place)),
            *not_called_for(trip, "update_reservation_flights", "cancel_reservation"),
        ),
        **parts(flyer, trip, "flights", besides=visiting(PLACE[code])),
    )


def fewer_bags(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Bags can be added and not removed."""
    number = trip["total_baggages"]
    if not number:
        return
    some = say("bag.the_one" if number == 1 else "bag.one_of_them")
    yield unavailable(
        "remove_bag",
        **say("remove_bag", some=some),
        checks=(
            because(**say("remove_bag.because")),
            *not_called_for(trip, "update_reservation_baggages"),
        ),
        **parts(flyer, trip, "bags"),
    )


def insurance(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """It is sold with the booking alone, and not taken back."""
    if trip["insurance"] == "no":
        yield unavailable(
            "insurance_later",
            **say("insurance_later"),
            tags=("false_belief",),
            checks=(
                because(**say("insurance_later.because")),
                *not_called_for(trip, *CHANGES[1:3]),
            ),
            **parts(flyer, trip, "comfort"),
        )
        return
    yield unavailable(
        "insurance_back",
        **say("insurance_back"),
        checks=(
            because(**say("insurance_back.because")),
            *not_called_for(trip, "cancel_reservation", *CHANGES[1:3]),
        ),
        **parts(flyer, trip, "comfort"),
    )


def number_of_people(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """As many travel as were booked."""
    new = a_person(f"{trip['reservation_id']} more", trip["passengers"])
    keep = not_called_for(trip, "update_reservation_passengers", "cancel_reservation")
    yield unavailable(
        "add_passenger",
        **say("add_passenger", new=full(new), born=birthday(new["dob"])),
        checks=(because(**say("add_passenger.because")), *keep),
        **parts(flyer, trip, "people"),
    )
    if len(trip["passengers"]) < 2:
        return
    gone = full(trip["passengers"][-1])
    number = NUMBERS[len(trip["passengers"]) - 1]
    yield unavailable(
        "drop_passenger",
        **say("drop_passenger", gone=gone, number=number),
        checks=(because(**say("drop_passenger.because", gone=gone)), *keep),
        **parts(flyer, trip, "people"),
    )


def somebody_elses(flyer: Flyer, trip: Json) -> Atom:
    """A reservation that is not theirs, whatever they say."""
    owner = flyer.books.users[trip["user_id"]]
    number = trip["reservation_id"]
    return refusal(
        "somebody_elses_trip",
        **say("somebody_elses_trip", number=number),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip),
        # Who says this number does not say that they have none at hand.
        refers={"trip": Reference(f"reservation {number}"), "Trip": Reference(f"Reservation {number}")},
        checks=(
            because(not_yours("reservation")),
            *not_called_for(trip, *CHANGES),
            NotSaid(check="not_said", texts=[owner["user_id"], owner["email"], full(owner["name"])]),
        ),
        policies=("How you work",),
    )
