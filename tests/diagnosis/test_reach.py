"""What can be found out with the agent's own tools from what the customer says alone."""

import pytest

from pytest_tau import Task, load_domain
from pytest_tau.diagnosis.reach import reach
from pytest_tau.schema.calls import Action
from tau_workshop.audit.suite import audit_task
from tests.builders import whole


def writes_only(task: Task) -> tuple[Task, list[Action]]:
    """The task with a gold path that looks nothing up, as the public data has them; and what was left out."""
    domain = load_domain("retail")
    env = domain.environment()
    kept = [action for action in task.gold_actions if env.writes(action.name)]
    assert task.evaluation_criteria is not None
    criteria = task.evaluation_criteria.model_copy(update={"actions": kept})
    return task.model_copy(update={"evaluation_criteria": criteria}), kept


@pytest.mark.parametrize("said", ["e-mail", "zip code"])
def test_who_calls_is_found_and_then_their_orders_and_other_variants(said: str) -> None:
    domain = load_domain("retail")
    for task in whole("retail")[:12]:
        if said not in task.user_scenario.render():
            continue
        bare, kept = writes_only(task)
        if not kept:
            continue
        texts = reach(bare.model_copy(update={"evaluation_criteria": None}), domain, far=True).texts
        assert all(str(action.arguments.get("order_id", "")) in texts for action in kept), task.id


def test_an_id_that_nothing_leads_to_is_a_finding() -> None:
    domain = load_domain("retail")
    task = next(task for task in whole("retail") if writes_only(task)[1])
    bare, (first, *_) = writes_only(task)
    stray = first.model_copy(update={"arguments": {**first.arguments, "order_id": "#W0000000"}})
    assert bare.evaluation_criteria is not None
    criteria = bare.evaluation_criteria.model_copy(update={"actions": [stray]})
    findings = audit_task(bare.model_copy(update={"evaluation_criteria": criteria}), domain, number=0).findings
    why = "order_id '#W0000000' is neither said by the customer nor returned by a look-up that was tried"
    assert any(why in finding for finding in findings)
