"""Changes of a reservation that the policy rules out."""

from collections.abc import Iterator

from pytest_tau.schema.checks import NotSaid, Reason
from tau_workshop.compose import Atom, Reference, not_yours, refusing

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
from .refusing import CHANGES, because, not_called_for, parts, refusal, shows, unavailable


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
            (
                f"I'd like to move {what} to {on}. Any flight of that day will do.",
                f"Please change {what} to {on}, whichever flight there is.",
                f"Could it be a flight on {on} instead? It's about {what}.",
                f"{on} would suit me better, so please change {what} to that day.",
            ),
            about=f"another day for {what}",
            manner=("You think that {trip} is in normal economy. You pay for no other cabin and do not cancel it.",),
            tags=("false_belief",),
            checks=(
                shows(trip, '"cabin": "basic_economy"'),
                because("it is in basic economy", "basic economy", *refusing("basic_economy")),
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
        (
            f"I'd like {{trip}} to go to {place} instead, on the same day.",
            f"Please change {{trip}} so that it goes to {place}.",
            f"Could you change the destination of {{trip}} to {place}? I'll pay the difference.",
            f"{{Trip}} should go to {place} and not where it goes now. Please change it.",
        ),
        about=f"{place} as another destination of {{trip}}",
        manner=(f"Instead of {place} you want neither a cancellation of {{trip}} nor a new booking.",),
        checks=(
            because("the destination cannot be changed", ["destination", "same"], ["destination", "stay"],
                    ["destination", "remain"], ["destination", "must"], "but not where",
                    "not the destination", "n't the destination",
                    *refusing("destination", "route", "arrival", "arrival city", "another city", "rerouted", place)),
            *not_called_for(trip, "update_reservation_flights", "cancel_reservation"),
        ),
        **parts(flyer, trip, "flights", besides=visiting(PLACE[code])),
    )  # fmt: skip


def fewer_bags(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Bags can be added and not removed."""
    number = trip["total_baggages"]
    if not number:
        return
    some = "the checked bag" if number == 1 else "one of the checked bags"
    yield unavailable(
        "remove_bag",
        (
            f"Please take {some} off {{trip}}. It isn't needed any more.",
            f"There will be less luggage than planned, so please remove {some} from {{trip}}.",
            f"Could you drop {some} from {{trip}}?",
            f"There is a bag too many on {{trip}}. Please remove {some}.",
        ),
        about="fewer bags on {trip}",
                checks=(
            because("bags cannot be removed", ["bag", "only be added"], ["bag", "only add"], ["bag", "not be removed"],
                    ["bag", "never removed"], ["bag", "not removed"], ["bag", "not remove"], ["bag", "but not"],
                    ["baggage", "removed"], ["luggage", "only"],
                    *refusing("bag", "bags", "remov", "baggage", "luggage")),
            *not_called_for(trip, "update_reservation_baggages"),
        ),
        **parts(flyer, trip, "bags"),
    )  # fmt: skip


def insurance(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """It is sold with the booking alone, and not taken back."""
    if trip["insurance"] == "no":
        yield unavailable(
            "insurance_later",
            (
                "I forgot the travel insurance for {trip}. Please add it now.",
                "I'd like to insure {trip} after all. Please add the travel insurance.",
                "Could you put the travel insurance on {trip}? I can pay it right away.",
                "{Trip} needs travel insurance. I didn't take it when I booked; please add it.",
            ),
            about="travel insurance for {trip}",
            manner=("You have been told that insurance can be added until the day before the flight.",),
            tags=("false_belief",),
            checks=(
                because("insurance is only sold with the booking", ["insurance", "after booking"],
                        ["insurance", "after the booking"], ["insurance", "time of booking"],
                        ["insurance", "when booking"], ["insurance", "when you book"],
                        ["insurance", "with the booking"],
                        ["insurance", "during booking"], ["insurance", "later"], ["insurance", "afterwards"],
                        ["insurance", "at booking"], ["insurance", "reservation is made"],
                        ["insurance", "booking is made"], ["insurance", "purchase"], ["insurance", "existing"],
                        "retroactively", "retroactive",
                        *refusing("insurance")),
                *not_called_for(trip, *CHANGES[1:3]),
            ),
            **parts(flyer, trip, "comfort"),
        )  # fmt: skip
        return
    yield unavailable(
        "insurance_back",
        (
            "I don't need the insurance of {trip} any more. Please refund it.",
            "Please take the travel insurance off {trip} and give me the money for it back.",
            "Could I return just the insurance of {trip}? The trip itself stays.",
            "I'd like to have what I paid for the insurance of {trip} back; I won't need it.",
        ),
        about="the money back for the insurance of {trip}",
        manner=("You want to keep {trip}.",),
        checks=(
            because("insurance cannot be handed back", ["insurance", "non-refundable"], ["insurance", "nonrefundable"],
                    ["insurance", "n't refundable"],
                    ["insurance", "not refundable"], ["insurance", "handed back"], ["insurance", "no refund"],
                    ["insurance", "stays"], *refusing("insurance")),
            *not_called_for(trip, "cancel_reservation", *CHANGES[1:3]),
        ),
        **parts(flyer, trip, "comfort"),
    )  # fmt: skip


def number_of_people(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """As many travel as were booked."""
    new = a_person(f"{trip['reservation_id']} more", trip["passengers"])
    yield _another_number(
        flyer,
        trip,
        "add_passenger",
        (
            f"Please add {full(new)}, born on {birthday(new['dob'])}, to {{trip}}. I'll pay for the ticket.",
            f"{full(new)} wants to come along on {{trip}}. Can you add one more passenger? "
            f"Born on {birthday(new['dob'])}.",
            f"I'd like one more person on {{trip}}: {full(new)}, date of birth {birthday(new['dob'])}.",
            f"Could {full(new)}, born on {birthday(new['dob'])}, come along on {{trip}} as one more passenger?",
        ),
        f"{full(new)} as one more passenger of {{trip}}",
        f"Nobody is to be replaced by {full(new)}, and you want no separate booking for that name.",
        because("the number of passengers cannot change", *SAME_NUMBER, *refusing("add", *PEOPLE)),
    )
    if len(trip["passengers"]) < 2:
        return
    gone = full(trip["passengers"][-1])
    number = NUMBERS[len(trip["passengers"]) - 1]
    yield _another_number(
        flyer,
        trip,
        "drop_passenger",
        (
            f"{gone} isn't coming. Please take that name off {{trip}} and refund the ticket.",
            f"Please remove {gone} from {{trip}}; everybody else travels as planned.",
            f"Only {number} will travel on {{trip}} in the end. Could you drop {gone}?",
            f"I'd like to cancel the seat of {gone} on {{trip}}, and only that one.",
        ),
        f"{gone} taken off {{trip}}",
        f"You have nobody to travel in place of {gone}, and you do not cancel for everybody.",
        because(
            "the number of passengers cannot be changed",
            *SAME_NUMBER,
            *refusing("remov", gone, "reduc", *PEOPLE),
        ),
    )


PEOPLE = ("passenger", "person", "people", "traveler", "traveller", "headcount", "how many")
SAME_NUMBER: list[str | list[str]] = [
    *(["number of", "passengers", verb] for verb in ("change", "stay", "same", "fixed")),
    ["but not", "add"], ["but not", "remov"], "as many passengers as", "not the number", "n't the number",
]  # fmt: skip


def _another_number(
    flyer: Flyer, trip: Json, intent: str, says: tuple[str, ...], about: str, manner: str, why: Reason
) -> Atom:
    """One person more or fewer."""
    return unavailable(
        intent,
        says,
        about=about,
        manner=(manner,),
        checks=(
            why,
            *not_called_for(trip, "update_reservation_passengers", "cancel_reservation"),
        ),
        **parts(flyer, trip, "people"),
    )


def somebody_elses(flyer: Flyer, trip: Json) -> Atom:
    """A reservation that is not theirs, whatever they say."""
    owner = flyer.books.users[trip["user_id"]]
    number = trip["reservation_id"]
    return refusal(
        "somebody_elses_trip",
        (
            "Please cancel {trip}. The plans have changed.",
            "I'd like to cancel {trip}, because the plans have changed.",
            "{Trip} should be cancelled, please. The plans are different now.",
            "Could you cancel {trip}? The plans have changed.",
        ),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip),
        # Who says this number does not say that they have none at hand.
        refers={"trip": Reference(f"reservation {number}"), "Trip": Reference(f"Reservation {number}")},
        about=f"the cancellation of reservation {number}, which is not yours",
        manner=(
            f"If the agent says that {number} is not your reservation, say that it belongs to a friend who has asked "
            "you to do this. When the agent refuses again, accept it.",
        ),
        checks=(
            because(*not_yours("reservation")),
            *not_called_for(trip, *CHANGES),
            NotSaid(check="not_said", texts=[owner["user_id"], owner["email"], full(owner["name"])]),
        ),
        policies=("How you work",),
    )
