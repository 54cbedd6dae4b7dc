"""The lists of objects that tools take, and what is checked about arguments beyond their types."""

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from .schema import FlightInfo, Passenger, Payment

M = TypeVar("M", bound=BaseModel)


class _OrObject:
    """Shows a model as "the model or any object" in a tool's schema, as the benchmark's models know it."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [handler(schema), {"additionalProperties": True, "type": "object"}]}


Flights = list[Annotated[FlightInfo, _OrObject()]]
Passengers = list[Annotated[Passenger, _OrObject()]]
Payments = list[Annotated[Payment, _OrObject()]]


def build_models(model: type[M], items: Any) -> list[M]:
    """Objects as models; under parity anything else is used as it is, and fails where it does not fit."""
    return [model.model_validate(item) for item in items] if all(isinstance(item, dict) for item in items) else items


def check_booking(flights: list[FlightInfo], passengers: list[Passenger], payments: list[Payment]) -> None:
    """Refuse a booking of nothing or for nobody, and payments that would be taken twice or the wrong way."""
    check_flights(flights)
    if not passengers:
        raise ValueError("A reservation needs at least one passenger")
    if any(payment.amount <= 0 for payment in payments):
        raise ValueError("Each payment must be positive")
    if len({payment.payment_id for payment in payments}) < len(payments):
        raise ValueError("The same payment method is listed twice")


def check_flights(flights: list[FlightInfo]) -> None:
    """Refuse an empty list, and a flight that is named twice."""
    if not flights:
        raise ValueError("A reservation needs at least one flight")
    if len({(flight.flight_number, flight.date) for flight in flights}) < len(flights):
        raise ValueError("The same flight is listed twice")


def check_bags(total: int, nonfree: int) -> None:
    """Refuse numbers of bags that cannot be."""
    if not 0 <= nonfree <= total:
        raise ValueError("nonfree_baggages is a part of total_baggages, and neither can be negative")


def by_name(passengers: list[Passenger]) -> list[Passenger]:
    """Passengers in the order of their names: no rule gives an order, so none makes a difference."""
    return sorted(passengers, key=lambda one: (one.first_name, one.last_name, one.dob))
