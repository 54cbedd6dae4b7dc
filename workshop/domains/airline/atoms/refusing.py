"""What every refusal is made of: evidence that was looked at, a reason that was told, and calls that were not made."""

from typing import Any

from pytest_tau.schema.checks import Evidence, NotCalled, Shown, TrajectoryCheck
from tau_workshop.compose import Atom, phrases_of

from .flights import CHANGING
from .records import FLOWN, Flyer, Json, info, parts_of, profile, see

say = phrases_of(__file__)
CHANGES = (
    "cancel_reservation",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
)


def refusal(intent: str, says: tuple[str, ...], **more: Any) -> Atom:
    """A wish that is turned down."""
    return Atom(intent, says, tags=("refusal", *more.pop("tags", ())), **more)


def unavailable(intent: str, *, about: str, manner: tuple[str, ...] = (), **more: Any) -> Atom:
    """A wish for something that is not to be had, as the customer accepts in the end."""
    return refusal(intent, about=about, manner=(*manner, say("unavailable.accepts", about=about)), **more)


def parts(flyer: Flyer, trip: Json, *touched: str, besides: frozenset[str] = frozenset()) -> dict[str, Any]:
    """What wishes to change a reservation have in common; ``touched``: what of it they are about, and ``besides``."""
    return {
        "steps": (profile(flyer), see(trip)),
        "touches": parts_of(trip, *touched) | besides,
        "refers": flyer.names_of(trip),
        "policies": (CHANGING,),
    }


def shows(trip: Json, what: str) -> Evidence:
    """The reservation was looked at, and showed something."""
    number = trip["reservation_id"]
    return Evidence(check="evidence", name="get_reservation_details", arguments={"reservation_id": number}, shows=what)


def member(flyer: Flyer) -> Evidence:
    """The profile was looked at, and the membership seen."""
    what = f'"membership": "{flyer.membership}"'
    return Evidence(check="evidence", name="get_user_details", arguments={"user_id": flyer.id}, shows=what)


def flew(leg: Json, status: str, *others: tuple[Json, str]) -> Evidence:
    """The status of a flight was looked at; that of one of the ``others`` tells as much."""
    looks = [Shown(name="get_flight_status", arguments=info(one), shows=shown) for one, shown in others]
    arguments = info(leg)
    return Evidence(check="evidence", name="get_flight_status", arguments=arguments, shows=status, alternatives=looks)


def left_already(flyer: Flyer, trip: Json) -> Evidence:
    """One of the flights of a trip was found to have left."""
    gone = [(leg, flyer.status(leg)) for leg in trip["flights"] if flyer.status(leg) in FLOWN]
    return flew(*gone[0], *gone[1:])


def not_called_for(trip: Json, *tools: str) -> list[TrajectoryCheck]:
    """None of these tools was called for the reservation."""
    number = {"reservation_id": trip["reservation_id"]}
    return [NotCalled(check="not_called", name=tool, arguments=number) for tool in tools]


def no_certificate(flyer: Flyer) -> NotCalled:
    """No certificate was sent."""
    return NotCalled(check="not_called", name="send_certificate", arguments={"user_id": flyer.id})
