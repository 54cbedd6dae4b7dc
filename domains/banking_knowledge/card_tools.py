"""Hidden tools of the agent that change credit cards: disputes, orders, closures, credits, flags, payments and limits.

Every check stands in the order in which the reference makes it, because that decides which refusal the agent reads.
"""

from typing import Any

from pytest_tau.environment import tool

from .bank import MISSING, TODAY, Bank, add, balance, digest, dispute_id, dollars, executed, lines, one_of, told_as
from .bank import title as words
from .bank import transaction_id as transaction_key

CARD_ACTIONS = ["keep_active", "cancel_and_reissue"]
DISPUTE_REASONS = [
    "unauthorized_fraudulent_charge",
    "duplicate_charge",
    "incorrect_amount",
    "goods_services_not_received",
    "goods_services_not_as_described",
    "canceled_subscription_still_charging",
    "refund_never_processed",
]
RESOLUTIONS = ["full_refund", "partial_refund"]
ORDER_REASONS = ["fraud_suspected", "lost", "stolen", "damaged", "expired", "other"]
CLOSURE_REASONS = [
    "annual_fee",
    "not_using_card",
    "found_better_card",
    "unhappy_with_rewards",
    "simplifying_finances",
    "negative_experience",
    "other",
]
CREDIT_REASONS = [
    "goodwill_adjustment",
    "promotional_credit",
    "annual_fee_reversal",
    "late_fee_reversal",
    "interest_charge_reversal",
    "dispute_resolution",
    "price_match",
    "retention_offer",
    "error_correction",
    "other",
]
FLAGS = ["annual_fee_waived", "promotional_apr", "rewards_bonus", "other"]
FLAG_REASONS = ["retention_offer", "loyalty_benefit", "promotional", "error_correction", "other"]
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
class CreditCardTools(Bank):
    """What an agent can do to credit cards once it knows the name of the tool."""

    @tool(writes=True, hidden=True)
    def update_transaction_rewards_3847(self, transaction_id: str, new_rewards_earned: str) -> str:
        """Correct the rewards that a credit card transaction earned.

        Args:
            transaction_id: The transaction.
            new_rewards_earned: The right rewards, as text in the form "391 points".
        """
        if not transaction_id or not new_rewards_earned:
            return MISSING
        table = self.db.credit_card_transaction_history
        if transaction_id not in table:
            return f"Error: Transaction '{transaction_id}' not found."
        table[transaction_id]["rewards_earned"] = new_rewards_earned
        arguments = {"transaction_id": transaction_id, "new_rewards_earned": new_rewards_earned}
        return (
            f"Transaction rewards updated successfully.{executed('update_transaction_rewards_3847', arguments)}"
            f"Transaction updated:\n  - Transaction ID: {transaction_id}\n  - New Rewards: {new_rewards_earned}"
        )

    @tool(writes=True, hidden=True)
    def file_credit_card_transaction_dispute_4829(
        self,
        transaction_id: str,
        card_action: str,
        card_last_4_digits: str,
        full_name: str,
        user_id: str,
        phone: str,
        email: str,
        address: str,
        contacted_merchant: bool,
        purchase_date: str,
        issue_noticed_date: str,
        dispute_reason: str,
        resolution_requested: str,
        eligible_for_provisional_credit: bool,
        partial_refund_amount: float | None = None,
    ) -> str:
        """Open a case about a credit card charge that the customer disputes.

        Args:
            transaction_id: The disputed transaction.
            card_action: What becomes of the card: keep_active or cancel_and_reissue.
            card_last_4_digits: The last four digits of the card.
            full_name: The customer's full name.
            user_id: The customer.
            phone: The customer's phone number.
            email: The customer's e-mail address.
            address: The customer's postal address.
            contacted_merchant: Whether the customer has spoken to the merchant.
            purchase_date: When the purchase was, MM/DD/YYYY.
            issue_noticed_date: When the customer saw that something was wrong, MM/DD/YYYY.
            dispute_reason: One of unauthorized_fraudulent_charge, duplicate_charge, incorrect_amount,
                goods_services_not_received, goods_services_not_as_described, canceled_subscription_still_charging,
                refund_never_processed.
            resolution_requested: What the customer wants: full_refund or partial_refund.
            eligible_for_provisional_credit: Whether the rules allow a provisional credit.
            partial_refund_amount: How much to give back, in dollars, for a partial_refund.
        """
        if not transaction_id or not user_id:
            return MISSING
        if card_action not in CARD_ACTIONS:
            return one_of("card_action", CARD_ACTIONS)
        if dispute_reason not in DISPUTE_REASONS:
            return one_of("dispute_reason", DISPUTE_REASONS)
        if resolution_requested not in RESOLUTIONS:
            return one_of("resolution_requested", RESOLUTIONS)
        if resolution_requested == "partial_refund" and partial_refund_amount is None:
            return "Error: partial_refund_amount is required when resolution_requested is 'partial_refund'."
        key = dispute_id(user_id, transaction_id)
        record = {
            "dispute_id": key,
            "transaction_id": transaction_id,
            "user_id": user_id,
            "card_action": card_action,
            "card_last_4_digits": card_last_4_digits,
            "full_name": full_name,
            "phone": phone,
            "email": email,
            "address": address,
            "contacted_merchant": contacted_merchant,
            "purchase_date": purchase_date,
            "issue_noticed_date": issue_noticed_date,
            "dispute_reason": dispute_reason,
            "resolution_requested": resolution_requested,
            "partial_refund_amount": partial_refund_amount,
            "eligible_for_provisional_credit": eligible_for_provisional_credit,
            "provisional_credit_given": eligible_for_provisional_credit,
            "submitted_at": TODAY,
            "status": "SUBMITTED",
        }
        if not add(self.db.transaction_disputes, key, record):
            return "Error: Dispute may have already been filed for this transaction."
        credit = (
            "Provisional Credit: ELIGIBLE - Credit will be applied within 2 business days."
            if eligible_for_provisional_credit
            else "Provisional Credit: Not eligible at this time."
        )
        return lines(
            "Credit card transaction dispute filed successfully. A case has been opened and will be reviewed within "
            "10 business days.",
            "",
            "Executed: file_credit_card_transaction_dispute_4829",
            f"Dispute ID: {key}",
            f"Transaction: {transaction_id}",
            f"Reason: {words(dispute_reason)}",
            f"Resolution Requested: {words(resolution_requested)}",
            *([f"Partial Refund Amount: ${partial_refund_amount:.2f}"] if partial_refund_amount else []),
            credit,
        )

    @tool(writes=True, hidden=True)
    def order_replacement_credit_card_7291(
        self,
        credit_card_account_id: str,
        user_id: str,
        shipping_address: str,
        reason: str,
        expedited_shipping: bool = False,
    ) -> str:
        """Order a new credit card for an account; the old card is cancelled at once.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer.
            shipping_address: Where the card is sent.
            reason: One of fraud_suspected, lost, stolen, damaged, expired, other.
            expedited_shipping: Whether it is sent faster.
        """
        if not credit_card_account_id or not user_id or not shipping_address or not reason:
            return "Error: Missing required parameters (credit_card_account_id, user_id, shipping_address, reason)."
        if reason not in ORDER_REASONS:
            return one_of("reason", ORDER_REASONS)
        if not self._known("credit_card_accounts", "account_id", credit_card_account_id):
            return _no_card(credit_card_account_id)
        key = "ccord_" + digest(f"credit_card_order:{credit_card_account_id}:{user_id}:{reason}", 12)
        record = {
            "order_id": key,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "shipping_address": shipping_address,
            "reason": reason,
            "expedited_shipping": expedited_shipping,
            "order_date": TODAY,
            "status": "ORDERED",
            "old_card_cancelled": True,
        }
        if not add(self.db.credit_card_orders, key, record):
            return "Error: Order may have already been placed for this card replacement."
        if credit_card_account_id in self.db.credit_card_accounts:
            self.db.credit_card_accounts[credit_card_account_id].update(status="CLOSED", closed_date=TODAY)
        return lines(
            f"Order ID: {key}",
            f"Card Account: {credit_card_account_id}",
            f"Reason: {words(reason)}",
            f"Shipping Address: {shipping_address}",
            f"Shipping Method: {'Expedited' if expedited_shipping else 'Standard'}",
            f"Expected Delivery: {'2-3' if expedited_shipping else '7-10'} business days",
            "",
            "The old card has been cancelled for security. The new card will have the same account number but a new "
            "card number and CVV.",
        )

    @tool(writes=True, hidden=True)
    def log_credit_card_closure_reason_4521(
        self, credit_card_account_id: str, user_id: str, closure_reason: str
    ) -> str:
        """Write down why a customer wants to close a credit card.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer.
            closure_reason: One of annual_fee, not_using_card, found_better_card, unhappy_with_rewards,
                simplifying_finances, negative_experience, other.
        """
        if not credit_card_account_id or not user_id or not closure_reason:
            return MISSING
        if closure_reason not in CLOSURE_REASONS:
            return one_of("closure_reason", CLOSURE_REASONS)
        key = "clsr_" + digest(f"closure_reason:{credit_card_account_id}:{user_id}", 12)
        arguments = {
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "closure_reason": closure_reason,
        }
        record = {"record_id": key, **arguments, "logged_at": TODAY, "status": "LOGGED"}
        add(self.db.credit_card_closure_reasons, key, record)
        return (
            f"Closure reason logged successfully.{executed('log_credit_card_closure_reason_4521', arguments)}"
            f"Closure reason '{closure_reason}' logged for account {credit_card_account_id}."
        )

    @tool(writes=True, hidden=True)
    def apply_statement_credit_8472(self, user_id: str, credit_card_account_id: str, amount: float, reason: str) -> str:
        """Give a customer money on the statement of a credit card.

        Args:
            user_id: The customer.
            credit_card_account_id: The credit card account.
            amount: How much, in dollars.
            reason: One of goodwill_adjustment, promotional_credit, annual_fee_reversal, late_fee_reversal,
                interest_charge_reversal, dispute_resolution, price_match, retention_offer, error_correction, other.
        """
        if not user_id or not credit_card_account_id or amount is None or not reason:
            return "Error: Missing required parameters (user_id, credit_card_account_id, amount, reason)."
        if amount <= 0:
            return "Error: Credit amount must be positive."
        if reason not in CREDIT_REASONS:
            return one_of("reason", CREDIT_REASONS)
        if not self._known("credit_card_accounts", "account_id", credit_card_account_id):
            return _no_card(credit_card_account_id)
        key = transaction_key(user_id, "STATEMENT_CREDIT", reason, amount, "Statement Credit")
        record = {
            "transaction_id": key,
            "user_id": user_id,
            "credit_card_account_id": credit_card_account_id,
            "credit_card_type": "N/A",
            "merchant_name": "Rho-Bank Statement Credit",
            "transaction_amount": f"-${amount:.2f}",
            "transaction_date": TODAY,
            "category": "Statement Credit",
            "status": "COMPLETED",
            "rewards_earned": "0 points",
            "credit_reason": reason,
        }
        if not add(self.db.credit_card_transaction_history, key, record):
            return f"Error: Failed to apply statement credit. Transaction ID '{key}' may already exist."
        return lines(
            "Statement credit applied successfully.",
            "",
            "Executed: apply_statement_credit_8472",
            f"  - Transaction ID: {key}",
            f"  - User ID: {user_id}",
            f"  - Account: {credit_card_account_id}",
            f"  - Credit Amount: ${amount:.2f}",
            f"  - Reason: {words(reason)}",
            f"  - Date: {TODAY}",
        )

    @tool(writes=True, hidden=True)
    def apply_credit_card_account_flag_6147(
        self, credit_card_account_id: str, user_id: str, flag_type: str, expiration_date: str, reason: str
    ) -> str:
        """Mark a credit card account with something that holds until a day.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer.
            flag_type: One of annual_fee_waived, promotional_apr, rewards_bonus, other.
            expiration_date: Until when, MM/DD/YYYY.
            reason: One of retention_offer, loyalty_benefit, promotional, error_correction, other.
        """
        if not credit_card_account_id or not user_id or not flag_type or not expiration_date or not reason:
            return (
                "Error: Missing required parameters (credit_card_account_id, user_id, flag_type, expiration_date, "
                "reason)."
            )
        if flag_type not in FLAGS:
            return one_of("flag_type", FLAGS)
        if reason not in FLAG_REASONS:
            return one_of("reason", FLAG_REASONS)
        if not self._known("credit_card_accounts", "account_id", credit_card_account_id):
            return _no_card(credit_card_account_id)
        key = "ccflag_" + digest(f"account_flag:{credit_card_account_id}:{flag_type}:{expiration_date}", 12)
        record = {
            "flag_id": key,
            "credit_card_account_id": credit_card_account_id,
            "user_id": user_id,
            "flag_type": flag_type,
            "effective_date": TODAY,
            "expiration_date": expiration_date,
            "reason": reason,
            "applied_at": TODAY,
            "status": "ACTIVE",
        }
        if not add(self.db.credit_card_account_flags, key, record):
            return f"Error: Failed to apply account flag. Flag ID '{key}' may already exist."
        return lines(
            "Account flag applied successfully!",
            f"  - Flag ID: {key}",
            f"  - Account: {credit_card_account_id}",
            f"  - User ID: {user_id}",
            f"  - Flag Type: {words(flag_type)}",
            f"  - Effective Date: {TODAY}",
            f"  - Expiration Date: {expiration_date}",
            f"  - Reason: {words(reason)}",
        )

    @tool(writes=True, hidden=True)
    def close_credit_card_account_7834(self, credit_card_account_id: str, user_id: str) -> str:
        """Close a credit card account.

        Args:
            credit_card_account_id: The credit card account.
            user_id: The customer.
        """
        if not credit_card_account_id or not user_id:
            return "Error: Missing required parameters (credit_card_account_id, user_id)."
        if not self._known("credit_card_accounts", "account_id", credit_card_account_id):
            return _no_card(credit_card_account_id)
        if credit_card_account_id not in self.db.credit_card_accounts:
            return f"Error: Failed to close credit card account '{credit_card_account_id}'."
        self.db.credit_card_accounts[credit_card_account_id].update(
            status="CLOSED", closed_date=TODAY, closed_by=user_id
        )
        arguments = {"credit_card_account_id": credit_card_account_id, "user_id": user_id}
        return (
            f"Credit card account closed successfully.{executed('close_credit_card_account_7834', arguments)}"
            f"Account {credit_card_account_id} has been closed."
        )

    @tool(writes=True, hidden=True)
    def pay_credit_card_from_checking_9182(
        self, user_id: str, checking_account_id: str, credit_card_account_id: str, amount: float
    ) -> str:
        """Pay off some of a credit card's balance from the customer's checking account.

        Args:
            user_id: The customer, who owns both.
            checking_account_id: Where the money comes from.
            credit_card_account_id: The credit card account.
            amount: How much, in dollars; at most the card's balance.
        """
        if not user_id or not checking_account_id or not credit_card_account_id or amount is None:
            return "Error: Missing required parameters (user_id, checking_account_id, credit_card_account_id, amount)."
        try:
            amount = float(amount)
        except (TypeError, ValueError):
            return "Error: Invalid payment amount. Must be a positive number."
        if amount <= 0:
            return "Error: Payment amount must be a positive number."
        if checking_account_id not in self.db.accounts:
            return f"Error: Checking account '{checking_account_id}' not found."
        account = self.db.accounts[checking_account_id]
        if account.get("user_id") != user_id:
            return f"Error: Checking account '{checking_account_id}' does not belong to user '{user_id}'."
        if account.get("class") != "checking":
            return f"Error: Account '{checking_account_id}' is not a checking account."
        held = balance(account)
        if amount > held:
            return (
                f"Error: Insufficient funds in checking account. Available balance: ${held:.2f}, "
                f"requested payment: ${amount:.2f}."
            )
        if credit_card_account_id not in self.db.credit_card_accounts:
            return _no_card(credit_card_account_id)
        card = self.db.credit_card_accounts[credit_card_account_id]
        if card.get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
        owed = dollars(card.get("current_balance", "$0.00"))
        if amount > owed:
            return (
                f"Error: Payment amount (${amount:.2f}) exceeds credit card balance (${owed:.2f}). Please specify an "
                "amount up to the outstanding balance."
            )
        account["current_holdings"] = f"{held - amount:.2f}"
        card["current_balance"] = f"${owed - amount:.2f}"
        return lines(
            "Payment processed successfully!",
            f"  - Payment Amount: ${amount:.2f}",
            f"  - From Checking Account: {checking_account_id}",
            f"  - To Credit Card Account: {credit_card_account_id}",
            f"  - New Checking Balance: ${held - amount:.2f}",
            f"  - New Credit Card Balance: ${owed - amount:.2f}",
            "The payment has been applied immediately.",
        )

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
            return _no_card(credit_card_account_id)
        if self.db.credit_card_accounts[credit_card_account_id].get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
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
            return _no_card(credit_card_account_id)
        card = self.db.credit_card_accounts[credit_card_account_id]
        if card.get("user_id") != user_id:
            return _not_theirs(credit_card_account_id, user_id)
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
            return _no_card(credit_card_account_id)
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


def _no_card(account_id: str) -> str:
    return f"Error: Credit card account '{account_id}' not found."


def _not_theirs(account_id: str, user_id: str) -> str:
    return f"Error: Credit card account '{account_id}' does not belong to user '{user_id}'."


def _limit_key(account_id: str, user_id: str, amount: float) -> str:
    return "cli_" + digest(f"cli_request:{account_id}:{user_id}:{amount:.2f}", 12)
