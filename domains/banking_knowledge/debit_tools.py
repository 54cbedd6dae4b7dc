"""Hidden tools of the agent for debit cards: closing and freezing them, alerts, PINs and recurring payments."""

from typing import Any

from pytest_tau.environment import tool

from .activation import pin_fault
from .bank import TODAY, Bank, lines, no_debit_card, one_of, title, told_as

CLOSING = ["lost", "stolen", "fraud_suspected", "damaged", "no_longer_needed", "account_closing"]


@told_as("KnowledgeTools")
class DebitCardTools(Bank):
    """What an agent can do to debit cards once it knows the name of the tool."""

    @tool(writes=True, hidden=True)
    def set_debit_card_recurring_block_7382(self, card_id: str, block_recurring: bool) -> str:
        """Have a debit card decline subscriptions and other recurring payments, or accept them again.

        Args:
            card_id: The debit card.
            block_recurring: Whether they are declined.
        """
        if not card_id:
            return "Error: Missing required parameter: card_id"
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        status = card.get("status", "").upper()
        if status != "ACTIVE":
            return (
                f"Error: Cannot update recurring block settings for a card with status '{status}'. Card must be ACTIVE."
            )
        card["recurring_blocked"] = block_recurring
        if block_recurring:
            return lines(
                f"Recurring payments BLOCKED for debit card {card_id}.",
                "All recurring/subscription charges will be declined.",
                "One-time purchases are not affected.",
                "This change takes effect within 24 hours.",
            )
        return lines(
            f"Recurring payments UNBLOCKED for debit card {card_id}.",
            "Recurring/subscription charges will now be allowed.",
            "This change takes effect within 24 hours.",
        )

    @tool(writes=True, hidden=True)
    def close_debit_card_4721(self, card_id: str, reason: str) -> str:
        """Close a debit card for good.

        Args:
            card_id: The debit card.
            reason: One of lost, stolen, fraud_suspected, damaged, no_longer_needed, account_closing.
        """
        if not card_id or not reason:
            return "Error: Missing required parameters. Required: card_id, reason."
        reason = reason.lower()
        if reason not in CLOSING:
            return one_of("reason", CLOSING)
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        status = card.get("status")
        if status not in ("ACTIVE", "PENDING"):
            return (
                f"Error: Debit card '{card_id}' cannot be closed. Current status: {status}. Only ACTIVE or PENDING "
                "cards can be closed."
            )
        card.update(status="CLOSED", closed_date=TODAY, closure_reason=reason)
        told = [
            "Debit Card Closed Successfully",
            f"Card ID: {card_id}",
            f"Previous Status: {status}",
            "New Status: CLOSED",
            f"Closure Reason: {title(reason)}",
            f"Closure Date: {TODAY}",
            "",
        ]
        if reason in ("lost", "stolen", "fraud_suspected"):
            told += [
                "IMPORTANT: This card has been immediately deactivated for security.",
                "Any pending transactions may still be processed.",
            ]
        if reason == "fraud_suspected":
            told += [
                "Please advise the customer to review recent transactions and file disputes for any unauthorized "
                "charges.",
                "Also recommend changing their online banking password.",
            ]
        return lines(
            *told,
            "",
            "Note: This card cannot be reactivated. If the customer needs a new card, they can order one through the "
            "standard ordering process.",
            "Any recurring payments linked to this card will need to be updated with new payment information.",
        )

    @tool(writes=True, hidden=True)
    def freeze_debit_card_3892(self, card_id: str) -> str:
        """Freeze a debit card, so that nobody can pay with it until it is unfrozen.

        Args:
            card_id: The debit card.
        """
        if not card_id:
            return "Error: Missing required parameter: card_id."
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        status = card.get("status")
        if status == "FROZEN":
            return f"Error: Debit card '{card_id}' is already frozen."
        if status != "ACTIVE":
            return (
                f"Error: Debit card '{card_id}' cannot be frozen. Current status: {status}. Only ACTIVE cards can be "
                "frozen."
            )
        card.update(status="FROZEN", frozen_date=TODAY)
        return lines(
            "Debit Card Frozen Successfully",
            f"Card ID: {card_id}",
            "Status: FROZEN",
            f"Frozen Date: {TODAY}",
            "",
            "While frozen:",
            "- All new purchase transactions will be declined",
            "- Recurring payments and subscriptions will be declined",
            "- Pending transactions already authorized may still process",
            "",
            "To unfreeze, the customer can call customer service or use the mobile app.",
            "If the card is confirmed lost or stolen, recommend closing the card permanently instead.",
        )

    @tool(writes=True, hidden=True)
    def unfreeze_debit_card_3893(self, card_id: str) -> str:
        """Let a frozen debit card be used again.

        Args:
            card_id: The debit card.
        """
        if not card_id:
            return "Error: Missing required parameter: card_id."
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        status = card.get("status")
        if status == "ACTIVE":
            return f"Error: Debit card '{card_id}' is already active."
        if status != "FROZEN":
            return (
                f"Error: Debit card '{card_id}' cannot be unfrozen. Current status: {status}. Only FROZEN cards can be "
                "unfrozen."
            )
        account_id: Any = card.get("account_id")
        if account_id in self.db.accounts and self.db.accounts[account_id].get("status") != "OPEN":
            return f"Error: The linked checking account '{account_id}' is no longer open. Card cannot be unfrozen."
        card.update(status="ACTIVE", unfrozen_date=TODAY)
        return lines(
            "Debit Card Unfrozen Successfully",
            f"Card ID: {card_id}",
            "Status: ACTIVE",
            f"Unfrozen Date: {TODAY}",
            "",
            "The card is now active and ready to use immediately.",
            "All transactions will process normally.",
        )

    @tool(writes=True, hidden=True)
    def clear_debit_card_fraud_alert_4892(self, card_id: str, reason: str) -> str:
        """Lift a fraud alert or a block for unusual use from a debit card.

        Args:
            card_id: The debit card.
            reason: customer_verified for a fraud alert, velocity_clear for a block because of many payments in a short
                time.
        """
        if not card_id:
            return "Error: Missing required parameter: card_id."
        if not reason:
            return "Error: Missing required parameter: reason."
        if reason not in ["customer_verified", "velocity_clear"]:
            return f"Error: Invalid reason '{reason}'. Must be one of: customer_verified, velocity_clear"
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        return _velocity_cleared(card_id, card) if reason == "velocity_clear" else _alert_cleared(card_id, card)

    @tool(writes=True, hidden=True)
    def reset_debit_card_pin_6284(self, card_id: str, last_4_digits: str, new_pin: str) -> str:
        """Give a debit card a new PIN when the customer has forgotten the old one or locked it.

        Args:
            card_id: The debit card.
            last_4_digits: The last four digits of its number.
            new_pin: The new PIN: four digits, not all alike and not in a row.
        """
        if not card_id or not last_4_digits or not new_pin:
            return "Error: Missing required parameters. Required: card_id, last_4_digits, new_pin."
        if not last_4_digits.isdigit() or len(last_4_digits) != 4:
            return "Error: Last 4 digits must be exactly 4 digits."
        if fault := pin_fault(new_pin):
            return f"Error: {fault}"
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        if card.get("last_4_digits") != last_4_digits:
            return "Error: Card verification failed. The last 4 digits do not match our records."
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Cannot reset PIN. Card status is {card.get('status')}. Only ACTIVE cards can have their PIN "
                "reset."
            )
        card.update(pin_last_changed=TODAY, pin_locked=False, pin_attempts_remaining=3)
        unlocked = "Your card has been unlocked and is ready to use."
        return _new_pin("Debit Card PIN Reset Successfully", card_id, unlocked)

    @tool(writes=True, hidden=True)
    def change_debit_card_pin_6285(self, card_id: str, current_pin: str, new_pin: str) -> str:
        """Give a debit card a new PIN when the customer knows the old one.

        Args:
            card_id: The debit card.
            current_pin: The PIN it has now, four digits.
            new_pin: The new PIN: four digits, not all alike, not in a row, and another one.
        """
        if not card_id or not current_pin or not new_pin:
            return "Error: Missing required parameters. Required: card_id, current_pin, new_pin."
        if not current_pin.isdigit() or len(current_pin) != 4:
            return "Error: Current PIN must be exactly 4 digits."
        if fault := pin_fault(new_pin):
            return f"Error: {fault}"
        if current_pin == new_pin:
            return "Error: New PIN must be different from current PIN."
        if card_id not in self.db.debit_cards:
            return no_debit_card(card_id)
        card = self.db.debit_cards[card_id]
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Cannot change PIN. Card status is {card.get('status')}. Only ACTIVE cards can have their PIN "
                "changed."
            )
        card["pin_last_changed"] = TODAY
        return _new_pin("Debit Card PIN Changed Successfully", card_id)


def _velocity_cleared(card_id: str, card: dict[str, Any]) -> str:
    if not card.get("velocity_blocked"):
        return f"Error: Debit card '{card_id}' does not have an active velocity block."
    card.update(velocity_blocked=False, velocity_cleared_date=TODAY)
    return lines(
        "Velocity Block Cleared Successfully",
        f"Card ID: {card_id}",
        f"Cleared Date: {TODAY}",
        "",
        "The card is now unblocked and ready for normal use.",
        "The velocity monitoring will continue - if the same unusual patterns recur,",
        "the card may be blocked again automatically.",
    )


def _alert_cleared(card_id: str, card: dict[str, Any]) -> str:
    if not card.get("fraud_alert_active"):
        return f"Error: Debit card '{card_id}' does not have an active fraud alert."
    if card.get("alert_source") == "bank_initiated":
        return (
            "Error: BANK_INITIATED_ALERT - This fraud alert was initiated by the bank's fraud detection system and "
            "cannot be cleared by customer service agents. Please transfer the customer to the security team using "
            "transfer_to_human_agents."
        )
    card.update(fraud_alert_active=False, alert_source=None, fraud_alert_cleared_date=TODAY)
    return lines(
        "Fraud Alert Cleared Successfully",
        f"Card ID: {card_id}",
        f"Cleared Date: {TODAY}",
        "",
        "The fraud alert has been removed from the card.",
        "All transactions will process normally.",
        "",
        "Remind the customer to review recent transactions and report any unauthorized charges.",
    )


def _new_pin(head: str, card_id: str, *more: str) -> str:
    return lines(
        head,
        f"Card ID: {card_id}",
        f"PIN Changed: {TODAY}",
        "",
        "The new PIN is effective immediately.",
        *more,
        "Customer can use the new PIN for ATM withdrawals and point-of-sale transactions.",
        "",
        "Security reminder: Never share your PIN with anyone.",
    )
