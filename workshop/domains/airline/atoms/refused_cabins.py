"""Changes of the cabin that the policy rules out, or that cost more than the customer wants to spend."""

from collections.abc import Iterator

from tau_workshop.compose import Atom, because, phrases_of

from .cabins import CABINS, cost_of, looks, no_more_than, on_a_budget
from .flights import CHANGING, able
from .records import CITY, TODAY, Flyer, Json, balance, cabin_said, full, look_at, parts_of, profile, see, ways
from .refusing import left_already, not_called_for, parts, refusal, unavailable

say = phrases_of(__file__)


def part_of_a_cabin(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """The cabin is one for everybody and for every flight."""
    higher = CABINS[CABINS.index(trip["cabin"]) + 1 :]
    if not higher:
        return
    to = cabin_said(higher[-1])
    people, legs = trip["passengers"], trip["flights"]
    if len(people) > 1:
        chosen = flyer.rng.choice(people)
        # A trip without its owner is called after the first passenger: "Ida Lund on Ida Lund's trip" nobody says.
        who = full(chosen if flyer.aboard(trip) or chosen is not people[0] else people[-1])
        me = who == full(flyer.row["name"])
        them, alone = ("me", "yourself") if me else (who, who)
        yield unavailable(
            "cabin_for_one",
            **say("cabin_for_one", them=them, to=to, subject="I" if me else who, alone=alone),
            checks=(
                because(**say("cabin_for_one.because", who=who)),
                *not_called_for(trip, "update_reservation_flights"),
            ),
            **parts(flyer, trip, "flights", "people"),
        )
    if len(legs) > 1:
        leg = flyer.rng.choice(legs)
        flight = _one_of(trip, leg)
        yield unavailable(
            "cabin_for_one_flight",
            **say("cabin_for_one_flight", flight=flight, to=to),
            checks=(
                because(**say("cabin_for_one_flight.because")),
                *not_called_for(trip, "update_reservation_flights"),
            ),
            **parts(flyer, trip, "flights"),
        )


def _one_of(trip: Json, leg: Json) -> str:
    """One of a trip's flights in words: by its way where it is the only one, or else by its cities."""
    there, back = ways(trip)
    if back and leg in (alone for alone, *more in (there, back) if not more):
        return say.text("one_of.outbound" if leg in there else "one_of.return")
    return say.text("one_of.between", origin=CITY[leg["origin"]], destination=CITY[leg["destination"]])


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
        yield refusal(
            "upgrade_too_dear",
            on_a_budget(trip, most, to, words),
            steps=looks(flyer, trip),
            touches=parts_of(trip, "flights"),
            refers=flyer.names_of(trip),
            **say("upgrade_too_dear", to=to, no_more=no_more_than(most, trip)),
            facts=(str(cost),),
            checks=(*not_called_for(trip, "update_reservation_flights"),),
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
    yield unavailable(
        "upgrade_by_certificate",
        **say("upgrade_by_certificate", to=to, words=words, Words=words[0].upper() + words[1:]),
        checks=(
            because(**say("upgrade_by_certificate.because")),
            *not_called_for(trip, "update_reservation_flights"),
        ),
        tags=("false_belief",),
        **{**parts(flyer, trip, "flights"), "touches": parts_of(trip, "flights") | balance(method)},
    )


def cabin_when_flown(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Part of the trip has been flown, so its cabin stays."""
    if trip["cabin"] == "business" or not flyer.aboard(trip):
        return
    legs = [leg for leg in trip["flights"] if leg["date"] <= TODAY]
    yield unavailable(
        "cabin_when_flown",
        **say("cabin_when_flown"),
        checks=(
            left_already(flyer, trip),
            because(**say("cabin_when_flown.because")),
            *not_called_for(trip, "update_reservation_flights"),
        ),
        **{**parts(flyer, trip, "flights"), "steps": (profile(flyer), see(trip), *map(look_at, legs))},
    )
