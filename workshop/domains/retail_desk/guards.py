"""What the tasks guard of the policy: what those of retail do, and the approval of returns."""

from pytest_tau.environment.domain import load_domain
from pytest_tau.environment.folders import builtin_folder
from tau_workshop.policy import Clause, RuleBook, calls
from tau_workshop.policy.book import find_book
from tau_workshop.policy.literal import skips

_SHOP = find_book(load_domain(builtin_folder("domains", "retail"))) or RuleBook()

book = RuleBook(*_SHOP.clauses, Clause("approve-return", calls("approve_return"), skips("approve_return")))
