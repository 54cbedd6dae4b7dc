"""Changes of a reservation that the policy rules out."""

from collections.abc import Iterator
from typing import Any

from pytest_tau.generation.compose import Atom
from pytest_tau.schema.checks import Evidence, NotSaid, Reason

from .bags import NUMBERS
from .cabins import CABINS, cost_of, looks
from .flights import CHANGING, able, direct_ways
from .people import a_person
from .records import (
    CITY,
    FLOWN,
    TODAY,
    Flyer,
    Json,
    balance,
    born,
    cabin_said,
    day_said,
    full,
    look_at,
    parts_of,
    profile,
    see,
)
from .refusing import CHANGES, because, flew, refused, refusing, shows, untouched

STAYS = "If that is not possible, you want to know why; then you accept it."


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


def _parts(flyer: Flyer, trip: Json, *parts: str) -> dict[str, Any]:
    return {
        "steps": (profile(flyer), see(trip)),
        "touches": parts_of(trip, *parts),
        "refers": flyer.named(trip),
        "policies": (CHANGING,),
    }


def basic(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Flights in basic economy cannot be changed."""
    for way in direct_ways(trip):
        days = [day for day in way.days if day != way.leg["date"]]
        if not days:
            continue
        what, on = way.called, day_said(flyer.rng.choice(days))
        yield refused(
            "move_basic_economy",
            (
                f"I'd like to move {what} to {on}. Any flight of that day will do.",
                f"Please change {what} to {on}, whichever flight there is.",
                f"Could you put me on a flight on {on} instead? It's about {what}.",
                f"I have to travel on {on}, so please change {what} to that day.",
            ),
            about=f"another day for {what}",
            manner=(
                f"You think that your ticket is a normal economy ticket. {STAYS} You pay for no other cabin, and you "
                "do not cancel.",
            ),
            tags=("false_belief",),
            checks=(
                shows(trip, '"cabin": "basic_economy"'),
                because("it is in basic economy", "basic economy", *refusing("basic_economy")),
                *untouched(trip, "update_reservation_flights", "cancel_reservation"),
            ),
            **_parts(flyer, trip, "flights"),
        )
        return


def elsewhere(flyer: Flyer, trip: Json) -> Atom:
    """The trip must go where it goes."""
    served = {other["destination"] for other in flyer.trips()} | {trip["origin"]}
    place = CITY[flyer.rng.choice(sorted(set(CITY) - served))]
    return refused(
        "move_elsewhere",
        (
            f"I'd like to go to {place} instead with {{trip}}, on the same day.",
            f"Please change {{trip}} so that it goes to {place}.",
            f"Could you change the destination of {{trip}} to {place}? I'll pay the difference.",
            f"{{Trip}} should take me to {place} and not where it goes now. Please change it.",
        ),
        about=f"{place} as another destination of {{trip}}",
        manner=(f"You want {place} or nothing. {STAYS} You do not want to cancel, and no new booking.",),
        checks=(
            shows(trip, f'"destination": "{trip["destination"]}"'),
            because("the destination cannot be changed", ["destination", "same"], ["destination", "stay"],
                    ["destination", "remain"], ["destination", "must"], *refusing("destination", "route", place)),
            *untouched(trip, "update_reservation_flights", "cancel_reservation"),
        ),
        **_parts(flyer, trip, "flights"),
    )  # fmt: skip


def part_of_a_cabin(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """The cabin is one for everybody and for every flight."""
    higher = CABINS[CABINS.index(trip["cabin"]) + 1 :]
    if not higher:
        return
    to = cabin_said(higher[-1])
    people, legs = trip["passengers"], trip["flights"]
    if len(people) > 1:
        who = full(flyer.rng.choice(people))
        yield refused(
            "cabin_for_one",
            (
                f"Please put {who} into {to} on {{trip}}. The others stay where they are.",
                f"On {{trip}} I'd like {to} for {who} only.",
                f"Could {who} get a seat in {to} on {{trip}}? Only that one passenger, please.",
                f"I want to upgrade one of us on {{trip}} to {to}: {who}.",
            ),
            about=f"{to} for {who} alone on {{trip}}",
            manner=(f"You want {to} for {who} alone and not for all of you. {STAYS}",),
            checks=(
                shows(trip, f'"cabin": "{trip["cabin"]}"'),
                because("all passengers share one cabin", ["all passengers", "cabin"], ["all passengers", "same"],
                        ["every passenger", "cabin"], ["everyone", "cabin"], ["everybody", "cabin"],
                        ["whole reservation", "cabin"], ["entire reservation", "cabin"], ["same cabin"],
                        *refusing("one passenger", "single passenger", "individual", "only one", f"only {who}")),
                *untouched(trip, "update_reservation_flights"),
            ),
            **_parts(flyer, trip, "flights"),
        )  # fmt: skip
    if len(legs) > 1:
        leg = flyer.rng.choice(legs)
        route = f"from {CITY[leg['origin']]} to {CITY[leg['destination']]}"
        yield refused(
            "cabin_for_one_flight",
            (
                f"Please put only the flight {route} on {{trip}} into {to}, the other stays as it is."
                .replace("the other stays as it is", "the rest stays as it is"),
                f"On {{trip}} I'd like {to} on the flight {route}, but not on the rest of it.",
                f"Could I have {to} just for the flight {route} of {{trip}}?",
                f"I want to upgrade one flight of {{trip}} to {to}, the one {route}.",
            ),
            about=f"{to} for one flight of {{trip}}",
            manner=(f"You want {to} for that flight alone and not for all of them. {STAYS}",),
            checks=(
                shows(trip, f'"cabin": "{trip["cabin"]}"'),
                because("all flights share one cabin", ["all flights", "cabin"], ["all flights", "same"],
                        ["every flight", "cabin"], ["whole reservation", "cabin"], ["entire reservation", "cabin"],
                        ["same cabin"], ["whole trip", "cabin"],
                        *refusing("one flight", "single flight", "individual", "only one", "one leg", "just the")),
                *untouched(trip, "update_reservation_flights"),
            ),
            **_parts(flyer, trip, "flights"),
        )  # fmt: skip


def too_dear(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """It costs more than they want to spend, so nothing happens, and they hear what it would cost."""
    for cabin in CABINS[CABINS.index(trip["cabin"]) + 1 :]:
        cost = cost_of(flyer, trip, cabin)
        if cost is None or cost < 100:
            continue
        most, to = 50 * ((cost - 1) // 50), cabin_said(cabin)
        paying = able(flyer, cost)
        if not paying:
            continue
        words = paying[0][1]
        yield refused(
            "upgrade_too_dear",
            (
                f"If it costs no more than {most} dollars in all, I'd like {{trip}} in {to}, paid with {words}. "
                "How much is it?",
                f"I can spend up to {most} dollars on having {{trip}} in {to}. If that is enough for everybody, do it "
                f"and charge {words}. Tell me what it costs.",
                f"What would it cost to put {{trip}} into {to}? If it is at most {most} dollars in total, please do "
                f"it and charge {words}.",
                f"Please change {{trip}} to {to}, provided that the total is {most} dollars or less. Charge "
                f"{words} for it, and let me know the amount.",
            ),
            steps=looks(flyer, trip),
            touches=parts_of(trip, "flights"),
            refers=flyer.named(trip),
            about=f"{to} for {{trip}} within a budget",
            manner=(
                f"More than {most} dollars for everybody together you would not spend on {{trip}}; if it costs more, "
                "you want to hear how much, and it stays as it is.",
            ),
            facts=(str(cost),),
            checks=(*untouched(trip, "update_reservation_flights"),),
            tags=("condition",),
            policies=(CHANGING,),
        )


def by_certificate(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """A certificate pays for bookings only."""
    certificates = [(m, w) for m in flyer.methods("certificate") if (w := flyer.named_method(m))]
    higher = CABINS[CABINS.index(trip["cabin"]) + 1 :]
    if not certificates or not higher or not (cost_of(flyer, trip, higher[-1]) or 0) > 0:
        return
    method, words = flyer.rng.choice(certificates)
    to = cabin_said(higher[-1])
    yield refused(
        "upgrade_by_certificate",
        (
            f"Please put {{trip}} into {to} and take {words} for the difference.",
            f"I'd like to use {words} to have {{trip}} in {to}.",
            f"Could you change {{trip}} to {to}? I want to pay for it with {words}.",
            f"{{Trip}} should be in {to}. {words[0].upper() + words[1:]} is there to pay for that.",
        ),
        about=f"{to} for {{trip}}, paid with a certificate",
        manner=(f"You pay with {words} or not at all. {STAYS}",),
        checks=(
            Evidence(check="evidence", name="get_user_details", arguments={"user_id": flyer.id}, shows=method["id"]),
            because("a certificate cannot pay for a change", *refusing("certificate"), ["certificate", "not accepted"],
                    ["certificate", "only"], ["certificate", "do not work"], ["certificate", "don't work"]),
            *untouched(trip, "update_reservation_flights"),
        ),
        tags=("false_belief",),
        **{**_parts(flyer, trip, "flights"), "touches": parts_of(trip, "flights") | balance(method)},
    )  # fmt: skip


def fewer_bags(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Bags can be added and not removed."""
    number = trip["total_baggages"]
    if not number:
        return
    some = "the checked bag" if number == 1 else "one of the checked bags"
    yield refused(
        "remove_bag",
        (
            f"Please take {some} off {{trip}}. I won't need it.",
            f"I'm travelling lighter than I thought, so please remove {some} from {{trip}}.",
            f"Could you drop {some} from {{trip}}?",
            f"There is a bag too many on {{trip}}. Please remove {some}.",
        ),
        about="fewer bags on {trip}",
        manner=(STAYS,),
        checks=(
            shows(trip, f'"total_baggages": {number}'),
            because("bags cannot be removed", ["bag", "only be added"], ["bag", "only add"], ["bag", "not be removed"],
                    ["bag", "never removed"], ["baggage", "removed"], *refusing("bag", "remov", "baggage")),
            *untouched(trip, "update_reservation_baggages"),
        ),
        **_parts(flyer, trip, "bags"),
    )  # fmt: skip


def insurance(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """It is sold with the booking alone, and not taken back."""
    if trip["insurance"] == "no":
        yield refused(
            "insurance_later",
            (
                "I forgot the travel insurance for {trip}. Please add it now.",
                "I'd like to insure {trip} after all. Please add the travel insurance.",
                "Could you put the travel insurance on {trip}? I can pay it right away.",
                "{Trip} needs travel insurance. I didn't take it when I booked; please add it.",
            ),
            about="travel insurance for {trip}",
            manner=(f"You have been told that insurance can be added until the day before the flight. {STAYS}",),
            tags=("false_belief",),
            checks=(
                shows(trip, '"insurance": "no"'),
                because("insurance is only sold with the booking", ["insurance", "after booking"],
                        ["insurance", "after the booking"], ["insurance", "time of booking"],
                        ["insurance", "when booking"], ["insurance", "when you book"],
                        ["insurance", "with the booking"],
                        ["insurance", "during booking"], ["insurance", "later"], ["insurance", "afterwards"],
                        *refusing("insurance")),
                *untouched(trip, *CHANGES[1:3]),
            ),
            **_parts(flyer, trip, "comfort"),
        )  # fmt: skip
        return
    yield refused(
        "insurance_back",
        (
            "I don't need the insurance of {trip} any more. Please refund it.",
            "Please take the travel insurance off {trip} and give me the money for it back.",
            "Could I return just the insurance of {trip}? The trip itself stays.",
            "I'd like to have what I paid for the insurance of {trip} back; I won't need it.",
        ),
        about="the money back for the insurance of {trip}",
        manner=(f"The trip itself you want to keep. {STAYS}",),
        checks=(
            shows(trip, '"insurance": "yes"'),
            because("insurance cannot be handed back", ["insurance", "non-refundable"], ["insurance", "nonrefundable"],
                    ["insurance", "not refundable"], ["insurance", "handed back"], *refusing("insurance")),
            *untouched(trip, "cancel_reservation", *CHANGES[1:3]),
        ),
        **_parts(flyer, trip, "comfort"),
    )  # fmt: skip


def number_of_people(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """As many travel as were booked."""
    new = a_person(f"{trip['reservation_id']} more")
    yield _another_number(
        flyer,
        trip,
        "add_passenger",
        (
            f"Please add {full(new)}, born on {born(new['dob'])}, to {{trip}}. I'll pay for the ticket.",
            f"{full(new)} wants to come along on {{trip}}. Can you add one more passenger? Born on {born(new['dob'])}.",
            f"I'd like one more person on {{trip}}: {full(new)}, date of birth {born(new['dob'])}.",
            f"Could {full(new)}, born on {born(new['dob'])}, come along on {{trip}} as one more passenger?",
        ),
        f"{full(new)} as one more passenger of {{trip}}",
        "Nobody is to be replaced, and you want no separate booking.",
        trip["passengers"][0],
        because("the number of passengers cannot change", *SAME_NUMBER, *refusing("passenger", "add", "person")),
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
            f"Please remove {gone} from {{trip}}; the rest of us travel as planned.",
            f"Only {number} of us will travel on {{trip}}. Could you drop {gone}?",
            f"I'd like to cancel the seat of {gone} on {{trip}}, and only that one.",
        ),
        f"{gone} taken off {{trip}}",
        f"You have nobody to travel in place of {gone}, and you do not cancel for everybody.",
        trip["passengers"][-1],
        because(
            "the number of passengers cannot be changed",
            *SAME_NUMBER,
            *refusing("passenger", "remov", "person", gone),
        ),
    )


SAME_NUMBER = [["number of", "passengers", verb] for verb in ("change", "stay", "same")]


def _another_number(
    flyer: Flyer, trip: Json, intent: str, says: tuple[str, ...], about: str, manner: str, aboard: Json, why: Reason
) -> Atom:
    """One person more or fewer; ``aboard``: whom the reservation shows."""
    return refused(
        intent,
        says,
        about=about,
        manner=(f"{manner} {STAYS}",),
        checks=(
            shows(trip, f'"first_name": "{aboard["first_name"]}"'),
            why,
            *untouched(trip, "update_reservation_passengers", "cancel_reservation"),
        ),
        **_parts(flyer, trip, "people"),
    )


def cabin_when_flown(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Part of the trip has been flown, so its cabin stays."""
    if trip["cabin"] == "business":
        return
    legs = [leg for leg in trip["flights"] if leg["date"] <= TODAY]
    yield refused(
        "cabin_when_flown",
        (
            "I'd like to be in business for the rest of {trip}. Please change it.",
            "Please put what is left of {trip} into business. I'll pay what it costs.",
            "Could you upgrade {trip} to business from here on?",
            "The way so far was too cramped: please change {trip} to business for the remaining flights.",
        ),
        about="business for the rest of {trip}",
        manner=(f"You have flown part of {{trip}} and say so if you are asked. {STAYS}",),
        checks=(
            flew(legs[0], flyer.status(legs[0])),
            because("part of it has been flown already", "already flown", "been flown", "was flown", "has flown",
                    "already been used", "already taken", "already departed", "already landed", "has landed",
                    "in the air", "already completed", "already been completed", "partially flown", "partly flown",
                    "already used"),
            *untouched(trip, "update_reservation_flights"),
        ),
        **{**_parts(flyer, trip, "flights"), "steps": (profile(flyer), see(trip), *map(look_at, legs))},
    )  # fmt: skip


def somebody_elses(flyer: Flyer, trip: Json) -> Atom:
    """A reservation that is not theirs, whatever they say."""
    owner = flyer.books.users[trip["user_id"]]
    number = trip["reservation_id"]
    return refused(
        "somebody_elses_trip",
        (
            f"Please cancel reservation {number}. The plans have changed.",
            f"I'd like to cancel reservation {number}, because the plans have changed.",
            f"Reservation {number} should be cancelled, please. The plans are different now.",
            f"Could you cancel reservation {number}? The plans have changed.",
        ),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip),
        about=f"the cancellation of reservation {number}, which is not yours",
        manner=(
            f"If the agent says that {number} is not your reservation, say that it belongs to a friend who has asked "
            "you to do this. When the agent refuses again, accept it.",
        ),
        checks=(
            because(*NOT_YOURS),
            *untouched(trip, *CHANGES),
            NotSaid(check="not_said", texts=[owner["user_id"], owner["email"], full(owner["name"])]),
        ),
        policies=("How you work",),
    )


NOT_YOURS = (
    "it belongs to another customer", "belongs to a different", "belongs to someone", "belongs to somebody",
    "belongs to another", "belongs to your friend", "not belong to", "n't belong to", "not under your",
    "n't under your", "not in your", "n't in your", "not on your", "n't on your", "not associated with your",
    "n't associated with your", "not linked to your", "n't linked to your", "not one of yours", "not one of your",
    "n't one of your", "another customer's", "someone else's", "somebody else's", "another person's",
    "other customers'", "not your reservation", "isn't your reservation", "not part of your", "n't part of your",
)  # fmt: skip
