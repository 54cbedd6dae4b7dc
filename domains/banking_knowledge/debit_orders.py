"""The hidden tool of the agent that orders debit cards: who may have one, what it costs, and the card that is made."""

from typing import Any

from pytest_tau.environment import tool

from .bank import TODAY, Bank, add, digest, lines, one_of, told_as

DELIVERY = {"STANDARD": "7-10 business days", "EXPEDITED": "3-5 business days", "RUSH": "1-2 business days"}
DESIGNS = ["CLASSIC", "PREMIUM", "CUSTOM"]
ISSUED_AFTER = {"lost": "lost", "stolen": "stolen", "fraud": "fraud", "fraud_suspected": "fraud"}


@told_as("KnowledgeTools")
class DebitOrderTools(Bank):
    """Ordering debit cards."""

    @tool(writes=True, hidden=True)
    def order_debit_card_5739(
        self,
        account_id: str,
        user_id: str,
        delivery_option: str,
        delivery_fee: float,
        card_design: str,
        design_fee: float,
        shipping_address: str,
        excess_replacement_fee: float | None = None,
    ) -> str:
        """Order a debit card for a checking account and charge its fees.

        Args:
            account_id: The checking account.
            user_id: The customer, who owns it.
            delivery_option: How it is sent: STANDARD, EXPEDITED or RUSH.
            delivery_fee: What that costs, in dollars.
            card_design: What it looks like: CLASSIC, PREMIUM or CUSTOM.
            design_fee: What that costs, in dollars.
            shipping_address: Where it is sent.
            excess_replacement_fee: What is charged for one replacement too many, in dollars.
        """
        try:
            delivery_fee = float(delivery_fee) if delivery_fee is not None else delivery_fee
        except (TypeError, ValueError):
            return "Error: delivery_fee must be a number."
        try:
            design_fee = float(design_fee) if design_fee is not None else design_fee
        except (TypeError, ValueError):
            return "Error: design_fee must be a number."
        try:
            excess = float(excess_replacement_fee or 0)
        except (TypeError, ValueError):
            excess = 0
        if not all((account_id, user_id, delivery_option, card_design, shipping_address)) or None in (
            delivery_fee,
            design_fee,
        ):
            return (
                "Error: Missing required parameters. Required: account_id, user_id, delivery_option, delivery_fee, "
                "card_design, design_fee, shipping_address."
            )
        delivery_option = delivery_option.upper()
        if delivery_option not in DELIVERY:
            return one_of("delivery_option", list(DELIVERY))
        card_design = card_design.upper()
        if card_design not in DESIGNS:
            return one_of("card_design", DESIGNS)
        if refusal := self._refused_order(account_id, user_id):
            return refusal
        account = self.db.accounts[account_id]
        held, total = _plain_amount(account), delivery_fee + design_fee + excess
        if total > 0 and held < total:
            return f"Error: Insufficient funds for fees. Total fees: ${total:.2f}. Current balance: ${held:.2f}"
        order = "dcord_" + digest(f"debit_card_order:{account_id}:{user_id}:{delivery_option}", 12)
        record = {
            "order_id": order,
            "account_id": account_id,
            "user_id": user_id,
            "delivery_option": delivery_option,
            "card_design": card_design,
            "shipping_address": shipping_address,
            "delivery_fee": delivery_fee,
            "design_fee": design_fee,
            "excess_replacement_fee": excess,
            "total_fee": total,
            "order_date": TODAY,
            "expected_delivery": DELIVERY[delivery_option],
            "status": "PENDING",
        }
        if not add(self.db.debit_card_orders, order, record):
            return "Error: Failed to create debit card order. Order may already exist."
        if total > 0:
            account["current_holdings"] = f"{held - total:.2f}"
            self._charge(order, account_id, total, _fees(" ", delivery_fee, design_fee, excess))
        card = self._issue_card(account_id, user_id, card_design)
        told = [
            "Debit Card Order Confirmed",
            f"Order ID: {order}",
            f"Card ID: {card}",
            f"Linked Account: {account_id}",
            f"Delivery Option: {delivery_option}",
            f"Card Design: {card_design}",
            f"Shipping Address: {shipping_address}",
            f"Expected Delivery: {DELIVERY[delivery_option]}",
            "",
            "Note: Card will arrive with status PENDING. Customer must call to activate after receiving the card.",
        ]
        if total > 0:
            fees = _fees(": ", delivery_fee, design_fee, excess)
            told += [
                f"Total Fees: ${total:.2f} ({fees}) - CHARGED to account {account_id}",
                f"New Account Balance: ${held - total:.2f}",
            ]
        else:
            told.append("Total Fees: $0 (No additional charges)")
        return lines(*told)

    def _refused_order(self, account_id: str, user_id: str) -> str:
        """Why an account can have no new debit card, "" if it can."""
        if account_id not in self.db.accounts:
            return f"Error: Account '{account_id}' not found."
        account = self.db.accounts[account_id]
        if account.get("class") != "checking":
            return (
                f"Error: Debit cards can only be ordered for checking accounts. Account '{account_id}' is a "
                f"{account.get('class')} account."
            )
        if account.get("status") != "OPEN":
            return f"Error: Account must be OPEN. Account '{account_id}' has status: {account.get('status')}"
        if account.get("user_id") != user_id:
            return f"Error: Account '{account_id}' does not belong to user '{user_id}'."
        held = _plain_amount(account)
        if held < 25:
            return f"Error: Account must have a minimum balance of $25. Current balance: ${held:.2f}"
        if any(
            order.get("account_id") == account_id and order.get("status") == "PENDING"
            for order in self.db.debit_card_orders.scan()
        ):
            return f"Error: There is already a pending debit card order for account '{account_id}'."
        if any(
            card.get("account_id") == account_id and card.get("status") == "ACTIVE"
            for card in self.db.debit_cards.scan()
        ):
            return (
                f"Error: Account '{account_id}' already has an active debit card. Maximum 1 active card per checking "
                "account."
            )
        return ""

    def _charge(self, order: str, account_id: str, total: float, fees: str) -> None:
        key = f"btxn_dcfee_{order[-8:]}"
        record = {
            "transaction_id": key,
            "account_id": account_id,
            "date": TODAY,
            "description": f"DEBIT CARD ORDER FEE - {fees}",
            "amount": -total,
            "type": "debit_card_fee",
            "status": "posted",
        }
        add(self.db.bank_account_transaction_history, key, record)

    def _issue_card(self, account_id: str, user_id: str, design: str) -> str:
        """Make the card of an order; returns its id."""
        key = "dbc_" + digest(f"debit_card:{account_id}:{user_id}:{TODAY}", 12)
        reason = self._issue_reason(account_id)
        name = self.db.users[user_id].get("name") if user_id in self.db.users else None
        record = {
            "card_id": key,
            "account_id": account_id,
            "user_id": user_id,
            "cardholder_name": name.upper() if name else "CARDHOLDER",
            "last_4_digits": _digits(f"card_details:{key}:last4", 8, 4),
            "cvv": _digits(f"card_details:{key}:cvv", 6, 3),
            "status": "PENDING",
            "issue_date": TODAY,
            "expiration_date": "11/30/2029",
            "card_design": design,
            "issue_reason": reason,
        }
        add(self.db.debit_cards, key, record)
        return key

    def _issue_reason(self, account_id: str) -> str:
        cards = [card for card in self.db.debit_cards.scan() if card.get("account_id") == account_id]
        if not cards:
            return "new_account"
        reasons = [card.get("closure_reason", "") for card in cards if card.get("status") == "CLOSED"]
        return ISSUED_AFTER.get(reasons[0], "first_card") if reasons else "first_card"


def _plain_amount(account: dict[str, Any]) -> float:
    """What an account holds, as the ordering of cards reads it: a ``$`` makes it nothing."""
    try:
        return float(str(account.get("current_holdings", "0")).replace(",", ""))
    except ValueError:
        return 0.0


def _fees(between: str, delivery: float, design: float, excess: float) -> str:
    parts = [
        (delivery, f"Delivery{between}${delivery}"),
        (design, f"Design{between}${design}"),
        (excess, f"Excess Replacement{between}${excess:.0f}"),
    ]
    return ", ".join(text for fee, text in parts if fee > 0)


def _digits(seed: str, length: int, number: int) -> str:
    found = "".join(character for character in digest(seed, length) if character.isdigit())
    return found[:number].zfill(number)
