"""insurance: what its tools refuse, and that its tasks follow from the documents and from nothing else."""

from collections.abc import Iterator
from datetime import date
from functools import cache
from types import ModuleType
from typing import Any

import pytest

from pytest_tau import Domain, Environment, Task, grade, load_domain, simulate
from pytest_tau.agents.oracle import Oracle
from pytest_tau.environment.folders import builtin_folder
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled, ReadBefore
from tests.builders import whole, workshop_part

FOLDER = builtin_folder("domains", "insurance")
DOMAIN = load_domain(FOLDER)
TASKS = whole("insurance")
WRITTEN = [task for task in TASKS if "composed" not in task.tags]
# What holds for every composed task was shown when it was composed; here some of them stand for all.
PLAYED = [*WRITTEN, *[task for task in TASKS if task not in WRITTEN][::8]]
READING = [task for task in PLAYED if task.required_documents]
ACTS = {"settle_claim", "reject_claim", "request_evidence", "run_procedure"}


def part(name: str) -> ModuleType:
    return workshop_part(FOLDER, name)


def call(env: Environment, tool: str, **arguments: Any) -> str:
    result = env.call(tool, arguments)
    assert not result.error, result.content
    return result.content


def refusal(tool: str, **arguments: Any) -> str:
    env = DOMAIN.environment()
    result = env.call(tool, arguments)
    assert result.error
    assert not env.changes()
    return result.content


@cache
def records(table: str) -> dict[str, Any]:
    return DOMAIN.base.tables[table].raw


def some(table: str, **fields: Any) -> str:
    """The id of the first record with these fields."""
    defaults = {"status": "open" if table == "claims" else "active"}
    return next(
        key for key, row in records(table).items() if all((defaults | row).get(k) == v for k, v in fields.items())
    )


# -- tools ------------------------------------------------------------------------------------------------------------


def test_a_procedure_runs_with_the_code_in_force_and_with_no_other() -> None:
    claim = some("claims", status="open")
    run = {"procedure": "waive_deductible", "details": {"claim_id": claim}}
    for code in ("DW-0412", "DW-0000", ""):
        assert "No procedure has this name and code" in refusal("run_procedure", authorisation_code=code, **run)
    env = DOMAIN.environment()
    call(env, "run_procedure", authorisation_code="DW-0771", **run)
    assert env.tools.db.claims[claim].deductible_waived
    assert [run.procedure for run in env.tools.db.procedure_runs.values()] == ["waive_deductible"]


def test_a_procedure_of_an_old_instruction_is_gone() -> None:
    contract = some("contracts", status="lapsed")
    details = {"contract_id": contract, "arrears": 50}
    assert "No procedure" in refusal(
        "run_procedure", procedure="revive_contract", authorisation_code="RC-0098", details=details
    )


def test_amounts_are_worked_out_to_the_cent() -> None:
    assert call(DOMAIN.environment(), "calculate", expression="3 * (19.99 + 5)") == "74.97"


@pytest.mark.parametrize(
    ("details", "why"),
    [
        ({}, "needs the detail 'contract_id'"),
        ({"contract_id": "K-20011"}, "needs the detail 'amount'"),
        ({"contract_id": "K-20011", "amount": 5, "why": "x"}, "knows no detail 'why'"),
        ({"contract_id": "K-20011", "amount": "five"}, "must be a number"),
        ({"contract_id": 7, "amount": 5}, "must be a text"),
        ({"contract_id": "K-1", "amount": 5}, "Contract K-1 not found"),
        ({"contract_id": "K-20011", "amount": 5}, "Cancel the contract first"),
    ],
)
def test_details_of_a_procedure_are_checked(details: dict[str, Any], why: str) -> None:
    assert why in refusal("run_procedure", procedure="premium_refund", authorisation_code="PR-2064", details=details)


def test_every_procedure_can_be_run() -> None:
    """Each by somebody whom the books allow it; that the documents allow it as well is the agent's business."""
    env = DOMAIN.environment()
    car, other = [key for key, row in records("contracts").items() if "kilometres" in row["details"]][:2]
    journey = some("contracts", product="Trip Single", status="active")
    claims = [key for key, row in records("claims").items() if row.get("status", "open") == "open"]
    call(env, "cancel_contract", contract_id="K-20011", last_day="2026-04-30", ground="ordinary_notice")
    details = {
        "premium_refund": {"contract_id": "K-20011", "amount": 10},
        "waive_deductible": {"claim_id": claims[0]},
        "goodwill_payment": {"claim_id": some("claims", status="rejected"), "amount": 10},
        "reinstate_contract": {"contract_id": some("contracts", status="lapsed"), "arrears": 10},
        "send_adjuster": {"claim_id": claims[1], "firm": "Mittel Survey"},
        "lay_up_vehicle": {"contract_id": car, "first_day": "2026-04-01"},
        "extend_trip": {"contract_id": journey, "last_day": "2026-04-01", "surcharge": 10},
        "transfer_no_claims_years": {"from_contract_id": car, "to_contract_id": other, "years": 3},
        "advance_payment": {"claim_id": claims[2], "amount": 10},
        "reopen_claim": {"claim_id": some("claims", status="settled")},
        "payment_pause": {"contract_id": car, "months": 2},
    }
    current = part("procedures").CURRENT
    assert set(details) == set(current)
    for name, given in details.items():
        before = len(env.changes())
        call(env, "run_procedure", procedure=name, authorisation_code=current[name].code, details=given)
        assert len(env.changes()) > before
    assert len(env.tools.db.procedure_runs) == len(current) == 11


@pytest.mark.parametrize(
    ("tool", "arguments", "why"),
    [
        ("settle_claim", {"amount": 0}, "reject the claim instead"),
        ("request_evidence", {"papers": []}, "Name at least one paper"),
        ("reject_claim", {"ground": "too_dear"}, "Argument 'ground'"),
    ],
)
def test_claims_are_decided_as_the_books_allow(tool: str, arguments: dict[str, Any], why: str) -> None:
    assert why in refusal(tool, claim_id=some("claims", status="open"), **arguments)


def test_a_claim_is_decided_once() -> None:
    assert "is not open" in refusal("settle_claim", claim_id=some("claims", status="settled"), amount=5)


def test_an_extra_is_added_once() -> None:
    env = DOMAIN.environment()
    added = {"contract_id": "K-20011", "code": "HX-HO1", "begins": "2026-04-01", "annual_price": 33}
    call(env, "add_extra", **added)
    assert env.call("add_extra", added).error


def test_hidden_names_are_in_no_schema() -> None:
    """What a procedure is called, and its code, an agent learns from a document only."""
    shown = str([spec.schema for spec in DOMAIN.environment().tool_specs()])
    for name, procedure in part("procedures").CURRENT.items():
        assert name not in shown
        assert procedure.code not in shown


# -- rules ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("begun", "event", "period"),
    [
        (date(2024, 5, 1), date(2025, 7, 10), date(2025, 5, 1)),
        (date(2024, 5, 1), date(2025, 4, 30), date(2024, 5, 1)),
        (date(2024, 5, 1), date(2024, 5, 1), date(2024, 5, 1)),
        (date(2024, 2, 29), date(2025, 2, 28), date(2025, 2, 28)),
    ],
)
def test_the_insurance_year_of_an_event(begun: date, event: date, period: date) -> None:
    assert part("rules").period_of(begun, event) == period


@pytest.mark.parametrize(
    ("line", "begun", "ends", "last_day"),
    [
        ("home", date(2024, 8, 1), date(2026, 7, 31), date(2026, 4, 30)),
        ("home", date(2025, 9, 10), date(2026, 9, 9), date(2026, 9, 30)),
        ("motor", date(2024, 5, 1), date(2026, 4, 30), date(2026, 4, 30)),
        ("motor", date(2024, 4, 10), date(2026, 4, 9), date(2027, 4, 9)),
        ("cycle", date(2023, 1, 1), date(2026, 12, 31), date(2026, 4, 6)),
        ("pet", date(2025, 3, 8), date(2027, 3, 7), date(2026, 9, 30)),
    ],
)
def test_the_day_on_which_a_contract_can_end(line: str, begun: date, ends: date, last_day: date) -> None:
    rules = part("rules")
    rule = rules.in_force(part("servicing").CANCELLATIONS[line], rules.TODAY)
    assert part("contracts").cancellation_day(rule, begun, ends) == last_day


# -- tasks ------------------------------------------------------------------------------------------------------------


def test_sizes() -> None:
    assert len(WRITTEN) >= 20
    assert sum(not task.required_documents for task in WRITTEN) <= 3


@pytest.mark.parametrize("task", PLAYED, ids=lambda task: task.id)
def test_the_oracle_passes_and_who_does_nothing_or_never_reads_does_not(task: Task) -> None:
    assert grade(task, simulate(task, DOMAIN), DOMAIN).passed
    assert not grade(task, simulate(task, DOMAIN, "noop"), DOMAIN).passed
    if task.required_documents:
        assert not passes(task, unread(task))


def unread(task: Task) -> Task:
    """The task for a player that does everything right and never reads."""
    return task.model_copy(update={"required_documents": None})


def passes(task: Task, played: Task) -> bool:
    """Whether somebody who takes one task for another passes the first."""
    simulation = simulate(task, DOMAIN, lambda context: Oracle(played, context))
    return grade(task, simulation, DOMAIN).passed


def test_who_makes_a_change_twice_does_not_pass() -> None:
    task = next(task for task in WRITTEN if task.id == "a_ring_from_grandmother")
    criteria = task.evaluation_criteria
    assert criteria is not None
    change = next(action for action in task.gold_actions if action.name == "change_sum_insured")
    actions = [*task.gold_actions, change.model_copy(update={"action_id": "again"})]
    twice = task.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"actions": actions})})
    assert not passes(task, twice)


@pytest.mark.parametrize("task", READING, ids=lambda task: task.id)
def test_every_required_document_has_to_be_read(task: Task) -> None:
    needed = task.required_documents or []
    for left_out in needed:
        others = [document for document in needed if document != left_out]
        assert not passes(task, task.model_copy(update={"required_documents": others})), left_out


@pytest.mark.parametrize("task", READING, ids=lambda task: task.id)
def test_required_documents_exist_and_are_in_force_or_hold_for_an_older_contract(task: Task) -> None:
    documents = DOMAIN.documents
    assert documents is not None
    known = documents.by_id
    checks = task.evaluation_criteria.trajectory if task.evaluation_criteria else []
    assert any(isinstance(check, ReadBefore) for check in checks or [])
    for name in task.required_documents or []:
        text = known[name].text
        assert "-terms-" in name or (
            "no longer accepted" not in text and "*In use from" not in text and "Expired" not in text
        )


def decided(task: Task) -> Iterator[tuple[str, Any]]:
    """The claims that a task decides, each with its decision by the rules."""
    env = DOMAIN.environment(task)
    rejected = {a.arguments["claim_id"]: a for a in task.gold_actions if a.name == "reject_claim"}
    for action in task.gold_actions:
        details = action.arguments.get("details", action.arguments)
        claim_id = details.get("claim_id")
        if action.name not in ACTS or claim_id is None or (action.name == "run_procedure" and "firm" not in details):
            continue
        claim = env.tools.db.claims[claim_id]
        contract = env.tools.db.contracts[claim.contract_id]
        if "bulletin-2025-11-skylark" in (task.required_documents or []):
            continue  # a reason for cancelling that no terms know; see the test of its own
        if "bulletin-2025-09-voltara" in (task.required_documents or []) and claim_id in rejected:
            continue
        customer = env.tools.db.customers[contract.customer_id]
        _, verdict = part("cases").case_of(contract.model_dump(), claim.model_dump(), customer.postcode)
        yield claim_id, (action, verdict, contract, claim, customer.postcode)


DECIDING = [(task, *one) for task in TASKS for one in decided(task)]
AT_THE_DESK = [one for one in DECIDING if one[0] in PLAYED and not one[2][1].decision.adjuster]


@pytest.mark.parametrize(("task", "claim_id", "found"), DECIDING, ids=[f"{t.id}-{c}" for t, c, _ in DECIDING])
def test_claims_are_decided_by_the_rules_that_the_documents_are_written_from(
    task: Task, claim_id: str, found: Any
) -> None:
    action, verdict, *_ = found
    decision = verdict.decision
    if action.name == "settle_claim":
        assert action.arguments["amount"] == decision.settle
    elif action.name == "reject_claim":
        assert action.arguments["ground"] == decision.reject
    elif action.name == "request_evidence":
        assert tuple(sorted(action.arguments["papers"])) == decision.missing
    else:
        assert decision.adjuster
    assert verdict.edition.document in (task.required_documents or [])


@pytest.mark.parametrize(("task", "claim_id", "found"), AT_THE_DESK, ids=[f"{t.id}-{c}" for t, c, _ in AT_THE_DESK])
def test_who_goes_by_a_stale_document_or_a_neighbours_decides_otherwise_and_fails(
    task: Task, claim_id: str, found: Any
) -> None:
    action, verdict, contract, claim, postcode = found
    case, _ = part("cases").case_of(contract.model_dump(), claim.model_dump(), postcode)
    mistakes = part("cases").wrong_decisions(case, verdict.decision)
    assert mistakes, "a task about a claim is for those who find the right document"
    different = {str(mistake.decision): mistake for mistake in mistakes}
    for mistake in different.values():
        name, arguments = step(mistake.decision, claim_id)
        assert not passes(task, instead(task, action, name, arguments)), mistake


def instead(task: Task, action: Action, name: str, arguments: dict[str, Any]) -> Task:
    """The task with another call in the place of one."""
    wrong = action.model_copy(update={"name": name, "arguments": arguments})
    actions = [wrong if one is action else one for one in task.gold_actions]
    criteria = task.evaluation_criteria
    assert criteria is not None
    return task.model_copy(update={"evaluation_criteria": criteria.model_copy(update={"actions": actions})})


RUNS = [(task, action) for task in PLAYED for action in task.gold_actions if action.name == "run_procedure"]


@pytest.mark.parametrize(("task", "action"), RUNS, ids=[f"{t.id}-{a.action_id}" for t, a in RUNS])
def test_who_goes_by_a_stale_work_instruction_fails(task: Task, action: Action) -> None:
    editions = next(
        editions
        for editions in part("procedures").EDITIONS.values()
        if editions[-1].name == action.arguments["procedure"]
    )
    arguments = {**action.arguments, "procedure": editions[0].name, "authorisation_code": editions[0].code}
    assert not passes(task, instead(task, action, "run_procedure", arguments))


def step(decision: Any, claim_id: str) -> tuple[str, dict[str, Any]]:
    """The call by which a decision is entered."""
    if decision.settle is not None:
        return "settle_claim", {"claim_id": claim_id, "amount": decision.settle}
    if decision.reject is not None:
        return "reject_claim", {"claim_id": claim_id, "ground": decision.reject}
    if decision.missing:
        return "request_evidence", {"claim_id": claim_id, "papers": list(decision.missing)}
    details = {"claim_id": claim_id, "firm": "Mittel Survey"}
    return "run_procedure", {"procedure": "send_adjuster", "authorisation_code": "LA-5871", "details": details}


def test_nobody_is_handed_over_who_can_be_refused() -> None:
    for task in TASKS:
        checks = (task.evaluation_criteria.trajectory if task.evaluation_criteria else None) or []
        handed = any(action.name == "transfer_to_human_agents" for action in task.gold_actions)
        forbidden = any(isinstance(c, NotCalled) and c.name == "transfer_to_human_agents" for c in checks)
        assert handed != forbidden, task.id


def test_the_oracle_needs_the_library_to_know_a_code() -> None:
    """Without documents at hand nothing that an agent sees tells a code."""
    bare: Domain = load_domain(FOLDER, knowledge="none")
    task = next(task for task in TASKS if any(a.name == "run_procedure" for a in task.gold_actions))
    env = bare.environment(task)
    seen = bare.policy + "".join(
        env.call(action.name, action.arguments).content for action in task.gold_actions if not env.writes(action.name)
    )
    codes = [a.arguments["authorisation_code"] for a in task.gold_actions if a.name == "run_procedure"]
    assert codes
    assert all(code not in seen for code in codes)
