"""Hidden tools of the agent for debit cards: disputes, orders, closing, freezing, alerts, PINs and limits.

Activation has a module of its own (``activation``).
"""

from typing import Any

from pytest_tau.environment import tool

from .activation import pin_fault
from .bank import MISSING, TODAY, Bank, add, age_in_days, digest, dispute_id, lines, one_of, title, told_as

CATEGORIES = [
    "unauthorized_transaction",
    "atm_cash_discrepancy",
    "atm_deposit_not_credited",
    "duplicate_charge",
    "incorrect_amount",
    "goods_services_not_received",
    "recurring_charge_after_cancellation",
    "card_present_fraud",
    "card_not_present_fraud",
]
FRAUD = ("unauthorized_transaction", "card_present_fraud", "card_not_present_fraud")
TRANSACTION_TYPES = [
    "pin_purchase",
    "signature_purchase",
    "online_purchase",
    "atm_withdrawal",
    "atm_deposit",
    "recurring_payment",
    "person_to_person",
]
PIN_COMPROMISED = ["yes_shared", "yes_observed", "no", "unknown"]
CARD_ACTIONS = ["keep_active", "freeze_pending_investigation", "close_and_reissue"]
DELIVERY = {"STANDARD": "7-10 business days", "EXPEDITED": "3-5 business days", "RUSH": "1-2 business days"}
DESIGNS = ["CLASSIC", "PREMIUM", "CUSTOM"]
CLOSING = ["lost", "stolen", "fraud_suspected", "damaged", "no_longer_needed", "account_closing"]
ISSUED_AFTER = {"lost": "lost", "stolen": "stolen", "fraud": "fraud", "fraud_suspected": "fraud"}
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
class DebitCardTools(Bank):
    """What an agent can do to debit cards once it knows the name of the tool."""

    @tool(writes=True, hidden=True)
    def file_debit_card_transaction_dispute_6281(
        self,
        transaction_id: str,
        account_id: str,
        card_id: str,
        user_id: str,
        dispute_category: str,
        transaction_date: str,
        discovery_date: str,
        disputed_amount: float,
        transaction_type: str,
        card_in_possession: bool,
        pin_compromised: str,
        contacted_merchant: bool,
        police_report_filed: bool,
        written_statement_provided: bool,
        provisional_credit_eligible: bool,
        customer_max_liability_amount: float,
        card_action: str,
    ) -> str:
        """Open a case about a debit card transaction that the customer disputes.

        Args:
            transaction_id: The disputed transaction.
            account_id: The checking account it was charged to.
            card_id: The debit card.
            user_id: The customer.
            dispute_category: One of unauthorized_transaction, atm_cash_discrepancy, atm_deposit_not_credited,
                duplicate_charge, incorrect_amount, goods_services_not_received, recurring_charge_after_cancellation,
                card_present_fraud, card_not_present_fraud.
            transaction_date: When it was, MM/DD/YYYY.
            discovery_date: When the customer saw that something was wrong, MM/DD/YYYY.
            disputed_amount: How much is disputed, in dollars.
            transaction_type: One of pin_purchase, signature_purchase, online_purchase, atm_withdrawal, atm_deposit,
                recurring_payment, person_to_person.
            card_in_possession: Whether the customer has the card.
            pin_compromised: Whether others may know the PIN: yes_shared, yes_observed, no or unknown.
            contacted_merchant: Whether the customer has spoken to the merchant.
            police_report_filed: Whether the police know.
            written_statement_provided: Whether the customer has given a written statement.
            provisional_credit_eligible: Whether the rules allow a provisional credit.
            customer_max_liability_amount: What the customer has to bear at most, in dollars.
            card_action: What becomes of the card: keep_active, freeze_pending_investigation or close_and_reissue.
        """
        needed = (transaction_id, account_id, card_id, user_id, dispute_category, transaction_date, discovery_date)
        if not all((*needed, disputed_amount, transaction_type, pin_compromised, card_action)):
            return MISSING
        if customer_max_liability_amount is None:
            return "Error: customer_max_liability_amount is required."
        answers = (card_in_possession, contacted_merchant, police_report_filed, written_statement_provided)
        if any(answer is None for answer in answers):
            return (
                "Error: card_in_possession, contacted_merchant, police_report_filed, and written_statement_provided "
                "are required boolean fields."
            )
        if dispute_category not in CATEGORIES:
            return one_of("dispute_category", CATEGORIES)
        if transaction_type not in TRANSACTION_TYPES:
            return one_of("transaction_type", TRANSACTION_TYPES)
        if pin_compromised not in PIN_COMPROMISED:
            return one_of("pin_compromised", PIN_COMPROMISED)
        if card_action not in CARD_ACTIONS:
            return one_of("card_action", CARD_ACTIONS)
        if disputed_amount <= 0:
            return "Error: disputed_amount must be a positive number."
        fraud, shared = dispute_category in FRAUD, pin_compromised == "yes_shared"
        key = dispute_id(user_id, transaction_id)
        record = {
            "dispute_id": key,
            "transaction_id": transaction_id,
            "account_id": account_id,
            "card_id": card_id,
            "user_id": user_id,
            "dispute_category": dispute_category,
            "transaction_date": transaction_date,
            "discovery_date": discovery_date,
            "disputed_amount": disputed_amount,
            "transaction_type": transaction_type,
            "card_in_possession": card_in_possession,
            "pin_compromised": pin_compromised,
            "contacted_merchant": contacted_merchant,
            "police_report_filed": police_report_filed,
            "written_statement_provided": written_statement_provided,
            "provisional_credit_eligible": provisional_credit_eligible,
            "provisional_credit_issued": provisional_credit_eligible,
            "provisional_credit_amount": disputed_amount if provisional_credit_eligible else None,
            "customer_max_liability_amount": customer_max_liability_amount,
            "card_action": card_action,
            "is_fraud_category": fraud,
            "pin_shared_voluntarily": shared,
            "submitted_at": TODAY,
            "status": "OPEN",
        }
        if not add(self.db.debit_card_disputes, key, record):
            return "Error: Dispute may have already been filed for this transaction."
        told = [
            f"Dispute ID: {key}",
            f"Transaction: {transaction_id}",
            f"Account: {account_id}",
            f"Category: {title(dispute_category)}",
            f"Disputed Amount: ${disputed_amount:.2f}",
            f"Card Action: {title(card_action)}",
            f"Provisional Credit: ISSUED - ${disputed_amount:.2f} credited within 10 business days per Regulation E."
            if provisional_credit_eligible
            else "Provisional Credit: Not eligible - see Debit Card Provisional Credit Guidelines for details.",
        ]
        if shared:
            told.append(
                "WARNING: Customer indicated PIN was shared voluntarily. This may affect liability determination."
            )
        if fraud and not police_report_filed and disputed_amount > 500:
            told.append("RECOMMENDATION: For fraud disputes over $500, filing a police report is recommended.")
        return lines(*told)

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
            return _no_card(card_id)
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
        card = self._issued(account_id, user_id, card_design)
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

    def _issued(self, account_id: str, user_id: str, design: str) -> str:
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
            return _no_card(card_id)
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
            return _no_card(card_id)
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
            return _no_card(card_id)
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
            return _no_card(card_id)
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
            return _no_card(card_id)
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
            return _no_card(card_id)
        card = self.db.debit_cards[card_id]
        if card.get("status") != "ACTIVE":
            return (
                f"Error: Cannot change PIN. Card status is {card.get('status')}. Only ACTIVE cards can have their PIN "
                "changed."
            )
        card["pin_last_changed"] = TODAY
        return _new_pin("Debit Card PIN Changed Successfully", card_id)

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
            return _no_card(card_id)
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


def _no_card(card_id: str) -> str:
    return f"Error: Debit card '{card_id}' not found."


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
