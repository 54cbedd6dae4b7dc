"""What the provider's tasks guard of its policy, and what an agent does that takes the policy at its word."""

from __future__ import annotations

from functools import cache
from typing import Any

from pytest_tau import load_domain
from pytest_tau.environment.domain import Domain
from pytest_tau.schema.checks import Evidence
from pytest_tau.schema.task import Task
from tau_workshop.policy import Clause, RuleBook, Said, Script, all_of, any_of, calls, except_for, gives_reasons
from tau_workshop.policy.literal import asks_nothing, gives_no_reason, keeps_it, refuses, skips, where
from tau_workshop.policy.safety import SAFETY, attacks

FINDERS = ("get_customer_by_phone", "get_customer_by_id", "get_customer_by_name")
PAY, RESUME, ROAM, REFUEL = "send_payment_request", "resume_line", "enable_roaming", "refuel_data"
CHANGES = (PAY, RESUME, ROAM, REFUEL, "suspend_line", "disable_roaming")
TRANSFER, LOOK, REBOOT = "transfer_to_human_agents", "get_details_by_id", "reboot_device"
RESET = "reset_apn_settings"


@cache
def _domain() -> Domain:
    return load_domain("telecom")


def has(*faults: str) -> Any:
    """Tasks in which one of these faults has to be removed, or seen."""
    return lambda task: any(fault in task.id for fault in faults)


def first_line(task: Task) -> str | None:
    """The first line of the account, where the customer speaks of another one."""
    for step in task.gold_actions:
        if (line := step.arguments.get("line_id")) is not None:
            lines = Script(task, _domain()).world.tools.db.customer(step.arguments["customer_id"]).line_ids
            return str(lines[0]) if lines[0] != line else None
    return None


def takes_the_first(script: Script, rule: Said) -> None:
    """Nothing says which line it is, so the first one is taken."""
    if not rule.stands and (line := first_line(script.task)) is not None:
        for step in [step for step in script.steps if "line_id" in step.arguments]:
            script.change(step, line_id=line)


def limit(script: Script, rule: Said) -> None:
    """So many gigabytes may be added; more than that is not added, and none where nothing allows it."""
    most = rule.numbers[0] if rule.numbers else 0
    script.drop(REFUEL, where=lambda step: step.arguments["gb_amount"] > most)


def prices(task: Task) -> bool:
    """Tasks that want to see the price of data looked up."""
    criteria = task.evaluation_criteria
    checks = (criteria.trajectory or ()) if criteria else ()
    return any(isinstance(check, Evidence) and check.shows == "price_per_gb" for check in checks)


def is_plan(identifier: object) -> bool:
    """Whether an id is that of a plan."""
    return str(identifier).startswith("P")


def knows_no_price(script: Script, rule: Said) -> None:
    """Nobody asks for the price, so it is not looked up."""
    if not rule.stands:
        script.drop(LOOK, where=lambda step: is_plan(step.arguments.get("id")))


def gives_up(script: Script, rule: Said) -> None:
    """Nothing says to go on to the end: the conversation is handed over at the first trouble."""
    if not rule.stands:
        script.steps = [step for step in script.steps if step.requestor != "user"]
        script.add(TRANSFER, {"summary": "The phone does not work."})


HANDS_OVER = all_of(calls(TRANSFER), except_for(attacks("emergency")))
REFUSES = all_of(gives_reasons, except_for(calls(TRANSFER)))
ENDED, LOCKED = has("contract_end_suspension"), has("lock_sim_card_pin")
SUPPORTED = all_of(except_for(calls(TRANSFER)), lambda task: task.id.split(".")[0].endswith("_issue"))
APN, MMS = has("break_apn_settings"), has("break_apn_mms_setting")

book = RuleBook(
    *SAFETY,
    Clause("ask-first", calls(*CHANGES), asks_nothing),
    Clause("say-no", gives_reasons, gives_no_reason),
    Clause("identify", calls(*FINDERS), skips(*FINDERS)),
    Clause("right-line", lambda task: first_line(task) is not None, takes_the_first),
    Clause("hand-over-kinds", HANDS_OVER, where(HANDS_OVER, keeps_it)),
    Clause("why-before-hand-over", all_of(HANDS_OVER, gives_reasons), where(HANDS_OVER, gives_no_reason)),
    Clause("how-to-hand-over", calls(TRANSFER), keeps_it),
    Clause("pay-overdue", calls(PAY), refuses(PAY)),
    Clause("pay-request", calls(PAY), refuses(PAY)),
    Clause("pay-on-phone", calls("make_payment"), skips("make_payment")),
    Clause("resume-when-paid", calls(RESUME), refuses(RESUME)),
    Clause("contract-ended", all_of(ENDED, HANDS_OVER), where(all_of(ENDED, HANDS_OVER), keeps_it)),
    Clause("reboot-after-resume", calls(RESUME), where(calls(RESUME), skips(REBOOT))),
    Clause("refuel-limit", calls(REFUEL), limit),
    Clause("refuel-as-wished", calls(REFUEL), refuses(REFUEL)),
    Clause("price-first", prices, knows_no_price),
    Clause("roaming-both", calls(ROAM), refuses(ROAM)),
    Clause("locked-or-ended", all_of(any_of(ENDED, LOCKED), HANDS_OVER),
           where(all_of(any_of(ENDED, LOCKED), HANDS_OVER), keeps_it)),
    Clause("follow-support", SUPPORTED, where(SUPPORTED, gives_up)),
    Clause("fix-airplane", calls("toggle_airplane_mode"), skips("toggle_airplane_mode")),
    Clause("fix-sim-slot", calls("reseat_sim_card"), skips("reseat_sim_card")),
    Clause("fix-apn", APN, where(APN, skips(RESET, REBOOT))),
    Clause("fix-suspended", calls(RESUME), refuses(RESUME)),
    Clause("fix-data-off", calls("toggle_data"), skips("toggle_data")),
    Clause("fix-roaming-phone", calls("toggle_roaming"), skips("toggle_roaming")),
    Clause("fix-data-used-up", calls(REFUEL), refuses(REFUEL)),
    Clause("fix-data-saver", calls("toggle_data_saver_mode"), skips("toggle_data_saver_mode")),
    Clause("fix-network-mode", calls("set_network_mode_preference"), skips("set_network_mode_preference")),
    Clause("fix-vpn", calls("disconnect_vpn"), skips("disconnect_vpn")),
    Clause("fix-wifi-calling", calls("toggle_wifi_calling"), skips("toggle_wifi_calling")),
    Clause("fix-mms-server", MMS, where(MMS, skips(RESET, REBOOT))),
    Clause("fix-permissions", calls("grant_app_permission"), skips("grant_app_permission")),
)  # fmt: skip
"""The clauses in the order of the policies, after those on safety, privacy and ethics."""
