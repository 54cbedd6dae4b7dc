"""Calls that a task writes down, as people read them."""

import json

from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.schema.calls import Action, EnvAssertion, render_call
from tests.laws.strategies import JSON


def test_calls_for_people() -> None:
    assert render_call("f", {"a": "é", "b": None, "c": [1.0]}) == 'f(a="é", b=null, c=[1.0])'
    assertion = EnvAssertion(env_type="user", func_name="f", arguments={"a": 1}, assert_value=False)
    assert str(assertion) == "user: f(a=1) is False"
    action = Action(action_id="1", name="f", arguments={"a": 1}, requestor="user")
    assert str(action) == "f(a=1)"
    assert render_call("f", {}) == "f()"


@given(st.dictionaries(st.sampled_from("abc"), JSON, max_size=3))
def test_values_are_json_on_one_line(arguments: dict[str, object]) -> None:
    rendered = render_call("f", arguments)
    for name, value in arguments.items():
        assert f"{name}={json.dumps(value, ensure_ascii=False)}" in rendered
    assert "\n" not in rendered
