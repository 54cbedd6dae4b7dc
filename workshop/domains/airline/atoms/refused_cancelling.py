"""Cancellations and compensation that the policy rules out, most of them asked for in a false belief."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pytest_tau.schema.checks import Called
from tau_workshop.compose import Atom, because, look_up, phrases_of, with_endings

from ..values import CANCEL_HOURS, NOW
from .asking import TRANSFER
from .bags import NUMBERS
from .cancelling import CANCELLING, DAY, ahead, as_told, ruled_out, sayings, troubles
from .compensation import COMPENSATION, LAST_OF_ALL
from .records import FLOWN, TODAY, Flyer, Json, called_off, capital, look_at, parts_of, profile, see
from .refusing import flew, left_already, member, no_certificate, not_called_for, refusal, shows

say = phrases_of(__file__)
_WORD = {12: "twelve", 24: "twenty-four", 36: "thirty-six", 48: "forty-eight"}[CANCEL_HOURS]
_DAYS = {24: say("no_ground.day"), 48: say("no_ground.two_days")}.get(CANCEL_HOURS, ())
HOURS = say("no_ground.hours", hours=CANCEL_HOURS, word=_WORD)
NO_GROUND = because(
    (say("no_ground.first", hours=CANCEL_HOURS), *HOURS, *_DAYS, *say("no_ground.any_of")), say("no_ground.no")
)
NOT_INSURED = because(**say("not_insured.because"))
NOT_COVERED = because(**say("not_covered.because"))
TOO_LONG_AGO = because(**say("too_long_ago.because", hours=CANCEL_HOURS, word=_WORD))


def of_refused_cancelling(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could want cancelled, or be compensated for, in vain."""
    for trip in ahead(flyer):
        yield from not_cancelled(flyer, trip)
        if flyer.aboard(trip):
            yield from uncompensated_delay(flyer, trip)
        if flyer.called_off_once(trip) and not flyer.may_be_compensated(trip):
            yield regular(flyer, trip)
    for trip in flyer.upcoming():
        yield other_reason(flyer, trip)
    for trip in flyer.trips():
        if flyer.statuses(trip)[0] in FLOWN and trip["flights"][-1]["date"] > TODAY and flyer.aboard(trip):
            yield partly_flown(flyer, trip)


def not_cancelled(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """No ground, or none that this reason goes with."""
    grounds = flyer.grounds(trip)
    if grounds & {"business", "recent", "airline"}:
        return
    parts: dict[str, Any] = {
        "steps": (profile(flyer), see(trip)),
        "touches": parts_of(trip),
        "about": "the cancellation of {trip}",
        "refers": flyer.names_of(trip),
        "policies": (CANCELLING,),
    }
    keep = not_called_for(trip, "cancel_reservation", "update_reservation_flights")
    [stays] = as_told(say("not_cancelled.manner"), flyer, trip)
    if "insured" in grounds:
        # Their reasons to stay at home are none for others.
        if not flyer.aboard(trip):
            return
        yield refusal(
            "cancel_not_covered",
            **say("cancel_not_covered"),
            manner=(stays,),
            checks=(shows(trip, '"insurance": "yes"'), NOT_COVERED, *keep),
            tags=("false_belief",),
            **parts,
        )
        return
    yield refusal(
        "cancel_no_ground",
        as_told(say("cancel_business.says"), flyer, trip),
        manner=(stays,),
        checks=(shows(trip, '"insurance": "no"'), NO_GROUND, *keep),
        **parts,
    )
    for why in troubles(flyer, trip):
        yield refusal(
            f"cancel_{why}_uninsured",
            with_endings(sayings(why, trip), say("believed_insured.says")),
            manner=say("believed_insured.manner"),
            checks=(shows(trip, '"insurance": "no"'), NOT_INSURED, *keep),
            tags=("false_belief",),
            **{**parts, "touches": parts_of(trip) | ruled_out(flyer, trip, why)},
        )
    hours = (NOW - datetime.fromisoformat(trip["created_at"])).total_seconds() / 3600
    if CANCEL_HOURS < hours < CANCEL_HOURS + 20:
        yield refusal(
            "cancel_too_late",
            as_told(say("believed_recent.says", day=DAY, hours=CANCEL_HOURS), flyer, trip),
            **say("cancel_too_late", hours=CANCEL_HOURS, stays=stays),
            checks=(shows(trip, trip["created_at"]), TOO_LONG_AGO, *keep),
            tags=("false_belief",),
            **parts,
        )
    yield refusal(
        "cancel_as_gold",
        as_told(say("believed_gold.says"), flyer, trip),
        **say("cancel_as_gold", stays=stays),
        checks=(
            shows(trip, '"insurance": "no"'),
            because(**say("cancel_as_gold.because"), more=NO_GROUND.any_of[1:]),
            *keep,
        ),
        tags=("false_belief",),
        **parts,
    )


def uncompensated_delay(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """A delay alone is not compensated; a flight that is on time even less."""
    today = [leg for leg in trip["flights"] if leg["date"] == TODAY]
    if not today:
        return
    leg, status = today[0], flyer.status(today[0])
    parts: dict[str, Any] = {
        "steps": (profile(flyer), see(trip), *map(look_at, today)),
        "touches": parts_of(trip),
        "rank": LAST_OF_ALL,
        "refers": flyer.names_of(trip),
        "policies": (COMPENSATION,),
    }
    if status == "delayed" and flyer.may_be_compensated(trip):
        yield refusal(
            "compensation_delay_only",
            **say("compensation_delay_only"),
            checks=(
                because(**say("compensation_delay_only.because")),
                no_certificate(flyer),
                *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
            ),
            **parts,
        )
    # In basic economy the flights could not be changed, which would be another reason.
    if status == "on time" and flyer.may_be_compensated(trip) and trip["cabin"] != "basic_economy":
        yield refusal(
            "compensation_not_delayed",
            **say("compensation_not_delayed"),
            checks=(
                flew(leg, "on time"),
                because(**say("compensation_not_delayed.because")),
                no_certificate(flyer),
                *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
            ),
            tags=("false_belief",),
            **parts,
        )


def regular(flyer: Flyer, trip: Json) -> Atom:
    """Nobody of their kind is compensated, whatever they think they are."""
    number = len(trip["passengers"])
    gone = called_off(trip)
    us = say("regular.us", number=NUMBERS[number]) if number > 1 and flyer.aboard(trip) else ""
    for_us = say("regular.for_us", us=us) if us else ""
    return refusal(
        "compensation_regular",
        **say("compensation_regular", gone=gone, for_us=for_us, Gone=capital(gone), me=us or "me"),
        steps=(profile(flyer), see(trip), *map(look_at, trip["flights"])),
        touches=parts_of(trip),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        tags=("false_belief",),
        checks=(
            member(flyer),
            shows(trip, '"insurance": "no"'),
            because(**say("compensation_regular.because")),
            no_certificate(flyer),
            *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
        ),
        policies=(COMPENSATION,),
    )


def other_reason(flyer: Flyer, trip: Json) -> Atom:
    """What happened is nothing that is compensated."""
    return refusal(
        "compensation_other_reason",
        **say("compensation_other_reason"),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip, "comfort"),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        checks=(
            because(**say("compensation_other_reason.because")),
            no_certificate(flyer),
        ),
        policies=(COMPENSATION,),
    )


def partly_flown(flyer: Flyer, trip: Json) -> Atom:
    """Part of it has been flown, so a person has to take over."""
    legs = [leg for leg in trip["flights"] if leg["date"] <= TODAY]
    summary = say("cancel_flown.transfer.summary", number=trip["reservation_id"])
    return Atom(
        "cancel_flown",
        with_endings(say("rest_cancelled.says"), say("refund.asks")[:4]),
        (profile(flyer), see(trip), *map(look_at, legs), look_up(TRANSFER, summary=summary)),
        parts_of(trip),
        **say("cancel_flown"),
        rank=9,
        refers=flyer.names_of(trip),
        checks=(
            left_already(flyer, trip),
            Called(check="called", name=TRANSFER),
            *not_called_for(trip, "cancel_reservation"),
        ),
        tags=("transfer",),
        last=True,
        policies=(CANCELLING, "Handing over"),
    )
