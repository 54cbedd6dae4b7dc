"""Cancellations and compensation that the policy rules out, most of them asked for in a false belief."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pytest_tau.schema.checks import Called
from tau_workshop.compose import Atom, look_up, refusing

from ..values import CANCEL_HOURS, NOW
from .asking import TRANSFER
from .bags import NUMBERS
from .cancelling import CANCELLING, DAY, PLANS, REFUND, ahead, as_told, ruled_out, sayings, troubles
from .compensation import COMPENSATION, LAST_OF_ALL
from .records import FLOWN, TODAY, Flyer, Json, called_off, capital, look_at, parts_of, profile, see
from .refusing import because, flew, left_already, member, no_certificate, not_called_for, refusal, shows

PLANS_ONLY = "You want to cancel {trip} only because your plans have changed, not because of illness or weather."
STAYS = "If {trip} cannot be cancelled, you want to know why; then it stays as it is, in its cabin and on its flights."
_DAYS = {24: ["within a day"], 48: ["within two days"]}.get(CANCEL_HOURS, [])
_WORD = {12: "twelve", 24: "twenty-four", 36: "thirty-six", 48: "forty-eight"}[CANCEL_HOURS]
HOURS = (f"{CANCEL_HOURS} hours", f"{CANCEL_HOURS}-hour", f"{CANCEL_HOURS}h", f"{_WORD} hours")
TOO_MANY_HOURS = (*HOURS[:2], f"{CANCEL_HOURS} hour", *HOURS[2:])
NO_GROUND = because(
    f"it was not booked within the last {CANCEL_HOURS} hours, none of its flights was cancelled by the airline, and it "
    "is neither in business nor insured against this",
    *HOURS, *_DAYS, "not insured", "no insurance",
    "no travel insurance", "without insurance", "without travel insurance", "uninsured", "does not meet",
    "doesn't meet", "do not meet", "not eligible", "ineligible", "insurance: no", ["insurance", "cover"],
    ["business", "insur"], "hours ago", "cancellation window", "cut-off", "cutoff",
    *refusing("rules", "policy", "conditions", "criteria", "window"),
)  # fmt: skip
NOT_INSURED = because(
    "it was booked without insurance", "no insurance", "no travel insurance", "not insured", "isn't insured",
    "uninsured", "without insurance", "without travel insurance", "insurance was not", "insurance wasn't",
    "insurance: no", "does not have insurance", "doesn't have insurance", "does not have travel insurance",
    "doesn't have travel insurance", "does not include insurance", "does not include travel insurance",
    "doesn't include insurance", "not have any insurance", "not have any travel insurance",
    ["not purchase", "insurance"], ["not bought", "insurance"], ["not include", "insurance"],
    ["did not", "insurance"], ["didn't", "insurance"], "no cover", "carries no", "lacks",
)  # fmt: skip
NOT_COVERED = because(
    "the insurance covers only illness and weather", ["illness", "weather"], ["health", "weather"],
    ["sickness", "weather"], ["medical", "weather"],
    *(f"{no} {link}{why}" for no in ("not", "n't") for link in ("", "due to ", "because of ", "related to ")
      for why in ("illness", "sickness", "health", "weather", "medical")),
    "is not covered", "isn't covered", "does not cover",
    "doesn't cover", "not a covered reason", "not one that the insurance covers", ["only covers", "insurance"],
    ["covers only", "insurance"], ["pays only", "insurance"], ["only pays", "insurance"],
    *refusing("covered", "covers"),
)  # fmt: skip
NOT = ("not", "n't", "without")
TOO_LONG_AGO = because(
    f"it was booked more than {CANCEL_HOURS} hours ago", *TOO_MANY_HOURS,
    "hours ago", "cancellation window", "cut-off", "cutoff", *refusing("window"),
    "more than a day ago", "over a day ago", "longer than a day", ["booked", "too long"],
)  # fmt: skip

BELIEVED_RECENT = (
    f"I booked {{trip}} less than {DAY} ago, so I can still cancel it. Please do that, my plans have changed.",
    f"Please cancel {{trip}}. My plans have changed, and it was booked within the last {HOURS[0]}.",
    "I'd like to cancel {trip}, as my plans have changed. I booked it yesterday evening, so that should be free.",
    f"{{Trip}} was booked only yesterday, well within {HOURS[0]}. My plans have changed, so cancel it, please.",
)


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
    [stays] = as_told((f"{PLANS_ONLY} {STAYS}",), flyer, trip)
    if "insured" in grounds:
        # Their reasons to stay at home are none for others.
        if not flyer.aboard(trip):
            return
        yield refusal(
            "cancel_not_covered",
            (
                "My plans have changed. {Trip} is insured, so please cancel it and pay everything back.",
                "Please cancel {trip}. I have the travel insurance, and my meeting there was called off.",
                "I took out insurance for {trip}, and now my plans have changed, so I'd like it cancelled.",
                "The wedding that I wanted to go to was put off. As {trip} is insured, please cancel it.",
                "I'd like to cancel {trip} with my insurance, because I have to work on those days.",
            ),
            manner=(stays,),
            checks=(shows(trip, '"insurance": "yes"'), NOT_COVERED, *keep),
            tags=("false_belief",),
            **parts,
        )
        return
    yield refusal(
        "cancel_no_ground",
        as_told(PLANS, flyer, trip),
        manner=(stays,),
        checks=(shows(trip, '"insurance": "no"'), NO_GROUND, *keep),
        **parts,
    )
    for why in troubles(flyer, trip):
        yield refusal(
            f"cancel_{why}_uninsured",
            tuple(
                f"{text} {end}"
                for text, end in zip(
                    sayings(why, trip),
                    (
                        "I'm sure that I took the insurance.",
                        "It's insured, as far as I know.",
                        "I always take the travel insurance.",
                        "That's what the insurance is for, and I have it.",
                        "I'm insured against that, after all.",
                    ),
                    strict=True,
                )
            ),
            manner=(
                "You believe that {trip} is insured, and say so once more if you are told that it is not. " + STAYS,
            ),
            checks=(shows(trip, '"insurance": "no"'), NOT_INSURED, *keep),
            tags=("false_belief",),
            **{**parts, "touches": parts_of(trip) | ruled_out(flyer, trip, why)},
        )
    hours = (NOW - datetime.fromisoformat(trip["created_at"])).total_seconds() / 3600
    if CANCEL_HOURS < hours < CANCEL_HOURS + 20:
        yield refusal(
            "cancel_too_late",
            as_told(BELIEVED_RECENT, flyer, trip),
            manner=(f"You believe that you booked {{trip}} within the last {HOURS[0]}. {stays}",),
            checks=(shows(trip, trip["created_at"]), TOO_LONG_AGO, *keep),
            tags=("false_belief",),
            **parts,
        )
    yield refusal(
        "cancel_as_gold",
        as_told((
            "I'm a gold member, so I can cancel whenever I like. Please cancel {trip}, my plans have changed.",
            "Please cancel {trip}. My plans have changed, and with gold status that is always possible.",
            "My plans have changed, so I'd like to cancel {trip}. For gold members like me that's free.",
            "As a gold member I'd like to cancel {trip}; my plans have changed.",
        ), flyer, trip),
        manner=(f"You are convinced that gold members can always cancel, and that you are one. {stays}",),
        checks=(shows(trip, '"insurance": "no"'), because("a membership is no ground for a cancellation",
                ["gold", "does not"], ["gold", "doesn't"], ["membership", "does not"], ["membership", "doesn't"],
                ["status", "does not"], ["status", "doesn't"], ["not", "gold member"], "not gold", "n't gold",
                *refusing("gold", "membership", "status", "tier", "loyalty"), *NO_GROUND.any_of[1:]), *keep),
        tags=("false_belief",),
        **parts,
    )  # fmt: skip


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
            (
                "A flight of {trip} is hours late today. What do I get for that? I want a voucher.",
                "I'd like compensation for {trip}, because today's flight is badly delayed.",
                "Today's flight of {trip} leaves much too late. Please compensate me for the delay.",
                "Because of the delay of {trip} today I'm asking for compensation.",
            ),
            about="compensation for the delay of {trip}",
            manner=(
                "You take the flight all the same: you want neither to change nor to cancel {trip}, even if that would "
                "bring you money. You ask once more, and then accept the answer.",
            ),
            checks=(
                because("a delay is compensated only if the trip is changed or cancelled because of it",
                        ["change", "cancel"], ["changing", "cancel"], ["changed", "cancel"], ["rebook", "cancel"],
                        ["modify", "cancel"], ["modifying", "cancel"], ["modified", "cancel"], ["move", "cancel"],
                        *([f"{no} {verb}", "cancel"] for no in NOT for verb in
                          ("change", "changing", "changed", "rebook", "rebooking", "modify", "modifying", "move")),
                        *([f"{no} {verb}", "chang"] for no in NOT for verb in
                          ("cancel", "cancelling", "canceling", "cancelled", "canceled")),
                        ["still", "flight"], ["taking", "flight"], ["take", "flight"], "flying anyway",
                        ["delay", "only if"], ["delay", "only when"], ["delay", "unless"]),
                no_certificate(flyer), *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
            ),
            **parts,
        )  # fmt: skip
    # In basic economy the flights could not be changed, which would be another reason.
    if status == "on time" and flyer.may_be_compensated(trip) and trip["cabin"] != "basic_economy":
        yield refusal(
            "compensation_not_delayed",
            (
                "Today's flight of {trip} is delayed, isn't it? Then I'd rather fly another day and be compensated.",
                "I've heard that my flight today, on {trip}, is late by hours. In that case I want to fly some other "
                "day and get compensation.",
                "They say that today's flight of {trip} is delayed. I want compensation then, and to fly another day.",
                "If today's flight of {trip} is as late as I've heard, please put me on another day and send me a "
                "voucher for the delay.",
            ),
            about="compensation for a delay of {trip}",
            manner=(
                "You believe that today's flight of {trip} is delayed. If it is not, you are glad, take it as booked, "
                "and want nothing more for it: you neither change nor cancel {trip}.",
            ),
            checks=(
                flew(leg, "on time"),
                because("it is on time", "is on time", "on time", "on schedule", "as scheduled", "not delayed",
                        "isn't delayed", "no delay", "on-time", "not late", "n't late", "as planned", "normally",
                        "punctual",
                        "supposed to", "to schedule",
                        *refusing("delay", "late")),
                no_certificate(flyer), *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
            ),
            tags=("false_belief",),
            **parts,
        )  # fmt: skip


def regular(flyer: Flyer, trip: Json) -> Atom:
    """Nobody of their kind is compensated, whatever they think they are."""
    number = len(trip["passengers"])
    gone = called_off(trip)
    us = f"the {NUMBERS[number]} of us" if number > 1 and flyer.aboard(trip) else ""
    for_us = f" for {us}" if us else ""
    return refusal(
        "compensation_regular",
        (
            f"You have cancelled {gone} of {{trip}}. As a gold member I expect compensation{for_us}.",
            f"{capital(gone)} of {{trip}} was called off. I'm a silver member, so please compensate {us or 'me'}.",
            f"I want compensation{for_us}, since you called off {gone} of {{trip}}. I'm gold, by the way.",
            f"For the cancelled flight of {{trip}} I'd like compensation{for_us}. Silver members like me get that.",
        ),
        steps=(profile(flyer), see(trip), *map(look_at, trip["flights"])),
        touches=parts_of(trip),
        about="compensation for {trip}",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=(
            "You insist once on your membership. What becomes of {trip} you will decide later: you neither change nor "
            "cancel it today.",
        ),
        tags=("false_belief",),
        checks=(
            member(flyer),
            shows(trip, '"insurance": "no"'),
            because("they are a regular member", "regular member", "regular customer", "regular status",
                    "regular level", "regular tier", "membership is regular", "status is regular", "a regular",
                    "as regular", ["regular", "not eligible"], ["regular", "not entitled"], "not gold", "not silver",
                    "not a gold", "not a silver", "n't gold", "n't silver", "n't a gold", "n't a silver",
                    ["only", "silver"], ["only", "gold"], *refusing("regular")),
            no_certificate(flyer), *not_called_for(trip, "cancel_reservation", "update_reservation_flights"),
        ),
        policies=(COMPENSATION,),
    )  # fmt: skip


def other_reason(flyer: Flyer, trip: Json) -> Atom:
    """What happened is nothing that is compensated."""
    return refusal(
        "compensation_other_reason",
        (
            "I spent an hour in your queue because of {trip}. I want a voucher for that.",
            "Your website failed three times when I booked {trip}. Please send me a certificate for the trouble.",
            "The fare of {trip} has gone down since I booked it. I'd like to be compensated for that.",
            "On the phone I was treated rudely about {trip}. I expect a voucher as compensation.",
        ),
        steps=(profile(flyer), see(trip)),
        touches=parts_of(trip, "comfort"),
        about="compensation for what annoyed you about {trip}",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=("You ask twice for a certificate for what annoyed you about {trip}; then you accept the answer.",),
        checks=(
            because("only cancelled and delayed flights are compensated", ["cancelled", "delayed"],
                    ["canceled", "delayed"],
                    *([f"{no} {one}", "delay"] for no in ("not", "not been", "n't", "n't been")
                      for one in ("cancelled", "canceled")), ["cancellation", "delay"], ["cancelled", "delay"],
                    ["canceled", "delay"], ["called off", "late"], ["called off", "delay"], ["cancelled", "late"],
                    *refusing("compensat", "certificate", "voucher", "qualify", "qualif", "provision", "offer",
                              "eligib", "cover")),
            no_certificate(flyer),
        ),
        policies=(COMPENSATION,),
    )  # fmt: skip


def partly_flown(flyer: Flyer, trip: Json) -> Atom:
    """Part of it has been flown, so a person has to take over."""
    legs = [leg for leg in trip["flights"] if leg["date"] <= TODAY]
    summary = f"The customer wants to cancel reservation {trip['reservation_id']}, of which a flight has been flown."
    return Atom(
        "cancel_flown",
        tuple(
            f"{text} {ask}"
            for text, ask in zip(
                (
                    "I have already flown out, but I want the rest of {trip} cancelled, as my plans have changed.",
                    "Please cancel what is left of {trip}. I have flown part of it, and my plans have changed.",
                    "My plans have changed on the way: please cancel the remaining flights of {trip}.",
                    "Could you cancel {trip} from here on? The first part I have already flown, and my plans are "
                    "different now.",
                ),
                REFUND[:4],
                strict=True,
            )
        ),
        (profile(flyer), see(trip), *map(look_at, legs), look_up(TRANSFER, summary=summary)),
        parts_of(trip),
        about="the cancellation of {trip}, of which part was flown",
        rank=9,
        refers=flyer.names_of(trip),
        manner=("To have the rest of {trip} cancelled, you agree to be handed over to a person.",),
        checks=(
            left_already(flyer, trip),
            Called(check="called", name=TRANSFER),
            *not_called_for(trip, "cancel_reservation"),
        ),
        tags=("transfer",),
        last=True,
        policies=(CANCELLING, "Handing over"),
    )
