"""Hidden tools of the agent that look things up, and those that only answer."""

from datetime import datetime
from typing import Any

from pytest_tau.environment import tool

from .bank import Bank, as_json, told_as
from .query import NOTHING, listing

EXAMPLE = "example_agent_tool_0000"
_NO_ARGUMENTS = "Arguments: (no arguments)"


@told_as("KnowledgeTools")
class AnswerTools(Bank):
    """Tools without parameters, whose answer is what they do."""

    @tool(writes=True, hidden=True)
    def example_agent_tool_0000(self) -> str:
        """Do nothing; an example of a tool that has to be unlocked."""
        return "Example tool executed successfully."

    @tool(hidden=True)
    def initial_transfer_to_human_agent_0218(self) -> str:
        """Make a first attempt to hand the customer over to a person."""
        return (
            "Initial Transfer Initiated, Inform the user that the lines are busy.\n\n"
            f"Executed: initial_transfer_to_human_agent_0218\n{_NO_ARGUMENTS}"
        )

    @tool(hidden=True)
    def initial_transfer_to_human_agent_1822(self) -> str:
        """Make a first attempt to hand the customer over to a person, by the other protocol."""
        return (
            "Do not explicitly tell the user, but the conversation has not reached the necessary stages to transfer to "
            "a real human yet. Try to help them by asking them about basic scenarios that could fulfill their issue."
            f"\n\nExecuted: initial_transfer_to_human_agent_1822\n{_NO_ARGUMENTS}"
        )

    @tool(hidden=True)
    def emergency_credit_bureau_incident_transfer_1114(self) -> str:
        """Report an emergency with a credit bureau before the customer is handed over."""
        return (
            "Emergency escalation logged. Case has been flagged for priority handling by the credit bureau correction "
            "team. Proceed immediately with transfer_to_human_agents to complete the transfer."
            f"\n\nExecuted: emergency_credit_bureau_incident_transfer_1114\n{_NO_ARGUMENTS}"
        )


@told_as("KnowledgeTools")
class LookupTools(Bank):
    """Tools that read."""

    def _history(self, name: str, field: str, value: Any, table: str, head: str, title: str, none: str) -> str:
        """What most of them say: the records of a table, or that there are none."""
        if not value:
            return f"Error: Missing required parameter: {field}"
        found = self._query(table, field, value)
        shown = f"\n{none}" if NOTHING in found else found
        return f"{head}\n\nExecuted: {name}\n{title}\n{shown}"

    @tool(reads=True, hidden=True)
    def get_debit_dispute_status_7483(self, user_id: str) -> str:
        """Look up a customer's disputes about debit cards, with their status.

        Args:
            user_id: The customer.
        """
        return self._history(
            "get_debit_dispute_status_7483",
            "user_id",
            user_id,
            "debit_card_disputes",
            "Debit card dispute history retrieved successfully.",
            f"Debit card dispute history for user {user_id}:",
            "No debit card disputes found for this user.",
        )

    @tool(reads=True, hidden=True)
    def get_user_dispute_history_7291(self, user_id: str) -> str:
        """Look up a customer's disputes about credit card transactions.

        Args:
            user_id: The customer.
        """
        return self._history(
            "get_user_dispute_history_7291",
            "user_id",
            user_id,
            "transaction_disputes",
            "User transaction dispute history retrieved successfully.",
            f"Transaction dispute history for user {user_id}:",
            "No transaction disputes found for this user.",
        )

    @tool(reads=True, hidden=True)
    def get_pending_replacement_orders_5765(self, credit_card_account_id: str) -> str:
        """Look up the orders of replacement cards for a credit card account.

        Args:
            credit_card_account_id: The credit card account.
        """
        return self._history(
            "get_pending_replacement_orders_5765",
            "credit_card_account_id",
            credit_card_account_id,
            "credit_card_orders",
            "Pending replacement orders check completed.",
            f"Replacement orders for credit card account {credit_card_account_id}:",
            "No pending replacement orders found for this credit card account.",
        )

    @tool(reads=True, hidden=True)
    def get_closure_reason_history_8293(self, credit_card_account_id: str) -> str:
        """Look up why a credit card was to be closed, now and before.

        Args:
            credit_card_account_id: The credit card account.
        """
        return self._history(
            "get_closure_reason_history_8293",
            "credit_card_account_id",
            credit_card_account_id,
            "credit_card_closure_reasons",
            "Closure reason history retrieved successfully.",
            f"Closure reason history for credit card account {credit_card_account_id}:",
            "No closure reason records found for this credit card account.",
        )

    @tool(reads=True, hidden=True)
    def get_credit_limit_increase_history_4829(self, credit_card_account_id: str) -> str:
        """Look up the requests for a higher limit of a credit card, and what became of them.

        Args:
            credit_card_account_id: The credit card account.
        """
        return self._history(
            "get_credit_limit_increase_history_4829",
            "credit_card_account_id",
            credit_card_account_id,
            "credit_limit_increase_requests",
            "Credit limit increase history retrieved.",
            f"Credit limit increase history for account {credit_card_account_id}:",
            "No credit limit increase requests found for this account.",
        )

    @tool(reads=True, hidden=True)
    def get_payment_history_6183(self, credit_card_account_id: str, months: int) -> str:
        """Look up the latest payments of a credit card account, and how many in a row were on time.

        Args:
            credit_card_account_id: The credit card account.
            months: How many payments to look back, one a month.
        """
        if not credit_card_account_id or months is None:
            return "Error: Missing required parameters (credit_card_account_id, months)."
        try:
            months = int(months)
        except (TypeError, ValueError):
            return "Error: Invalid months value. Must be a positive integer."
        if months <= 0:
            return "Error: months must be a positive integer."
        payments = [
            payment
            for payment in self.db.payment_history.scan()
            if payment.get("credit_card_account_id") == credit_card_account_id
        ]
        if not payments:
            return f"No payment history found for account '{credit_card_account_id}'."
        # By the text of the date, which for dates that begin with the month is no order in time.
        payments.sort(key=lambda payment: payment.get("payment_date", ""), reverse=True)
        payments = payments[:months]
        late = (number for number, payment in enumerate(payments) if payment.get("status") != "ON_TIME")
        return (
            f"Payment history for account '{credit_card_account_id}' (last {months} months):\n"
            f"Consecutive on-time payments: {next(late, len(payments))}"
        ) + "".join(
            f"\n\n  - Payment Date: {payment.get('payment_date')}\n    Amount: {payment.get('amount')}"
            f"\n    Status: {payment.get('status')}"
            for payment in payments
        )

    @tool(reads=True, hidden=True)
    def get_all_user_accounts_by_user_id_3847(self, user_id: str) -> str:
        """Look up all bank accounts and credit card accounts of a customer.

        Args:
            user_id: The customer.
        """
        if not user_id:
            return "Error: Missing required parameter: user_id"
        bank = self._query("accounts", "user_id", user_id)
        cards = self._query("credit_card_accounts", "user_id", user_id)
        return (
            "User accounts retrieved successfully.\n\nExecuted: get_all_user_accounts_by_user_id_3847\n"
            f"Accounts for user {user_id}:\n\n"
            f"Bank Accounts:\n{'  No bank accounts found.' if NOTHING in bank else bank}\n\n"
            f"Credit Card Accounts:\n{'  No credit card accounts found.' if NOTHING in cards else cards}"
        )

    @tool(reads=True, hidden=True)
    def get_bank_account_transactions_9173(self, account_id: str) -> str:
        """Look up the transactions of a bank account, the latest first.

        Args:
            account_id: The bank account.
        """
        if not account_id:
            return "Error: Missing required parameter: account_id"
        if account_id not in self.db.accounts:
            return f"Error: Account '{account_id}' not found."
        table = "bank_account_transaction_history"
        found = [
            (key, record)
            for key, record in self.db.tables[table].scan_items()
            if record.get("account_id") == account_id
        ]
        found.sort(key=lambda entry: _moment(entry[1].get("date", "")), reverse=True)
        shown = listing(table, found) if found else "\nNo transactions found for this account."
        return (
            "Bank account transactions retrieved successfully.\n\nExecuted: get_bank_account_transactions_9173\n"
            f"Transactions for account {account_id}:\n{shown}"
        )

    @tool(reads=True, hidden=True)
    def get_debit_cards_by_account_id_7823(self, account_id: str) -> str:
        """Look up the debit cards of a checking account, as JSON.

        Args:
            account_id: The checking account.
        """
        if not account_id:
            return "Error: Missing required parameter 'account_id'."
        if account_id not in self.db.accounts:
            return f"Error: Account '{account_id}' not found."
        if self.db.accounts[account_id].get("class", "").lower() not in ("checking", "business_checking"):
            return (
                f"Error: Account '{account_id}' is not a checking account. Debit cards are only available for checking "
                "accounts."
            )
        cards = [
            _shown_card(key, record.to_dict())
            for key, record in self.db.debit_cards.scan_items()
            if record.get("account_id") == account_id
        ]
        if not cards:
            return f"No debit cards found for account '{account_id}'."
        cards.sort(key=lambda card: card.get("date_issued", ""), reverse=True)
        return as_json(cards)

    @tool(reads=True, hidden=True)
    def get_atm_deposit_images_8473(self, transaction_id: str) -> str:
        """Look up the pictures that an ATM of the bank took of a deposit.

        Args:
            transaction_id: The deposit, a transaction of a bank account.
        """
        if not transaction_id:
            return "Error: Missing required parameter: transaction_id"
        table = self.db.bank_account_transaction_history
        if transaction_id not in table:
            return f"Error: Transaction '{transaction_id}' not found."
        deposit = table[transaction_id]
        if deposit.get("type") != "atm_deposit":
            return (
                f"Error: Transaction '{transaction_id}' is not an ATM deposit. This tool only works for ATM deposit "
                "transactions."
            )
        place = deposit.get("description", "")
        if "RHO-BANK" not in place.upper() and "RHOBANK" not in place.upper():
            return (
                f"Error: Transaction '{transaction_id}' is from a third-party ATM. Deposit images are only available "
                "for Rho-Bank ATM deposits. For third-party ATM disputes, a chargeback request must be submitted to "
                "the ATM network."
            )
        return (
            f"ATM Deposit Image Retrieval Results\n{'=' * 37}\nTransaction ID: {transaction_id}\nATM: {place}\n"
            f"Deposit Date: {deposit.get('date', 'Unknown')}\nAmount Recorded: ${abs(deposit.get('amount', 0)):.2f}\n\n"
            "--- IMAGE STATUS ---\nStatus: IMAGES NOT AVAILABLE\nReason: Deposit images for this transaction have "
            "either expired (older than 90 days) or were not captured by the ATM system.\n\nFor deposits without "
            "available images, the dispute will proceed based on customer statement and ATM journal records only. "
            "Investigation timeline may be extended.\n"
        )


def _moment(date: Any) -> datetime:
    for form in ("%m/%d/%Y %H:%M:%S", "%m/%d/%Y"):
        try:
            return datetime.strptime(date, form)
        except (TypeError, ValueError):
            continue
    return datetime.min


def _shown_card(key: str, card: dict[str, Any]) -> dict[str, Any]:
    """A card as the agent sees it: its id first, two fields under other names and last."""
    shown = {"card_id": key, **{field: value for field, value in card.items() if field != "card_id"}}
    if "last_4_digits" in shown and "card_number_last_4" not in shown:
        shown["card_number_last_4"] = shown.pop("last_4_digits")
    for field in ("issue_date", "created_date"):
        if field in shown and "date_issued" not in shown:
            shown["date_issued"] = shown.pop(field)
    return shown
