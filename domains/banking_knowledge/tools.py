"""The agent's tools: those it always sees, and through them those that it must find in the knowledge base first."""

from typing import Literal, get_args

from pytest_tau.environment import tool

from .account_tools import AccountTools
from .activation import ActivationTools
from .bank import NOW_TEXT, add, told_as
from .card_limits import CreditLimitTools
from .card_tools import CreditCardTools
from .debit_limits import DebitLimitTools
from .debit_orders import DebitOrderTools
from .debit_tools import DebitCardTools
from .discoverable import DiscoverableTools
from .disputes import DisputeTools
from .lookup_tools import AnswerTools, LookupTools

TransferReason = Literal[
    "fraud_or_security_concern",
    "account_closure_request",
    "deceased_account_holder",
    "legal_or_regulatory_matter",
    "account_ownership_dispute",
    "complex_billing_dispute",
    "abusive_customer_behavior",
    "third_party_inquiry",
    "technical_system_error",
    "unconfirmed_external_communication",
    "customer_demands_after_unavailable_offer_refusal",
    "kb_search_unsuccessful_customer_requests_transfer",
    "specialized_department_required",
    "accessibility_or_special_needs",
    "customer_frustrated_demands_human",
    "supervisor_request_service_complaint",
    "customer_requests_human_no_specific_reason",
    "request_completed_customer_wants_human_followup",
    "other",
]
REASONS = list(get_args(TransferReason))


@told_as("KnowledgeTools")
class KnowledgeTools(
    DiscoverableTools,
    AnswerTools,
    LookupTools,
    DisputeTools,
    CreditCardTools,
    CreditLimitTools,
    AccountTools,
    DebitCardTools,
    DebitOrderTools,
    DebitLimitTools,
    ActivationTools,
):
    """What the agent can do."""

    @tool
    def transfer_to_human_agents(self, summary: str, reason: TransferReason = "other") -> str:
        """Hand the customer over to a person, when the rules ask for it or nothing else is left.

        Args:
            summary: What it is about, in a few sentences.
            reason: Why, as one of the values.
        """
        if reason not in REASONS:
            return f"Error: Invalid transfer reason '{reason}'. Must be one of: {', '.join(REASONS)}"
        return f"Transfer successful (reason: {reason}). A human agent will assist you shortly."

    @tool(reads=True)
    def get_current_time(self) -> str:
        """Look up the date and time."""
        return f"The current time is {NOW_TEXT}."

    @tool(reads=True)
    def get_user_information_by_id(self, user_id: str) -> str:
        """Look up a customer by user id.

        Args:
            user_id: The user id.
        """
        return self._query("users", "user_id", user_id)

    @tool(reads=True)
    def get_user_information_by_name(self, customer_name: str) -> str:
        """Look up customers by name.

        Args:
            customer_name: The full name, exactly as it is written.
        """
        return self._query("users", "name", customer_name)

    @tool(reads=True)
    def get_user_information_by_email(self, email: str) -> str:
        """Look up a customer by e-mail address.

        Args:
            email: The address, exactly as it is written.
        """
        return self._query("users", "email", email)

    @tool(writes=True)
    def change_user_email(self, user_id: str, new_email: str) -> str:
        """Change a customer's e-mail address.

        Args:
            user_id: The customer.
            new_email: The new address.
        """
        if user_id not in self.db.users:
            return f"Error: User with ID '{user_id}' not found."
        self.db.users[user_id]["email"] = new_email
        return f"Email updated successfully.\n  - User ID: {user_id}\n  - New Email: {new_email}"

    @tool(reads=True)
    def get_referrals_by_user(self, user_id: str) -> str:
        """Look up whom a customer has referred to the bank, and what became of it.

        Args:
            user_id: The customer.
        """
        return self._query("referrals", "referrer_id", user_id)

    @tool(reads=True)
    def get_credit_card_transactions_by_user(self, user_id: str) -> str:
        """Look up a customer's credit card transactions.

        Args:
            user_id: The customer.
        """
        return self._query("credit_card_transaction_history", "user_id", user_id)

    @tool(reads=True)
    def get_credit_card_accounts_by_user(self, user_id: str) -> str:
        """Look up a customer's credit card accounts.

        Args:
            user_id: The customer.
        """
        return self._query("credit_card_accounts", "user_id", user_id)

    @tool(writes=True)
    def log_verification(
        self,
        name: str,
        user_id: str,
        address: str,
        email: str,
        phone_number: str,
        date_of_birth: str,
        time_verified: str,
    ) -> str:
        """Write down that a customer's identity has been verified, once a conversation.

        Args:
            name: The customer's full name.
            user_id: The customer.
            address: The address on record.
            email: The e-mail address on record.
            phone_number: The phone number on record.
            date_of_birth: The date of birth on record, MM/DD/YYYY.
            time_verified: When, as get_current_time gives it: "YYYY-MM-DD HH:MM:SS EST".
        """
        record = {
            "name": name,
            "user_id": user_id,
            "address": address,
            "email": email,
            "phone_number": phone_number,
            "date_of_birth": date_of_birth,
            "time_verified": time_verified,
        }
        key = f"{user_id}_{time_verified.replace(' ', '_').replace(':', '').replace('-', '')}"
        if not add(self.db.verification_history, key, record):
            return "Failed to log verification: Record may already exist."
        return f"Verification logged successfully.\n  - User: {name} (ID: {user_id})\n  - Verified at: {time_verified}"
