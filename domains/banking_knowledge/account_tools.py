"""Hidden tools of the agent for bank accounts: opening, closing, moving money, credits and wrong interest."""

from typing import Any

from pytest_tau.environment import Table, tool

from .bank import MISSING, OPEN, TODAY, Bank, add, age_in_days, balance, digest, lines, one_of, told_as

ACCOUNT_TYPES = ["checking", "savings", "business_checking", "business_savings"]
CHECKING_CREDITS = ["rebate_credit", "fee_refund"]
SAVINGS_CREDITS = ["interest_correction", "fee_refund", "goodwill_credit"]
NOT_ELIGIBLE = "Error: Account eligibility requirements not met."

# By class and level: an account younger than so many days costs so many dollars to close. The public data calls its
# savings accounts "saving", so that theirs are never asked for.
EARLY_CLOSURE = {
    kind: {f"{level} Account": cost for levels, cost in steps.items() for level in levels}
    for kind, steps in {
        "checking": {
            ("Light Blue", "Light Green", "Green Fee-Free"): (30, 15),
            ("Blue", "Green"): (60, 25),
            ("Evergreen",): (90, 50),
            ("Bluest",): (180, 100),
        },
        "savings": {
            ("Bronze",): (60, 20),
            ("Silver", "Silver Plus"): (90, 35),
            ("Gold", "Gold Plus", "Gold Years"): (180, 75),
            ("Platinum", "Platinum Plus", "Diamond Elite"): (270, 150),
        },
    }.items()
}


@told_as("KnowledgeTools")
class AccountTools(Bank):
    """What an agent can do to bank accounts once it knows the name of the tool."""

    @tool(writes=True, hidden=True)
    def open_bank_account_4821(self, user_id: str, account_type: str, account_class: str) -> str:
        """Open a bank account for a customer.

        Args:
            user_id: The customer.
            account_type: One of checking, savings, business_checking, business_savings.
            account_class: Which account of that type, such as "Blue Account".
        """
        if not user_id or not account_type or not account_class:
            return MISSING
        if account_type not in ACCOUNT_TYPES:
            return one_of("account_type", ACCOUNT_TYPES)
        owned = [account for account in self.db.accounts.scan() if account.get("user_id") == user_id]
        if not _eligible(account_type, owned):
            return NOT_ELIGIBLE
        key = digest(f"account:{user_id}:{account_type}:{account_class}", 16)
        record = {
            "account_id": key,
            "user_id": user_id,
            "account_type": account_type,
            "account_class": account_class,
            "current_holdings": "0.00",
            "status": "OPEN",
            "date_opened": TODAY,
        }
        if not add(self.db.accounts, key, record):
            return f"Failed to open account: Account ID '{key}' may already exist."
        return lines(
            "Bank account opened successfully!",
            f"  - Account ID: {key}",
            f"  - User ID: {user_id}",
            f"  - Account Type: {account_type}",
            f"  - Account Class: {account_class}",
            "  - Status: OPEN",
            "  - Initial Balance: $0.00",
            f"  - Date Opened: {TODAY}",
        )

    @tool(writes=True, hidden=True)
    def close_bank_account_7392(
        self, account_id: str, reason: str = "Customer requested closure", waive_early_closure_fee: bool = False
    ) -> str:
        """Close a bank account, which must be empty but for the fee of closing it early.

        Args:
            account_id: The bank account.
            reason: Why it is closed, in a few words.
            waive_early_closure_fee: Whether the fee for closing it early is dropped.
        """
        if not account_id:
            return "Error: Missing required parameter (account_id)."
        if account_id not in self.db.accounts:
            return _no_account(account_id)
        account = self.db.accounts[account_id]
        if account.get("status") == "CLOSED":
            return f"Error: Account '{account_id}' is already closed."
        held, fee = balance(account), 0
        days, cost = EARLY_CLOSURE.get(account.get("class", ""), {}).get(account.get("level", ""), (0, 0))
        age = age_in_days(account)
        if not waive_early_closure_fee and age is not None and age < days:
            if held < cost:
                return "Error: Account unable to be closed."
            fee = cost
        if held - fee != 0:
            return f"Error: Account balance must be $0.00 before closing. Current balance: ${held:.2f}"
        account.update(
            status="CLOSED",
            date_closed=TODAY,
            closure_reason=reason,
            early_closure_fee_waived=waive_early_closure_fee,
        )
        return lines(
            "Bank account closed successfully!",
            f"  - Account ID: {account_id}",
            f"  - Account Type: {account.get('account_type', 'N/A')}",
            f"  - Account Class: {account.get('account_class', 'N/A')}",
            "  - Status: CLOSED",
            f"  - Date Closed: {TODAY}",
            f"  - Reason: {reason}",
            f"  - Early Closure Fee Waived: {'Yes' if waive_early_closure_fee else 'No'}",
        )

    @tool(writes=True, hidden=True)
    def transfer_funds_between_bank_accounts_7291(
        self, source_account_id: str, destination_account_id: str, amount: float
    ) -> str:
        """Move money from one bank account to another.

        Args:
            source_account_id: Where it comes from.
            destination_account_id: Where it goes.
            amount: How much, in dollars.
        """
        if not source_account_id or not destination_account_id or amount is None:
            return "Error: Missing required parameters (source_account_id, destination_account_id, amount)."
        try:
            amount = float(amount)
        except (TypeError, ValueError):
            return f"Error: Invalid amount '{amount}'. Must be a number."
        if amount <= 0:
            return "Error: Transfer amount must be positive."
        if source_account_id == destination_account_id:
            return "Error: Source and destination accounts cannot be the same."
        if source_account_id not in self.db.accounts:
            return f"Error: Source account '{source_account_id}' not found."
        if destination_account_id not in self.db.accounts:
            return f"Error: Destination account '{destination_account_id}' not found."
        source, destination = self.db.accounts[source_account_id], self.db.accounts[destination_account_id]
        if source.get("status") not in OPEN:
            return f"Error: Source account '{source_account_id}' is not active."
        if destination.get("status") not in OPEN:
            return f"Error: Destination account '{destination_account_id}' is not active."
        held = balance(source)
        if held < amount:
            return (
                f"Error: Insufficient funds. Source account balance is ${held:.2f}, but transfer amount is "
                f"${amount:.2f}."
            )
        left, more = held - amount, balance(destination) + amount
        source["current_holdings"] = f"${left:.2f}"
        destination["current_holdings"] = f"${more:.2f}"
        return lines(
            "Transfer completed successfully!",
            f"  - Amount: ${amount:.2f}",
            f"  - From: {source_account_id} (new balance: ${left:.2f})",
            f"  - To: {destination_account_id} (new balance: ${more:.2f})",
        )

    @tool(writes=True, hidden=True)
    def apply_checking_account_credit_5829(self, account_id: str, amount: float, credit_type: str) -> str:
        """Give a customer money on a checking account.

        Args:
            account_id: The checking account.
            amount: How much, in dollars.
            credit_type: One of rebate_credit, fee_refund.
        """
        if refusal := _refused_credit(self.db.accounts, account_id, amount, credit_type, CHECKING_CREDITS):
            return refusal
        account = self.db.accounts[account_id]
        if account.get("class", "").lower() != "checking":
            return (
                f"Error: Account '{account_id}' is not a checking account. Credits can only be applied to checking "
                "accounts."
            )
        return self._credit("checking", account_id, float(amount), credit_type, sign="$")

    @tool(writes=True, hidden=True)
    def apply_savings_account_credit_6831(self, account_id: str, amount: float, credit_type: str) -> str:
        """Give a customer money on a savings account.

        Args:
            account_id: The savings account.
            amount: How much, in dollars.
            credit_type: One of interest_correction, fee_refund, goodwill_credit.
        """
        if refusal := _refused_credit(self.db.accounts, account_id, amount, credit_type, SAVINGS_CREDITS):
            return refusal
        account = self.db.accounts[account_id]
        if account.get("class", "").lower() not in ("saving", "savings"):
            return (
                f"Error: Account '{account_id}' is not a savings account. This tool only applies to savings accounts."
            )
        return self._credit("savings", account_id, float(amount), credit_type, sign="")

    def _credit(self, kind: str, account_id: str, amount: float, credit_type: str, *, sign: str) -> str:
        account = self.db.accounts[account_id]
        if account.get("status") not in OPEN:
            return f"Error: Account '{account_id}' is not active."
        before = balance(account)
        account["current_holdings"] = f"{sign}{before + amount:.2f}"
        key = "txn_" + digest(f"{kind}_credit:{account_id}:{credit_type}:{amount}:{TODAY}", 16)
        self.db.bank_account_transaction_history[key] = {
            "transaction_id": key,
            "account_id": account_id,
            "date": TODAY,
            "description": f"{credit_type.replace('_', ' ').upper()} - CUSTOMER SERVICE",
            "amount": amount,
            "type": credit_type,
            "status": "posted",
        }
        return lines(
            "",
            "Credit applied successfully!",
            f"  - Transaction ID: {key}",
            f"  - Account: {account_id}",
            f"  - Credit Type: {credit_type}",
            f"  - Amount: ${amount:.2f}",
            f"  - Previous Balance: ${before:.2f}",
            f"  - New Balance: ${before + amount:.2f}",
        )

    @tool(writes=True, hidden=True)
    def submit_interest_discrepancy_report_7294(
        self, account_id: str, user_id: str, expected_apy: float, actual_apy: float, amount_difference: float
    ) -> str:
        """Report that a savings account was paid another rate of interest than it should have.

        Args:
            account_id: The savings account.
            user_id: The customer.
            expected_apy: The rate that should have been paid, in percent a year.
            actual_apy: The rate that was paid, in percent a year.
            amount_difference: What the customer lost by it, in dollars.
        """
        if not account_id or not user_id or None in (expected_apy, actual_apy, amount_difference):
            return MISSING
        try:
            expected, actual, difference = float(expected_apy), float(actual_apy), float(amount_difference)
        except (TypeError, ValueError):
            return "Error: expected_apy, actual_apy, and amount_difference must be numbers."
        if account_id not in self.db.accounts:
            return _no_account(account_id)
        if user_id not in self.db.users:
            return f"Error: User '{user_id}' not found."
        key = "IDR_" + digest(f"interest_report:{account_id}:{user_id}:{expected}:{actual}:{TODAY}", 16)
        return lines(
            "",
            "Interest Discrepancy Report Submitted Successfully!",
            f"  - Report ID: {key}",
            f"  - Account: {account_id} ({self.db.accounts[account_id].get('level', 'Unknown')})",
            f"  - Customer: {self.db.users[user_id].get('name', 'Unknown')}",
            f"  - Expected APY: {expected}%",
            f"  - Actual APY: {actual}%",
            f"  - APY Difference: {round(expected - actual, 4)}%",
            f"  - Amount Difference: ${difference:.2f}",
            "  - Status: PENDING_REVIEW",
            "",
            "The backend team will investigate this discrepancy and ensure correct APY calculations are applied going "
            "forward.",
        )


def _eligible(account_type: str, owned: list[Any]) -> bool:
    """Whether a customer with these accounts may open one of this type."""
    personal = [account for account in owned if _is(account, "checking", "personal_checking")]
    if account_type == "savings":
        return any((age_in_days(account) or 0) >= 14 for account in personal)
    if account_type == "business_checking":
        return bool(personal) and not any(account.get("status") == "CLOSED" for account in owned)
    if account_type == "business_savings":
        business = [account for account in owned if _is(account, "business_checking")]
        in_debt = any(balance(account) < 0 for account in owned)
        return not in_debt and any((age_in_days(account) or 0) >= 30 for account in business)
    return True


def _is(account: Any, *kinds: str) -> bool:
    """Whether an account is open and of such a kind."""
    kind = account.get("account_type", account.get("class"))
    return kind in kinds and account.get("status") in OPEN


def _refused_credit(accounts: Table[Any], account_id: Any, amount: Any, credit_type: Any, allowed: list[str]) -> str:
    if not account_id or amount is None or not credit_type:
        return MISSING
    try:
        amount = float(amount)
    except (TypeError, ValueError):
        return "Error: Invalid credit amount. Must be a number."
    if amount <= 0:
        return "Error: Credit amount must be positive."
    if credit_type not in allowed:
        return one_of("credit_type", allowed)
    return "" if account_id in accounts else _no_account(account_id)


def _no_account(account_id: str) -> str:
    return f"Error: Account '{account_id}' not found."
