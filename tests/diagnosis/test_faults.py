"""Faults: each kind by a conversation that has it, mutants of our own suites by the mistake they make."""

from typing import Any

import pytest

from pytest_tau import grade, load_domain, rescore, simulate
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.diagnosis.own_device import INVENTED
from pytest_tau.environment.domain import Domain
from pytest_tau.schema.record import Fault, FaultKind
from pytest_tau.schema.reward import CriterionResult, Reward
from pytest_tau.schema.simulation import Termination, UserFinding
from tau_workshop.audit.mistakes import Mutant
from tau_workshop.audit.mutants import mutants
from tests.builders import CREATE, a_call, action, asks, core, finished, mock, says, task
from tests.diagnosis.missed import CREATED, calls, fault
from tests.shared import shared


class TestEnds:
    @pytest.mark.parametrize(
        ("reason", "kind"),
        [
            (Termination.TIMEOUT, FaultKind.TIME_OUT),
            (Termination.INFRASTRUCTURE_ERROR, FaultKind.PROVIDER_FAULT),
            (Termination.USER_ERROR, FaultKind.USER_FAULT),
            (Termination.MAX_STEPS, FaultKind.PREMATURE_END),
            (Termination.TOO_MANY_ERRORS, FaultKind.PREMATURE_END),
            (Termination.AGENT_ERROR, FaultKind.PREMATURE_END),
        ],
    )
    def test_say_whose_fault_it_was(self, reason: Termination, kind: FaultKind) -> None:
        found = find_fault(task(), finished([says("Hi!")], reason=reason), None, mock())
        assert found == Fault(kind=kind, evidence=f"ended by {reason.value}", turn=0)

    @pytest.mark.parametrize("reason", [Termination.USER_ERROR, Termination.MAX_STEPS])
    def test_a_rule_that_the_customer_broke_is_named_with_its_turn(self, reason: Termination) -> None:
        broken = UserFinding(rule=INVENTED, turn=1, text="nobody told it the zip code")
        sim = finished([says("Hi!"), asks("I live in 99501."), says("Thanks.")], reason=reason)
        found = find_fault(task(), sim.model_copy(update={"user_findings": [broken]}), None, mock())
        assert str(found) == "user fault: invented fact: nobody told it the zip code (turn 1)"

    def test_a_budget_is_called_one(self) -> None:
        sim = finished([says("Hi!")], reason=Termination.INFRASTRUCTURE_ERROR)
        sim = sim.model_copy(update={"note": "BudgetReached: the budget of 1 USD is reached: 0 used"})
        found = find_fault(task(), sim, None, mock())
        assert str(found) == "budget reached: the budget of 1 USD is reached: 0 used (turn 0)"

    def test_an_agent_whose_process_ended_is_no_provider(self) -> None:
        sim = finished([says("Hi!")], reason=Termination.INFRASTRUCTURE_ERROR)
        sim = sim.model_copy(
            update={"note": "AgentEnded: the process of the agent 'a:b' has ended by the signal SIGSEGV"}
        )
        found = find_fault(task(), sim, None, mock())
        assert str(found) == "agent ended: the process of the agent 'a:b' has ended by the signal SIGSEGV (turn 0)"

    def test_a_trial_without_a_miss_has_none(self) -> None:
        for reward in (None, Reward(value=None), Reward(value=1.0)):
            assert find_fault(task(), finished([says("Hi!")]), reward, mock()) is None

    def test_every_end_but_the_graded_ones_is_known(self) -> None:
        for reason in set(Termination) - {Termination.USER_STOP, Termination.AGENT_STOP}:
            assert find_fault(task(), finished(reason=reason), None, mock()) is not None


class TestPathAndWords:
    def test_a_check_of_the_trajectory(self) -> None:
        forbidden = {"check": "not_called", "name": "transfer_to_human_agents"}
        criteria = {"trajectory": [forbidden], "reward_basis": ["TRAJECTORY", "COMMUNICATE"], "communicate_info": ["7"]}
        found = fault(criteria, *calls(a_call("transfer_to_human_agents", summary="x")))
        assert str(found) == "needless hand over: not_called: transfer_to_human_agents(): called in turn 1 (turn 1)"

    def test_a_forbidden_change_is_one(self) -> None:
        checks = [
            {"check": "called", "name": "transfer_to_human_agents"},
            {"check": "not_called", "name": "create_task"},
        ]
        found = fault({"trajectory": checks, "reward_basis": ["TRAJECTORY"]}, *calls(CREATED))
        assert (found.kind, found.turn) == ("unintended_write", 1)

    @pytest.mark.parametrize("name", ["create_task", "transfer_to_human_agents"])
    def test_a_forbidden_call_that_failed_has_changed_nothing(self, name: str) -> None:
        criteria = {"trajectory": [{"check": "not_called", "name": name}], "reward_basis": ["TRAJECTORY"]}
        assert (
            str(fault(criteria, *calls(a_call(name))))
            == f"policy breach: not_called: {name}(): called in turn 1 (turn 1)"
        )

    def test_facts_and_reasons_not_told(self) -> None:
        reason = {"check": "reason", "any_of": ["because"]}
        criteria = {"trajectory": [reason], "reward_basis": ["TRAJECTORY", "COMMUNICATE"], "communicate_info": ["7"]}
        assert str(fault(criteria, says("Bye."))) == "missing information: not told: reason: because, 7"

    def test_a_criterion_of_the_project(self) -> None:
        extra = CriterionResult(criterion="TONE", value=0.0, note="too loud")
        played, sim = task(criteria={"reward_basis": []}), finished([says("HI!")])
        found = find_fault(played, sim, grade(played, sim, mock(), extra=[extra]), mock())
        assert str(found) == "other: TONE: too loud"

    def test_endless_evidence_ends(self) -> None:
        found = fault({"communicate_info": ["7" * 9000]}, says("Bye."))
        assert len(found.evidence) < 400


EXPECTED = {
    "wrong argument": {"wrong_argument"},
    "unrequested write": {"unintended_write", "policy_breach"},  # the last before the customer was identified
    "swapped order": {"wrong_order"},
    "omitted fact": {"missing_information"},
    "omitted reason": {"missing_information"},
    "unconfirmed write": {"policy_breach"},
    "needless hand-over": {"needless_hand_over"},
    "claimed deed": {"partly_done", "premature_end", "policy_breach"},  # the last where nothing was due
    "false reason": {"policy_breach"},
    "yes to another proposal": {"policy_breach"},
    "yes before the facts": {"policy_breach"},
    "write and undo": {"policy_breach", "unintended_write"},
    "needless write": {"policy_breach", "unintended_write"},
    "told a stranger's record": {"policy_breach"},
    "dropped hand-over": {"policy_breach", "partly_done"},  # a check of the trajectory, or of ACTION
}


def expected(mutant: Mutant, domain: Domain) -> set[str]:
    """What a mutant's fault must be called; whoever leaves out the only change has done nothing.

    Where all that is left to do is a hand-over, the customer's steps on the phone only serve to see what it is for.
    """
    criteria = mutant.task.evaluation_criteria
    hands_over = any(one.check == "called" for one in (criteria and criteria.trajectory) or [])
    if criteria and hands_over and "DB" not in criteria.reward_basis and mutant.operator == "dropped write":
        return {"policy_breach"}
    left = [a for a in mutant.task.gold_actions if domain.environment().writes(a.name)]
    return EXPECTED.get(mutant.operator) or ({"partly_done"} if left else {"premature_end"})


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("mock", 1), ("retail", 5), ("airline", 5), ("telecom", 10),
        *(pytest.param(name, 1, marks=pytest.mark.slow) for name in ("retail", "airline", "telecom")),
    ],
)  # fmt: skip
def test_mutants_are_named_by_the_mistake_they_make(name: str, every: int) -> None:
    domain, wrong, seen = load_domain(name), [], 0
    for played in core(name)[::every]:
        for mutant in mutants(played, domain, number=4):

            def agent(context: AgentContext, mutant: Mutant = mutant) -> Any:
                return mutant.agent(context)

            sim = simulate(played, domain, agent)
            reward = grade(played, sim, domain)
            found = find_fault(played, sim, reward, domain)
            assert (found is None) == reward.passed
            if found is not None:
                seen += 1
                if found.kind.value not in expected(mutant, domain):
                    wrong.append((played.id, mutant.operator, mutant.detail, str(found)))
    assert seen > 10
    assert not wrong


@pytest.mark.parametrize("name", ["tau2_results_airline", "tau2_results_retail", "tau1_results_airline"])
def test_every_miss_of_a_real_model_has_a_fault(name: str) -> None:
    data = shared("tau2")
    found = [
        find_fault(played, sim, reward, load_domain(sim.domain, data=data))
        for played, sim, reward, _ in rescore(shared("samples", f"{name}.json"), data=data)
        if not reward.passed
    ]
    assert found
    assert not [one for one in found if one is None or one.kind == FaultKind.OTHER]


def test_what_the_user_audit_found_comes_first() -> None:
    criteria = {"actions": [action("create_task", **CREATE)]}
    played = task(criteria=criteria)
    spoilt = UserFinding(rule="invented fact", turn=1, text="nobody told it the zip code 12345")
    sim = finished([says("Hi!"), asks("Bye")]).model_copy(update={"user_findings": [spoilt]})
    found = find_fault(played, sim, grade(played, sim, mock()), mock())
    assert str(found) == "user fault: invented fact: nobody told it the zip code 12345 (turn 1)"
    mild = sim.model_copy(update={"user_findings": [spoilt.model_copy(update={"rule": "contradiction"})]})
    assert str(find_fault(played, mild, grade(played, mild, mock()), mock())).startswith("premature end")
