"""The airline's policy as predicates, for ``pytest-tau audit --endings``: what a change must not break, and wishes."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from pytest_tau import Environment
from pytest_tau.schema.calls import Action
from tau_workshop.audit.endings import call, fresh

from .make_db import CABINS
from .values import CANCEL_HOURS, FREE_BAGS, NOW, VALUES

Json = Mapping[str, Any]
Arguments = dict[str, Any]
FLOWN = {"flying", "landed"}
COVERED = re.compile(
    r"\b(ill|illness|sick\w*|unwell|health|medical|doctor|hospital|surgery|operation|injur\w+|(?:broke|broken) my|"
    r"my back|pneumonia|fever|flu|infection|treated|weather|storms?|snow\w*|blizzard|fog|hurricane|floods?)\b",
    re.IGNORECASE,
)
COMPENSATION = re.compile(r"\b(compensat\w*|voucher|reimburse\w*)\b", re.IGNORECASE)
NOT = re.compile(r"\b(not|never|neither|nor|no|without|instead of|rather than|unless|if)\b|n't\b", re.IGNORECASE)
CANCEL = re.compile(r"\bcancel\b", re.IGNORECASE)  # to cancel; who says "you cancelled" asks for nothing


def _trip(env: Environment, number: Any) -> Json | None:
    table = env.tools.db.reservations
    return table[number].model_dump() if number in table else None


def _member(env: Environment, trip: Json) -> str:
    return str(env.tools.db.users[trip["user_id"]].membership)


def _status(env: Environment, leg: Json) -> str:
    flight = env.tools.db.flights[leg["flight_number"]]
    return str(flight.dates[leg["date"]].status) if leg["date"] in flight.dates else ""


def _statuses(env: Environment, trip: Json) -> list[str]:
    return [_status(env, leg) for leg in trip["flights"]]


def _free(env: Environment, member: str, cabin: str, people: int) -> int:
    return FREE_BAGS[member][CABINS.index(cabin)] * people


def breaches(env: Environment, step: Action, said: str) -> Iterator[str]:
    """The rules that a change breaks, in the state before it."""
    check = _BREACHES.get(step.name)
    if check is not None:
        yield from check(env, step.arguments, said)


def _cancelling(env: Environment, arguments: Arguments, said: str) -> Iterator[str]:
    trip = _trip(env, arguments.get("reservation_id"))
    if trip is None:
        return
    statuses = _statuses(env, trip)
    if FLOWN & set(statuses):
        yield "a flight of it has been flown"
    recent = datetime.fromisoformat(str(trip["created_at"])) >= NOW - timedelta(hours=CANCEL_HOURS)
    covered = trip["insurance"] == "yes" and COVERED.search(said)
    if not (recent or "cancelled" in statuses or trip["cabin"] == "business" or covered):
        yield "there is no ground to cancel it: not recent, not business, not called off, no reason that is insured"


def _flights(env: Environment, arguments: Arguments, said: str) -> Iterator[str]:
    trip = _trip(env, arguments.get("reservation_id"))
    if trip is None:
        return
    before = {(leg["flight_number"], leg["date"]) for leg in trip["flights"]}
    after = {(leg["flight_number"], leg["date"]) for leg in arguments["flights"]}
    if trip["cabin"] == arguments["cabin"] == "basic_economy" and before != after:
        yield "flights in basic economy cannot be changed"
    if trip["cabin"] != arguments["cabin"] and FLOWN & set(_statuses(env, trip)):
        yield "the cabin cannot change once a flight has been flown"
    legs = [env.tools.db.flights[leg["flight_number"]] for leg in arguments["flights"]]
    ends = trip["origin"] if trip["flight_type"] == "round_trip" else trip["destination"]
    if legs and (legs[0].origin != trip["origin"] or legs[-1].destination != ends):
        yield "the trip has to begin and to end where it did"
    if legs and trip["flight_type"] == "round_trip" and trip["destination"] not in {leg.destination for leg in legs}:
        yield "the trip has to go where it went"


def _bags(env: Environment, arguments: Arguments, said: str) -> Iterator[str]:
    trip = _trip(env, arguments.get("reservation_id"))
    if trip is None:
        return
    total = arguments["total_baggages"]
    if total < trip["total_baggages"]:
        yield "bags cannot be taken off"
    free = _free(env, _member(env, trip), trip["cabin"], len(trip["passengers"]))
    paid = max(trip["nonfree_baggages"], total - free)
    if arguments["nonfree_baggages"] != paid:
        yield f"{paid} of the {total} bags have to be paid for"


def _booking(env: Environment, arguments: Arguments, said: str) -> Iterator[str]:
    user = env.tools.db.users[arguments["user_id"]]
    people = len(arguments["passengers"])
    free = _free(env, str(user.membership), arguments["cabin"], people)
    paid = max(0, arguments["total_baggages"] - free)
    if arguments["nonfree_baggages"] != paid:
        yield f"{paid} of the {arguments['total_baggages']} bags have to be paid for"
    if people > VALUES["most_passengers"]:
        yield "there are too many passengers"
    kinds = [user.payment_methods[one["payment_id"]].source for one in arguments["payment_methods"]]
    most = {"certificate": 1, "credit_card": 1, "gift_card": VALUES["most_gift_cards"]}
    yield from (f"more than {number} {kind} pay" for kind, number in most.items() if kinds.count(kind) > number)
    if arguments["insurance"] == "yes" and "insurance" not in said.lower():
        yield "nobody asks for insurance"


def _certificate(env: Environment, arguments: Arguments, said: str) -> Iterator[str]:
    user = env.tools.db.users[arguments["user_id"]]
    trips = [trip for number in user.reservations if (trip := _trip(env, number)) is not None]
    if arguments["amount"] not in {amount for trip in trips for amount in _worth(env, trip)}:
        yield "no reservation of theirs entitles them to this amount"


def _worth(env: Environment, trip: Json) -> Iterator[int]:
    """What a reservation can be compensated with, as it stands."""
    if _member(env, trip) == "regular" and trip["insurance"] != "yes" and trip["cabin"] != "business":
        return
    people, before = len(trip["passengers"]), _trip(fresh(env), trip["reservation_id"])
    statuses = _statuses(env, before or trip)
    if "cancelled" in statuses:
        yield VALUES["certificate_cancelled"] * people
    changed = before is not None and any(before[name] != trip[name] for name in ("flights", "cabin", "status"))
    if "delayed" in statuses and changed:
        yield VALUES["certificate_delayed"] * people


_BREACHES = {
    "cancel_reservation": _cancelling,
    "update_reservation_flights": _flights,
    "update_reservation_baggages": _bags,
    "book_reservation": _booking,
    "send_certificate": _certificate,
}


def others(env: Environment, step: Action, said: str) -> Iterator[tuple[Arguments, str]]:
    """The same change with other numbers, where the policy has one right number."""
    if step.name == "send_certificate":
        user = env.tools.db.users[step.arguments["user_id"]]
        trips = [trip for number in user.reservations if (trip := _trip(env, number)) is not None]
        worth = sorted({amount for trip in trips if _named(env, trip, said) for amount in _worth(env, trip)})
        for amount in worth if step.arguments["amount"] not in worth else ():
            yield {**step.arguments, "amount": amount}, f"the reservation they speak of is worth {amount}"
    if step.name in ("update_reservation_baggages", "book_reservation"):
        for why in breaches(env, step, said):
            if found := re.match(r"(\d+) of the \d+ bags have", why):
                yield {**step.arguments, "nonfree_baggages": int(found[1])}, why


def wishes(env: Environment, gold: Sequence[Action], said: str) -> Iterator[tuple[Action, str]]:
    """Cancellations and compensation that the customer asks for and the gold path leaves out."""
    user = next((one for one in env.tools.db.users if re.search(rf"\b{re.escape(one)}\b", said)), None)
    if user is None:
        return
    touched = {step.arguments.get("reservation_id") for step in gold}
    certified = any(step.name == "send_certificate" for step in gold)
    for number in list(env.tools.db.users[user].reservations):
        trip = _trip(env, number)
        if trip is None or not _named(env, trip, said):
            continue
        if number not in touched and _asks_to_cancel(env, trip, said):
            step = call("cancel_reservation", {"reservation_id": number})
            yield step, f"they ask to cancel {number}, and it can be cancelled"
        if not certified and any(COMPENSATION.search(one) and not NOT.search(one) for one in _sentences(said)):
            for amount in _worth(env, trip):
                step = call("send_certificate", {"user_id": user, "amount": amount})
                yield step, f"they ask for compensation, and {number} entitles them to it"


def _named(env: Environment, trip: Json, said: str) -> bool:
    """Whether the words name a reservation: by its number, or by where from and where to."""
    return bool(re.search(rf"\b{trip['reservation_id']}\b", said)) or any(_names(one, trip) for one in _sentences(said))


def _names(sentence: str, trip: Json) -> bool:
    ends = rf"\bfrom {trip['origin']}\b.*\bto {trip['destination']}\b"
    return bool(re.search(rf"\b{trip['reservation_id']}\b", sentence) or re.search(ends, sentence))


def _asks_to_cancel(env: Environment, trip: Json, said: str) -> bool:
    found = [one for one in _sentences(said) if _names(one, trip) and CANCEL.search(one)]
    return bool(found) and not any(NOT.search(one) for one in found)


def _sentences(said: str) -> list[str]:
    return [one for one in re.split(r"(?<=[.!?])\s+|\n+", said) if one]
