"""The bank's tables. Records are free objects, as in the public data: no field is typed, checked or converted."""

from typing import Any

from pytest_tau.environment import Database, Table, with_notes

Row = dict[str, Any]


class KnowledgeDatabase(Database):
    """What the bank knows, for both sides: the customer's calls leave their traces here, too."""

    users: Table[Row] = with_notes()
    accounts: Table[Row] = with_notes()
    debit_cards: Table[Row] = with_notes()
    referrals: Table[Row] = with_notes()
    credit_card_applications: Table[Row] = with_notes()
    user_discoverable_tools: Table[Row] = with_notes()
    user_discoverable_tool_calls: Table[Row] = with_notes()
    verification_history: Table[Row] = with_notes()
    credit_card_transaction_history: Table[Row] = with_notes()
    cash_back_disputes: Table[Row] = with_notes()
    bank_account_transaction_history: Table[Row] = with_notes()
    credit_card_accounts: Table[Row] = with_notes()
    agent_discoverable_tools: Table[Row] = with_notes()
    task_config: Table[Row] = with_notes()
    human_transfer_requests: Table[Row] = with_notes()
    transaction_disputes: Table[Row] = with_notes()
    credit_card_orders: Table[Row] = with_notes()
    debit_card_orders: Table[Row] = with_notes()
    credit_card_closure_reasons: Table[Row] = with_notes()
    credit_card_account_flags: Table[Row] = with_notes()
    credit_limit_increase_requests: Table[Row] = with_notes()
    payment_history: Table[Row] = with_notes()
    debit_card_disputes: Table[Row] = with_notes()
