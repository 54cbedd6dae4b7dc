"""The customer's tools: applying and asking for things, and calling what the agent gave them."""

import hashlib
import inspect
import json
from typing import Any

from pytest_tau.environment import tool
from pytest_tau.environment.toolkit import tools_of

from .bank import OPEN, TODAY, Bank, add, as_json, balance, digest, dispute_id, not_a_mapping, told_as, transaction_id
from .query import listing

CARDS = [
    "Bronze Rewards Card",
    "Business Bronze Rewards Card",
    "Business Gold Rewards Card",
    "Business Platinum Rewards Card",
    "Business Silver Rewards Card",
    "Crypto-Cash Back",
    "Diamond Elite Card",
    "EcoCard",
    "Gold Rewards Card",
    "Green Rewards Card",
    "Platinum Rewards Card",
    "Silver Rewards Card",
    "Silver Zoom Card",
]
# Points a dollar, by category.
REWARDS: dict[str, dict[str, float]] = {
    "Bronze Rewards Card": {"default": 1.0},
    "Silver Rewards Card": {"default": 1.0, "Travel": 4.0, "Software": 4.0},
    "Gold Rewards Card": {"default": 2.5},
    "Platinum Rewards Card": {"default": 10.0},
    "Business Bronze Rewards Card": {"default": 1.0},
    "Business Silver Rewards Card": {"default": 1.0, "Travel": 10.0, "Software": 10.0},
    "Green Rewards Card": {"default": 1.0, "Sustainable": 3.0},
    "Business Gold Rewards Card": {"default": 1.0, "Operations": 2.5},
    "Business Platinum Rewards Card": {"default": 1.5, "Travel": 4.0, "Software": 4.0, "Media": 4.0},
    "Silver Zoom Card": {"default": 1.0, "Transportation": 3.0},
    "Diamond Elite Card": {"default": 5.0},
    "EcoCard": {"default": 1.0, "Green": 5.0},
    "Crypto-Cash Back": {"default": 2.0},
}


@told_as("KnowledgeUserTools")
class KnowledgeUserTools(Bank):
    """What the customer can do."""

    @tool(writes=True)
    def apply_for_credit_card(
        self, card_type: str, customer_name: str, annual_income: float, rho_bank_subscription: bool = False
    ) -> str:
        """Apply for a credit card.

        Args:
            card_type: Which card, by its full name.
            customer_name: Your full name.
            annual_income: What you earn in a year, in dollars.
            rho_bank_subscription: Whether you have the bank's subscription.
        """
        if card_type not in CARDS:
            return f"Error: Invalid card_type '{card_type}'. Must be one of: {CARDS}"
        try:
            annual_income = float(annual_income)
        except (TypeError, ValueError):
            return "Error: Invalid annual_income. Must be a number."
        key = digest(f"credit_card:{card_type}:{customer_name}:{annual_income}:{rho_bank_subscription}", 16)
        record = {
            "application_id": key,
            "card_type": card_type,
            "customer_name": customer_name,
            "annual_income": annual_income,
            "rho_bank_subscription": rho_bank_subscription,
            "status": "PENDING",
            "date": TODAY,
        }
        if not add(self.db.credit_card_applications, key, record):
            return f"Failed to submit application: Record ID '{key}' may already exist."
        return (
            "Credit card application submitted:\nYour application has been successfully submitted. You will receive a "
            "decision within 5-7 business days via email."
        )

    @tool(writes=True)
    def submit_referral(self, user_id: str, account_type: str) -> str:
        """Refer somebody to the bank for an account or a card.

        Args:
            user_id: You, by your user id.
            account_type: The account or card that they are to open.
        """
        key = digest(":".join(["referral", user_id, account_type]), 16)
        record = {
            "referral_id": key,
            "referrer_id": user_id,
            "referred_account_type": account_type,
            "referral_status": "NO_PROGRESS",
            "date": TODAY,
        }
        if not add(self.db.referrals, key, record):
            return f"Failed to submit referral: Record ID '{key}' may already exist."
        return "\n".join(
            [
                "Referral request submitted successfully!",
                f"  - Referral ID: {key}",
                f"  - Referrer ID: {user_id}",
                f"  - Account Type: {account_type}",
                "  - Status: NO_PROGRESS",
                f"  - Date: {TODAY}",
                "",
                "Share your referral ID with the person you're referring. They will need to use this when applying for "
                "their account.",
            ]
        )

    @tool(writes=True)
    def call_discoverable_user_tool(self, discoverable_tool_name: str, arguments: str = "{}") -> str:
        """Use a tool that the agent has given you.

        Args:
            discoverable_tool_name: The tool's name, as the agent gave it.
            arguments: Its arguments, a JSON object as text.
        """
        spec = tools_of(type(self)).get(discoverable_tool_name)
        if spec is None or not spec.hidden:
            return f"Error: Unknown discoverable tool '{discoverable_tool_name}'."
        try:
            given = json.loads(arguments, parse_int=float)
        except json.JSONDecodeError as error:
            return f"Error: Invalid JSON in arguments: {error}"
        method = getattr(self, discoverable_tool_name)
        parameters = inspect.signature(method).parameters
        for name in parameters:
            if name not in given:
                return f"Error: Missing required parameter: {name}"
        for key in given:
            if key not in parameters:
                return f"Error: Unexpected parameter: {key}"
        if not isinstance(given, dict):
            return f"Error: Invalid arguments for tool '{discoverable_tool_name}': " + not_a_mapping(
                "KnowledgeUserTools", discoverable_tool_name, given
            )
        try:
            result: str = method(**given)
        except TypeError as error:
            return f"Error: Invalid arguments for tool '{discoverable_tool_name}': {error}"
        return result

    @tool(reads=True)
    def list_discoverable_user_tools(self) -> str:
        """List the tools that the agent has given you."""
        table = "user_discoverable_tools"
        return "Tools given to you by the agent:\n" + listing(table, self.db.tables[table].scan_items())

    @tool(writes=True)
    def request_human_agent_transfer(self) -> str:
        """Ask to be handed over to a person."""
        number = len(self.db.human_transfer_requests) + 1
        key = f"transfer_request_{number}"
        record = {"request_id": key, "request_number": number, "requested_at": TODAY, "status": "PENDING"}
        add(self.db.human_transfer_requests, key, record)
        return f"Transfer request #{number} submitted.\nThe agent will process your request."

    @tool(writes=True)
    def submit_transaction(
        self, user_id: str, credit_card_type: str, merchant_name: str, amount: float, category: str
    ) -> str:
        """Pay with a credit card.

        Args:
            user_id: You, by your user id.
            credit_card_type: Which of your cards, by its full name.
            merchant_name: Whom you pay.
            amount: How much, in dollars.
            category: What it is for, such as "Travel".
        """
        if credit_card_type not in REWARDS:
            return f"Error: Unknown credit card type '{credit_card_type}'. Available types: {list(REWARDS)}"
        key = transaction_id(user_id, credit_card_type, merchant_name, amount, category)
        rates = REWARDS[credit_card_type]
        rate = rates.get(category, rates["default"])
        points = int(amount * rate)
        record = {
            "transaction_id": key,
            "user_id": user_id,
            "credit_card_type": credit_card_type,
            "merchant_name": merchant_name,
            "transaction_amount": f"${amount:.2f}",
            "transaction_date": TODAY,
            "category": category,
            "status": "COMPLETED",
            "rewards_earned": f"{points} points",
        }
        if not add(self.db.credit_card_transaction_history, key, record):
            return f"Failed to submit transaction: Record ID '{key}' may already exist."
        return (
            f"Transaction submitted successfully!\n  - Transaction ID: {key}\n  - User ID: {user_id}\n"
            f"  - Card Type: {credit_card_type}\n  - Merchant: {merchant_name}\n  - Amount: ${amount:.2f}\n"
            f"  - Category: {category}\n  - Date: {TODAY}\n"
            f"  - Rewards Earned: {points} points ({rate}% cashback rate)\n"
        )

    # What the agent has to give: each notes its call before it looks at anything else.

    @tool(writes=True, hidden=True)
    def submit_cash_back_dispute_0589(self, user_id: str, transaction_id: str) -> str:
        """Dispute the cash back or rewards of a credit card transaction.

        Args:
            user_id: You, by your user id.
            transaction_id: The transaction.
        """
        name, arguments = "submit_cash_back_dispute_0589", {"user_id": user_id, "transaction_id": transaction_id}
        if refusal := self._note_call(name, arguments):
            return refusal
        key = dispute_id(user_id, transaction_id)
        record: dict[str, Any] = {
            "dispute_id": key,
            "user_id": user_id,
            "transaction_id": transaction_id,
            "submitted_at": TODAY,
        }
        settings = self.db.task_config
        if "dispute_settings" in settings and settings["dispute_settings"].get("auto_resolve_disputes"):
            record |= {"status": "RESOLVED", "resolution": "APPROVED"}
            status = (
                "Status: RESOLVED - The dispute has been reviewed and approved. The transaction rewards need to be "
                "updated."
            )
        else:
            record["status"] = "SUBMITTED"
            status = "Status: SUBMITTED - Your dispute has been queued for review."
        head = "Cash back dispute submitted successfully. Your case has been queued for review."
        if add(self.db.cash_back_disputes, key, record):
            return _execution_text(head, name, arguments) + f"Dispute ID: {key}\n{status}"
        return (
            _execution_text(head, name, arguments)
            + "Note: Dispute may have already been submitted for this transaction."
        )

    @tool(writes=True, hidden=True)
    def get_referral_link(self, user_id: str, card_name: str) -> str:
        """Get a link with which somebody you refer can apply for a card.

        Args:
            user_id: You, by your user id.
            card_name: The card, by its full name.
        """
        name, arguments = "get_referral_link", {"user_id": user_id, "card_name": card_name}
        if refusal := self._note_call(name, arguments):
            return refusal
        key = digest(f"referral_link:{user_id}:{card_name}", 16)
        record = {
            "referral_id": key,
            "referrer_id": user_id,
            "referred_account_type": card_name,
            "referral_status": "NO_PROGRESS",
            "date": TODAY,
        }
        head = "Referral link generated successfully. Share this link with the person you want to refer."
        if add(self.db.referrals, key, record):
            told = f"Referral ID: {key}\nReferral link: https://rhobank.com/refer/{key}"
        else:
            told = "Note: A referral link for this card may have already been generated."
        return _execution_text(head, name, arguments) + told

    @tool(reads=True, hidden=True)
    def get_card_last_4_digits(self, credit_card_account_id: str) -> str:
        """Look up the last four digits of a credit card of yours.

        Args:
            credit_card_account_id: The credit card account.
        """
        name, arguments = "get_card_last_4_digits", {"credit_card_account_id": credit_card_account_id}
        if refusal := self._note_call(name, arguments):
            return refusal
        if not self._is_known("credit_card_accounts", "account_id", credit_card_account_id):
            return f"Error: Credit card account '{credit_card_account_id}' not found."
        full = hashlib.sha256(f"card_last4:{credit_card_account_id}".encode()).hexdigest()
        digits = "".join(character for character in full if character.isdigit())[:4].ljust(4, "0")
        head = "Card information retrieved successfully."
        return _execution_text(head, name, arguments) + f"Last 4 digits of card: {digits}"

    @tool(writes=True, hidden=True)
    def deposit_check_3847(self, account_id: str, check_amount: float) -> str:
        """Deposit a check into a bank account of yours.

        Args:
            account_id: The bank account.
            check_amount: What the check is worth, in dollars.
        """
        name, arguments = "deposit_check_3847", {"account_id": account_id, "check_amount": check_amount}
        if refusal := self._note_call(name, arguments):
            return refusal
        try:
            amount = float(check_amount)
        except (TypeError, ValueError):
            return f"Error: Invalid check amount '{check_amount}'. Must be a number."
        if amount <= 0:
            return "Error: Check amount must be positive."
        if account_id not in self.db.accounts:
            return f"Error: Account '{account_id}' not found."
        account = self.db.accounts[account_id]
        if account.get("status") not in OPEN:
            return f"Error: Account '{account_id}' is not active."
        before = balance(account)
        account["current_holdings"] = f"${before + amount:.2f}"
        head = "Check deposited successfully. Funds will be available according to your account's deposit policy."
        return _execution_text(head, name, arguments) + (
            f"Check deposit processed!\n  - Account: {account_id}\n  - Check Amount: ${amount:.2f}\n"
            f"  - Previous Balance: ${before:.2f}\n  - New Balance: ${before + amount:.2f}"
        )

    def _note_call(self, name: str, arguments: dict[str, Any]) -> str:
        """Write a call down; the refusal of a tool that the agent has not given."""
        if all(record.get("tool_name") != name for record in self.db.user_discoverable_tools.scan()):
            return (
                f"Error: Tool '{name}' has not been given to you by the agent. The agent must first use "
                "`give_discoverable_user_tool` to give this tool to you."
            )
        key = digest(f"user_discoverable_tool_call:{name}:{json.dumps(arguments, sort_keys=True)}", 16)
        record = {"tool_name": name, "arguments": dict(arguments), "called_at": TODAY, "status": "CALLED"}
        add(self.db.user_discoverable_tool_calls, key, record)
        return ""


def _execution_text(head: str, name: str, arguments: dict[str, Any]) -> str:
    return f"{head}\n\nExecuted: {name}\nArguments: {as_json(arguments)}\n"
