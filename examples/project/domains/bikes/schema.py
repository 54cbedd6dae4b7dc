"""The records of the bicycle hire."""

from typing import Literal

from pydantic import BaseModel

from pytest_tau.environment import Database, Table


class Customer(BaseModel):
    """Somebody who hires bicycles."""

    customer_id: str
    name: str
    phone: str
    bookings: list[str]


class Booking(BaseModel):
    """A bicycle for some days; dates are YYYY-MM-DD."""

    booking_id: str
    customer_id: str
    bicycle: Literal["city", "touring", "electric"]
    first_day: str
    days: int
    status: Literal["booked", "out", "returned", "cancelled"] = "booked"
    helmet: bool = False


class BikesDatabase(Database):
    """The agent's side."""

    customers: Table[Customer]
    bookings: Table[Booking]
