"""The agent's tools: accounts, lines, bills and data. The tools do what they are told; the policy says when."""

from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from pytest_tau.environment import tool

from .account_setup import AccountSetup
from .schema import Bill, Customer, Device, Line, LineItem, Plan
from .values import VALUES

Entry = Line | Device | Bill | Customer | Plan


class TelecomTools(AccountSetup):
    """What the agent can do."""

    values = VALUES

    @tool(reads=True)
    def get_customer_by_phone(self, phone_number: str) -> Customer:
        """Find a customer by phone number: the account's own number, or that of any of its lines.

        Args:
            phone_number: The number, written like "555-000-0000".
        """
        return self.db.customer_with_phone(phone_number)

    @tool(reads=True)
    def get_customer_by_id(self, customer_id: str) -> Customer:
        """Look up a customer: personal data, payment methods, and the ids of lines and bills.

        Args:
            customer_id: The customer, such as "C0000".
        """
        return self.db.customer(customer_id)

    @tool(reads=True)
    def get_customer_by_name(self, full_name: str, dob: str) -> list[Customer]:
        """Find customers by name and date of birth. The list is empty if there is none.

        Args:
            full_name: First and last name; upper and lower case do not matter.
            dob: The date of birth, as YYYY-MM-DD.
        """
        return [
            self.db.customer(customer["customer_id"])
            for customer in self.db.customers.scan()
            if customer["full_name"].lower() == full_name.lower() and customer["date_of_birth"] == dob
        ]

    @tool(reads=True)
    def get_details_by_id(self, id: str) -> Entry:
        """Look up any record by its id. The first letter says what it is: L(ine), D(evice), B(ill), C(ustomer), P(lan).

        Args:
            id: The record, such as "L0000".
        """
        lookups: dict[str, Callable[[str], Entry]] = {
            "L": self.db.line,
            "D": self.db.device,
            "B": self.db.bill,
            "C": self.db.customer,
            "P": self.db.plan,
        }
        for letter, lookup in lookups.items():
            if id.startswith(letter):
                return lookup(id)
        raise ValueError(f"Unknown ID format or type: {id}")

    @tool(writes=True)
    def suspend_line(self, customer_id: str, line_id: str, reason: str) -> dict[str, Any]:
        """Suspend an active line from today on. While it is suspended, a holding fee is charged every month.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
            reason: Why the line is suspended.
        """
        line = self.db.line_of(customer_id, line_id)
        if line.status != "Active":
            raise ValueError("Line must be active to suspend")
        line.status = "Suspended"
        line.suspension_start_date = self._today
        return {
            "message": f"Line suspended successfully. ${VALUES['holding_fee']}/month holding fee will apply.",
            "line": line,
        }

    @tool(
        writes=True,
        told_by=("activate", "lift", "unlock", "turn on", "switch on", "bring back", "reinstate", "make active"),
    )
    def resume_line(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """Make a line active that is suspended or not activated yet.

        Unpaid bills and the end of the contract are not looked at: that is for you to do.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
        """
        line = self.db.line_of(customer_id, line_id)
        if line.status not in ("Suspended", "Pending Activation"):
            raise ValueError("Line must be suspended to resume")
        line.status = "Active"
        line.suspension_start_date = None
        return {"message": "Line resumed successfully", "line": line}

    @tool(reads=True)
    def get_bills_for_customer(self, customer_id: str, limit: int = 12) -> list[Bill]:
        """List a customer's bills, those issued last first.

        Args:
            customer_id: The customer, such as "C0000".
            limit: How many bills at most.
        """
        if not self.parity and limit < 1:
            raise ValueError("limit must be at least 1")
        bills = self.db.bills_of(self.db.customer(customer_id))
        return sorted(bills, key=lambda bill: bill.issue_date, reverse=True)[:limit]

    @tool(writes=True, told_by=("pay", "settle", "clear"))
    def send_payment_request(self, customer_id: str, bill_id: str) -> str:
        """Ask a customer to pay a bill. Only one bill of a customer can await payment at a time.

        Look at the bill before: whether it is overdue is not looked at here.

        Args:
            customer_id: The customer, such as "C0000".
            bill_id: The bill, such as "B0000"; it has to be the customer's.
        """
        customer = self.db.customer(customer_id)
        if any(bill.status == "Awaiting Payment" for bill in self.db.bills_of(customer)):
            raise ValueError("A bill is already awaiting payment for this customer")
        if bill_id not in customer.bill_ids:
            raise ValueError(f"Bill {bill_id} not found for customer {customer_id}")
        bill = self.db.bill(bill_id)
        if not self.parity and bill.status in ("Paid", "Draft"):
            raise ValueError(f"Bill {bill_id} has the status {bill.status}: there is nothing to pay")
        bill.status = "Awaiting Payment"
        return f"Payment request sent to the customer for bill {bill_id}"

    @tool(reads=True)
    def get_data_usage(self, customer_id: str, line_id: str) -> dict[str, Any]:
        """Look up how much data a line has used in this billing cycle, and how much it may use.

        It may use its plan's limit and what was added on top of it, both in GB.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
        """
        line = self.db.line_of(customer_id, line_id)
        return {
            "line_id": line_id,
            "data_used_gb": line.data_used_gb,
            "data_limit_gb": self.db.plan(line.plan_id).data_limit_gb,
            "data_refueling_gb": line.data_refueling_gb,
            "cycle_end_date": _next_month(self._today) - timedelta(days=1),
        }

    @tool(
        writes=True,
        told_by=(
            *("open", "allow", "permit", "unlock", "roam"),
            *("use abroad", "work abroad", "use in other countries", "work on foreign networks"),
        ),
    )
    def enable_roaming(self, customer_id: str, line_id: str) -> str:
        """Let a line be used abroad. The phone has a switch of its own, which the customer has to turn on too.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
        """
        return self._set_roaming(customer_id, line_id, "enabled")

    @tool(writes=True)
    def disable_roaming(self, customer_id: str, line_id: str) -> str:
        """Stop a line from being used abroad.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
        """
        return self._set_roaming(customer_id, line_id, "disabled")

    @tool
    def transfer_to_human_agents(self, summary: str) -> str:
        """Hand the conversation over to a person, with a summary of it.

        Only when the customer asks for a person, or when the policy and the tools offer no way to help.

        Args:
            summary: What the customer wants and what has been done so far.
        """
        return "Transfer successful"

    @tool(writes=True, told_by=("add", "top up", "book", "buy"))
    def refuel_data(self, customer_id: str, line_id: str, gb_amount: float) -> dict[str, Any]:
        """Add data to a line for the rest of the billing cycle. The plan's price for it goes on the next bill.

        First tell the customer the price and get an explicit yes.

        Args:
            customer_id: The customer, such as "C0000".
            line_id: The line, such as "L0000"; it has to be the customer's.
            gb_amount: How many GB to add; more than zero.
        """
        line = self.db.line_of(customer_id, line_id)
        if gb_amount <= 0:
            raise ValueError("Refuel amount must be positive")
        price = self.db.plan(line.plan_id).data_refueling_price_per_gb
        charge = gb_amount * price if self.parity else round(gb_amount * price, 2)
        line.data_refueling_gb += gb_amount
        self._charge_once(self.db.customer(customer_id), charge, f"Data refueling: {gb_amount} GB at ${price}/GB")
        return {
            "message": f"Successfully added {gb_amount} GB of data for line {line_id} for ${charge:.2f}",
            "new_data_refueling_gb": line.data_refueling_gb,
            "charge": charge,
        }

    def _set_roaming(self, customer_id: str, line_id: str, wanted: str) -> str:
        line = self.db.line_of(customer_id, line_id)
        if line.roaming_enabled == (wanted == "enabled"):
            return f"Roaming was already {wanted}"
        line.roaming_enabled = wanted == "enabled"
        return f"Roaming {wanted} successfully"

    def _charge_once(self, customer: Customer, amount: float, description: str) -> None:
        """Put an amount on the customer's next bill."""
        bill = self._draft_bill(customer)
        item_type = "Credit" if amount < 0 else "Charge"
        bill.line_items.append(LineItem(description=description, amount=amount, date=self._today, item_type=item_type))
        bill.total_due += amount

    def _draft_bill(self, customer: Customer) -> Bill:
        for bill in self.db.bills_of(customer):
            if bill.status == "Draft":
                return bill
        start = _next_month(self._today)
        return self._add_bill(
            customer,
            Bill(
                bill_id=self.new_id("B", digits=8),
                customer_id=customer.customer_id,
                period_start=start,
                period_end=_next_month(start) - timedelta(days=1),
                issue_date=start,
                due_date=start + timedelta(days=14),
                total_due=0.0,
            ),
        )


def _next_month(day: date) -> date:
    """The first day of the month after."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)
