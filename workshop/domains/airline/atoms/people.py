"""Somebody else travels instead: a person by name and birthday, one from the profile, on one trip or on all."""

from collections.abc import Iterator, Sequence
from random import Random

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up, phrases_of

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

say = phrases_of(__file__)
CHANGING = "Changing a reservation"
SWAPS = 1
KEEP = say("passengers.withdraws")


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
    cannot = say("replaced.me" if old == "me" else "replaced.other", old=old)["cannot"]

    def says(person: Json) -> tuple[str, ...]:
        who = say("replacing.who", name=full(person), born=birthday(person["dob"]))
        return tuple(
            say("replacing.says", old=old, who=who, cannot=cannot, name=full(person), born=birthday(person["dob"]))
        )

    yield Atom(
        "replace_passenger",
        says(new),
        (profile(flyer), see(trip), passengers(trip, instead(trip, gone, new))),
        _touches(flyer, trip, gone, new),
        **say("replace_passenger"),
        rank=SWAPS,
        refers=flyer.names_of(trip),
        manner=say("everybody_else.manner") if len(trip["passengers"]) > 1 else (),
        fits=fits_swap(flyer, trip, gone, new),
        withdraws=KEEP,
        revision=Revision(
            says(first),
            **say("replace_passenger.revision", first=full(first), new=full(new), born=birthday(new["dob"])),
            proposal=passengers(trip, instead(trip, gone, first)),
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
    replaced = say("replaced.me" if old == "me" else "replaced.other", old=old)
    yield Atom(
        "replace_by_saved",
        **say("replace_by_saved", new=full(new), old=old, place=replaced["place"], seat=replaced["seat"]),
        steps=(profile(flyer), see(trip), passengers(trip, instead(trip, gone, new))),
        touches=_touches(flyer, trip, gone, new),
        rank=SWAPS,
        refers=flyer.names_of(trip),
        fits=fits_swap(flyer, trip, gone, new),
        withdraws=KEEP,
        policies=(CHANGING,),
    )


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
        **say("replace_everywhere", who=who),
        steps=(
            profile(flyer),
            *map(see, flyer.trips()),
            *(passengers(trip, instead(trip, gone, new)) for trip in mine),
        ),
        touches=frozenset({f"{flyer.id}:trips"}).union(
            *(parts_of(trip) if trip in mine else parts_of(trip, "people") for trip in flyer.upcoming())
        ),
        rank=SWAPS,
        tags=("abstract",),
        policies=(CHANGING,),
    )
