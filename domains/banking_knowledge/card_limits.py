"""Hidden tools of the agent for the limits of credit cards: asking for a higher one, granting and denying it."""

from typing import Any

from pytest_tau.environment import tool

from .bank import MISSING, TODAY, Bank, add, digest, dollars, lines, no_credit_card, not_their_card, told_as

DENIALS = [
    "insufficient_account_age",
    "cooldown_period_active",
    "pending_disputes",
    "pending_replacement_card",
    "past_due_balance",
    "high_utilization",
    "insufficient_payment_history",
    "requested_amount_exceeds_limit",
    "other",
]


@told_as("KnowledgeTools")
class CreditLimitTools(Bank):
    """Limits of credit cards."""

    @tool(writes=True, hidden=True)
    def submit_credit_limit_increase_request_7392(
        self, credit_card_account_id: str, user_id: str, requested_increase_amount: int
    ) -> str:
        """Ask for a higher limit of a credit card.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer, who owns it.
            requested_increase_amount: By how much, in whole dollars.
        """
        if not credit_card_account_id or not user_id or requested_increase_amount is None:
            return MISSING
        try:
            number = float(requested_increase_amount)
        except (TypeError, ValueError):
            return "Error: Invalid requested_increase_amount. Must be a whole number."
        if not number.is_integer():
            return "Error: Invalid requested_increase_amount. Must be a whole number of dollars."
        amount = int(number)
        if amount <= 0:
            return "Error: Requested increase amount must be positive."
        if credit_card_account_id not in self.db.credit_card_accounts:
            return no_credit_card(credit_card_account_id)
        if self.db.credit_card_accounts[credit_card_account_id].get("user_id") != user_id:
            return not_their_card(credit_card_account_id, user_id)
        key = _limit_key(credit_card_account_id, user_id, amount)
        record = {
            "request_id": key,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "requested_increase_amount": amount,
            "submitted_at": TODAY,
            "status": "PENDING",
        }
        if not add(self.db.credit_limit_increase_requests, key, record):
            return "Error: A similar request may already exist."
        return lines(
            "Credit limit increase request submitted successfully.",
            "",
            "Executed: submit_credit_limit_increase_request_7392",
            f"  - Request ID: {key}",
            f"  - Account: {credit_card_account_id}",
            f"  - Requested Increase: ${amount:,}",
            "  - Status: PENDING",
        )

    @tool(writes=True, hidden=True)
    def approve_credit_limit_increase_5847(
        self, credit_card_account_id: str, user_id: str, new_credit_limit: int
    ) -> str:
        """Raise the limit of a credit card.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer, who owns it.
            new_credit_limit: The new limit, in whole dollars.
        """
        if not credit_card_account_id or not user_id or new_credit_limit is None:
            return MISSING
        if credit_card_account_id not in self.db.credit_card_accounts:
            return no_credit_card(credit_card_account_id)
        card = self.db.credit_card_accounts[credit_card_account_id]
        if card.get("user_id") != user_id:
            return not_their_card(credit_card_account_id, user_id)
        if self._in_the_way(credit_card_account_id, user_id, card):
            return "Error: Credit limit increase request cannot be approved at this time."
        old = dollars(card.get("credit_limit", "$0.00"))
        new = float(new_credit_limit)
        card["credit_limit"] = f"${new:.2f}"
        key = _limit_key(credit_card_account_id, user_id, new - old)
        record = {
            "request_id": key,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "previous_limit": f"${old:.2f}",
            "new_limit": f"${new:.2f}",
            "increase_amount": f"${new - old:.2f}",
            "decision_date": TODAY,
            "status": "APPROVED",
        }
        add(self.db.credit_limit_increase_requests, key, record)
        return lines(
            "Credit limit increase approved!",
            f"  - Account: {credit_card_account_id}",
            f"  - Previous Limit: ${old:.2f}",
            f"  - New Limit: ${new:.2f}",
            f"  - Increase: ${new - old:.2f}",
            f"  - Effective Date: {TODAY}",
            "The customer will receive a confirmation email.",
        )

    def _in_the_way(self, account_id: str, user_id: str, card: dict[str, Any]) -> bool:
        """Whether a dispute, an order or a debt stands against a higher limit."""
        disputed = any(
            dispute.get("user_id") == user_id and dispute.get("status") in ("SUBMITTED", "UNDER_REVIEW", "PENDING")
            for dispute in self.db.transaction_disputes.scan()
        )
        ordered = any(
            order.get("credit_card_account_id") == account_id
            and order.get("status") in ("PENDING", "PROCESSING", "SHIPPED")
            for order in self.db.credit_card_orders.scan()
        )
        standing = card.get("account_status", "").upper()
        return disputed or ordered or standing in ("PAST_DUE", "DELINQUENT", "COLLECTIONS", "CLOSED")

    @tool(writes=True, hidden=True)
    def deny_credit_limit_increase_5848(self, credit_card_account_id: str, user_id: str, denial_reason: str) -> str:
        """Turn down a request for a higher limit of a credit card.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer.
            denial_reason: One of insufficient_account_age, cooldown_period_active, pending_disputes,
                pending_replacement_card, past_due_balance, high_utilization, insufficient_payment_history,
                requested_amount_exceeds_limit, other.
        """
        if not credit_card_account_id or not user_id or not denial_reason:
            return MISSING
        if denial_reason not in DENIALS:
            return f"Error: Invalid denial_reason. Must be one of: {', '.join(DENIALS)}"
        if credit_card_account_id not in self.db.credit_card_accounts:
            return no_credit_card(credit_card_account_id)
        key = _limit_key(credit_card_account_id, user_id, 0.0)
        record = {
            "request_id": key,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "denial_reason": denial_reason,
            "decision_date": TODAY,
            "status": "DENIED",
        }
        add(self.db.credit_limit_increase_requests, key, record)
        return lines(
            "Credit limit increase request denied.",
            f"  - Account: {credit_card_account_id}",
            f"  - Denial Reason: {denial_reason}",
            f"  - Date: {TODAY}",
            "The customer will receive a notification explaining the denial.",
        )


def _limit_key(account_id: str, user_id: str, amount: float) -> str:
    return "cli_" + digest(f"cli_request:{account_id}:{user_id}:{amount:.2f}", 12)
