"""Calls as people read them."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.schema.calls import render_call
from tests import strategies

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | strategies.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(strategies.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(values, values)
def test_the_values_of_a_call_are_shown_as_json(one: Any, other: Any) -> None:
    shown = [json.dumps(value, ensure_ascii=False) for value in (one, other)]
    assert render_call("look_up", {"one": one, "other": other}) == f"look_up(one={shown[0]}, other={shown[1]})"


def test_what_has_no_json_is_shown_as_python_writes_it() -> None:
    assert render_call("look_up", {"any_of": [{1}, None]}) == 'look_up(any_of=["{1}", null])'
