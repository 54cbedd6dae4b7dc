"""What all of the bank's tools share: the clock, ids made from what they are about, amounts, and the way texts look.

A refusal is an ordinary result here, a text that starts with ``Error: ``; only what goes wrong in Python is an error.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import FunctionType
from typing import Any, TypeVar

from pytest_tau.environment import Table, Toolkit

from .query import NOTHING, query
from .schema import KnowledgeDatabase, Row

NOW = datetime(2025, 11, 14, 3, 40, 0)
NOW_TEXT = "2025-11-14 03:40:00 EST"
TODAY = "11/14/2025"
MISSING = "Error: Missing required parameters."
OPEN = ("ACTIVE", "OPEN")

T = TypeVar("T", bound=type)


class Bank(Toolkit):
    """A toolkit over the bank's tables."""

    db: KnowledgeDatabase

    def _query(self, table: str, field: str, value: Any) -> str:
        return query(self.db.tables[table], table, field, value)

    def _is_known(self, table: str, field: str, value: Any) -> bool:
        """Whether a query says anything but that there is nothing: one that is broken counts as found."""
        return NOTHING not in self._query(table, field, value)


def told_as(owner: str) -> Callable[[T], T]:
    """Let Python name a class's methods as those of ``owner``, where it complains of a call's arguments."""

    def rename(cls: T) -> T:
        for name, member in vars(cls).items():
            if isinstance(member, FunctionType):
                member.__qualname__ = f"{owner}.{name}"
        return cls

    return rename


def not_a_mapping(owner: str, name: str, arguments: Any) -> str:
    """What Python says of arguments that are no object, had the method been the reference's."""
    called = f"tau2.domains.banking_knowledge.tools.{owner}.{name}()"
    return f"{called} argument after ** must be a mapping, not {type(arguments).__name__}"


def add(table: Table[Row], key: str, record: Row) -> bool:
    """Insert a record; False, and nothing done, if there is one of that key."""
    if key in table:
        return False
    table[key] = record
    return True


def digest(seed: str, length: int) -> str:
    """The first characters of a text's SHA-256 in hexadecimal."""
    return hashlib.sha256(seed.encode()).hexdigest()[:length]


def transaction_id(user_id: str, card: str, merchant: str, amount: float, category: str) -> str:
    """The id of a card transaction, and of a statement credit."""
    return "txn_" + digest(":".join(["transaction", user_id, card, merchant, f"{amount:.2f}", category]), 12)


def dispute_id(user_id: str, transaction: str) -> str:
    """The id of a dispute of any kind."""
    return "dsp_" + digest(f"dispute:{user_id}:{transaction}", 12)


def dollars(text: Any) -> float:
    """An amount as a number; 0.0 for what is none."""
    try:
        return float(str(text).replace("$", "").replace(",", ""))
    except ValueError:
        return 0.0


def balance(account: Mapping[str, Any]) -> float:
    """What an account holds."""
    holdings = account.get("current_holdings", account.get("balance", 0))
    if isinstance(holdings, (int, float)):
        return float(holdings)
    return dollars(holdings) if isinstance(holdings, str) else 0.0


def age_in_days(account: Mapping[str, Any]) -> int | None:
    """How long an account has been open; None if its date is none."""
    try:
        return (NOW - datetime.strptime(account.get("date_opened", ""), "%m/%d/%Y")).days
    except (TypeError, ValueError):
        return None


def title(word: str) -> str:
    """A value of a list as people read it."""
    return word.replace("_", " ").title()


def as_json(value: Any) -> str:
    """JSON over several lines."""
    return json.dumps(value, indent=2)


def one_of(field: str, allowed: Sequence[str]) -> str:
    """The refusal of a value that is not in a list."""
    return f"Error: Invalid {field}. Must be one of: {list(allowed)}"


def execution_text(name: str, arguments: dict[str, Any]) -> str:
    """What a tool's result says between its first line and what it did."""
    return f"\n\nExecuted: {name}\nArguments: {as_json(arguments)}\n"


def lines(*parts: str) -> str:
    """Lines of a text."""
    return "\n".join(parts)


def no_credit_card(account_id: str) -> str:
    """The refusal of a credit card account that is not there."""
    return f"Error: Credit card account '{account_id}' not found."


def not_their_card(account_id: str, user_id: str) -> str:
    """The refusal of a credit card account of somebody else."""
    return f"Error: Credit card account '{account_id}' does not belong to user '{user_id}'."


def no_debit_card(card_id: str) -> str:
    """The refusal of a debit card that is not there."""
    return f"Error: Debit card '{card_id}' not found."
