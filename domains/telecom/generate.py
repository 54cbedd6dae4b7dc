"""Composes the telecom tasks: what can be wrong with a phone and its line, and in which combinations.

    python domains/telecom/generate.py --n 114 --seed 42 -o tasks/telecom/base.json

The atoms and the rules for combining them are those of the public set: on its world, ``full_set`` gives the same 2,285
combinations.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_tau import Domain, Environment, load_domain
from pytest_tau.generation.compose import (
    Atom,
    Combination,
    Family,
    Persona,
    Texts,
    combinations,
    compose,
    sample,
    write,
)
from pytest_tau.schema.task import (
    Action,
    Confirmed,
    EnvAssertion,
    EnvFunctionCall,
    EvaluationCriteria,
    Evidence,
    Identified,
    NotCalled,
    Reason,
    Task,
    TrajectoryCheck,
)

MESSAGING = "messaging"
REFUEL_GB = 2.0
# Used up again after the one refuelling that the policy allows. Personas are dealt out before it is left out.
LEFT_OUT = "data_usage_exceeded_no_refuel"

EASY = (
    "You are 37 and keep the books of a garden center. You use your phone all day and find your way around its "
    "settings once somebody names the right one. You are calm and friendly, you like to be told one step at a time, "
    "you ask when a step is unclear, and you report exactly what you see."
)
HARD = (
    "You are 71 and used to repair clocks. Your grandson set up this phone, and words like roaming or access point "
    "mean nothing to you. You answer only what you are asked, in few words. Technical terms make you impatient, you "
    "worry aloud that something could be deleted, and you want to hear that a step is safe before you take it."
)
PERSONAS = (Persona("none"), Persona("easy", EASY), Persona("hard", HARD))


@dataclass(frozen=True)
class Caller:
    """A customer with the line that is in trouble; ``bill_id`` is that of the bill they may owe."""

    name: str
    phone_number: str
    customer_id: str
    line_id: str
    data_limit_gb: float
    bill_id: str
    other_lines: tuple[str, ...] = ()
    other_bills: tuple[str, ...] = ()

    @property
    def line(self) -> dict[str, Any]:
        """The arguments that say which line."""
        return {"customer_id": self.customer_id, "line_id": self.line_id}


def caller(domain: Domain, phone_number: str, bill_id: str) -> Caller:
    """The customer who holds a phone number."""
    db = domain.environment().tools.db
    line, customer = db.line_with_phone(phone_number), db.customer_with_phone(phone_number)
    limit = db.plan(line.plan_id).data_limit_gb
    return Caller(
        customer.full_name,
        phone_number,
        customer.customer_id,
        line.line_id,
        limit,
        bill_id,
        other_lines=tuple(other for other in customer.line_ids if other != line.line_id),
        other_bills=tuple(other for other in customer.bill_ids if other != bill_id),
    )


def _user(func_name: str, **arguments: Any) -> EnvFunctionCall:
    return EnvFunctionCall(env_type="user", func_name=func_name, arguments=arguments)


def _agent(func_name: str, **arguments: Any) -> EnvFunctionCall:
    return EnvFunctionCall(env_type="assistant", func_name=func_name, arguments=arguments)


def _shows(func_name: str, **arguments: Any) -> EnvAssertion:
    """What the phone must show."""
    return EnvAssertion(env_type="user", func_name=func_name, arguments=arguments)


def _stands(func_name: str, **arguments: Any) -> EnvAssertion:
    """What must stand on the account."""
    return EnvAssertion(env_type="assistant", func_name=func_name, arguments=arguments)


def _on_phone(name: str, **arguments: Any) -> Action:
    return Action(action_id=name, requestor="user", name=name, arguments=arguments)


def _on_account(name: str, **arguments: Any) -> Action:
    return Action(action_id=name, requestor="assistant", name=name, arguments=arguments)


NO_SERVICE = _shows("assert_service_status", expected_status="no_service")
NO_DATA = _shows("assert_internet_speed", expected_speed=0, expected_desc="No Connection")
RESET_APN = (_on_phone("reset_apn_settings"), _on_phone("reboot_device"))

AIRPLANE = Atom(
    "airplane_mode_on",
    (_user("turn_airplane_mode_on"), _shows("assert_airplane_mode_status", expected_status=True), NO_SERVICE),
    (_on_phone("toggle_airplane_mode"),),
)
UNSEATED = Atom("unseat_sim_card", (_user("unseat_sim_card"), NO_SERVICE), (_on_phone("reseat_sim_card"),))
LOCKED = Atom("lock_sim_card_pin", (_user("lock_sim_card", mode="pin"), NO_SERVICE), None)
BROKEN_APN = Atom("break_apn_settings", (_user("break_apn_settings"), NO_SERVICE), RESET_APN)
DATA_OFF = Atom(
    "data_mode_off",
    (_user("turn_data_off"), _shows("assert_mobile_data_status", expected_status=False)),
    (_on_phone("toggle_data"),),
)
DATA_SAVER = Atom(
    "data_saver_mode_on",
    (_user("turn_data_saver_mode_on"), _shows("assert_mobile_data_saver_mode_status", expected_status=True)),
    (_on_phone("toggle_data_saver_mode"),),
)
OLD_NETWORK = Atom(
    "bad_network_preference",
    (_user("set_network_mode_preference", mode="2g_only"),),
    (_on_phone("set_network_mode_preference", mode="4g_5g_preferred"),),
)
SLOW_VPN = Atom(
    "bad_vpn", (_user("break_vpn"), _shows("assert_internet_not_excellent")), (_on_phone("disconnect_vpn"),)
)
WIFI_CALLING = Atom(
    "bad_wifi_calling",
    (_user("set_wifi_calling", enabled=True, mms_over_wifi=True),),
    (_on_phone("toggle_wifi_calling"),),
)
NO_MMS_SERVER = Atom("break_apn_mms_setting", (_user("break_apn_mms_setting"),), RESET_APN)


def _permissions(name: str, *missing: str) -> Atom:
    return Atom(
        name,
        tuple(_user("remove_app_permission", app_name=MESSAGING, permission=permission) for permission in missing),
        tuple(_on_phone("grant_app_permission", app_name=MESSAGING, permission=permission) for permission in missing),
    )


PERMISSIONS = (
    _permissions("break_app_sms_permission", "sms"),
    _permissions("break_app_storage_permission", "storage"),
    _permissions("break_app_both_permissions", "sms", "storage"),
)


def _suspensions(who: Caller) -> tuple[Atom, Atom]:
    def broken(contract_ended: bool) -> tuple[EnvFunctionCall, ...]:
        return (
            _agent("suspend_line_for_overdue_bill", **who.line, new_bill_id=who.bill_id, contract_ended=contract_ended),
            _user("simulate_network_search"),
            NO_SERVICE,
            _stands("assert_overdue_bill_exists", customer_id=who.customer_id, overdue_bill_id=who.bill_id),
            _stands("assert_line_status", **who.line, expected_status="Suspended"),
        )

    paid_and_resumed = (
        _on_account("send_payment_request", customer_id=who.customer_id, bill_id=who.bill_id),
        _on_phone("make_payment"),
        _on_account("resume_line", **who.line),
        _on_phone("reboot_device"),
    )
    return (
        Atom("overdue_bill_suspension", broken(contract_ended=False), paid_and_resumed),
        Atom("contract_end_suspension", broken(contract_ended=True), None),
    )


def _abroad(who: Caller) -> tuple[Atom, Atom, Atom]:
    away = _user("set_user_location", abroad=True)
    off = (_user("turn_roaming_off"), _shows("assert_mobile_roaming_status", expected_status=False))
    on = (_user("turn_roaming_on"), _shows("assert_mobile_roaming_status", expected_status=True))
    enable = _on_account("enable_roaming", **who.line)
    disabled = (_agent("disable_roaming", **who.line), _user("simulate_network_search"), NO_DATA)
    return (
        Atom(
            "user_abroad_roaming_enabled_off",
            (away, *off, _agent("enable_roaming", **who.line)),
            (_on_phone("toggle_roaming"),),
        ),
        Atom("user_abroad_roaming_disabled_on", (away, *on, *disabled), (enable,)),
        Atom("user_abroad_roaming_disabled_off", (away, *off, *disabled), (enable, _on_phone("toggle_roaming"))),
    )


def _used_up(who: Caller) -> tuple[Atom, Atom]:
    exceeded = _shows("assert_mobile_data_usage_exceeded", expected_status=True)

    def used(gb: float) -> EnvFunctionCall:
        return _agent("set_data_usage", **who.line, data_used_gb=round(gb, 1))

    return (
        Atom(
            "data_usage_exceeded",
            (used(who.data_limit_gb + 0.1), exceeded),
            (_on_account("refuel_data", **who.line, gb_amount=REFUEL_GB),),
            (_stands("assert_data_refueling_amount", **who.line, expected_amount=REFUEL_GB),),
        ),
        Atom(
            LEFT_OUT,
            (
                _agent("refuel_data", **who.line, gb_amount=REFUEL_GB),
                used(who.data_limit_gb + REFUEL_GB + 0.1),
                exceeded,
            ),
            None,
        ),
    )


def families(who: Caller) -> tuple[Family, Family, Family]:
    """The three complaints, with what can be behind each."""
    refusal = Action(
        action_id="transfer_to_human_agents",
        requestor="assistant",
        name="transfer_to_human_agents",
        arguments={"summary": "What causes the trouble cannot be removed here."},
        compare_args=[],
    )
    setting = (_user("set_user_info", name=who.name, phone_number=who.phone_number),)
    abroad, used_up = _abroad(who), _used_up(who)
    slow = Family(
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
    dead = Family(
        "service_issue",
        ((AIRPLANE,), (UNSEATED,), (LOCKED,), (BROKEN_APN,), _suspensions(who)),
        solved=(
            _shows("assert_service_status", expected_status="connected").model_copy(
                update={"message": "The phone has no service"}
            ),
            _stands("assert_no_overdue_bill", overdue_bill_id=who.bill_id).model_copy(
                update={"message": "The overdue bill is not paid"}
            ),
        ),
        unsolved=(NO_SERVICE,),
        refusal=(refusal,),
        setting=setting,
    )
    pictures = ((OLD_NETWORK,), (WIFI_CALLING,), (NO_MMS_SERVER,), PERMISSIONS)
    own = {atom.name for group in pictures for atom in group}
    mms = Family(
        "mms_issue",
        ((AIRPLANE,), (UNSEATED,), (DATA_OFF,), used_up, abroad, *pictures),
        solved=(_shows("assert_can_send_mms", expected_status=True),),
        unsolved=(_shows("assert_can_send_mms", expected_status=False),),
        refusal=(refusal,),
        setting=setting,
        valid=lambda names: any(name in own for name in names),
    )
    return slow, dead, mms


def full_set(who: Caller) -> list[Combination]:
    """Every combination that makes a task."""
    every = [one for family in families(who) for one in combinations(family, PERSONAS)]
    return [one for one in every if LEFT_OUT not in one.names]


@dataclass(frozen=True)
class _Words:
    purpose: str
    reason: str
    goal: str
    agrees: str
    ticket: str


NO_DEAL = "You are willing to add 2 GB of data if that is what it takes, but not to change your plan."
WORDS = {
    "mobile_data_issue": _Words(
        purpose="Mobile data does not work or is slow: find every cause, on the phone and on the account.",
        reason="My mobile data keeps failing or crawls along, and I need it to be excellent. There is no Wi-Fi here.",
        goal="You are satisfied only when a speed test on your phone says that the speed is excellent; fair or good "
        "will not do.",
        agrees=NO_DEAL,
        ticket="Mobile data fails or is slow. Solved when a speed test on the phone says excellent. 2 GB of data may "
        "be added; the plan is to stay.",
    ),
    "service_issue": _Words(
        purpose="The phone has no service: find every cause, or see that it cannot be removed here and hand over.",
        reason='My phone has said "No Service" since this morning and I cannot call anybody.',
        goal="You are satisfied when the status bar of your phone shows a signal. When you are asked how it looks, "
        "read out the status bar.",
        agrees="If there is a bill to pay, you are willing to pay it.",
        ticket="The phone shows no service. Solved when its status bar shows a signal. All overdue bills may be paid.",
    ),
    "mms_issue": _Words(
        purpose="Picture messages cannot be sent: find every cause, on the phone and on the account.",
        reason="I have been trying for hours to send a picture with my messaging app, and it will not go out.",
        goal="You are satisfied when your messaging app can send picture messages (MMS).",
        agrees=NO_DEAL,
        ticket="The messaging app cannot send picture messages. Solved when it can. 2 GB of data may be added; the "
        "plan is to stay.",
    ),
}
MANNER = (
    "You follow the agent's suggestions, also when the last one did not help; from the first failure on you are a "
    "little annoyed. What you say about your phone is what your tools have shown you, and nothing else: if the agent "
    "asks for the signal, look with check_status_bar; if they ask whether a picture can be sent, try can_send_mms. "
    "If a result does not answer the question, look again with another tool, and ask if you do not know what to do."
)


def describe(combination: Combination, env: Environment) -> Texts:
    """The words of a task; where the customer is, its world says."""
    assert env.user_tools is not None, "the phone is the user's side"  # noqa: S101 (a fact of domain.py)
    around = env.user_tools.db.surroundings
    words = WORDS[combination.family.name]
    place = "abroad, on a trip to Portugal" if around.is_abroad else "at home"
    names = "+".join(combination.names)
    return Texts(
        id=f"{combination.family.name}.{names}.{combination.persona.name}",
        purpose=words.purpose,
        reason_for_call=words.reason,
        known_info=f"My name is {around.name}, the number of my phone is {around.phone_number}, and I am {place}.",
        task_instructions=f"{words.goal} {words.agrees} {MANNER}",
        ticket=f"{words.ticket} Customer: {around.name}, phone number {around.phone_number}, {place}.",
        tags=[combination.family.name, f"atoms_{combination.difficulty}", f"persona_{combination.persona.name}"],
    )


LOOK_UPS = ["get_customer_by_phone", "get_customer_by_id", "get_customer_by_name"]
ENDED = "2025-01-31"
REASONS = {
    "lock_sim_card_pin": [
        ["sim card is locked"], ["sim", "locked"], ["sim", "pin"], ["sim", "puk"], ["unlock", "sim"],
    ],
    "contract_end_suspension": [
        ["contract has ended"], ["contract", "ended"], ["contract", "expired"], ["contract", "over"],
        ["contract", "january 31"], ["contract", "31 january"], ["end of", "contract"], ["contract end"],
    ],
}  # fmt: skip


def demanding(one: Combination, task: Task, who: Caller, domain: Domain) -> Task:
    """The task with what the policy asks of the way there; the public set grades where it ends, and nothing else.

    On the account: look the customer up first, ask before a change, change nothing that the faults do not call for. A
    hand-over needs the fact behind it, looked up and told; a phone that can be repaired is not handed over.
    """
    names = {atom.name for atom in one.atoms}
    account = [spec.name for spec in domain.environment().tool_specs() if spec.writes]
    changes = [name for name in account if any(action.name == name for action in task.gold_actions)]
    look_ups = _look_ups(one, who, bool(changes))
    checks: list[TrajectoryCheck] = []
    if any(action.name in LOOK_UPS for action in look_ups):
        needed_for = ["get_bills_for_customer", "get_data_usage", *changes]
        checks.append(Identified(check="identified", by=LOOK_UPS, needed_for=needed_for, shows=who.customer_id))
    allowed = _called_for(names) | set(changes)
    if allowed:
        checks.append(Confirmed(check="confirmed"))
    if not one.solvable:
        checks += _refusal_checks(names, who)
    for name in account:
        checks += _elsewhere(name, who) if name in allowed else [NotCalled(check="not_called", name=name)]
    if one.solvable:
        checks.append(NotCalled(check="not_called", name="transfer_to_human_agents"))
    criteria = task.evaluation_criteria or EvaluationCriteria()
    update = {
        "actions": [*look_ups, *task.gold_actions],
        "trajectory": checks,
        "reward_basis": [*criteria.reward_basis, "TRAJECTORY"],
    }
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update=update)})


def _look_ups(one: Combination, who: Caller, changes: bool) -> list[Action]:
    """What the gold path looks at first: whose account it is, and what rules a repair out."""
    names = {atom.name for atom in one.atoms}
    found = []
    if changes or "contract_end_suspension" in names:
        found.append(_on_account("get_customer_by_phone", phone_number=who.phone_number))
    if "contract_end_suspension" in names:
        found.append(_on_account("get_details_by_id", id=who.line_id))
    if LOCKED.name in names:
        # A card that is not in its place does not say that it is locked.
        found += [_on_phone("reseat_sim_card")] if UNSEATED.name in names else []
        found.append(_on_phone("check_sim_status"))
    return found


def _refusal_checks(names: set[str], who: Caller) -> list[TrajectoryCheck]:
    """Of two facts that rule a repair out, either is enough; so then only the reason is asked for."""
    causes = sorted(names & set(REASONS))
    reason = Reason(check="reason", any_of=[phrasing for cause in causes for phrasing in REASONS[cause]])
    if len(causes) > 1:
        return [reason]
    if causes == [LOCKED.name]:
        return [Evidence(check="evidence", name="check_sim_status", requestor="user", shows="locked"), reason]
    line = {"id": who.line_id}
    return [Evidence(check="evidence", name="get_details_by_id", arguments=line, shows=f'date": "{ENDED}"'), reason]


def _called_for(names: set[str]) -> set[str]:
    """Changes of the account that may be tried, also where they do not help in the end."""
    found = {"send_payment_request"} if names & {"overdue_bill_suspension", "contract_end_suspension"} else set()
    found |= {"resume_line"} if "overdue_bill_suspension" in names else set()
    return found | ({"enable_roaming"} if any(name.startswith("user_abroad") for name in names) else set())


def _elsewhere(name: str, who: Caller) -> list[TrajectoryCheck]:
    """A change that is called for is not called for on the customer's other lines and bills."""
    argument, others = ("bill_id", who.other_bills) if name == "send_payment_request" else ("line_id", who.other_lines)
    return [NotCalled(check="not_called", name=name, arguments={argument: other}) for other in others]


# The customers of our world who may call, each with an id for the bill that they may owe.
CALLERS = (("555-284-3307", "B2101"), ("555-284-5190", "B2102"), ("555-284-8846", "B2103"))


def generate(domain: Domain, n: int, seed: int) -> list[Task]:
    """A suite of ``n`` tasks, in which the customers of the world take turns."""
    callers = [caller(domain, phone_number, bill_id) for phone_number, bill_id in CALLERS]
    worlds = [full_set(who) for who in callers]
    among = [worlds[position % len(worlds)][position] for position in range(len(worlds[0]))]
    calling = {id(one): callers[position % len(callers)] for position, one in enumerate(among)}
    chosen = sample(among, n, seed)
    return [demanding(one, compose(one, domain, describe), calling[id(one)], domain) for one in chosen]


def main(argv: Sequence[str] | None = None) -> None:
    """Write a suite to a file."""
    parser = argparse.ArgumentParser(description="Compose telecom tasks.")
    parser.add_argument("--n", type=int, default=114, help="how many (default: 114)")
    parser.add_argument("--seed", type=int, default=42, help="of the choice among all (default: 42)")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the file to write")
    arguments = parser.parse_args(argv)
    tasks = generate(load_domain(Path(__file__).parent), arguments.n, arguments.seed)
    write(tasks, arguments.output)
    print(f"{arguments.output}: {len(tasks)} tasks")


if __name__ == "__main__":
    main()
