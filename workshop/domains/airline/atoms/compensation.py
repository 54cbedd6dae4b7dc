"""Compensation that is granted: for a flight that the airline called off, and for a delay that changes plans."""

from collections.abc import Iterator

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import CallPattern, Order
from tau_workshop.compose import Atom, look_up, phrases_of

from ..values import VALUES
from .bags import NUMBERS
from .cancelling import ahead, cancel, fits_trip
from .flights import WHICH, a_method, change, direct_ways
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

say = phrases_of(__file__)
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
        **say("compensation_called_off", gone=gone, we=we, Gone=capital(gone)),
        steps=(*_steps(flyer, trip), certificate(flyer, amount)),
        touches=touches(flyer, trip),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
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
        **say("compensation_wrong_number", gone=gone, more=more, its=its_flight(trip)),
        steps=(*_steps(flyer, trip), certificate(flyer, amount)),
        touches=touches(flyer, trip),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
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
        **say("cancel_airline_compensation", gone=gone, us=us, Gone=capital(gone), its=its_flight(trip)),
        steps=(*_steps(flyer, trip), cancel(trip), certificate(flyer, amount)),
        touches=touches(flyer, trip),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
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
        **say("cancel_delayed_compensation", us=us, we=we),
        steps=(*_steps(flyer, trip), cancel(trip), certificate(flyer, amount)),
        touches=touches(flyer, trip),
        rank=LAST_OF_ALL,
        refers=flyer.names_of(trip),
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
            **say("move_delayed_compensation", on=on, words=words, us=us, we=we),
            steps=(
                *_steps(flyer, trip),
                search(*route, day),
                change(trip, way.put(best[2], day), method),
                certificate(flyer, amount),
            ),
            touches=touches(flyer, trip) | way.touches(method, day),
            rank=LAST_OF_ALL,
            refers=flyer.names_of(trip),
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
