"""Cancellations that are granted: on every ground, one trip or several, and what is told of the refund."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.compose import Atom, Fits, Revision, look_up

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

CANCELLING = "Cancelling"
DAY = "a day" if CANCEL_HOURS == 24 else f"{CANCEL_HOURS} hours"
CLOSES = 4
REFUND = (
    "How much do I get back?",
    "What will be refunded?",
    "Tell me what I get back, please.",
    "And how much will I get back?",
    "I'd also like to hear the amount of the refund.",
)
PLANS = (
    "Please cancel {trip}. My plans have changed.",
    "I'd like to cancel {trip}, because my plans have changed.",
    "My plans have changed and I don't need {trip} any more, so please cancel it.",
    "Could you cancel {trip}? My plans are different now.",
    "{Trip} has to be cancelled. I have changed my plans.",
)
SAYS = {
    "business": PLANS,
    "recent": (
        f"I booked {{trip}} not even {DAY} ago, and already my plans have changed. Please cancel it.",
        f"Please cancel {{trip}}. I booked it within the last {DAY.removeprefix('a ')}, but my plans have changed "
        "since.",
        f"I'd like to cancel {{trip}}. The booking isn't {DAY} old, but my plans have changed.",
        f"Can I still cancel {{trip}}? It was booked less than {DAY} ago, and now my plans are different.",
        "My plans changed right after I booked {trip}. Please cancel it for me.",
    ),
    "airline": (
        "You have called off {gone} of {trip}, so there is no point in it any more. Please cancel all of it.",
        "I read in your e-mail that {gone} of {trip} isn't going. Please cancel the whole reservation.",
        "I'd like to cancel {trip}, since you have cancelled {its}.",
        "As {gone} of {trip} was cancelled by you, I want the whole reservation cancelled.",
        "There is no use in {trip} now that you have cancelled {its}. Please cancel the reservation.",
    ),
    "ill": (
        "I have to have an operation and mustn't fly in the days after it, so please cancel {trip}.",
        "I'm being treated for an illness when I should be travelling on {trip}. Please cancel it.",
        "My doctor won't let me go on {trip} because of my illness, so I have to cancel it.",
        "I'm ill and will be in hospital at the time of {trip}. Please cancel it for me.",
        "I'm ill and won't be well again in time for {trip}, so I need it cancelled.",
    ),
    "weather": (
        "There is a storm warning for {place}, so I can't travel. Please cancel {trip}.",
        "The weather in {place} is going to be dangerous, and that is why I have to cancel {trip}.",
        "Floods are expected in {place}. Because of that weather, please cancel {trip}.",
        "I have to cancel {trip}: they expect a severe storm in {place}.",
        "With the weather that is coming to {place} I cannot go. Please cancel {trip}.",
    ),
    "weather_later": (
        "Half of {place} is under water after the storms, and will be for weeks, they say. Please cancel {trip}.",
        "The storms in {place} are to go on until the end of the month, and that is why I have to cancel {trip}.",
        "Where I wanted to stay in {place}, floods have closed everything for weeks. Because of that weather, please "
        "cancel {trip}.",
        "I have to cancel {trip}: a severe storm has hit {place}, and the hotel that I booked is closed until June.",
        "With the floods that {place} will have for the rest of the month I cannot go. Please cancel {trip}.",
    ),
}
FORESEEN = 5  # days for which there are weather warnings
RECOVERS = 3  # days after a trip in which who is too ill for it goes nowhere else
MANNER = {
    "business": "You want to cancel {trip} because your plans have changed, and for no other reason.",
    "recent": "You want to cancel {trip} because your plans have changed, and for no other reason.",
    "airline": "You want to cancel {trip} because the airline has called off a flight of it. "
    "You ask for no flight in its place today.",
    "ill": "You want to cancel {trip} because you are ill. You do not want to fly at another time instead.",
    "weather": "You want to cancel {trip} because of the weather, and for no other reason.",
}
KEEPS_WELL = (
    "Wait, my doctor has just called: I may go on {trip} after all, so please don't cancel it.",
    "Hold on. They can treat me at another time, so I'd like to keep {trip}. Leave it as it is.",
    "Stop, please. Don't cancel {trip}, I'm going to see another doctor first.",
    "Actually, no. I feel better already, and I'll keep {trip}.",
)
KEEPS_SAFE = (
    "Wait, I'd rather see what the weather does. Please don't cancel {trip}.",
    "Hold on. I'd like to wait a few days before I give {trip} up. Leave it as it is.",
    "Stop, please. Don't cancel {trip}: I'll ask the people there first.",
    "Actually, no. I'll look at the forecast again first, so I'll keep {trip}.",
)
KEEPS_FOR_NOW = (
    "Wait, please don't cancel {trip}. I want to sleep on it, so leave it for now.",
    "Hold on. I'd rather decide later what becomes of {trip}. Leave it as it is.",
    "Stop, please. Don't cancel {trip} yet, I have to ask somebody first.",
    "Actually, no. Leave {trip} for now, I'll call again when I know more.",
)
KEEPS = (
    "Wait, I have changed my mind about {trip}. I'd like to keep it, so please don't cancel it.",
    "Hold on. Now that I think of it, I do want {trip}. Leave it as it is.",
    "Stop, please. Don't cancel {trip}, I'm going to keep it.",
    "Actually, no. I'll keep {trip} after all.",
)
WITHDRAWS = {"ill": KEEPS_WELL, "weather": KEEPS_SAFE, "airline": KEEPS_FOR_NOW}


def of_cancelling(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could have cancelled."""
    for trip in ahead(flyer):
        yield from granted_atoms(flyer, trip)
    yield from whatever_can_be(flyer)
    yield from all_in_business(flyer)


def ahead(flyer: Flyer) -> list[Json]:
    """Reservations that have not begun and are not over."""
    return [
        trip for trip in flyer.trips()
        if trip["flights"][0]["date"] >= TODAY and not FLOWN & set(flyer.statuses(trip))
    ]  # fmt: skip


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
    text = text.replace("I have changed my plans", "The plans have changed")
    text = text.replace("I don't need {trip} any more", "{trip} isn't needed any more")
    return re.sub(r"\b([Mm]y|your) plans", lambda hit: f"{'The' if hit[1] == 'My' else 'the'} plans", text)


def sayings(why: str, trip: Json) -> tuple[str, ...]:
    """The words in which a trip is cancelled for a reason."""
    far = why == "weather" and trip["flights"][0]["date"] > later(TODAY, FORESEEN)
    told = {"place": PLACE[trip["destination"]], "gone": called_off(trip), "its": its_flight(trip)}
    says = SAYS["weather_later" if far else why]
    return tuple(text.format(**told, trip="{trip}", Trip="{Trip}") for text in says)


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
                (
                    "Wait, that's the wrong one. I keep {other}, and what I want to cancel is {trip}.",
                    "Hold on, I mixed them up: please cancel {trip} instead, and leave {other} alone.",
                    "Sorry, I meant {trip}. Nothing is to happen to {other}.",
                    "Actually, no, not that one. {Trip} is the one to cancel.",
                ),
                cancel(other),
            )
        yield Atom(
            f"cancel_{why}",
            tuple(f"{text} {ask}" for text, ask in zip(says, REFUND, strict=True)) if asks else says,
            (profile(flyer), *looks(flyer, trip, why), cancel(trip)),
            touches_of(trip) | ruled_out(flyer, trip, why) | (touches_of(other) if revision and other else frozenset()),
            about="the cancellation of {trip}" if revision is None else "the cancellation of one of your trips",
            rank=CLOSES,
            refers={**named, **(flyer.names_of(other, "other") if revision and other else {})},
            manner=as_told((MANNER[why],), flyer, trip) if revision is None else (),
            fits=fits_trip(flyer, trip),
            facts=(str(total_paid(trip)),) if asks else (),
            withdraws=WITHDRAWS.get(why, KEEPS),
            revision=revision,
            policies=(CANCELLING,),
        )


def _several(flyer: Flyer, intent: str, says: tuple[str, ...], trips: Sequence[Json], **parts: Any) -> Atom:
    """Trips that the agent has to find; all that are ahead are looked at."""
    seen = [step for trip in ahead(flyer) for step in looks(flyer, trip, "airline")]
    touches = frozenset[str]().union(*map(touches_of, ahead(flyer)), {f"{flyer.id}:trips"})
    more: Mapping[str, Any] = {
        "rank": CLOSES,
        "facts": (str(sum(map(total_paid, trips))),),
        "tags": ("abstract",),
        "policies": (CANCELLING,),
    }
    return Atom(intent, says, (profile(flyer), *seen, *map(cancel, trips)), touches, **more, **parts)


def whatever_can_be(flyer: Flyer) -> Iterator[Atom]:
    """All that can be cancelled for changed plans, without saying which that is."""
    trips = ahead(flyer)
    if not all(map(flyer.aboard, trips)):  # whether those of others are "my trips" is open
        return
    may = [trip for trip in trips if flyer.grounds(trip) & {"recent", "business", "airline"}]
    if not may or len(may) == len(trips) or flyer.under_way():
        return
    yield _several(
        flyer,
        "cancel_what_can_be",
        (
            "My plans have changed and I won't travel this month. Please cancel every trip of mine that can be "
            "cancelled with a refund, and leave the others as they are. What do I get back altogether?",
            "I've had to change my plans. Go through my coming trips, please, and cancel those that your rules let me "
            "cancel; the rest stays. How much is refunded in total?",
            "Because my plans have changed, I'd like to cancel whichever of my upcoming reservations I can get "
            "refunded. Those that can't be cancelled I keep. Tell me the total refund.",
            "Please check which of my upcoming trips can still be cancelled now that my plans have changed, and cancel "
            "exactly those. What is the sum of the refunds?",
        ),
        may,
        about="the cancellation of all trips that can be cancelled",
        manner=(
            "Changed plans are your only reason; nobody is ill, and it is not the weather. You do not know which trips "
            "can be cancelled and leave that to the agent.",
        ),
    )


def all_in_business(flyer: Flyer) -> Iterator[Atom]:
    """All that were booked in business."""
    trips = ahead(flyer)
    if not all(map(flyer.aboard, trips)):
        return
    mine = [trip for trip in trips if trip["cabin"] == "business"]
    if len(mine) < 2 or len(mine) == len(trips) or flyer.under_way():
        return
    yield _several(
        flyer,
        "cancel_all_business",
        (
            "My company no longer pays for business class, so my plans have changed: please cancel all of my coming "
            "trips that are in business. What is the total refund?",
            "I have new plans for this month. Every upcoming reservation of mine in business is to be cancelled, the "
            "other ones stay. How much do I get back altogether?",
            "Please cancel all my upcoming business-class trips, as my plans have changed. I'd like to know the sum of "
            "the refunds.",
            "Whatever I have booked in business from tomorrow on should be cancelled, because my plans have changed. "
            "What comes back in total?",
        ),
        mine,
        about="the cancellation of all your trips in business",
        manner=("Trips in other cabins stay as they are. You do not list the trips yourself.",),
    )
