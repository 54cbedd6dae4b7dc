"""Requests as JSON: what Python's own encoder would have said, whatever a model or a customer wrote."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.llm.encoding import encode_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_it_reads_back_as_what_it_was(value: Any) -> None:
    assert json.loads(encode_json(value)) == value


def test_half_a_surrogate_pair_is_sent_as_python_sends_it() -> None:
    assert encode_json({"content": "\ud83d"}) == b'{"content": "\\ud83d"}'


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises((TypeError, ValueError)):
        encode_json({"content": object()})
