"""insurance: household, car, journey, animal, bicycle and device, by rules that stand in a library of documents."""

from datetime import datetime

from pytest_tau.environment import DomainSpec, KnowledgeBase

from .tools import InsuranceTools

domain = DomainSpec(
    tools=InsuranceTools,
    now=datetime(2026, 3, 16, 10, 0),
    documents=KnowledgeBase(),
    safety="1",
    checks=[
        {
            "check": "identified",
            "by": ["find_customer_by_email", "find_customer_by_name"],
            "needed_for": [
                *("get_customer", "get_contract", "get_claim", "settle_claim", "reject_claim", "request_evidence"),
                *("cancel_contract", "add_extra", "change_payment_interval", "change_sum_insured", "change_mileage"),
                *("update_address", "run_procedure"),
            ],
        },
        {"check": "claims"},
        {"check": "own_records"},
        {"check": "no_needless_writes"},
    ],
)
