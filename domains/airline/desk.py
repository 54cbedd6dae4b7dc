"""What the airline's tools stand on: records or a sentence why not, flights that can be booked, seats and payments."""

from collections.abc import Iterator
from datetime import date as Date
from datetime import timedelta
from itertools import count

from pytest_tau.environment import Toolkit
from pytest_tau.environment.customer_side import DeskTools

from .schema import (
    AirlineDatabase,
    Available,
    Cabin,
    Certificate,
    CreditCard,
    DirectFlight,
    Flight,
    FlightDate,
    FlightInfo,
    GiftCard,
    Payment,
    Reservation,
    ReservedFlight,
    User,
)


class Desk(DeskTools, Toolkit):
    """The books, as every tool looks into them."""

    db: AirlineDatabase

    def _user(self, user_id: str) -> User:
        if user_id not in self.db.users:
            raise ValueError(f"User {user_id} not found")
        return self.db.users[user_id]

    def _reservation(self, reservation_id: str) -> Reservation:
        if reservation_id not in self.db.reservations:
            raise ValueError(f"Reservation {reservation_id} not found")
        return self.db.reservations[reservation_id]

    def _open_reservation(self, reservation_id: str) -> Reservation:
        reservation = self._reservation(reservation_id)
        # The reference takes and refunds money on a cancelled reservation as on any other.
        if reservation.status == "cancelled" and not self.parity:
            raise ValueError(f"Reservation {reservation_id} is already cancelled")
        return reservation

    def _changeable(self, reservation_id: str) -> Reservation:
        """A reservation for which nobody has checked in."""
        reservation = self._open_reservation(reservation_id)
        if reservation.checked_in:
            raise ValueError(f"Reservation {reservation_id} is checked in; the customer has to undo that in the app")
        return reservation

    def _flight(self, flight_number: str) -> Flight:
        if flight_number not in self.db.flights:
            raise ValueError(f"Flight {flight_number} not found")
        return self.db.flights[flight_number]

    def _on_date(self, flight: Flight, date: str) -> FlightDate:
        if date not in flight.dates:
            raise ValueError(f"Flight {flight.flight_number} not found on date {date}")
        return flight.dates[date]

    def _reserve_flight(self, info: FlightInfo, cabin: Cabin, seats: int) -> ReservedFlight:
        """A flight at today's price, if it can be booked."""
        flight = self._flight(info.flight_number)
        day = self._on_date(flight, info.date)
        if not isinstance(day, Available):
            raise ValueError(f"Flight {info.flight_number} not available on date {info.date}")
        if day.available_seats[cabin] < seats:
            raise ValueError(f"Not enough seats on flight {info.flight_number}")
        route = {"origin": flight.origin, "destination": flight.destination}
        return ReservedFlight(flight_number=info.flight_number, **route, date=info.date, price=day.prices[cabin])

    def _available(
        self, date: str, origin: str | None, destination: str | None, *, dated: bool = False
    ) -> Iterator[DirectFlight]:
        """The flights that can be booked for a date; None is any airport."""
        ends = {"origin": origin, "destination": destination}
        for flight in self.db.flights.where(**{end: place for end, place in ends.items() if place is not None}):
            day = flight["dates"].get(date)
            if day is not None and day["status"] == "available":
                yield DirectFlight.model_validate({**flight, **day, "date": date if dated else None})

    def _connection(self, first: DirectFlight, date: str) -> tuple[str, str]:
        """The date and the earliest time at which a second flight may depart."""
        arrival = first.scheduled_arrival_time_est
        if "+1" not in arrival:
            return date, arrival
        if self.parity:
            return f"2024-05-{int(date[-2:]) + 1}", arrival
        return str(Date.fromisoformat(date) + timedelta(days=1)), arrival.removesuffix("+1")

    def _numbers(self, start: int) -> Iterator[int]:
        """Numbers for new ids, of which the reference has three."""
        return iter(range(start, start + 3)) if self.parity else count(start)

    def _reservation_id(self) -> str:
        ids = ("HATHAT", "HATHAU", "HATHAV") if self.parity else (f"NEW{number:03}" for number in count(1))
        for new in ids:
            if new not in self.db.reservations:
                return new
        raise ValueError("Too many reservations")

    def _pay_booking(self, user: User, payments: list[Payment], total: int) -> None:
        for payment in payments:
            method = user.payment_methods.get(payment.payment_id)
            if method is None:
                raise ValueError(f"Payment method {payment.payment_id} not found")
            if not isinstance(method, CreditCard) and method.amount < payment.amount:
                raise ValueError(f"Not enough balance in payment method {payment.payment_id}")
        paid = sum(payment.amount for payment in payments)
        if paid != total:
            raise ValueError(f"Payment amount does not add up, total price is {total}, but paid {paid}")
        for payment in payments:
            method = user.payment_methods[payment.payment_id]
            if isinstance(method, GiftCard):
                method.amount -= payment.amount
            elif isinstance(method, Certificate):
                del user.payment_methods[payment.payment_id]

    def _pay_update(self, user: User, reservation: Reservation, payment_id: str, total: int) -> None:
        method = user.payment_methods.get(payment_id)
        if method is None:
            raise ValueError("Payment method not found")
        if isinstance(method, Certificate):
            raise ValueError("Certificate cannot be used to update reservation")
        if isinstance(method, GiftCard):
            if method.amount < total:
                raise ValueError("Gift card balance is not enough")
            method.amount -= total
        if total != 0:
            reservation.payment_history.append(Payment(payment_id=payment_id, amount=total))

    def _move_seats(self, reservation: Reservation, change: int) -> None:
        """Give the seats of a reservation back, or take them."""
        for leg in reservation.flights:
            day = self.db.flights[leg.flight_number].dates[leg.date]
            if isinstance(day, Available):
                day.available_seats[reservation.cabin] += change * len(reservation.passengers)
