"""What the policy asks of the way to the goal, as checks of the trajectory."""

from pytest_tau import Domain
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import Called, Confirmed, Evidence, Identified, NotCalled, Reason, Shown, TrajectoryCheck
from pytest_tau.schema.task import EvaluationCriteria, Task
from tau_workshop.compose import Combination, phrases_of

from .atoms import LOCKED, UNSEATED, Caller, on_account, on_phone, stands

say = phrases_of(__file__)
LOOK_UPS = ["get_customer_by_phone", "get_customer_by_id", "get_customer_by_name"]
HAND_OVER = "transfer_to_human_agents"
ENDED = "2025-01-31"
REASONS = say("reasons")  # by the fault that rules a repair out


def demanding(one: Combination, task: Task, who: Caller, domain: Domain) -> Task:
    """The task with what the policy asks of the way there; the public set grades where it ends, and nothing else.

    On the account: look the customer up first, ask before a change, change nothing that the faults do not call for. A
    hand-over needs the fact behind it, looked up and told; a phone that can be repaired is not handed over. There are
    several ways to such a fact, and the gold path is one of them: the fact is demanded, and not the path.
    """
    names = {atom.name for atom in one.atoms}
    account = [spec.name for spec in domain.environment().tool_specs() if spec.writes]
    changes = [name for name in account if any(action.name == name for action in task.gold_actions)]
    look_ups = _look_ups(one, who, changes)
    checks: list[TrajectoryCheck] = []
    two_ways = names >= set(REASONS)
    if any(action.name in LOOK_UPS for action in look_ups) and not two_ways:
        needed_for = ["get_bills_for_customer", "get_data_usage", *changes]
        checks.append(Identified(check="identified", by=LOOK_UPS, needed_for=needed_for, shows=who.customer_id))
    allowed = _called_for(names) | set(changes)
    if allowed:
        checks.append(Confirmed(check="confirmed"))
    if "refuel_data" in changes:  # who has not seen the price has not told it
        plan = {"id": who.plan_id}
        checks.append(Evidence(check="evidence", name="get_details_by_id", arguments=plan, shows="price_per_gb"))
    if not one.solvable:
        checks += _refusal_checks(names, who)
    for name in account:
        checks += _elsewhere(name, who) if name in allowed else [NotCalled(check="not_called", name=name)]
    if one.solvable:
        checks.append(NotCalled(check="not_called", name=HAND_OVER))
    criteria = task.evaluation_criteria or EvaluationCriteria()
    basis = [kind for kind in criteria.reward_basis if kind != "ACTION"]
    asserts = criteria.env_assertions or []
    if "overdue_bill_suspension" not in names:  # then there is no such bill, and nothing to be said of it
        asserts = [one for one in asserts if one.func_name != "assert_no_overdue_bill"]
    if not one.solvable and "overdue_bill_suspension" in names:
        asserts = [*asserts, stands("assert_not_resumed_unpaid", **who.line, bill_id=who.bill_id)]
    update = {
        "actions": [*look_ups, *(_with_its_cause(action, names, who) for action in task.gold_actions)],
        "env_assertions": asserts,
        "trajectory": checks,
        "reward_basis": [*basis, "TRAJECTORY"],
    }
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update=update)})


def _with_its_cause(action: Action, names: set[str], who: Caller) -> Action:
    """A hand-over whose summary says what rules a repair out."""
    if action.name != HAND_OVER:
        return action
    causes = [cause for name, cause in say("handed_over.causes", ended=ENDED).items() if name in names]
    said = say("handed_over.with_cause", number=who.phone_number, name=who.name, causes=" and ".join(causes))
    return action.model_copy(update={"arguments": {"summary": said}})


def _look_ups(one: Combination, who: Caller, changes: list[str]) -> list[Action]:
    """What the gold path looks at first: whose account it is, what data costs, and what rules a repair out."""
    names = {atom.name for atom in one.atoms}
    found = []
    if changes or "contract_end_suspension" in names:
        found.append(on_account("get_customer_by_phone", phone_number=who.phone_number))
    if "refuel_data" in changes:
        found += [on_account("get_details_by_id", id=record) for record in (who.line_id, who.plan_id)]
    if "contract_end_suspension" in names:
        found.append(on_account("get_details_by_id", id=who.line_id))
    elif LOCKED.name in names:
        # A card that is not in its place does not say that it is locked.
        found += [on_phone("reseat_sim_card")] if UNSEATED.name in names else []
        found.append(on_phone("check_sim_status"))
    return found


def _refusal_checks(names: set[str], who: Caller) -> list[TrajectoryCheck]:
    """What rules a repair out was looked up and told; of two facts that do, and of two looks, either is enough."""
    causes = sorted(names & set(REASONS))
    reason = Reason(check="reason", any_of=[phrasing for cause in causes for phrasing in REASONS[cause]])
    locked = ("check_sim_status", "check_network_status")
    proofs = {
        LOCKED.name: [Shown(name=look, requestor="user", shows="locked") for look in locked],
        "contract_end_suspension": [
            Shown(name="get_details_by_id", arguments={"id": who.line_id}, shows=f'date": "{ENDED}"')
        ],
    }
    first, *others = (proof for cause in causes for proof in proofs[cause])
    evidence = Evidence(check="evidence", **first.model_dump(exclude_unset=True))
    if others:
        evidence = evidence.model_copy(update={"alternatives": others})
    return [evidence, reason, Called(check="called", name=HAND_OVER)]


def _called_for(names: set[str]) -> set[str]:
    """Changes of the account that may be tried, also where they do not help in the end."""
    found = {"send_payment_request"} if names & {"overdue_bill_suspension", "contract_end_suspension"} else set()
    found |= {"resume_line"} if "overdue_bill_suspension" in names else set()
    return found | ({"enable_roaming"} if any(name.startswith("user_abroad") for name in names) else set())


def _elsewhere(name: str, who: Caller) -> list[TrajectoryCheck]:
    """A change that is called for is not called for on the customer's other lines and bills."""
    argument, others = ("bill_id", who.other_bills) if name == "send_payment_request" else ("line_id", who.other_lines)
    return [NotCalled(check="not_called", name=name, arguments={argument: other}) for other in others]
