"""Hidden tools of the agent that open cases about card transactions: on credit cards and on debit cards."""

from pytest_tau.environment import tool

from .bank import MISSING, TODAY, Bank, add, dispute_id, lines, one_of, title, told_as

CREDIT_CARD_ACTIONS = ["keep_active", "cancel_and_reissue"]
DISPUTE_REASONS = [
    "unauthorized_fraudulent_charge",
    "duplicate_charge",
    "incorrect_amount",
    "goods_services_not_received",
    "goods_services_not_as_described",
    "canceled_subscription_still_charging",
    "refund_never_processed",
]
RESOLUTIONS = ["full_refund", "partial_refund"]
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
DEBIT_CARD_ACTIONS = ["keep_active", "freeze_pending_investigation", "close_and_reissue"]


@told_as("KnowledgeTools")
class DisputeTools(Bank):
    """Disputes that the bank has to look into."""

    @tool(writes=True, hidden=True)
    def file_credit_card_transaction_dispute_4829(
        self,
        transaction_id: str,
        card_action: str,
        card_last_4_digits: str,
        full_name: str,
        user_id: str,
        phone: str,
        email: str,
        address: str,
        contacted_merchant: bool,
        purchase_date: str,
        issue_noticed_date: str,
        dispute_reason: str,
        resolution_requested: str,
        eligible_for_provisional_credit: bool,
        partial_refund_amount: float | None = None,
    ) -> str:
        """Open a case about a credit card charge that the customer disputes.

        Args:
            transaction_id: The disputed transaction.
            card_action: What becomes of the card: keep_active or cancel_and_reissue.
            card_last_4_digits: The last four digits of the card.
            full_name: The customer's full name.
            user_id: The customer.
            phone: The customer's phone number.
            email: The customer's e-mail address.
            address: The customer's postal address.
            contacted_merchant: Whether the customer has spoken to the merchant.
            purchase_date: When the purchase was, MM/DD/YYYY.
            issue_noticed_date: When the customer saw that something was wrong, MM/DD/YYYY.
            dispute_reason: One of unauthorized_fraudulent_charge, duplicate_charge, incorrect_amount,
                goods_services_not_received, goods_services_not_as_described, canceled_subscription_still_charging,
                refund_never_processed.
            resolution_requested: What the customer wants: full_refund or partial_refund.
            eligible_for_provisional_credit: Whether the rules allow a provisional credit.
            partial_refund_amount: How much to give back, in dollars, for a partial_refund.
        """
        if not transaction_id or not user_id:
            return MISSING
        if card_action not in CREDIT_CARD_ACTIONS:
            return one_of("card_action", CREDIT_CARD_ACTIONS)
        if dispute_reason not in DISPUTE_REASONS:
            return one_of("dispute_reason", DISPUTE_REASONS)
        if resolution_requested not in RESOLUTIONS:
            return one_of("resolution_requested", RESOLUTIONS)
        if resolution_requested == "partial_refund" and partial_refund_amount is None:
            return "Error: partial_refund_amount is required when resolution_requested is 'partial_refund'."
        key = dispute_id(user_id, transaction_id)
        record = {
            "dispute_id": key,
            "transaction_id": transaction_id,
            "user_id": user_id,
            "card_action": card_action,
            "card_last_4_digits": card_last_4_digits,
            "full_name": full_name,
            "phone": phone,
            "email": email,
            "address": address,
            "contacted_merchant": contacted_merchant,
            "purchase_date": purchase_date,
            "issue_noticed_date": issue_noticed_date,
            "dispute_reason": dispute_reason,
            "resolution_requested": resolution_requested,
            "partial_refund_amount": partial_refund_amount,
            "eligible_for_provisional_credit": eligible_for_provisional_credit,
            "provisional_credit_given": eligible_for_provisional_credit,
            "submitted_at": TODAY,
            "status": "SUBMITTED",
        }
        if not add(self.db.transaction_disputes, key, record):
            return "Error: Dispute may have already been filed for this transaction."
        credit = (
            "Provisional Credit: ELIGIBLE - Credit will be applied within 2 business days."
            if eligible_for_provisional_credit
            else "Provisional Credit: Not eligible at this time."
        )
        return lines(
            "Credit card transaction dispute filed successfully. A case has been opened and will be reviewed within "
            "10 business days.",
            "",
            "Executed: file_credit_card_transaction_dispute_4829",
            f"Dispute ID: {key}",
            f"Transaction: {transaction_id}",
            f"Reason: {title(dispute_reason)}",
            f"Resolution Requested: {title(resolution_requested)}",
            *([f"Partial Refund Amount: ${partial_refund_amount:.2f}"] if partial_refund_amount else []),
            credit,
        )

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
        if card_action not in DEBIT_CARD_ACTIONS:
            return one_of("card_action", DEBIT_CARD_ACTIONS)
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
