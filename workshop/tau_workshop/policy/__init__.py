"""The policy under test: which tasks guard which rule, the proof of that, and what an author writes for both.

    workshop/domains/<name>/guards.py
        book = RuleBook(Clause("cancel-pending", calls("cancel_pending_order"), refuses("cancel_pending_order")), …)

A **clause** is about one rule of the policy (``pytest_tau.environment.rules``). Its claim says which tasks rest on the
rule; the composer writes that into their key ``rules``. Its play says what an agent does that takes the policy at its
word: where the rule is gone, turned round or has other numbers, it acts otherwise (``literal.py``). The proof
(``proof.py``) plays every task whose path that changes and compares what turns red with what was claimed.
"""

from .book import (
    Claim,
    Clause,
    RuleBook,
    all_of,
    any_of,
    calls,
    everywhere,
    except_for,
    gives_reasons,
    of_tasks,
    tagged,
)
from .literal import Play, Said, Script

__all__ = [
    "Claim",
    "Clause",
    "Play",
    "RuleBook",
    "Said",
    "Script",
    "all_of",
    "any_of",
    "calls",
    "everywhere",
    "except_for",
    "gives_reasons",
    "of_tasks",
    "tagged",
]
