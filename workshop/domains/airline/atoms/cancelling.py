"""Cancellations that are granted: on every ground, one trip or several, and what is told of the refund."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up, phrases_of, with_endings

from ..values import CANCEL_HOURS
from .records import (
    FLOWN,
    PLACE,
    TODAY,
    Arguments,
    Flyer,
    Json,
    called_off,
    its_flight,
    later,
    live,
    look_at,
    parts_of,
    profile,
    seats,
    see,
    total_paid,
    travelling,
    visiting,
)

say = phrases_of(__file__)
CANCELLING = "Cancelling"
DAY = "a day" if CANCEL_HOURS == 24 else f"{CANCEL_HOURS} hours"
CLOSES = 4
FORESEEN = 5  # days for which there are weather warnings
RECOVERS = 3  # days after a trip in which who is too ill for it goes nowhere else


def of_cancelling(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could have cancelled."""
    for trip in ahead(flyer):
        yield from granted_atoms(flyer, trip)
    yield from whatever_can_be(flyer)
    yield from all_in_business(flyer)


def ahead(flyer: Flyer) -> list[Json]:
    """Reservations that have not begun and are not over."""
    return [
        trip for trip in flyer.trips() if trip["flights"][0]["date"] >= TODAY and not FLOWN & set(flyer.statuses(trip))
    ]


def cancel(trip: Json) -> Action:
    """The cancellation of a reservation."""
    return look_up("cancel_reservation", reservation_id=trip["reservation_id"])


def touches_of(trip: Json) -> frozenset[str]:
    """All of a reservation, and the seats that it gives back."""
    return parts_of(trip) | seats(*trip["flights"])


def ruled_out(flyer: Flyer, trip: Json, why: str) -> frozenset[str]:
    """What nobody would want beside it: the ill book no trip and go on no earlier one; nobody goes into the storm."""
    if why == "ill":
        last = later(trip["flights"][-1]["date"], RECOVERS)
        others = [one for one in flyer.trips() if flyer.aboard(one) and TODAY <= one["flights"][0]["date"] <= last]
        days = travelling([flyer.row["name"]], [{"date": TODAY}, {"date": last}])
        return days.union({f"{flyer.id}:trips"}, *map(parts_of, others))
    if why == "weather":
        place = PLACE[trip["destination"]]
        others = [
            one
            for one in flyer.trips()
            if any(place in (PLACE[leg["origin"]], PLACE[leg["destination"]]) for leg in one["flights"])
        ]
        return visiting(place).union(*map(parts_of, others))
    return frozenset()


def as_told(says: tuple[str, ...], flyer: Flyer, trip: Json) -> tuple[str, ...]:
    """Words about changed plans, which are not "mine" where only others travel."""
    return says if flyer.aboard(trip) else tuple(map(_of_others, says))


def _of_others(text: str) -> str:
    for mine, theirs in say("of_others").items():
        text = text.replace(mine, theirs)
    return re.sub(r"\b([Mm]y|your) plans", lambda hit: f"{'The' if hit[1] == 'My' else 'the'} plans", text)


def sayings(why: str, trip: Json) -> tuple[str, ...]:
    """The words in which a trip is cancelled for a reason."""
    far = why == "weather" and trip["flights"][0]["date"] > later(TODAY, FORESEEN)
    told = {"place": PLACE[trip["destination"]], "gone": called_off(trip), "its": its_flight(trip)}
    name = "cancel_weather_later" if far else f"cancel_{why}"
    says: tuple[str, ...] = say(f"{name}.says", **told, day=DAY, within=DAY.removeprefix("a "))
    return says


def looks(flyer: Flyer, trip: Json, why: str = "") -> tuple[Action, ...]:
    """What has to be looked at before a reservation is cancelled."""
    legs = trip["flights"]
    # Whether a flight was flown only its status shows, where it could have been.
    legs = legs if why == "airline" else [leg for leg in legs if leg["date"] <= TODAY]
    return (see(trip), *(look_at(leg) for leg in legs))


def fits_trip(flyer: Flyer, trip: Json) -> Fits:
    """Every trip that the words could mean."""

    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            yield {"reservation_id": one["reservation_id"]}

    return fits


def reasons_for(flyer: Flyer, trip: Json) -> Iterator[str]:
    """Why somebody could want a reservation cancelled so that it is: at most one way for changed plans."""
    grounds = flyer.grounds(trip)
    plans = [ground for ground in ("recent", "business") if ground in grounds]
    if plans and "airline" not in grounds:
        yield plans[0]
    if "airline" in grounds:
        if flyer.called_off_once(trip):
            yield "airline"
    elif "insured" in grounds:
        yield from troubles(flyer, trip)


def troubles(flyer: Flyer, trip: Json) -> Iterator[str]:
    """What can keep those at home who travel themselves; nobody books a trip into a storm that is already there."""
    if flyer.aboard(trip):
        if trip["flights"][0]["date"] > later(TODAY, 1):  # "won't be well again in time"
            yield "ill"
        if trip["created_at"] < later(TODAY, -FORESEEN):
            yield "weather"


def granted_atoms(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """One trip, for each of the reasons that there can be."""
    named = flyer.names_of(trip)
    for why in reasons_for(flyer, trip):
        says = as_told(sayings(why, trip), flyer, trip)
        asks = flyer.rng.random() < 0.4
        alike = (o for o in ahead(flyer) if o is not trip and flyer.aboard(o) == flyer.aboard(trip))
        other = next((o for o in alike if why in reasons_for(flyer, o)), None)
        revision = None
        if other is not None and why in ("business", "recent") and not asks:
            revision = Revision(
                tuple(text.replace("{trip}", "{other}").replace("{Trip}", "{Other}") for text in says[:4]),
                **say("cancel.revision"),
                proposal=cancel(other),
            )
        yield Atom(
            f"cancel_{why}",
            with_endings(says, say("refund.asks")) if asks else says,
            (profile(flyer), *looks(flyer, trip, why), cancel(trip)),
            touches_of(trip) | ruled_out(flyer, trip, why) | (touches_of(other) if revision and other else frozenset()),
            about=say("cancel.about" if revision is None else "cancel.revised.about"),
            rank=CLOSES,
            refers={**named, **(flyer.names_of(other, "other") if revision and other else {})},
            manner=as_told(say(f"cancel_{why}.manner"), flyer, trip) if revision is None else (),
            fits=fits_trip(flyer, trip),
            facts=(str(total_paid(trip)),) if asks else (),
            withdraws=say(f"cancel_{why}.withdraws"),
            revision=revision,
            policies=(CANCELLING,),
        )


def _several(flyer: Flyer, intent: str, trips: Sequence[Json]) -> Atom:
    """Trips that the agent has to find; all that are ahead are looked at."""
    seen = [step for trip in ahead(flyer) for step in looks(flyer, trip, "airline")]
    touches = frozenset[str]().union(*map(touches_of, ahead(flyer)), {f"{flyer.id}:trips"})
    more: Mapping[str, Any] = {
        "rank": CLOSES,
        "facts": (str(sum(map(total_paid, trips))),),
        "tags": ("abstract",),
        "policies": (CANCELLING,),
    }
    steps = (profile(flyer), *seen, *map(cancel, trips))
    return Atom(intent, **say(intent), steps=steps, touches=touches, **more)


def whatever_can_be(flyer: Flyer) -> Iterator[Atom]:
    """All that can be cancelled for changed plans, without saying which that is."""
    trips = ahead(flyer)
    if not all(map(flyer.aboard, trips)):  # whether those of others are "my trips" is open
        return
    may = [trip for trip in trips if flyer.grounds(trip) & {"recent", "business", "airline"}]
    if not may or len(may) == len(trips) or flyer.under_way():
        return
    yield _several(flyer, "cancel_what_can_be", may)


def all_in_business(flyer: Flyer) -> Iterator[Atom]:
    """All that were booked in business."""
    trips = ahead(flyer)
    if not all(map(flyer.aboard, trips)):
        return
    mine = [trip for trip in trips if trip["cabin"] == "business"]
    if len(mine) < 2 or len(mine) == len(trips) or flyer.under_way():
        return
    yield _several(flyer, "cancel_all_business", mine)
