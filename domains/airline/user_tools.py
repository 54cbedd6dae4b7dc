"""What passengers have with them, in tasks in which they act as well: inbox, payment app, and the airline's app.

The app knows the trips of its owner. It checks in for flights that leave within the next 24 hours, and shows boarding
passes. Who has checked in has to undo it there before the agent can change or cancel the reservation.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

from pydantic import BaseModel, Field

from pytest_tau.environment import Table, tool
from pytest_tau.environment.customer_side import CustomerDatabase, CustomerTools, meeting, owner_of

from .schema import Reservation
from .tools import AirlineTools
from .values import NOW

OPEN_FOR = timedelta(hours=24)
DAYS = {str(NOW.date()), str((NOW + OPEN_FOR).date())}  # on which a flight can leave by then


class Trip(BaseModel):
    """A reservation as the app shows it: its next flights, and the boarding passes of who has checked in."""

    reservation_id: str
    next_flights: list[str] = Field(default_factory=list)
    boarding_passes: list[str] = Field(default_factory=list)


class PhoneDatabase(CustomerDatabase):
    """What the customer has, and the trips in the app."""

    trips: Table[Trip]


class AirlineUserTools(CustomerTools):
    """What the customer can do at home and on the phone."""

    db: PhoneDatabase

    @tool(reads=True)
    def show_trips(self) -> list[Trip]:
        """See your trips in the airline's app: flights that you can check in for now, and your boarding passes."""
        return [Trip.model_validate(dict(trip)) for trip in self.db.trips.scan()]

    @tool(writes=True)
    def check_in(self, reservation_id: str) -> str:
        """Check in for all flights of a reservation that leave within 24 hours, and get the boarding passes.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
        """
        trip = self._trip(reservation_id)
        if not trip.next_flights:
            raise ValueError(f"Check-in for {reservation_id} opens 24 hours before the flight")
        if trip.boarding_passes:
            raise ValueError(f"You have already checked in for {reservation_id}")
        trip.boarding_passes = [f"{flight} {reservation_id}" for flight in trip.next_flights]
        return f"Checked in for {', '.join(trip.next_flights)}. The boarding passes are in the app."

    @tool(writes=True)
    def undo_check_in(self, reservation_id: str) -> str:
        """Take back the check-in for a reservation; its boarding passes are void.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
        """
        trip = self._trip(reservation_id)
        if not trip.boarding_passes:
            raise ValueError(f"You have not checked in for {reservation_id}")
        trip.boarding_passes = []
        return f"The check-in for {reservation_id} was taken back."

    def _trip(self, reservation_id: str) -> Trip:
        if reservation_id not in self.db.trips:
            raise ValueError(f"The app knows no reservation {reservation_id}")
        return self.db.trips[reservation_id]


def next_flights(tools: AirlineTools, reservation: Reservation) -> list[str]:
    """The flights of a reservation that leave within 24 hours, if none of them has been called off."""
    found = []
    for leg in reservation.flights if reservation.status is None else ():
        number, day = leg.flight_number, leg.date
        if day not in DAYS:
            continue
        flight = tools.db.flights.read(number)
        leaves = datetime.fromisoformat(f"{day}T{flight.scheduled_departure_time_est}")
        if NOW < leaves <= NOW + OPEN_FOR and flight.dates[day].status in ("available", "on time", "delayed"):
            found.append(f"{number} of {day}")
    return found


def confirmations(tools: AirlineTools, user_id: str) -> Iterator[tuple[str, str, str]]:
    """A mail for each reservation that was cancelled or booked."""
    for number in tools.db.users[user_id].reservations:
        if tools.db.reservations.read(number).status == "cancelled":
            yield f"cancelled_{number}", f"Your reservation {number}", f"Reservation {number} has been cancelled."
        elif number not in tools.db.reservations.base.raw:
            yield f"booked_{number}", f"Your reservation {number}", f"Reservation {number} is booked."


_meeting = meeting(confirmations)


def sync(tools: AirlineTools, home: AirlineUserTools | None) -> None:
    """Mails and payments as everywhere; trips show in the app, and the check-in there shows in the reservation."""
    _meeting(tools, home)
    if (user_id := owner_of(home)) is None or home is None:
        return
    for number in tools.db.users[user_id].reservations:
        # Read without touching it: what is touched is copied, and compared when states are.
        reservation = tools.db.reservations.read(number)
        flights = next_flights(tools, reservation)
        if number not in home.db.trips:
            home.db.trips[number] = Trip(reservation_id=number)
        trip = home.db.trips[number]
        if trip.next_flights != flights:
            trip.next_flights, trip.boarding_passes = flights, []
        if bool(trip.boarding_passes) != reservation.checked_in:
            tools.db.reservations[number].checked_in = bool(trip.boarding_passes)
