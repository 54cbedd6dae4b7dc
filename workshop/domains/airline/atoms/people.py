"""Somebody else travels instead: a person by name and birthday, one from the profile, on one trip or on all."""

from collections.abc import Iterator, Sequence
from random import Random

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up

from ..make_db import FIRST_NAMES, LAST_NAMES
from .records import (
    Arguments,
    Flyer,
    Json,
    away,
    birthday,
    full,
    later,
    live,
    parts_of,
    profile,
    see,
    span,
    travelling,
)

CHANGING = "Changing a reservation"
SWAPS = 1
KEEP = (
    "Wait, leave the people on {trip} as they are. It has just sorted itself out.",
    "Hold on, nobody has to be replaced on {trip} after all.",
    "Stop, please. Everybody travels on {trip} as booked.",
    "No, actually, keep the passengers of {trip}.",
)


def of_people(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want of who travels."""
    for trip in flyer.upcoming():
        if "cancelled" not in flyer.statuses(trip):  # nobody goes instead on a flight that is called off
            yield from somebody_new(flyer, trip)
            yield from somebody_saved(flyer, trip)
    yield from everywhere(flyer)


def passengers(trip: Json, people: Sequence[Json]) -> Action:
    """Who travels."""
    named = [{"first_name": p["first_name"], "last_name": p["last_name"], "dob": p["dob"]} for p in people]
    return look_up("update_reservation_passengers", reservation_id=trip["reservation_id"], passengers=named)


def instead(trip: Json, gone: Json, new: Json) -> list[Json]:
    """The passengers with one in another's place."""
    return [new if full(person) == full(gone) else person for person in trip["passengers"]]


def fits_swap(flyer: Flyer, trip: Json, gone: Json, new: Json) -> Fits:
    """Every call that the words could mean."""

    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            if [full(person) for person in one["passengers"]].count(full(gone)) == 1:
                yield dict(passengers(one, instead(one, gone, new)).arguments)

    return fits


def a_person(key: str, beside: Sequence[Json] = ()) -> Json:
    """Somebody whom nobody knows yet, whose first name none of the others has; the same for the same key."""
    rng = Random(key)
    taken = {person["first_name"] for person in beside}
    day = later("1955-01-01", rng.randrange(50 * 365))
    return {
        "first_name": rng.choice([name for name in FIRST_NAMES if name not in taken]),
        "last_name": rng.choice(LAST_NAMES),
        "dob": day,
    }


def somebody_new(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Told by name and birthday; perhaps another one at first."""
    gone = _somebody_aboard(flyer, trip)
    new = a_person(f"{trip['reservation_id']} new", trip["passengers"])
    first = a_person(f"{trip['reservation_id']} first", [*trip["passengers"], new])
    if gone is None:
        return
    old = "me" if full(gone) == full(flyer.row["name"]) else full(gone)
    cannot = "I can't" if old == "me" else f"{old} can't"

    def says(person: Json) -> tuple[str, ...]:
        who = f"{full(person)}, born on {birthday(person['dob'])}"
        return (
            f"Please replace {old} on {{trip}} with {who}.",
            f"{cannot} go on {{trip}}. {full(person)} travels instead, date of birth {birthday(person['dob'])}.",
            f"I'd like to change a passenger on {{trip}}: {who}, in place of {old}.",
            f"Could you put {full(person)} on {{trip}} instead of {old}? "
            f"The date of birth is {birthday(person['dob'])}.",
        )

    yield Atom(
        "replace_passenger",
        says(new),
        (profile(flyer), see(trip), passengers(trip, instead(trip, gone, new))),
        _touches(flyer, trip, gone, new),
        about="the passengers of {trip}",
        rank=SWAPS,
        refers=flyer.names_of(trip),
        manner=("Everybody else on {trip} stays.",) if len(trip["passengers"]) > 1 else (),
        fits=fits_swap(flyer, trip, gone, new),
        withdraws=KEEP,
        revision=Revision(
            says(first),
            (
                f"Wait, {full(first)} can't come either. Put {full(new)} on {{trip}}, born on {birthday(new['dob'])}.",
                f"Hold on, it will be {full(new)} and not {full(first)}. The date of birth is {birthday(new['dob'])}.",
                f"Sorry, not {full(first)}. The one who travels is {full(new)}, born on {birthday(new['dob'])}.",
                f"Actually, no. It should be {full(new)} instead, date of birth {birthday(new['dob'])}.",
            ),
            passengers(trip, instead(trip, gone, first)),
        ),
        policies=(CHANGING,),
    )


def _named_after(flyer: Flyer, trip: Json) -> Json:
    """Whose trip they call it: their own, or the first passenger's."""
    named: Json = flyer.row["name"] if flyer.aboard(trip) else trip["passengers"][0]
    return named


def _somebody_aboard(flyer: Flyer, trip: Json) -> Json | None:
    """Who stays behind: not the one whose trip they call it, but for themselves; None where there is nobody else."""
    people = trip["passengers"]
    gone: Json = flyer.rng.choice(people)
    if flyer.aboard(trip) or full(gone) != full(_named_after(flyer, trip)):
        return gone
    return next((one for one in people if full(one) != full(gone)), None)


def _touches(flyer: Flyer, trip: Json, gone: Json, new: Json) -> frozenset[str]:
    """Who travels, and when; of a trip that loses them, or the one after whom it is named, they want nothing else."""
    parts = parts_of(trip) if full(gone) == full(_named_after(flyer, trip)) else parts_of(trip, "people")
    return parts | travelling([new], trip["flights"])


def _saved_travellers(flyer: Flyer, trip: Json) -> list[Json]:
    days = span(trip["flights"])
    return [one for one in flyer.row["saved_passengers"] if not days & away(flyer.trips(), [one])]


def somebody_saved(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """Told by name only; the profile knows the birthday."""
    among = _saved_travellers(flyer, trip)
    if not among:
        return
    new, gone = among[0], _somebody_aboard(flyer, trip)
    if gone is None:
        return
    old = "me" if full(gone) == full(flyer.row["name"]) else full(gone)
    place = "my place" if old == "me" else f"the place of {old}"
    seat = "my seat" if old == "me" else f"the seat of {old}"
    yield Atom(
        "replace_by_saved",
        (
            f"Please put {full(new)} on {{trip}} instead of {old}. You have the date of birth among my saved "
            "passengers.",
            f"{full(new)}, who is saved in my profile, will take {place} on {{trip}}. Please change the booking.",
            f"I'd like {full(new)} to take {seat} on {{trip}}. The details are in my profile.",
            f"On {{trip}}, could you swap {old} for {full(new)}? My profile has all you need.",
        ),
        (profile(flyer), see(trip), passengers(trip, instead(trip, gone, new))),
        _touches(flyer, trip, gone, new),
        about="the passengers of {trip}",
        rank=SWAPS,
        refers=flyer.names_of(trip),
        manner=(f"You do not know the date of birth of {full(new)} by heart; it is in your profile.",),
        fits=fits_swap(flyer, trip, gone, new),
        withdraws=KEEP,
        policies=(CHANGING,),
    )  # fmt: skip


def everywhere(flyer: Flyer) -> Iterator[Atom]:
    """They cannot travel, so a person from the profile goes in their place on everything that is coming.

    Of the trips that they do not take any more they want nothing else.
    """
    me = full(flyer.row["name"])
    mine = [trip for trip in flyer.upcoming() if me in map(full, trip["passengers"])]
    new = next(
        (one for one in flyer.row["saved_passengers"] if all(one in _saved_travellers(flyer, trip) for trip in mine)),
        None,
    )
    called_off = any("cancelled" in flyer.statuses(trip) for trip in mine)
    if len(mine) < 2 or new is None or called_off or flyer.under_way():
        return
    gone = {**flyer.row["name"], "dob": flyer.row["dob"]}
    who = full(new)
    yield Atom(
        "replace_everywhere",
        (
            f"I can't travel for the rest of the month. Please put {who} from my profile in my place on all of my "
            "upcoming trips.",
            f"On every coming reservation on which I am a passenger, {who} should travel instead of me. The date of "
            "birth is in my profile.",
            f"{who} goes instead of me from now on: please change that on each upcoming trip that I'm booked on "
            "myself. My profile has the details.",
            f"Wherever I am down as a passenger on a trip that is still to come, please swap me for {who}, one of my "
            "saved passengers.",
        ),
        (profile(flyer), *map(see, flyer.trips()), *(passengers(trip, instead(trip, gone, new)) for trip in mine)),
        frozenset({f"{flyer.id}:trips"}).union(
            *(parts_of(trip) if trip in mine else parts_of(trip, "people") for trip in flyer.upcoming())
        ),
        about=f"{who} in your place on all your trips",
        rank=SWAPS,
        manner=("You leave it to the agent to find the trips that you are down for. Whoever else is on them stays.",),
        tags=("abstract",),
        policies=(CHANGING,),
    )
