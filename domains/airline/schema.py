"""The records of the airline: flights with a record for each date, users with their payment methods, reservations."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from pytest_tau.environment import Database, Table, owned_by
from pytest_tau.environment.customer_side import Protected, Unmentioned

FlightType = Literal["round_trip", "one_way"]
Cabin = Literal["business", "economy", "basic_economy"]
Insurance = Literal["yes", "no"]
Membership = Literal["gold", "silver", "regular"]


class Available(BaseModel):
    """A date on which the flight can be booked."""

    status: Literal["available"]
    available_seats: dict[Cabin, int]
    prices: dict[Cabin, int]


class Expected(BaseModel):
    """A date on which the flight has not departed, but can no longer be booked."""

    status: Literal["on time", "delayed"]
    estimated_departure_time_est: str
    estimated_arrival_time_est: str


class Flying(BaseModel):
    """A date on which the flight is in the air."""

    status: Literal["flying"]
    actual_departure_time_est: str
    estimated_arrival_time_est: str


class Landed(BaseModel):
    """A date on which the flight has arrived."""

    status: Literal["landed"]
    actual_departure_time_est: str
    actual_arrival_time_est: str


class Cancelled(BaseModel):
    """A date on which the flight does not take place."""

    status: Literal["cancelled"]


FlightDate = Annotated[Available | Expected | Flying | Landed | Cancelled, Field(discriminator="status")]


class Route(BaseModel):
    """What every kind of flight begins with; airports are IATA codes."""

    flight_number: str
    origin: str
    destination: str


class Flight(Route):
    """A flight of the schedule; an arrival that ends in "+1" is on the next day."""

    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    dates: dict[str, FlightDate]


class DirectFlight(Route):
    """A flight on one date as searches show it."""

    status: Literal["available"] = "available"
    scheduled_departure_time_est: str
    scheduled_arrival_time_est: str
    date: str | None = None
    available_seats: dict[Cabin, int]
    prices: dict[Cabin, int]


class ReservedFlight(Route):
    """A flight of a reservation, with its price for one passenger."""

    date: str
    price: int


class FlightInfo(BaseModel):
    """A flight as an argument."""

    flight_number: str
    date: str


class Passenger(BaseModel):
    """Somebody who travels."""

    first_name: str
    last_name: str
    dob: str


class Payment(BaseModel):
    """An amount paid with a payment method, or refunded to it if negative."""

    payment_id: str
    amount: int


class CreditCard(BaseModel):
    """A credit card; it has no limit."""

    source: Literal["credit_card"]
    id: str
    brand: str
    last_four: str


class GiftCard(BaseModel):
    """A gift card with what is left on it."""

    source: Literal["gift_card"]
    id: str
    amount: float


class Certificate(BaseModel):
    """A travel certificate, used up by one booking."""

    source: Literal["certificate"]
    id: str
    amount: float


PaymentMethod = Annotated[CreditCard | GiftCard | Certificate, Field(discriminator="source")]


class Name(BaseModel):
    """A user's name."""

    first_name: str
    last_name: str


class Address(BaseModel):
    """A postal address."""

    address1: str
    address2: str | None = None
    city: str
    country: str
    state: str
    zip: str


class User(Protected, BaseModel):
    """A customer's profile."""

    user_id: str
    name: Name
    address: Address
    email: str
    dob: str
    payment_methods: dict[str, PaymentMethod]
    saved_passengers: list[Passenger]
    membership: Membership
    reservations: list[str]


class Reservation(Unmentioned, BaseModel):
    """A booking: all flights in one cabin, all passengers on all flights."""

    reservation_id: str
    user_id: str
    origin: str
    destination: str
    flight_type: FlightType
    cabin: Cabin
    flights: list[ReservedFlight]
    passengers: list[Passenger]
    payment_history: list[Payment]
    created_at: str
    total_baggages: int
    nonfree_baggages: int
    insurance: Insurance
    status: Literal["cancelled"] | None = None
    checked_in: bool = False  # on the customer's phone

    @classmethod
    def unmentioned(cls) -> frozenset[str]:
        """Most people have not checked in."""
        return frozenset({"checked_in"})


class AirlineDatabase(Database):
    """The airline's database."""

    flights: Table[Flight]
    users: Table[User] = owned_by("user_id")
    reservations: Table[Reservation] = owned_by("user_id")


class Airport(BaseModel):
    """An airport of the network."""

    iata: str
    city: str


_AIRPORTS = {
    "SFO": "San Francisco",
    "JFK": "New York",
    "LAX": "Los Angeles",
    "ORD": "Chicago",
    "DFW": "Dallas",
    "DEN": "Denver",
    "SEA": "Seattle",
    "ATL": "Atlanta",
    "MIA": "Miami",
    "BOS": "Boston",
    "PHX": "Phoenix",
    "IAH": "Houston",
    "LAS": "Las Vegas",
    "MCO": "Orlando",
    "EWR": "Newark",
    "CLT": "Charlotte",
    "MSP": "Minneapolis",
    "DTW": "Detroit",
    "PHL": "Philadelphia",
    "LGA": "LaGuardia",
}

# The network is part of the tools, in the public data too, and not of the database.
AIRPORTS = [Airport(iata=iata, city=city) for iata, city in _AIRPORTS.items()]
