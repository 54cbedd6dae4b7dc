"""What the insurer's tasks guard of its policy, and what an agent does that takes the policy at its word."""

from __future__ import annotations

import re

from pytest_tau.environment.toolkit import tools_of
from pytest_tau.schema.checks import ReadBefore
from pytest_tau.schema.task import Task
from tau_workshop.policy import (
    Claim,
    Clause,
    Play,
    RuleBook,
    Said,
    Script,
    all_of,
    calls,
    except_for,
    gives_reasons,
    of_tasks,
)
from tau_workshop.policy.literal import (
    asks_nothing,
    gives_in,
    gives_no_reason,
    hands_over,
    keeps_it,
    refuses,
    skips,
    where,
)
from tau_workshop.policy.safety import SAFETY

from .atoms import FINDERS
from .tools import InsuranceTools

CHANGES = tuple(name for name, tool in tools_of(InsuranceTools).items() if tool.writes)
TRANSFER, PROCEDURE = "transfer_to_human_agents", "run_procedure"
ROWS = {
    "where-terms": r"(home|drive|trip|paws|cycle|gadget)-[a-z-]+-terms-",
    "where-claims": r"instruction-deciding-claims-",
    "where-settlement": r"instruction-settlement-",
    "where-losses": r"(home|motor|travel|pet|cycle|gadget)-claims-",
    "where-ends": r"[a-z]+-cancellation-|rule-revocation-",
    "where-extras": r"[a-z]+-extra-",
    "where-instalments": r"tariff-instalments-",
    "where-contents": r"tariff-home-",
    "where-mileage": r"tariff-motor-mileage-",
    "where-procedures": r"instruction-(?!settlement|deciding)",
    "where-bulletins": r"bulletin-",
    "which-edition": r"rule-which-edition-",
}


def wanted_documents(task: Task) -> list[str]:
    """The documents that have to be read before something is entered or refused."""
    criteria = task.evaluation_criteria
    checks = (criteria.trajectory or ()) if criteria else ()
    read = [check for check in checks if isinstance(check, ReadBefore)]
    return [one for check in read for one in check.documents or task.required_documents or ()]


def needs(pattern: str) -> Claim:
    """Tasks that want a document of some kind to be read."""
    return lambda task: any(re.match(pattern, one) for one in wanted_documents(task))


def reads_nothing(script: Script, rule: Said) -> None:
    """Nobody asks for documents to be read."""
    if not rule.stands:
        script.forget_documents(lambda document: True)


def knows_not_where(pattern: str) -> Play:
    """A row of the table of contents: a document that nothing leads to is not read."""

    def play(script: Script, rule: Said) -> None:
        if not rule.stands:
            script.forget_documents(lambda document: re.match(pattern, document) is not None)

    return play


STRANGER = of_tasks("my_parents_car")
HANDS_OVER = of_tasks("a_new_bank_account")
REFUSES = all_of(gives_reasons, except_for(calls(TRANSFER)))

book = RuleBook(
    *SAFETY,
    Clause("identify", calls(*FINDERS), skips(*FINDERS)),
    Clause("one-customer", STRANGER, where(STRANGER, gives_in("cancel_contract"))),
    Clause("read-first", lambda task: bool(wanted_documents(task)), reads_nothing),
    Clause("ask-first", calls(*CHANGES), asks_nothing),
    Clause("say-no", gives_reasons, gives_no_reason),
    Clause("refuse-not-hand-over", REFUSES, where(REFUSES, hands_over)),
    Clause("hand-over-kinds", HANDS_OVER, where(HANDS_OVER, keeps_it)),
    Clause("how-to-hand-over", calls(TRANSFER), keeps_it),
    *(Clause(rule, needs(pattern), knows_not_where(pattern)) for rule, pattern in ROWS.items()),
    Clause("procedures", calls(PROCEDURE), refuses(PROCEDURE)),
)
"""The clauses in the order of the policy, after those on safety, privacy and ethics."""
