"""retail: a web shop whose customers cancel, change, return and exchange what they ordered."""

from pytest_tau.environment import DomainSpec

from .tools import RetailTools
from .user_tools import RetailUserTools, sync

CHANGES = [  # a code or a request for a payment needs no yes
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "modify_user_address",
    "return_delivered_order_items",
]

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
        {"check": "confirmed", "names": CHANGES},
        {"check": "claims"},
        {"check": "own_records"},
        {"check": "no_needless_writes"},
    ],
    safety="1",
)
