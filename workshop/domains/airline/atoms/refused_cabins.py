"""Changes of the cabin that the policy rules out, or that cost more than the customer wants to spend."""

from collections.abc import Iterator

from tau_workshop.compose import Atom, refusing

from .cabins import CABINS, cost_of, looks, no_more_than, on_a_budget
from .flights import CHANGING, able
from .records import CITY, TODAY, Flyer, Json, balance, cabin_said, full, look_at, parts_of, profile, see, ways
from .refusing import because, left_already, not_called_for, parts, refusal, unavailable

SHARED = (
    "single cabin", "one cabin", "one class", "single class", ["cabin", "applies to"], ["cabin", "apply to"],
    ["cabin", "for all"], ["cabin", "of all"], ["cabin", "for the whole"], ["cabin", "for the entire"],
    ["cabin", "together"], ["cabin", "for everyone"], ["cabin", "for everybody"], ["cannot be split", "cabin"],
    ["all", "same cabin"],
)  # fmt: skip


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
            (
                f"Please put {them} into {to} on {{trip}}. The others stay where they are.",
                f"On {{trip}} I'd like {to} for {them} only.",
                f"Could {'I' if me else who} get a seat in {to} on {{trip}}? Only that one passenger, please.",
                f"I want to upgrade one passenger of {{trip}} to {to}: {them}.",
            ),
            about=f"{to} for {alone} alone on {{trip}}",
            manner=(f"You want {to} for {alone} alone and not for everybody.",),
            checks=(
                because("all passengers share one cabin", ["all passengers", "cabin"], ["all passengers", "same"],
                        ["every passenger", "cabin"], ["everyone", "cabin"], ["everybody", "cabin"],
                        ["whole reservation", "cabin"], ["entire reservation", "cabin"], ["same cabin"],
                        ["complete reservation", "cabin"], ["whole booking", "cabin"], ["entire booking", "cabin"],
                        ["all travelers", "cabin"], ["all travellers", "cabin"], ["one cabin"],
                        ["cabin", "per reservation"], ["cabin", "per booking"], ["cabin", "not just"], *SHARED,
                        "or nobody", "or no one", "or none", "or not at all", "all or nothing", "separately",
                        "individually", ["would have to", "too"],
                        ["would need to", "too"], ["would have to", "as well"], ["would need to", "as well"],
                        *refusing("one passenger", "single passenger", "one person",
                                  "individual", "only one", f"only {who}")),
                *not_called_for(trip, "update_reservation_flights"),
            ),
            **parts(flyer, trip, "flights", "people"),
        )  # fmt: skip
    if len(legs) > 1:
        leg = flyer.rng.choice(legs)
        flight = _one_of(trip, leg)
        yield unavailable(
            "cabin_for_one_flight",
            (
                f"Please put only {flight} of {{trip}} into {to}; the rest stays as it is.",
                f"On {{trip}} I'd like {to} on {flight}, but not on the rest of it.",
                f"Could I have {to} just for {flight} of {{trip}}?",
                f"I want one flight of {{trip}} upgraded to {to}: {flight}.",
            ),
            about=f"{to} for one flight of {{trip}}",
            manner=(f"You want {to} for {flight} alone, not for all flights.",),
            checks=(
                because("all flights share one cabin", ["all flights", "cabin"], ["all flights", "same"],
                        ["every flight", "cabin"], ["whole reservation", "cabin"], ["entire reservation", "cabin"],
                        ["same cabin"], ["whole trip", "cabin"], ["complete reservation", "cabin"],
                        ["whole booking", "cabin"], ["entire booking", "cabin"], ["entire trip", "cabin"],
                        ["each flight", "cabin"], ["all segments", "cabin"], ["all legs", "cabin"], ["one cabin"],
                        ["cabin", "per reservation"], ["cabin", "per booking"], ["cabin", "not just"], *SHARED,
                        ["full itinerary"], ["whole itinerary"], ["entire itinerary"], "or not at all",
                        "all or nothing",
                        *refusing("one flight", "single flight", "individual", "only one", "one leg", "just the")),
                *not_called_for(trip, "update_reservation_flights"),
            ),
            **parts(flyer, trip, "flights"),
        )  # fmt: skip


def _one_of(trip: Json, leg: Json) -> str:
    """One of a trip's flights in words: by its way where it is the only one, or else by its cities."""
    there, back = ways(trip)
    if back and leg in (alone for alone, *more in (there, back) if not more):
        return "the outbound flight" if leg in there else "the return flight"
    return f"the flight from {CITY[leg['origin']]} to {CITY[leg['destination']]}"


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
            about=f"{to} for {{trip}} within a budget",
            manner=(
                f"{no_more_than(most, trip)}; if it costs more, you want to hear how much, and it stays as it is.",
            ),
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
        (
            f"Please put {{trip}} into {to} and take {words} for the difference.",
            f"I'd like to use {words} to have {{trip}} in {to}.",
            f"Could you change {{trip}} to {to}? I want to pay for it with {words}.",
            f"{{Trip}} should be in {to}. {words[0].upper() + words[1:]} is there to pay for that.",
        ),
        about=f"{to} for {{trip}}, paid with a certificate",
        manner=(f"You pay with {words} or not at all.",),
        checks=(
            because("a certificate cannot pay for a change", *refusing("certificate"), ["certificate", "not accepted"],
                    ["certificate", "only"], ["certificate", "new booking"], ["only", "credit card"],
                    ["just", "credit card"], ["accept", "credit card"],
                    ["must", "credit card"], ["has to", "credit card"], ["have to", "credit card"]),
            *not_called_for(trip, "update_reservation_flights"),
        ),
        tags=("false_belief",),
        **{**parts(flyer, trip, "flights"), "touches": parts_of(trip, "flights") | balance(method)},
    )  # fmt: skip


def cabin_when_flown(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Part of the trip has been flown, so its cabin stays."""
    if trip["cabin"] == "business" or not flyer.aboard(trip):
        return
    legs = [leg for leg in trip["flights"] if leg["date"] <= TODAY]
    yield unavailable(
        "cabin_when_flown",
        (
            "I'd like to have {trip} in business. Please change it.",
            "Please put {trip} into business. The difference doesn't matter to me.",
            "Could you upgrade {trip} to business?",
            "It was too cramped so far: please change {trip} to business.",
        ),
        about="business for {trip}",
        manner=("You have flown part of {trip} and say so if you are asked.",),
        checks=(
            left_already(flyer, trip),
            because("part of it has been flown already", "already flown", "been flown", "was flown", "has flown",
                    "already been used", "already taken", "already departed", "already landed", "has landed",
                    "in the air", "already completed", "already been completed", "partially flown", "partly flown",
                    "already used", "took place", "taken place", "landed", "arrived", "been operated", "was operated",
                    "already started", "has started", "have started", "already begun", "has begun", "have begun",
                    "underway", "under way", "in progress", "in the past", "has departed", "have departed",
                    "already left", "has left", "have left", "behind you", ["first leg", "done"], ["flights", "done"],
                    ["flight", "done"]),
            *not_called_for(trip, "update_reservation_flights"),
        ),
        **{**parts(flyer, trip, "flights"), "steps": (profile(flyer), see(trip), *map(look_at, legs))},
    )  # fmt: skip
