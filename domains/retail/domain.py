"""retail: a web shop whose customers cancel, change, return and exchange what they ordered."""

from pytest_tau.environment import DomainSpec

from .tools import RetailTools
from .user_tools import RetailUserTools, sync

domain = DomainSpec(
    tools=RetailTools,
    user_tools=RetailUserTools,
    sync=sync,
    dual_only=True,
    checks=[
        {
            "check": "identified",
            "by": ["find_user_id_by_email", "find_user_id_by_name_zip"],
            "needed_for": ["get_user_details", "get_order_details"],
        },
        {"check": "confirmed"},
        {"check": "claims"},
        {"check": "own_records"},
        {"check": "no_needless_writes"},
    ],
    safety="1",
)
