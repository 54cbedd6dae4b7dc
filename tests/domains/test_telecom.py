"""telecom in its own world: both sides, how they meet, and where it is not as strange as the reference."""

from typing import Any

import pytest

from pytest_tau import Domain, Environment, load_domain
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.environment.toolkit import tools_of
from pytest_tau.errors import DomainError
from pytest_tau.schema.calls import EnvFunctionCall

FOLDER = builtin_folder("domains", "telecom")
PHONE = "555-284-3307"
LINE = {"customer_id": "C2001", "line_id": "L2002"}
BAR = "\nStatus Bar: 📶⁴ Excellent | 5G | 📱 Data Enabled | 🔋 64%"


def telecom(**options: Any) -> Domain:
    return load_domain(FOLDER, **options)


@pytest.fixture
def env() -> Environment:
    """A world in which one of the customers holds the phone."""
    return world()


def world(*, parity: bool = False) -> Environment:
    env = telecom(parity=parity).environment()
    run(env, "set_user_info", name="Ines Halloran", phone_number=PHONE)
    return env


def run(env: Environment, func_name: str, **arguments: Any) -> Any:
    side: Any = "user" if hasattr(env.user_tools, func_name) else "assistant"
    return env.run(EnvFunctionCall(env_type=side, func_name=func_name, arguments=arguments))


def agent(env: Environment, name: str, **arguments: Any) -> str:
    return env.call(name, arguments).content


def user(env: Environment, name: str, **arguments: Any) -> str:
    return env.call(name, arguments, requestor="user").content


def test_every_record_is_valid_and_the_ids_meet() -> None:
    domain = telecom()
    assert domain.user_base is not None
    assert [*domain.base.problems(), *domain.user_base.problems()] == []
    db = domain.environment().tools.db
    for customer in db.customers.values():
        assert all(db.bill(bill_id).customer_id == customer.customer_id for bill_id in customer.bill_ids)
        assert all(db.line(line_id).plan_id in db.plans for line_id in customer.line_ids)
    assert sorted(line for customer in db.customers.values() for line in customer.line_ids) == sorted(db.lines)
    assert sorted(bill for customer in db.customers.values() for bill in customer.bill_ids) == sorted(db.bills)
    assert {line.device_id for line in db.lines.values()} - {None} == set(db.devices)
    for bill in db.bills.values():
        assert bill.total_due == sum(item.amount for item in bill.line_items), bill.bill_id


def test_every_tool_and_argument_is_described() -> None:
    spec = telecom().spec
    assert spec.user_tools is not None
    for tool in [*tools_of(spec.tools).values(), *tools_of(spec.user_tools).values()]:
        function = tool.schema["function"]
        assert len(function["description"]) > 10, tool.name
        assert all(prop.get("description") for prop in function["parameters"]["properties"].values()), tool.name


@pytest.mark.parametrize("variant", ["manual", "workflow"])
def test_the_policy_has_two_parts_and_names_real_tools_only(variant: str) -> None:
    domain = telecom(policy=variant)
    env = domain.environment()
    names = {spec.name for side in ("assistant", "user") for spec in env.tool_specs(side)}
    for solo in (False, True):
        policy = domain.policy_for(solo=solo)
        assert policy.startswith("<main_policy>\n# ")
        assert policy.index("</main_policy>\n<tech_support_policy>\n# ") < policy.index("\n</tech_support_policy>")
        quoted = {part for part in policy.split("`")[1::2] if "_" in part and part != "4g_5g_preferred"}
        assert quoted - {"2g_only"} <= names


def test_the_manual_is_the_default_and_the_variants_differ() -> None:
    policies = [
        telecom(policy=variant).environment(solo=solo).policy
        for variant in ("manual", "workflow")
        for solo in (False, True)
    ]
    assert telecom().policy == policies[0]
    assert len(set(policies)) == 4


def test_an_unknown_policy_is_refused() -> None:
    with pytest.raises(DomainError, match=r"^domain 'telecom' has no policy 'x'; it has manual, workflow$"):
        telecom(policy="x")
    with pytest.raises(DomainError, match=r"^domain 'mock' has no policy 'x'; it has only one$"):
        load_domain("mock", policy="x")


def test_a_bill_is_requested_on_one_side_and_paid_on_the_other(env: Environment) -> None:
    run(env, "suspend_line_for_overdue_bill", **LINE, new_bill_id="B2101", contract_ended=False)
    assert user(env, "check_payment_request") == "No payment request has been made."
    agent(env, "send_payment_request", customer_id="C2001", bill_id="B2101")
    assert user(env, "check_payment_request") == "You have a payment request for bill B2101 of 48.0 USD."
    assert user(env, "make_payment") == "Payment of 48.0 USD has been made for bill B2101."
    assert env.tools.db.bill("B2101").status == "Paid"
    assert user(env, "make_payment") == "You do not have a payment request."


def test_a_resumed_line_shows_after_a_reboot(env: Environment) -> None:
    run(env, "suspend_line_for_overdue_bill", **LINE, new_bill_id="B2101", contract_ended=False)
    run(env, "simulate_network_search")
    dead = "Status Bar: 📵 No Signal | 📵 Data Disabled | 🔋 64%"
    assert user(env, "check_status_bar") == dead
    agent(env, "resume_line", **LINE)
    assert user(env, "check_status_bar") == dead
    assert user(env, "reboot_device") == f"Restarting network services...{BAR}"


def test_data_runs_out_and_comes_back(env: Environment) -> None:
    run(env, "set_data_usage", **LINE, data_used_gb=12.0)
    assert user(env, "run_speed_test") == "Speed test failed: No Connection."
    added = agent(env, "refuel_data", **LINE, gb_amount=2)
    assert added.startswith('{"message": "Successfully added 2.0 GB of data for line L2002 for $6.00"')
    assert user(env, "run_speed_test").startswith("Speed Test Result: 275.00 Mbps (Excellent).")
    assert env.tools.db.bill("B2003").total_due == 6.0


def test_abroad_both_sides_have_to_allow_roaming(env: Environment) -> None:
    run(env, "set_user_location", abroad=True)
    user(env, "toggle_roaming")
    assert user(env, "can_send_mms") == "Your messaging app can send MMS messages."
    agent(env, "disable_roaming", **LINE)
    assert user(env, "can_send_mms") == "Your messaging app cannot send MMS messages."


def test_before_it_is_known_who_calls_nothing_meets() -> None:
    env = telecom().environment()
    agent(env, "send_payment_request", customer_id="C2001", bill_id="B2002")
    assert user(env, "check_payment_request") == "No payment request has been made."


def test_a_customer_without_a_draft_gets_one_with_the_same_id_every_time() -> None:
    made = []
    for _ in range(2):
        env = telecom().environment()
        agent(env, "refuel_data", customer_id="C2003", line_id="L2006", gb_amount=1.0)
        bill = env.tools.db.bills_of(env.tools.db.customer("C2003"))[-1]
        made.append(bill.bill_id)
        assert (bill.status, bill.total_due) == ("Draft", 4.0)
        assert [str(day) for day in (bill.period_start, bill.period_end, bill.due_date)] == [
            "2025-03-01", "2025-03-31", "2025-03-15",
        ]  # fmt: skip
    assert made[0] == made[1]


def test_a_search_that_fails_at_the_access_point_keeps_what_it_found_by_then() -> None:
    env = world(parity=True)
    nameless = "Error: 'str' object has no attribute 'apn_name'"
    assert user(env, "set_apn_settings", apn_settings="internet") == nameless
    assert user(env, "check_status_bar") == BAR.strip()
    found, nothing = (
        "connected\nCellular Signal: excellent\nCellular Network Type: 5G",
        "no_service\nCellular Signal: none",
    )
    for name, seen in (
        ("toggle_roaming", found),
        ("toggle_airplane_mode", nothing),
        ("toggle_airplane_mode", found),
    ):
        assert user(env, name) == nameless
        assert f"Cellular Connection: {seen}" in user(env, "check_network_status")
    assert "suspended" in agent(env, "suspend_line", **LINE, reason="travel")
    assert (
        user(env, "set_network_mode_preference", mode="3g_only") == nameless
    )  # before it asks whether the line is active
    assert user(env, "check_status_bar") == "Status Bar: 📶² Fair | 3G | 📱 Data Enabled | 🔋 64%"
    assert user(env, "can_send_mms") == "Error: 'str' object has no attribute 'mmsc_url'"
    assert user(env, "reboot_device") == "Error: 'str' object has no attribute 'reset_at_reboot'"
    assert user(env, "check_apn_settings") == "Error: 'str' object has no attribute 'model_copy'"
    user(env, "set_apn_settings", apn_settings={"apn_name": "internet"})
    assert "Cellular Connection: no_service" in user(env, "check_network_status")


def test_a_slow_vpn_belongs_to_its_environment() -> None:
    for parity, later in ((False, "275.00"), (True, "27.50")):
        env, other = world(parity=parity), world(parity=parity)
        run(env, "break_vpn")
        user(env, "disconnect_vpn")
        user(env, "connect_vpn")
        user(other, "connect_vpn")
        # Reconnecting helps, but not under parity, where the profile itself is what was broken.
        assert user(env, "run_speed_test").startswith(f"Speed Test Result: {later} Mbps")
        assert user(other, "run_speed_test").startswith("Speed Test Result: 275.00 Mbps")


def test_a_wifi_connection_shows_until_airplane_mode_drops_it(env: Environment) -> None:
    phone = env.user_tools.db.device if env.user_tools else None
    assert phone is not None
    phone.wifi_enabled = phone.wifi_connected = True
    phone.wifi_ssid, phone.wifi_signal_strength = "Guests", "fair"
    assert user(env, "check_wifi_status") == "Wi-Fi is ON and connected to 'Guests'. Signal strength: fair."
    assert user(env, "check_status_bar").endswith("| 📡 Connected to Guests | 🔋 64%")
    assert user(env, "check_network_status").endswith("\nConnected Wi-Fi Network: Guests")
    assert user(env, "toggle_airplane_mode") == "Airplane Mode is now ON.\nStatus Bar: ✈️ Airplane Mode | 🔋 64%"
    assert user(env, "toggle_wifi").startswith("Cannot change Wi-Fi settings")
    user(env, "toggle_airplane_mode")
    assert user(env, "check_wifi_status") == "Wi-Fi is ON but not connected to any network."


@pytest.mark.parametrize(("side", "name", "arguments", "ours", "reference"), [
    (
        "user", "check_vpn_status", {},
        "'server_performance': 'excellent'}", "'server_performance': <PerformanceLevel.EXCELLENT: 'excellent'>}",
    ),
    (
        "user", "set_network_mode_preference", {"mode": 5},
        "Error: Argument 'mode' of set_network_mode_preference is not valid", "Error: 'int' object has no attribute",
    ),
    (
        "user", "set_apn_settings", {"apn_settings": "internet"},
        "Error: Argument 'apn_settings' of set_apn_settings is not valid", "Error: 'str' object has no attribute",
    ),
    (
        "assistant", "get_bills_for_customer", {"customer_id": "C2001", "limit": 0},
        "Error: limit must be at least 1", "[]",
    ),
    (
        "assistant", "send_payment_request", {"customer_id": "C2001", "bill_id": "B2001"},
        "Error: Bill B2001 has the status Paid: there is nothing to pay", "Payment request sent",
    ),
    (
        "assistant", "refuel_data", {**LINE, "gb_amount": 0.1},
        '"charge": "0.3"}', '"charge": "0.30000000000000004"}',
    ),
])  # fmt: skip
def test_what_only_parity_does(side: Any, name: str, arguments: dict[str, Any], ours: str, reference: str) -> None:
    for parity, expected in ((False, ours), (True, reference)):
        env = world(parity=parity)
        run(env, "connect_vpn")
        assert expected in env.call(name, arguments, requestor=side).content
