"""Hidden tools of the agent that change credit cards: orders, closures, credits, flags and payments.

Every check stands in the order in which the reference makes it, because that decides which refusal the agent reads.
"""

from pytest_tau.environment import tool

from .bank import (
    MISSING,
    TODAY,
    Bank,
    add,
    balance,
    digest,
    dollars,
    execution_text,
    lines,
    no_credit_card,
    not_their_card,
    one_of,
    told_as,
)
from .bank import title as words
from .bank import transaction_id as transaction_key

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
            f"Transaction rewards updated successfully.{execution_text('update_transaction_rewards_3847', arguments)}"
            f"Transaction updated:\n  - Transaction ID: {transaction_id}\n  - New Rewards: {new_rewards_earned}"
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
        if not self._is_known("credit_card_accounts", "account_id", credit_card_account_id):
            return no_credit_card(credit_card_account_id)
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
            f"Closure reason logged successfully.{execution_text('log_credit_card_closure_reason_4521', arguments)}"
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
        if not self._is_known("credit_card_accounts", "account_id", credit_card_account_id):
            return no_credit_card(credit_card_account_id)
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
        if not self._is_known("credit_card_accounts", "account_id", credit_card_account_id):
            return no_credit_card(credit_card_account_id)
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
        if not self._is_known("credit_card_accounts", "account_id", credit_card_account_id):
            return no_credit_card(credit_card_account_id)
        if credit_card_account_id not in self.db.credit_card_accounts:
            return f"Error: Failed to close credit card account '{credit_card_account_id}'."
        self.db.credit_card_accounts[credit_card_account_id].update(
            status="CLOSED", closed_date=TODAY, closed_by=user_id
        )
        arguments = {"credit_card_account_id": credit_card_account_id, "user_id": user_id}
        return (
            f"Credit card account closed successfully.{execution_text('close_credit_card_account_7834', arguments)}"
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
            return no_credit_card(credit_card_account_id)
        card = self.db.credit_card_accounts[credit_card_account_id]
        if card.get("user_id") != user_id:
            return not_their_card(credit_card_account_id, user_id)
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
