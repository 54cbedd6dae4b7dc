"""What only tasks do to the provider's records: set up how a task starts, and assert how it must end."""

from datetime import date, timedelta

from pytest_tau.environment import Toolkit

from .schema import Bill, Customer, LineItem, TelecomDatabase


class AccountSetup(Toolkit):
    """The functions for initial states and the assertions of the agent's side; none of them is a tool."""

    db: TelecomDatabase

    @property
    def _today(self) -> date:
        assert self.now is not None, "the domain states its clock"  # noqa: S101 (a fact of domain.py)
        return self.now.date()

    def get_available_plan_ids(self) -> list[str]:
        """The ids of all plans."""
        return list(self.db.plans)

    def set_data_usage(self, customer_id: str, line_id: str, data_used_gb: float) -> str:
        """Let a line have used that much data."""
        self.db.line_of(customer_id, line_id).data_used_gb = data_used_gb
        return f"Data usage set to {data_used_gb} GB for line {line_id}"

    def suspend_line_for_overdue_bill(
        self, customer_id: str, line_id: str, new_bill_id: str, contract_ended: bool
    ) -> str:
        """Give the customer an overdue bill over the line's plan and suspend the line; its contract may end as well."""
        line = self.db.line(line_id)
        if line.status != "Active":
            raise ValueError("Line must be active to suspend for unpaid bill")
        amount = self.db.plan(line.plan_id).price_per_month
        if amount <= 0:
            raise ValueError("Amount must be positive for overdue bill")
        customer = self.db.customer(customer_id)
        if any(bill.status == "Overdue" for bill in self.db.bills_of(customer)):
            raise ValueError("Customer already has an overdue bill")
        month_end = self._today.replace(day=1) - timedelta(days=1)
        charged = self._today if self.parity else month_end.replace(day=1)  # what is due was charged before
        item = LineItem(description=f"Charge for line {line_id}", amount=amount, date=charged, item_type="Charge")
        bill = Bill(
            bill_id=new_bill_id,
            customer_id=customer_id,
            period_start=month_end.replace(day=1),
            period_end=month_end,
            issue_date=month_end.replace(day=1),
            due_date=month_end.replace(day=15),
            total_due=amount,
            line_items=[item],
            status="Overdue",
        )
        self._add_bill(customer, bill)
        line.status = "Suspended"
        line.suspension_start_date = self._today
        if contract_ended:
            line.contract_end_date = month_end
        return f"Line {line_id} suspended for unpaid bill {new_bill_id}. Contract ended: {contract_ended}"

    def write_on_bill(self, bill_id: str, text: str) -> str:
        """Let the first position of a bill read so."""
        self.db.bill(bill_id).line_items[0].description = text
        return f"The first position of bill {bill_id} reads: {text}"

    def assert_data_refueling_amount(self, customer_id: str, line_id: str, expected_amount: float) -> bool:
        """Whether that much data was added to a line."""
        return abs(self.db.line_of(customer_id, line_id).data_refueling_gb - expected_amount) < 1e-6

    def assert_line_status(self, customer_id: str, line_id: str, expected_status: str) -> bool:
        """Whether a line has that status."""
        return self.db.line_of(customer_id, line_id).status == expected_status

    def assert_roaming(self, customer_id: str, line_id: str, expected_status: bool) -> bool:
        """Whether a line may, or may not, be used abroad, as expected."""
        return self.db.line_of(customer_id, line_id).roaming_enabled == expected_status

    def assert_overdue_bill_exists(self, customer_id: str, overdue_bill_id: str) -> bool:
        """That a customer has this bill and it is overdue; raises ValueError where not."""
        if overdue_bill_id not in self.db.customer(customer_id).bill_ids:
            raise ValueError(f"Overdue bill {overdue_bill_id} not found")
        if self.db.bill(overdue_bill_id).status != "Overdue":
            raise ValueError(f"Overdue bill {overdue_bill_id} is not overdue")
        return True

    def assert_not_resumed_unpaid(self, customer_id: str, line_id: str, bill_id: str) -> bool:
        """Whether a line that was suspended for a bill is still suspended, or the bill is paid."""
        paid = self.db.bill(bill_id).status == "Paid"
        return paid or self.db.line_of(customer_id, line_id).status != "Active"

    def assert_no_overdue_bill(self, overdue_bill_id: str) -> bool:
        """Whether a bill is paid, or there never was one."""
        return overdue_bill_id not in self.db.bills or self.db.bill(overdue_bill_id).status == "Paid"

    def _add_bill(self, customer: Customer, bill: Bill) -> Bill:
        if bill.bill_id in self.db.bills:
            raise ValueError(f"Bill {bill.bill_id} already exists")
        self.db.bills[bill.bill_id] = bill
        customer.bill_ids.append(bill.bill_id)
        return bill
