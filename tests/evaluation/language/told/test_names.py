"""Names of records that the agent tells: unclear where nothing has shown them."""

import json

import pytest

from pytest_tau import load_domain
from pytest_tau.evaluation.language.told.names import names_from_nowhere
from pytest_tau.evaluation.language.told.unseen import unseen_claims
from pytest_tau.schema.messages import AnyMessage
from tests.builders import a_call, asks, result_of, says

LOOK = a_call("get_details_by_id", id="L2004")
LINE = json.dumps({"line_id": "L2004", "plan_id": "P2003", "status": "Active"})
WORLD = load_domain("telecom").environment()


def told(text: str, *before: AnyMessage, asked: str = "Which plan have I?") -> list[AnyMessage]:
    return [asks(asked), says(None, LOOK), result_of(LOOK, LINE), *before, says(text)]


@pytest.mark.parametrize(
    "text", ["You are on the Wayfarer plan.", "Your plan: **Wayfarer**, 60 GB.", "PLAN\n- plan Pocket"]
)
def test_a_name_that_nothing_has_shown(text: str) -> None:
    assert [one.turn for one in names_from_nowhere(told(text), WORLD)] == [3]
    assert [one.turn for one in unseen_claims(told(text), WORLD)] == [3]


@pytest.mark.parametrize(
    "text",
    [
        "Keep it in your Pocket.",
        "Put it in your pocket; your plan is fine.",
        "You have the Wayfaring plan.",
        'You asked "Is it the Wayfarer plan or not".',
    ],
    ids=["of no plan", "no name", "another word", "somebody else's words"],
)
def test_what_is_no_name_of_a_record(text: str) -> None:
    assert not [*names_from_nowhere(told(text), WORLD)]


def test_what_a_result_the_customer_or_the_policy_has_is_known() -> None:
    text = "You are on the Wayfarer plan."
    plan = a_call("get_details_by_id", id="P2003")
    seen = (says(None, plan), result_of(plan, json.dumps({"plan_id": "P2003", "name": "Wayfarer"})))
    assert not [*names_from_nowhere(told(text, *seen), WORLD)]
    assert not [*names_from_nowhere(told(text, asked="Have I the wayfarer plan?"), WORLD)]
    assert [*names_from_nowhere([*told(text), *seen], WORLD)]  # shown after it was told


def test_a_name_is_shown_as_json_escapes_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WORLD.domain.base, "names", {"Zo\u00eb": "plans"})
    plan = a_call("get_details_by_id", id="P2003")
    seen = (says(None, plan), result_of(plan, json.dumps({"plan_id": "P2003", "name": "Zo\u00eb"})))
    assert [*names_from_nowhere(told("It is the Zo\u00eb plan."), WORLD)]
    assert not [*names_from_nowhere(told("It is the Zo\u00eb plan.", *seen), WORLD)]


def test_a_world_without_names_tells_nothing() -> None:
    assert not [*names_from_nowhere(told("You are on the Wayfarer plan."), load_domain("airline").environment())]
