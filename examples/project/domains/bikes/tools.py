"""What the agent can do at the hire desk."""

from typing import Literal

from pytest_tau.environment import Toolkit, tool

from .schema import BikesDatabase, Booking, Customer


class BikesTools(Toolkit):
    """Looks up customers and bookings, and changes bookings."""

    db: BikesDatabase

    @tool(reads=True)
    def find_customer(self, phone: str) -> Customer:
        """Find a customer and their bookings by phone number.

        Args:
            phone: The number as the customer says it, such as "555 0101".
        """
        for row in self.db.customers.scan():
            if row["phone"] == phone:
                return self.db.customers[row["customer_id"]]
        raise ValueError(f"No customer has the phone number {phone}")

    @tool(reads=True)
    def get_booking(self, booking_id: str) -> Booking:
        """Look up a booking: the bicycle, the days, and whether it is out already.

        Args:
            booking_id: The booking, such as "B1".
        """
        return self._booking(booking_id)

    @tool(writes=True)
    def cancel_booking(self, booking_id: str) -> Booking:
        """Cancel a booking. Whether it may be cancelled is not checked here.

        Args:
            booking_id: The booking, such as "B1".
        """
        booking = self._booking(booking_id)
        booking.status = "cancelled"
        return booking

    @tool(writes=True)
    def change_bicycle(self, booking_id: str, bicycle: Literal["city", "touring", "electric"]) -> Booking:
        """Give a booking another kind of bicycle.

        Args:
            booking_id: The booking, such as "B1".
            bicycle: The kind it becomes.
        """
        booking = self._booking(booking_id)
        booking.bicycle = bicycle
        return booking

    @tool(writes=True)
    def add_helmet(self, booking_id: str) -> Booking:
        """Add a helmet to a booking; it is free.

        Args:
            booking_id: The booking, such as "B1".
        """
        booking = self._booking(booking_id)
        booking.helmet = True
        return booking

    def _booking(self, booking_id: str) -> Booking:
        if booking_id not in self.db.bookings:
            raise ValueError(f"There is no booking {booking_id}")
        return self.db.bookings[booking_id]
