"""The provider's records: plans, customers, their lines, bills and devices, and how a record is found."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from pytest_tau.environment import Database, Table, listed_by

T = TypeVar("T")

LineStatus = Literal["Active", "Suspended", "Pending Activation", "Closed"]
BillStatus = Literal["Draft", "Issued", "Awaiting Payment", "Paid", "Overdue", "Disputed"]
AccountStatus = Literal["Active", "Suspended", "Pending Verification", "Closed"]


class Strict(BaseModel):
    """A record that refuses fields it does not have."""

    model_config = ConfigDict(extra="forbid")


class Plan(Strict):
    """What a line may use, and what it costs."""

    plan_id: str
    name: str
    data_limit_gb: float
    price_per_month: float
    data_refueling_price_per_gb: float


class Address(Strict):
    """Where a customer lives."""

    street: str
    city: str
    state: str
    zip_code: str


class PaymentMethod(Strict):
    """How a customer pays; ``expiration_date`` is MM/YYYY."""

    method_type: Literal["Credit Card", "Debit Card", "PayPal"]
    account_number_last_4: str
    expiration_date: str


class Customer(Strict):
    """An account with its lines and bills."""

    customer_id: str
    full_name: str
    date_of_birth: str
    email: str
    phone_number: str
    address: Address
    account_status: AccountStatus = "Pending Verification"
    payment_methods: list[PaymentMethod] = []
    line_ids: list[str] = []
    bill_ids: list[str] = []
    created_at: datetime = datetime(2025, 1, 1)
    last_extension_date: date | None = None
    goodwill_credit_used_this_year: float = 0.0


class Line(Strict):
    """A phone number with a plan."""

    line_id: str
    phone_number: str
    status: LineStatus = "Pending Activation"
    plan_id: str
    device_id: str | None = None
    data_used_gb: float = 0.0
    data_refueling_gb: float = 0.0
    roaming_enabled: bool = False
    contract_end_date: date | None = None
    last_plan_change_date: date | None = None
    last_sim_replacement_date: date | None = None
    suspension_start_date: date | None = None


class LineItem(Strict):
    """One position of a bill: a charge, or a credit where the amount is negative."""

    description: str
    amount: float
    date: date
    item_type: str


class Bill(Strict):
    """What a customer owes for a period."""

    bill_id: str
    customer_id: str
    period_start: date
    period_end: date
    issue_date: date
    total_due: float
    due_date: date
    line_items: list[LineItem] = []
    status: BillStatus = "Draft"


class Device(Strict):
    """A device that a line is used with."""

    device_id: str
    device_type: Literal["phone", "router", "tablet", "watch", "other"]
    model: str
    imei: str | None = None
    is_esim_capable: bool
    activated: bool = False
    activation_date: datetime | None = None
    last_esim_transfer_date: datetime | None = None


class TelecomDatabase(Database):
    """The provider's side. Looking a record up raises ValueError with the sentence that the agent reads."""

    plans: Table[Plan] = listed_by("plan_id")
    customers: Table[Customer] = listed_by("customer_id", owned_by="customer_id")
    lines: Table[Line] = listed_by("line_id", owned_by="customers.line_ids")
    bills: Table[Bill] = listed_by("bill_id", owned_by="customers.bill_ids")
    devices: Table[Device] = listed_by("device_id")

    def plan(self, plan_id: str) -> Plan:
        """A plan by id."""
        return _find(self.plans, plan_id, "Plan")

    def customer(self, customer_id: str) -> Customer:
        """A customer by id."""
        return _find(self.customers, customer_id, "Customer")

    def line(self, line_id: str) -> Line:
        """A line by id."""
        return _find(self.lines, line_id, "Line")

    def bill(self, bill_id: str) -> Bill:
        """A bill by id."""
        return _find(self.bills, bill_id, "Bill")

    def device(self, device_id: str) -> Device:
        """A device by id."""
        return _find(self.devices, device_id, "Device")

    def line_of(self, customer_id: str, line_id: str) -> Line:
        """A line of a customer."""
        if line_id not in self.customer(customer_id).line_ids:
            raise ValueError(f"Line {line_id} not found for customer {customer_id}")
        return self.line(line_id)

    def bills_of(self, customer: Customer) -> list[Bill]:
        """A customer's bills, in the order of the account."""
        return [self.bill(bill_id) for bill_id in customer.bill_ids]

    def line_with_phone(self, phone_number: str) -> Line:
        """The line with a phone number."""
        return self.lines[self.line_id_of(phone_number)]

    def line_id_of(self, phone_number: str) -> str:
        """The id of the line with a phone number."""
        found = next(self._lines_with(phone_number), None)
        if found is None:
            raise ValueError(f"Line with phone number {phone_number} not found")
        return found

    def customer_with_phone(self, phone_number: str) -> Customer:
        """The customer reached under a phone number: the account's own, or that of one of its lines."""
        return self.customers[self.customer_id_of(phone_number)]

    def customer_id_of(self, phone_number: str) -> str:
        """The id of the customer reached under a phone number."""
        lines = {*self._lines_with(phone_number)}
        for customer in self.customers.scan():
            if customer["phone_number"] == phone_number:
                return str(customer["customer_id"])
            for line_id in customer.get("line_ids", []):
                if line_id in lines:
                    return str(customer["customer_id"])
                _demand(self.lines, line_id, "Line")
        raise ValueError(f"Customer with phone number {phone_number} not found")

    def _lines_with(self, phone_number: str) -> Iterator[str]:
        # Under parity an argument may be anything, also what no index could look up.
        known = self.lines.having(_phone_number, phone_number) if isinstance(phone_number, str) else ()
        return (line["line_id"] for line in known)


def _phone_number(record: Mapping[str, Any]) -> str:
    return str(record["phone_number"])


def look_at(table: Table[T], key: Any, what: str) -> T:
    """A record that the caller does not change; raises ValueError where there is none."""
    _demand(table, key, what)
    return table.read(key)


def _find(table: Table[T], key: Any, what: str) -> T:
    _demand(table, key, what)
    return table[key]


def _demand(table: Table[Any], key: Any, what: str) -> None:
    # Under parity an argument may be anything, also what no table could look up.
    if not isinstance(key, str) or key not in table:
        raise ValueError(f"{what} with ID {key} not found")
