"""Tasks: how a scenario reads, and what a task says of itself."""

import pytest

from pytest_tau import Task
from pytest_tau.schema.calls import EnvAssertion, render_call
from pytest_tau.schema.scenario import Instructions, UserScenario
from tests.builders import action, task

FULL = Instructions(
    domain="retail", reason_for_call="Why", known_info="a\n\nb", unknown_info="", task_instructions="Do\n  this"
)


class TestScenario:
    def test_a_text(self) -> None:
        assert UserScenario(instructions="one\ntwo").render() == "Instructions:\n\tone\n\ttwo"

    @pytest.mark.parametrize(
        ("persona", "start"), [(None, ""), ("", "Persona:\n\n"), ("line1\n \nline2", "Persona:\n\tline1\n\n\tline2\n")]
    )
    def test_a_persona(self, persona: str | None, start: str) -> None:
        assert UserScenario(persona=persona, instructions="x").render() == f"{start}Instructions:\n\tx"

    def test_sections_are_indented_twice(self) -> None:
        assert UserScenario(instructions=FULL).render() == (
            "Instructions:\n\tDomain: retail\n\tReason for call:\n\t\tWhy\n\tKnown info:\n\t\ta\n\n\t\tb\n"
            "\tUnknown info:\n\n\tTask instructions:\n\t\tDo\n\t\t  this"
        )

    def test_sections_that_are_not_there(self) -> None:
        bare = FULL.model_copy(update={"known_info": None, "unknown_info": None})
        assert "info" not in bare.render()


class TestTask:
    def test_its_domain(self) -> None:
        assert task().domain_name == "mock"
        assert task(domain=None).domain_name is None
        assert Task(id="a", user_scenario=UserScenario(instructions=FULL)).domain_name == "retail"
        assert Task(id="a", domain="x", user_scenario=UserScenario(instructions=FULL)).domain_name == "x"

    def test_what_is_left_out_is_empty(self) -> None:
        bare = task()
        assert (bare.gold_actions, bare.history, bare.evaluation_criteria) == ([], [], None)
        assert task(criteria={}).gold_actions == []
        assert task(initial_state={}).history == []

    def test_defaults(self) -> None:
        (gold,) = task(criteria={"actions": [{"action_id": "1", "name": "x", "arguments": {}}]}).gold_actions
        assert (gold.requestor, gold.compare_args) == ("assistant", None)

    def test_json_round_trip(self) -> None:
        full = task(criteria={"actions": [action("x", a=[1, None])], "reward_basis": []}, tags=["a"])
        assert Task.model_validate_json(full.model_dump_json()) == full


def test_calls_for_people() -> None:
    assert render_call("f", {"a": "é", "b": None, "c": [1.0]}) == 'f(a="é", b=null, c=[1.0])'
    assertion = EnvAssertion(env_type="user", func_name="f", arguments={"a": 1}, assert_value=False)
    assert str(assertion) == "user: f(a=1) is False"
