"""Hidden tools of the agent that activate debit cards: one for new ones, one after a loss, one for reissued ones."""

from typing import Any

from pytest_tau.environment import tool

from .bank import TODAY, Bank, lines, title, told_as

SEQUENTIAL = (
    "0123 1234 2345 3456 4567 5678 6789 9876 8765 7654 6543 5432 4321 3210".split()  # noqa: SIM905 (easier to read)
)
ISSUED_FOR = {
    "activate_debit_card_8291": ("new_account", "first_card"),
    "activate_debit_card_8292": ("lost", "stolen", "fraud"),
    "activate_debit_card_8293": ("expired", "damaged", "upgrade", "bank_reissue"),
}


def pin_fault(pin: str) -> str:
    """What is wrong with a PIN, "" if nothing is."""
    if not pin.isdigit() or len(pin) != 4:
        return "PIN must be exactly 4 digits."
    if pin in SEQUENTIAL:
        return "PIN cannot be sequential (e.g., 1234). Please choose a more secure PIN."
    if len(set(pin)) == 1:
        return "PIN cannot be all the same digit (e.g., 1111). Please choose a more secure PIN."
    return ""


@told_as("KnowledgeTools")
class ActivationTools(Bank):
    """Activating debit cards."""

    @tool(writes=True, hidden=True)
    def activate_debit_card_8291(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate the first debit card of an account.

        Args:
            card_id: The debit card, issued for new_account or first_card.
            last_4_digits: The last four digits of its number.
            expiration_date: Until when it is valid.
            cvv: The three digits on its back.
            pin: The PIN that the customer wants: four digits, not all alike and not in a row.
        """
        tool_name = "activate_debit_card_8291"
        if refusal := self._refusal(tool_name, card_id, last_4_digits, expiration_date, cvv, pin):
            return refusal
        others = self._activate(card_id, {"status": "DEACTIVATED", "deactivated_date": TODAY}, "New card activated")
        return lines(
            "New Debit Card Activation Successful",
            f"Card ID: {card_id}",
            "Status: ACTIVE",
            f"Activation Date: {TODAY}",
            "",
            "Your card is now ready to use at any ATM or point of sale terminal.",
            "For security, please sign the back of your card.",
            *([f"\nNote: Previous card(s) have been deactivated: {others}"] if others else []),
        )

    @tool(writes=True, hidden=True)
    def activate_debit_card_8292(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate a debit card that replaces one that was lost, stolen or misused.

        Args:
            card_id: The debit card, issued for lost, stolen or fraud.
            last_4_digits: The last four digits of its number.
            expiration_date: Until when it is valid.
            cvv: The three digits on its back.
            pin: The PIN that the customer wants: four digits, not all alike and not in a row.
        """
        tool_name = "activate_debit_card_8292"
        if refusal := self._refusal(tool_name, card_id, last_4_digits, expiration_date, cvv, pin):
            return refusal
        reason = _issue_reason(self.db.debit_cards[card_id])
        others = self._activate(
            card_id,
            {"status": "DEACTIVATED", "deactivated_date": TODAY},
            f"Replacement card activated ({reason})",
        )
        told = [
            "Replacement Debit Card Activation Successful",
            f"Card ID: {card_id}",
            f"Replacement Reason: {title(reason)}",
            "Status: ACTIVE",
            f"Activation Date: {TODAY}",
            "",
            "Your replacement card is now ready to use.",
            "",
            "IMPORTANT SECURITY REMINDERS:",
            "- Please review your recent transactions for any unauthorized charges",
            "- Report any suspicious activity immediately",
        ]
        if reason == "fraud":
            told.append("- Since fraud was suspected, we recommend changing your online banking password")
        if others:
            told.append(f"\nPrevious card(s) have been deactivated for security: {others}")
        return lines(*told)

    @tool(writes=True, hidden=True)
    def activate_debit_card_8293(
        self, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Activate a debit card that was issued again.

        Args:
            card_id: The debit card, issued for expired, damaged, upgrade or bank_reissue.
            last_4_digits: The last four digits of its number.
            expiration_date: Until when it is valid.
            cvv: The three digits on its back.
            pin: The PIN that the customer wants: four digits, not all alike and not in a row.
        """
        tool_name = "activate_debit_card_8293"
        if refusal := self._refusal(tool_name, card_id, last_4_digits, expiration_date, cvv, pin):
            return refusal
        reason = _issue_reason(self.db.debit_cards[card_id])
        others = self._activate(
            card_id,
            {"status": "GRACE_PERIOD", "grace_period_ends": TODAY},
            f"Reissued card activated ({reason})",
        )
        told = [
            "Reissued Debit Card Activation Successful",
            f"Card ID: {card_id}",
            f"Reissue Reason: {title(reason)}",
            "Status: ACTIVE",
            f"Activation Date: {TODAY}",
            "",
            "Your reissued card is now ready to use.",
        ]
        if others:
            told += [
                f"\nNote: Your previous card(s) ({others}) will remain active for 24 hours as a grace period.",
                "After 24 hours, the old card(s) will be automatically deactivated.",
            ]
        if reason in ("expired", "bank_reissue"):
            told.append(
                "\nReminder: If your card number changed, please update any recurring payments with your new card "
                "details."
            )
        return lines(*told)

    def _refusal(
        self, tool_name: str, card_id: str, last_4_digits: str, expiration_date: str, cvv: str, pin: str
    ) -> str:
        """Why a card cannot be activated with a tool, "" if it can."""
        if not all((card_id, last_4_digits, expiration_date, cvv, pin)):
            return "Error: Missing required parameters. Required: card_id, last_4_digits, expiration_date, cvv, pin."
        if fault := pin_fault(pin):
            return f"Error: {fault}"
        if not cvv.isdigit() or len(cvv) != 3:
            return "Error: CVV must be exactly 3 digits."
        if not last_4_digits.isdigit() or len(last_4_digits) != 4:
            return "Error: Last 4 digits must be exactly 4 digits."
        if card_id not in self.db.debit_cards:
            return f"Error: Debit card '{card_id}' not found."
        card = self.db.debit_cards[card_id]
        reason, status = _issue_reason(card), card.get("status")
        if reason not in ISSUED_FOR[tool_name]:
            right = next((name for name, reasons in ISSUED_FOR.items() if reason in reasons), "unknown")
            return (
                f"Error: Wrong activation tool. This card has issue_reason='{reason}'. Please use {right} instead of "
                f"{tool_name}."
            )
        if status == "ACTIVE":
            return f"Error: Debit card '{card_id}' is already active."
        if status != "PENDING":
            return (
                f"Error: Debit card '{card_id}' cannot be activated. Current status: {status}. Only PENDING cards can "
                "be activated."
            )
        if card.get("last_4_digits") != last_4_digits:
            return "Error: Card verification failed. The last 4 digits do not match our records."
        account_id: Any = card.get("account_id")
        if account_id in self.db.accounts and self.db.accounts[account_id].get("status") != "OPEN":
            return f"Error: The linked checking account '{account_id}' is no longer open. Card cannot be activated."
        return ""

    def _activate(self, card_id: str, change: dict[str, Any], why: str) -> str:
        """Activate a card and take the others of its account out of use; returns their ids."""
        card = self.db.debit_cards[card_id]
        card.update(status="ACTIVE", activated_date=TODAY)
        others = [
            key
            for key, other in self.db.debit_cards.scan_items()
            if key != card_id and other.get("account_id") == card.get("account_id") and other.get("status") == "ACTIVE"
        ]
        for key in others:
            self.db.debit_cards[key].update(change, deactivation_reason=why)
        return ", ".join(others)


def _issue_reason(card: dict[str, Any]) -> str:
    reason: str = card.get("issue_reason", "new_account")
    return reason
