"""The agent's tools over flights, users and reservations.

Most rules of the policy are not checked here, on purpose: whether an agent keeps them is what the domain measures.
"""

from pytest_tau.environment import tool
from pytest_tau.environment.arithmetic import calculate

from .arguments import Flights, Passengers, Payments, build_models, by_name, check_bags, check_booking, check_flights
from .desk import Desk
from .schema import (
    AIRPORTS,
    Airport,
    Cabin,
    Certificate,
    DirectFlight,
    FlightInfo,
    FlightType,
    Insurance,
    Passenger,
    Payment,
    Reservation,
    User,
)
from .values import BAG_FEE, INSURANCE_FEE, VALUES


class AirlineTools(Desk):
    """What the agent can do."""

    values = VALUES

    @tool(writes=True, told_by=("add",))
    def book_reservation(
        self,
        user_id: str,
        origin: str,
        destination: str,
        flight_type: FlightType,
        cabin: Cabin,
        flights: Flights,
        passengers: Passengers,
        payment_methods: Payments,
        total_baggages: int,
        nonfree_baggages: int,
        insurance: Insurance,
    ) -> Reservation:
        """Book a trip and pay for it. The payments must add up exactly to the price of everything.

        Args:
            user_id: Who books, such as "ines_varga_4821".
            origin: Three-letter code of the airport where the trip begins, such as "DEN".
            destination: Three-letter code of the airport the trip goes to, such as "BOS".
            flight_type: Whether the trip comes back.
            cabin: The one cabin for all flights and passengers.
            flights: Every flight of the trip in order, those of the way back too.
            passengers: Everybody who travels.
            payment_methods: Which payment methods of the user's profile pay, and how much each.
            total_baggages: Checked bags of the whole reservation, free ones included.
            nonfree_baggages: How many of these have to be paid for.
            insurance: Whether travel insurance is bought for every passenger.
        """
        flights, passengers = build_models(FlightInfo, flights), build_models(Passenger, passengers)
        payments = build_models(Payment, payment_methods)
        if not self.parity:
            check_booking(flights, passengers, payments)
            check_bags(total_baggages, nonfree_baggages)
            passengers, payments = by_name(passengers), sorted(payments, key=lambda payment: payment.payment_id)
        user = self._user(user_id)
        reservation = Reservation(
            reservation_id=self._reservation_id(),
            user_id=user_id,
            origin=origin,
            destination=destination,
            flight_type=flight_type,
            cabin=cabin,
            flights=[],
            passengers=passengers,
            payment_history=payments,
            created_at=f"{self.now:%Y-%m-%dT%H:%M:%S}",
            total_baggages=total_baggages,
            nonfree_baggages=nonfree_baggages,
            insurance=insurance,
        )
        reservation.flights = [self._reserve_flight(flight, cabin, len(passengers)) for flight in flights]
        total = sum(flight.price for flight in reservation.flights) * len(passengers)
        if insurance == "yes":
            total += INSURANCE_FEE * len(passengers)
        total += BAG_FEE * nonfree_baggages
        self._pay_booking(user, payments, total)
        self._move_seats(reservation, -1)
        self.db.reservations[reservation.reservation_id] = reservation
        user.reservations.append(reservation.reservation_id)
        return reservation

    @tool
    def calculate(self, expression: str) -> str:
        """Work out an arithmetic expression.

        Args:
            expression: Numbers with + - * / and parentheses, such as "2 * (140 + 30)".
        """
        return calculate(expression)

    @tool(writes=True, told_by=("refund",))
    def cancel_reservation(self, reservation_id: str) -> Reservation:
        """Cancel a whole reservation and refund every payment to where it came from.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
        """
        reservation = self._changeable(reservation_id)
        reservation.payment_history += [
            Payment(payment_id=payment.payment_id, amount=-payment.amount) for payment in reservation.payment_history
        ]
        reservation.status = "cancelled"
        if not self.parity:
            self._move_seats(reservation, 1)
        return reservation

    @tool(reads=True)
    def get_reservation_details(self, reservation_id: str) -> Reservation:
        """Look up a reservation.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
        """
        return self._reservation(reservation_id)

    @tool(reads=True)
    def get_user_details(self, user_id: str) -> User:
        """Look up a user's profile, with payment methods, membership and the ids of all reservations.

        Args:
            user_id: The user, such as "ines_varga_4821".
        """
        return self._user(user_id)

    @tool(reads=True)
    def list_all_airports(self) -> list[Airport]:
        """List the airports of the network with their cities."""
        return AIRPORTS

    @tool(reads=True)
    def search_direct_flight(self, origin: str, destination: str, date: str) -> list[DirectFlight]:
        """Find the flights from one airport to another that can be booked for a date.

        Args:
            origin: Three-letter code of the airport to leave from, such as "DEN".
            destination: Three-letter code of the airport to arrive at, such as "BOS".
            date: The day of departure as YYYY-MM-DD.
        """
        return list(self._available(date, origin, destination))

    @tool(reads=True)
    def search_onestop_flight(self, origin: str, destination: str, date: str) -> list[list[DirectFlight]]:
        """Find the pairs of flights that lead from one airport to another with one change and can be booked for a date.

        Args:
            origin: Three-letter code of the airport to leave from, such as "DEN".
            destination: Three-letter code of the airport to arrive at, such as "BOS".
            date: The day on which the first flight departs, as YYYY-MM-DD.
        """
        onward: dict[str, list[DirectFlight]] = {}
        pairs = []
        for first in self._available(date, origin, None, dated=True):
            second_date, earliest = self._connection(first, date)
            if second_date not in onward:
                onward[second_date] = list(self._available(second_date, None, destination, dated=True))
            for second in onward[second_date]:
                if second.origin == first.destination and second.scheduled_departure_time_est >= earliest:
                    pairs.append([first, second])
        return pairs

    @tool(writes=True, told_by=("add", "grant", "give", "offer"))
    def send_certificate(self, user_id: str, amount: int) -> str:
        """Give a user a travel certificate as compensation. Make sure first that the policy grants it.

        Args:
            user_id: Who gets it, such as "ines_varga_4821".
            amount: Its value in dollars.
        """
        user = self._user(user_id)
        if not self.parity and amount <= 0:
            raise ValueError("The amount of a certificate must be positive")
        ids = (f"certificate_{number}" for number in self._numbers(3221322))
        certificate_id = next((new for new in ids if new not in user.payment_methods), None)
        if certificate_id is None:
            raise ValueError("Too many certificates")
        certificate = Certificate(source="certificate", id=certificate_id, amount=amount)
        user.payment_methods[certificate_id] = certificate
        return f"Certificate {certificate_id} added to user {user_id} with amount {amount}."

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the conversation over to a person, if the user asks for one outright or nothing else can help.

        Args:
            summary: What the user wants and what has been done so far.
        """
        return "Transfer successful"

    @tool(writes=True, told_by=("add",))
    def update_reservation_baggages(
        self, reservation_id: str, total_baggages: int, nonfree_baggages: int, payment_id: str
    ) -> Reservation:
        """Set the numbers of checked bags of a reservation. Both are the new totals, not how many are added.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
            total_baggages: All checked bags after the change, free ones included.
            nonfree_baggages: How many of these have to be paid for, those already paid for included.
            payment_id: The credit card or gift card of the user's profile to charge, such as "credit_card_1234567".
        """
        reservation = self._open_reservation(reservation_id)
        user = self._user(reservation.user_id)
        if not self.parity:
            check_bags(total_baggages, nonfree_baggages)
        self._pay_update(
            user, reservation, payment_id, BAG_FEE * max(0, nonfree_baggages - reservation.nonfree_baggages)
        )
        reservation.total_baggages = total_baggages
        reservation.nonfree_baggages = nonfree_baggages
        return reservation

    @tool(writes=True, told_by=("refund", "book"))
    def update_reservation_flights(
        self, reservation_id: str, cabin: Cabin, flights: Flights, payment_id: str
    ) -> Reservation:
        """Change the flights or the cabin of a reservation, and charge or refund the difference in fares.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
            cabin: The cabin after the change, for all flights.
            flights: Every flight after the change in order, those that stay as they are too.
            payment_id: The credit card or gift card of the user's profile to charge or refund, such as
                "credit_card_1234567" or "gift_card_1234567".
        """
        flights = build_models(FlightInfo, flights)
        reservation = self._changeable(reservation_id)
        user = self._user(reservation.user_id)
        if not self.parity:
            check_flights(flights)
        travellers = len(reservation.passengers)
        kept = {(leg.flight_number, leg.date): leg for leg in reservation.flights if cabin == reservation.cabin}
        changed = [
            kept.get((new.flight_number, new.date)) or self._reserve_flight(new, cabin, travellers) for new in flights
        ]
        difference = sum(leg.price for leg in changed) - sum(leg.price for leg in reservation.flights)
        self._pay_update(user, reservation, payment_id, difference * travellers)
        if not self.parity:
            self._move_seats(reservation, 1)
        reservation.flights = changed
        reservation.cabin = cabin
        if not self.parity:
            self._move_seats(reservation, -1)
        return reservation

    @tool(writes=True, told_by=("add", "remove"))
    def update_reservation_passengers(self, reservation_id: str, passengers: Passengers) -> Reservation:
        """Replace the passengers of a reservation; there must be as many as before.

        Args:
            reservation_id: The reservation, such as "K7Q2LM".
            passengers: Everybody who travels after the change, unchanged passengers too.
        """
        passengers = build_models(Passenger, passengers)
        reservation = self._changeable(reservation_id)
        if len(passengers) != len(reservation.passengers):
            raise ValueError("Number of passengers does not match")
        if not self.parity:
            same = by_name(passengers) == by_name(reservation.passengers)
            passengers = reservation.passengers if same else by_name(passengers)
        reservation.passengers = passengers
        return reservation

    @tool(reads=True)
    def get_flight_status(self, flight_number: str, date: str) -> str:
        """Look up how a flight stands on a date.

        Args:
            flight_number: The flight, such as "TAU101".
            date: The day of departure as YYYY-MM-DD.
        """
        return self._on_date(self._flight(flight_number), date).status
