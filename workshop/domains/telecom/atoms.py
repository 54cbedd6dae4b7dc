"""What can be wrong with a phone and its line, and the three complaints that it leads to."""

from dataclasses import dataclass
from typing import Any

from pytest_tau.schema.calls import Action, EnvAssertion, EnvFunctionCall
from tau_workshop.compose import DeviceFault, FaultFamily, phrases_of

from .values import MOST_GB

say = phrases_of(__file__)
MESSAGING = "messaging"
REFUEL_GB = float(MOST_GB)
# Used up again after the one refuelling that the policy allows. Personas are dealt out before it is left out.
LEFT_OUT = "data_usage_exceeded_no_refuel"


@dataclass(frozen=True)
class Caller:
    """A customer with the line that is in trouble; ``bill_id`` is that of the bill they may owe."""

    name: str
    phone_number: str
    customer_id: str
    line_id: str
    data_limit_gb: float
    bill_id: str
    plan_id: str
    other_lines: tuple[str, ...] = ()
    other_bills: tuple[str, ...] = ()

    @property
    def line(self) -> dict[str, Any]:
        """The arguments that say which line."""
        return {"customer_id": self.customer_id, "line_id": self.line_id}


def _user(func_name: str, **arguments: Any) -> EnvFunctionCall:
    return EnvFunctionCall(env_type="user", func_name=func_name, arguments=arguments)


def _agent(func_name: str, **arguments: Any) -> EnvFunctionCall:
    return EnvFunctionCall(env_type="assistant", func_name=func_name, arguments=arguments)


def _shows(func_name: str, **arguments: Any) -> EnvAssertion:
    """What the phone must show."""
    return EnvAssertion(env_type="user", func_name=func_name, arguments=arguments)


def stands(func_name: str, **arguments: Any) -> EnvAssertion:
    """What must stand on the account."""
    return EnvAssertion(env_type="assistant", func_name=func_name, arguments=arguments)


def on_phone(name: str, **arguments: Any) -> Action:
    """What the customer does with their phone."""
    return Action(action_id=name, requestor="user", name=name, arguments=arguments)


def on_account(name: str, **arguments: Any) -> Action:
    """What the agent does with the account."""
    return Action(action_id=name, requestor="assistant", name=name, arguments=arguments)


NO_SERVICE = _shows("assert_service_status", expected_status="no_service")
NO_DATA = _shows("assert_internet_speed", expected_speed=0, expected_desc="No Connection")
RESET_APN = (on_phone("reset_apn_settings"), on_phone("reboot_device"))

AIRPLANE = DeviceFault(
    "airplane_mode_on",
    (_user("turn_airplane_mode_on"), _shows("assert_airplane_mode_status", expected_status=True), NO_SERVICE),
    (on_phone("toggle_airplane_mode"),),
)
UNSEATED = DeviceFault("unseat_sim_card", (_user("unseat_sim_card"), NO_SERVICE), (on_phone("reseat_sim_card"),))
LOCKED = DeviceFault("lock_sim_card_pin", (_user("lock_sim_card", mode="pin"), NO_SERVICE), None)
BROKEN_APN = DeviceFault("break_apn_settings", (_user("break_apn_settings"), NO_SERVICE), RESET_APN)
DATA_OFF = DeviceFault(
    "data_mode_off",
    (_user("turn_data_off"), _shows("assert_mobile_data_status", expected_status=False)),
    (on_phone("toggle_data"),),
)
DATA_SAVER = DeviceFault(
    "data_saver_mode_on",
    (_user("turn_data_saver_mode_on"), _shows("assert_mobile_data_saver_mode_status", expected_status=True)),
    (on_phone("toggle_data_saver_mode"),),
)
OLD_NETWORK = DeviceFault(
    "bad_network_preference",
    (_user("set_network_mode_preference", mode="2g_only"),),
    (on_phone("set_network_mode_preference", mode="4g_5g_preferred"),),
)
SLOW_VPN = DeviceFault(
    "bad_vpn", (_user("break_vpn"), _shows("assert_internet_not_excellent")), (on_phone("disconnect_vpn"),)
)
WIFI_CALLING = DeviceFault(
    "bad_wifi_calling",
    (_user("set_wifi_calling", enabled=True, mms_over_wifi=True),),
    (on_phone("toggle_wifi_calling"),),
)
NO_MMS_SERVER = DeviceFault("break_apn_mms_setting", (_user("break_apn_mms_setting"),), RESET_APN)


def _permissions(name: str, *missing: str) -> DeviceFault:
    return DeviceFault(
        name,
        tuple(_user("remove_app_permission", app_name=MESSAGING, permission=permission) for permission in missing),
        tuple(on_phone("grant_app_permission", app_name=MESSAGING, permission=permission) for permission in missing),
    )


PERMISSIONS = (
    _permissions("break_app_sms_permission", "sms"),
    _permissions("break_app_storage_permission", "storage"),
    _permissions("break_app_both_permissions", "sms", "storage"),
)


def _suspensions(who: Caller) -> tuple[DeviceFault, DeviceFault]:
    def broken_world(contract_ended: bool) -> tuple[EnvFunctionCall, ...]:
        return (
            _agent("suspend_line_for_overdue_bill", **who.line, new_bill_id=who.bill_id, contract_ended=contract_ended),
            _user("simulate_network_search"),
            NO_SERVICE,
            stands("assert_overdue_bill_exists", customer_id=who.customer_id, overdue_bill_id=who.bill_id),
            stands("assert_line_status", **who.line, expected_status="Suspended"),
        )

    paid_and_resumed = (
        on_account("send_payment_request", customer_id=who.customer_id, bill_id=who.bill_id),
        on_phone("make_payment"),
        on_account("resume_line", **who.line),
        on_phone("reboot_device"),
    )
    return (
        DeviceFault("overdue_bill_suspension", broken_world(contract_ended=False), paid_and_resumed),
        DeviceFault("contract_end_suspension", broken_world(contract_ended=True), None),
    )


def _abroad(who: Caller) -> tuple[DeviceFault, DeviceFault, DeviceFault]:
    away = _user("set_user_location", abroad=True)
    off = (_user("turn_roaming_off"), _shows("assert_mobile_roaming_status", expected_status=False))
    on = (_user("turn_roaming_on"), _shows("assert_mobile_roaming_status", expected_status=True))
    enable = on_account("enable_roaming", **who.line)
    disabled = (_agent("disable_roaming", **who.line), _user("simulate_network_search"), NO_DATA)
    return (
        DeviceFault(
            "user_abroad_roaming_enabled_off",
            (away, *off, _agent("enable_roaming", **who.line)),
            (on_phone("toggle_roaming"),),
        ),
        DeviceFault("user_abroad_roaming_disabled_on", (away, *on, *disabled), (enable,)),
        DeviceFault("user_abroad_roaming_disabled_off", (away, *off, *disabled), (enable, on_phone("toggle_roaming"))),
    )


def _used_up(who: Caller) -> tuple[DeviceFault, DeviceFault]:
    exceeded = _shows("assert_mobile_data_usage_exceeded", expected_status=True)

    def use_data(gb: float) -> EnvFunctionCall:
        return _agent("set_data_usage", **who.line, data_used_gb=round(gb, 1))

    return (
        DeviceFault(
            "data_usage_exceeded",
            (use_data(who.data_limit_gb + 0.1), exceeded),
            (on_account("refuel_data", **who.line, gb_amount=REFUEL_GB),),
            (stands("assert_data_refueling_amount", **who.line, expected_amount=REFUEL_GB),),
        ),
        DeviceFault(
            LEFT_OUT,
            (
                _agent("refuel_data", **who.line, gb_amount=REFUEL_GB),
                use_data(who.data_limit_gb + REFUEL_GB + 0.1),
                exceeded,
            ),
            None,
        ),
    )


def families(who: Caller) -> tuple[FaultFamily, FaultFamily, FaultFamily]:
    """The three complaints, with what can be behind each."""
    refusal = Action(
        action_id="transfer_to_human_agents",
        requestor="assistant",
        name="transfer_to_human_agents",
        arguments={"summary": say("handed_over.summary", number=who.phone_number, name=who.name)},
        compare_args=[],
    )
    setting = (_user("set_user_info", name=who.name, phone_number=who.phone_number),)
    abroad, used_up = _abroad(who), _used_up(who)
    slow = FaultFamily(
        "mobile_data_issue",
        ((AIRPLANE,), abroad, (DATA_OFF,), (DATA_SAVER,), (OLD_NETWORK,), (SLOW_VPN,), used_up),
        solved=(
            _shows("assert_mobile_data_status", expected_status=True),
            _shows("assert_internet_speed", expected_speed=200, expected_desc="excellent"),
        ),
        unsolved=(
            _shows("assert_mobile_data_status", expected_status=False),
            _shows("assert_internet_speed", expected_speed=0, expected_desc=None),
        ),
        refusal=(refusal,),
        setting=setting,
        valid=lambda names: any(name != AIRPLANE.name for name in names),
    )
    dead = FaultFamily(
        "service_issue",
        ((AIRPLANE,), (UNSEATED,), (LOCKED,), (BROKEN_APN,), _suspensions(who)),
        solved=(
            _shows("assert_service_status", expected_status="connected").model_copy(
                update={"message": "The phone has no service"}
            ),
            stands("assert_no_overdue_bill", overdue_bill_id=who.bill_id).model_copy(
                update={"message": "The overdue bill is not paid"}
            ),
        ),
        unsolved=(NO_SERVICE,),
        refusal=(refusal,),
        setting=setting,
    )
    pictures = ((OLD_NETWORK,), (WIFI_CALLING,), (NO_MMS_SERVER,), PERMISSIONS)
    own = {atom.name for group in pictures for atom in group}
    mms = FaultFamily(
        "mms_issue",
        ((AIRPLANE,), (UNSEATED,), (DATA_OFF,), used_up, abroad, *pictures),
        solved=(_shows("assert_can_send_mms", expected_status=True),),
        unsolved=(_shows("assert_can_send_mms", expected_status=False),),
        refusal=(refusal,),
        setting=setting,
        valid=lambda names: any(name in own for name in names),
    )
    return slow, dead, mms
