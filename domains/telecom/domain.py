"""telecom: a mobile provider whose agent can change the account but not the phone, which is in the customer's hands."""

from datetime import datetime

from pytest_tau.environment import DomainSpec, Policy

from .sync import sync
from .tools import TelecomTools
from .user_tools import TelecomUserTools


def _policy(main: str, support: str) -> dict[str, str]:
    return {"main_policy": main, "tech_support_policy": support}


domain = DomainSpec(
    tools=TelecomTools,
    user_tools=TelecomUserTools,
    now=datetime(2025, 2, 25, 12, 8),
    solo=True,
    sync=sync,
    checks=[
        {
            "check": "identified",
            "by": ["get_customer_by_phone", "get_customer_by_id", "get_customer_by_name"],
            "needed_for": [
                "get_bills_for_customer",
                "get_data_usage",
                "suspend_line",
                "resume_line",
                "send_payment_request",
                "enable_roaming",
                "disable_roaming",
                "refuel_data",
            ],
        },
        {"check": "confirmed"},
        {"check": "claims"},
        {"check": "own_records"},
        {"check": "no_needless_writes"},
    ],
    policies={
        "manual": Policy(
            sections=_policy("main_policy.md", "tech_support_manual.md"),
            solo=_policy("main_policy_solo.md", "tech_support_manual.md"),
        ),
        "workflow": Policy(
            sections=_policy("main_policy.md", "tech_support_workflow.md"),
            solo=_policy("main_policy_solo.md", "tech_support_workflow_solo.md"),
        ),
    },
    safety="1",
)
