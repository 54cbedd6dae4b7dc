"""retail_desk: the shop of retail, with desks that hand over to each other and a supervisor who approves returns."""

from pathlib import Path

from pytest_tau.environment import DomainSpec, Policy, TeamRole, tool
from pytest_tau.environment.domain import load_spec
from pytest_tau.environment.values import base_of

SHOP = load_spec(base_of(Path(__file__).resolve().parent) or Path())
APPROVED_FROM = 300  # dollars; approvals.md says it as well

FIND = ["find_user_id_by_email", "find_user_id_by_name_zip"]
AT_HOME = ["send_code", "check_code", "request_payment"]  # where the customer acts as well
LOOK = ["get_user_details", "get_order_details", "get_product_details", "get_item_details", "list_all_product_types"]


class RetailDeskTools(SHOP.tools):  # type: ignore[name-defined, misc]
    """What the agent can do: what it can in retail, and approve."""

    @tool
    def approve_return(self, order_id: str, item_ids: list[str]) -> str:
        """Approve, as the supervisor, that items of a delivered order may be returned. Nothing is changed by it.

        Args:
            order_id: The order with its leading '#', such as "#W0000000".
            item_ids: All the items of the return, by item id.
        """
        order = self._order(order_id)
        if order.status != "delivered" or self._not_in(order, item_ids):
            raise ValueError("Not a return of a delivered order")
        return "Approved"


def worth(prices: list[float]) -> float:
    """What items cost together, in dollars."""
    return sum(round(100 * price) for price in prices) / 100


def desk(name: str, tools: list[str], hands_to: list[str]) -> TeamRole:
    """A desk, which works by the shop's page, the page on approvals and one of its own."""
    return TeamRole(tools, ["policy.md", "approvals.md", f"desk_{name}.md"], hands_to)


domain = DomainSpec(
    tools=RetailDeskTools,
    user_tools=SHOP.user_tools,
    sync=SHOP.sync,
    dual_only=True,
    policies={"desks": Policy({"shop": "policy.md", "approvals": "approvals.md"})},
    checks=[*SHOP.checks, {"check": "asked_once"}],
    safety=SHOP.safety,
    roles={
        "triage": desk("triage", FIND, ["orders", "refunds", "profile"]),
        "orders": desk(
            "orders",
            [
                *LOOK,
                "calculate",
                "cancel_pending_order",
                "modify_pending_order_address",
                "modify_pending_order_items",
                "modify_pending_order_payment",
                "transfer_to_human_agents",
                *AT_HOME,
            ],
            ["triage", "refunds", "profile"],
        ),
        "refunds": desk(
            "refunds",
            [
                *LOOK,
                "calculate",
                "return_delivered_order_items",
                "exchange_delivered_order_items",
                "transfer_to_human_agents",
                *AT_HOME,
            ],
            ["triage", "orders", "profile", "supervisor"],
        ),
        "profile": desk(
            "profile", ["get_user_details", "modify_user_address", *AT_HOME], ["triage", "orders", "refunds"]
        ),
        "supervisor": desk("supervisor", ["get_order_details", "approve_return"], ["refunds"]),
    },
)
