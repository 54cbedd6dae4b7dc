"""How the two sides meet: what the provider does shows on the phone, and what the customer pays shows on the bill."""

from .phone import PaymentRequest, Surroundings
from .schema import TelecomDatabase, look_at
from .tools import TelecomTools
from .user_tools import TelecomUserTools


def sync(tools: TelecomTools, user_tools: TelecomUserTools) -> None:
    """Bring both sides up to date; before it is known who calls, there is nothing to do.

    The phone does not search for a network by itself: a line that is active again shows only after its next search.
    """
    db, around = tools.db, user_tools.db.surroundings
    if around.phone_number is None:
        return
    line = look_at(db.lines, db.line_id_of(around.phone_number), "Line")
    around.line_active = line.status == "Active"
    around.roaming_allowed = line.roaming_enabled
    limit = look_at(db.plans, line.plan_id, "Plan").data_limit_gb + line.data_refueling_gb
    around.mobile_data_usage_exceeded = line.data_used_gb >= limit
    _settle(db, around)


def _settle(db: TelecomDatabase, around: Surroundings) -> None:
    request = around.payment_request
    if request is not None and request.paid:
        db.bill(request.bill_id).status = "Paid"
        request = around.payment_request = None
    if request is None and around.phone_number is not None:
        customer = look_at(db.customers, db.customer_id_of(around.phone_number), "Customer")
        for bill_id in customer.bill_ids:
            bill = look_at(db.bills, bill_id, "Bill")
            if bill.status == "Awaiting Payment":
                around.payment_request = PaymentRequest(bill_id=bill.bill_id, amount_due=bill.total_due)
                return
