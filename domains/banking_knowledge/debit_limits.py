"""The hidden tool of the agent that raises a daily limit of a debit card for a day."""

from typing import Any

from pytest_tau.environment import tool

from .bank import TODAY, Bank, age_in_days, lines, no_debit_card, told_as

ATM_LIMITS = {
    "blue account": 500,
    "green account": 600,
    "light blue account": 400,
    "green fee-free account": 500,
    "evergreen account": 750,
    "bluest account": 1500,
    "dark green account": 300,
    "gold years account": 600,
    "purple account": 1000,
}


@told_as("KnowledgeTools")
class DebitLimitTools(Bank):
    """Limits of debit cards."""

    @tool(writes=True, hidden=True)
    def request_temporary_debit_card_limit_increase_8374(self, card_id: str, limit_type: str, new_limit: int) -> str:
        """Raise a daily limit of a debit card for 24 hours, to one and a half times as much at most.

        Args:
            card_id: The debit card.
            limit_type: Which limit: atm or purchase.
            new_limit: The limit for that time, in whole dollars.
        """
        if not card_id:
            return "Error: Missing required parameter: card_id."
        if not limit_type:
            return "Error: Missing required parameter: limit_type."
        if limit_type not in ["atm", "purchase"]:
            return f"Error: Invalid limit_type '{limit_type}'. Must be 'atm' or 'purchase'."
        if new_limit is None:
            return "Error: Missing required parameter: new_limit."
        wanted: Any = new_limit
        try:
            wanted = float(new_limit)
        except (TypeError, ValueError):
            return f"Error: new_limit must be an integer, got '{wanted}'."
        if not wanted.is_integer():
            return f"Error: new_limit must be an integer, got '{wanted}'."
        limit = int(wanted)
        if limit <= 0:
            return "Error: new_limit must be a positive amount."
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        if refusal := self._refused_limit(card_id, card):
            return refusal
        account = self.db.accounts[card["account_id"]]
        current, refusal = _current_limit(card, account, limit_type)
        if refusal:
            return refusal
        most = int(current * 1.5)
        if limit > most:
            return (
                f"Error: Requested limit ${limit} exceeds the maximum allowed temporary increase. Maximum temporary "
                f"limit is ${most} (150% of current ${current} limit)."
            )
        if limit <= current:
            return f"Error: Requested limit ${limit} is not higher than the current limit of ${current}."
        card[f"daily_{limit_type}_limit"] = limit
        card[f"temporary_{limit_type}_limit_increase"] = True
        card[f"original_{limit_type}_limit"] = current
        card[f"temporary_{limit_type}_limit_expires"] = TODAY
        name = "Daily ATM Withdrawal Limit" if limit_type == "atm" else "Daily Purchase Limit"
        return lines(
            f"Temporary {name} Increase Granted Successfully",
            f"Card ID: {card_id}",
            f"Previous Limit: ${current}",
            f"New Temporary Limit: ${limit}",
            f"Increase Amount: ${limit - current}",
            "",
            "Important Information:",
            "- This temporary increase expires in 24 hours",
            f"- After expiration, the limit will revert to ${current}",
            "- Only one temporary increase is allowed per 24-hour period",
            "",
            "Note: If the customer is at a third-party (non-Rho-Bank) ATM, that ATM may have its own",
            "per-transaction or daily limits that Rho-Bank cannot override. The customer may need to",
            "use a Rho-Bank ATM or make multiple smaller withdrawals at third-party ATMs.",
        )

    def _refused_limit(self, card_id: str, card: dict[str, Any]) -> str:
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Debit card '{card_id}' is not active. Current status: {card.get('status')}. Only ACTIVE cards "
                "can have limit increases."
            )
        account_id: Any = card.get("account_id")
        if account_id not in self.db.accounts:
            return f"Error: Could not find linked account for debit card '{card_id}'."
        account = self.db.accounts[account_id]
        if account.get("status") != "OPEN":
            return (
                f"Error: The linked account '{account_id}' is not in good standing. Account status: "
                f"{account.get('status')}."
            )
        age = age_in_days(account) or 0
        if age < 60:
            return (
                f"Error: Account must be at least 60 days old for a temporary limit increase. Account age: {age} days."
            )
        return ""


def _current_limit(card: dict[str, Any], account: dict[str, Any], limit_type: str) -> tuple[Any, str]:
    """A card's daily limit, or why it has none that could be raised."""
    current = card.get(f"daily_{limit_type}_limit")
    if current is not None:
        return current, ""
    if limit_type == "purchase":
        return None, (
            "Error: The card does not have a daily purchase limit configured. This may be a restricted account type "
            "where limits are set by account policy and cannot be modified."
        )
    level = account.get("level", "")
    if "light green" in level.lower():
        return None, (
            "Error: Light Green Account (teen checking) cards have policy-based limits that cannot be modified. The "
            "daily ATM withdrawal limit of $150 is fixed by account policy for safety reasons. The customer may "
            "request the parent/guardian to withdraw cash from their own account if needed."
        )
    default = ATM_LIMITS.get(level.lower())
    if default is None:
        return None, (
            f"Error: Could not determine the default ATM limit for account type '{level}'. Please verify the account "
            "type."
        )
    return default, ""
