"""Compensation that is granted: for a flight that the airline called off, and for a delay that changes plans."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import CallPattern, Order
from tau_workshop.compose import Atom, look_up

from ..values import VALUES
from .bags import NUMBERS
from .cancelling import ahead, cancel, fits_trip
from .flights import ROOM, WHICH, a_method, change, direct_ways
from .records import (
    TODAY,
    Arguments,
    Flyer,
    Json,
    capital,
    day_said,
    its_flight,
    later,
    live,
    look_at,
    parts_of,
    profile,
    search,
    seats,
    see,
    total_paid,
)
from .records import called_off as lost

COMPENSATION = "Compensation"
CALLED_OFF, DELAYED = VALUES["certificate_cancelled"], VALUES["certificate_delayed"]  # dollars for each passenger
LAST_OF_ALL = 6
SOON = 3  # days after which nobody flies instead of today


def of_compensation(flyer: Flyer) -> Iterator[Atom]:
    """Everything that a customer could be compensated for."""
    for trip in ahead(flyer):
        if not flyer.may_be_compensated(trip):
            continue
        if flyer.called_off_once(trip):
            if trip["flights"][0]["date"] > TODAY:  # of one that leaves today, it has to be decided now
                yield called_off(flyer, trip)
            if flyer.aboard(trip) and len(trip["passengers"]) > 1:  # whoever goes alone knows
                yield wrong_number(flyer, trip)
            yield cancelled_and_compensated(flyer, trip)
        elif "delayed" in flyer.statuses(trip) and flyer.aboard(trip):
            yield from delayed_and_cancelled(flyer, trip)
            yield from delayed_and_moved(flyer, trip)


def certificate(flyer: Flyer, amount: int) -> Action:
    """The compensation."""
    return look_up("send_certificate", user_id=flyer.id, amount=amount)


def touches(flyer: Flyer, trip: Json) -> frozenset[str]:
    """Nothing else happens to the trip, and there is one certificate in a task."""
    return parts_of(trip) | {f"{flyer.id}:certificate"} | seats(*trip["flights"])


def _steps(flyer: Flyer, trip: Json) -> tuple[Action, ...]:
    return (profile(flyer), see(trip), *map(look_at, trip["flights"]))


def _pronouns(flyer: Flyer, trip: Json) -> tuple[str, str]:
    """Whom whoever books wants compensated: themselves, or "us" and "we" where they travel with others."""
    return ("us", "we") if flyer.aboard(trip) and len(trip["passengers"]) > 1 else ("me", "I")


def called_off(flyer: Flyer, trip: Json) -> Atom:
    """They keep the trip for now and want the compensation."""
    amount = CALLED_OFF * len(trip["passengers"])
    _, we = _pronouns(flyer, trip)
    gone = lost(trip)

    def fits(env: Environment) -> Iterator[Arguments]:
        for one in live(env, flyer, trip):
            yield dict(certificate(flyer, CALLED_OFF * len(one["passengers"])).arguments)

    return Atom(
        "compensation_called_off",
        (
            f"You have cancelled {gone} of {{trip}}, and I'd like compensation for that. How much do {we} get?",
            f"{capital(gone)} of {{trip}} was called off by you. I want compensation for it; what is it worth?",
            f"I'm asking for compensation, since {gone} of {{trip}} isn't going. What will it be?",
            f"{capital(gone)} of {{trip}} has been cancelled by the airline. What compensation do you give for that? "
            "I'd like to have it.",
        ),
        (*_steps(flyer, trip), certificate(flyer, amount)),
        touches(flyer, trip),
        about="compensation for {trip}",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=("What becomes of {trip} you will decide later: you neither cancel nor change it today.",),
        fits=fits,
        facts=(str(amount),),
        policies=(COMPENSATION,),
    )


def wrong_number(flyer: Flyer, trip: Json) -> Atom:
    """They count one passenger too many."""
    number = len(trip["passengers"])
    amount, more = CALLED_OFF * number, NUMBERS[number + 1]
    gone = lost(trip)
    return Atom(
        "compensation_wrong_number",
        (
            f"You have cancelled {gone} of {{trip}}. I want compensation for the {more} of us; how much is that?",
            f"There are {more} of us on {{trip}}, and you cancelled {its_flight(trip)}. What compensation do we get?",
            f"As you called off {gone} of {{trip}}, I'd like compensation for {more} people. What does it come to?",
            f"Please compensate all {more} of us for the cancelled flight of {{trip}}, and tell me the amount.",
        ),
        (*_steps(flyer, trip), certificate(flyer, amount)),
        touches(flyer, trip),
        about="compensation for {trip}",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=(
            f"You believe that {more} people are on {{trip}}. If the agent counts fewer, you accept that and take what "
            "there is for those. You neither cancel nor change {trip} today.",
        ),
        facts=(str(amount),),
        tags=("false_belief",),
        policies=(COMPENSATION,),
    )


def cancelled_and_compensated(flyer: Flyer, trip: Json) -> Atom:
    """They do not want to travel any more, and be compensated as well."""
    amount = CALLED_OFF * len(trip["passengers"])
    us, _ = _pronouns(flyer, trip)
    gone = lost(trip)
    return Atom(
        "cancel_airline_compensation",
        (
            f"You called off {gone} of {{trip}}. I want the whole reservation cancelled, and compensation. What is "
            "the refund, and what the compensation?",
            f"Since you have cancelled {gone} of {{trip}}, please cancel all of it and compensate {us}. I'd like to "
            "know the refund and the compensation.",
            f"{capital(gone)} of {{trip}} isn't going, so I don't want it any more. Cancel it, please. I also ask for "
            "compensation. How much is the refund, and how much the compensation?",
            f"Please cancel {{trip}}, as you have called off {its_flight(trip)}. And I'd like compensation for the "
            "trouble. Tell me both amounts.",
        ),
        (*_steps(flyer, trip), cancel(trip), certificate(flyer, amount)),
        touches(flyer, trip),
        about="the cancellation of {trip} and compensation for it",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=("If {trip} is cancelled, you want no other flight in its place.",),
        fits=fits_trip(flyer, trip),
        facts=(str(total_paid(trip)), str(amount)),
        policies=("Cancelling", COMPENSATION),
    )


def delayed_and_cancelled(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """The delay makes the trip useless, and it may be cancelled."""
    if not flyer.grounds(trip) & {"business", "recent"}:
        return
    amount = DELAYED * len(trip["passengers"])
    us, we = _pronouns(flyer, trip)
    yield Atom(
        "cancel_delayed_compensation",
        (
            "A flight of {trip} is so late today that the trip makes no sense any more. Please cancel it, and I want "
            "compensation for the delay. How much is the refund, and how much the compensation?",
            f"Because of the delay today I don't want to take {{trip}} any longer. Cancel it, please, and compensate "
            f"{us} for the delay. I'd like to hear both amounts.",
            "Today's delay ruins {trip}. I want it cancelled, and compensation on top. Tell me both amounts, please.",
            "{Trip} is delayed by hours. Please cancel it because of that and tell me what is refunded and what "
            f"compensation {we} get.",
        ),
        (*_steps(flyer, trip), cancel(trip), certificate(flyer, amount)),
        touches(flyer, trip),
        about="the cancellation of {trip} and compensation for the delay",
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
        manner=("You cancel {trip} because of the delay and for no other reason. You want no other flight.",),
        fits=fits_trip(flyer, trip),
        facts=(str(total_paid(trip)), str(amount)),
        checks=(_after("cancel_reservation", flyer, trip),),
        policies=("Cancelling", COMPENSATION),
    )


def delayed_and_moved(flyer: Flyer, trip: Json) -> Iterator[Atom]:
    """The delay makes them travel another day, where the flights can be changed."""
    for way in direct_ways(flyer, trip):
        soon = [day for day in way.days if day <= later(way.leg["date"], SOON)]
        day = next((d for d in soon if way.best(flyer, d, WHICH["cheapest"])), None)
        best = way.best(flyer, day, WHICH["cheapest"]) if day else None
        if trip["cabin"] == "basic_economy" or flyer.status(way.leg) != "delayed" or day is None or best is None:
            continue
        chosen = a_method(flyer, way.cost(best[0]))
        if chosen is None:
            continue
        method, words = chosen
        amount, on = DELAYED * len(trip["passengers"]), day_said(day)
        us, we = _pronouns(flyer, trip)
        route = way.leg["origin"], way.leg["destination"]
        yield Atom(
            "move_delayed_compensation",
            (
                f"The flight of {{trip}} today is badly delayed. Please put it on the cheapest direct flight of {on} "
                f"{ROOM} instead, with the difference on {words}, and compensate {us} for the delay. How much will "
                "that compensation be?",
                f"With today's delay {we}'d rather fly on {on}: the delayed flight of {{trip}} should become the "
                f"cheapest direct one of that day {ROOM}. Use {words}. I want compensation, too; what is it?",
                f"Because today's flight of {{trip}} is so late, change it to {on}, please, the cheapest direct flight "
                f"{ROOM}, with the difference on {words}. What compensation do {we} get for the delay? I'd like to "
                "have that as well.",
                f"I can't use the delayed flight of {{trip}} today. Move it to the cheapest direct one on {on} {ROOM}, "
                f"with the difference on {words}, and give {us} the compensation for the delay. How much is that?",
            ),
            (
                *_steps(flyer, trip),
                search(*route, day),
                change(trip, way.put(best[2], day), method),
                certificate(flyer, amount),
            ),
            touches(flyer, trip) | way.touches(method, day),
            about="another flight instead of the delayed one, and compensation",
            rank=LAST_OF_ALL,
            refers=flyer.names_of(trip),
            manner=(
                "You change {trip} because of the delay. Apart from that, its flights and its cabin stay as they are.",
            ),
            fits=way.fits(flyer, day, WHICH["cheapest"], words),
            facts=(str(amount),),
            checks=(_after("update_reservation_flights", flyer, trip),),
            follows=(day,),
            policies=("Changing a reservation", COMPENSATION),
        )
        return


def _after(change: str, flyer: Flyer, trip: Json) -> Order:
    """The certificate comes when the change is done."""
    first = CallPattern(name=change, arguments={"reservation_id": trip["reservation_id"]})
    return Order(check="order", calls=[first, CallPattern(name="send_certificate", arguments={"user_id": flyer.id})])
