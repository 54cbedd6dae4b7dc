"""What a domain author writes: how records are named, and whose records a wish may be about."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import DomainError
from pytest_tau.schema.calls import Action
from pytest_tau.schema.checks import NotCalled
from tau_workshop.compose.atoms import (
    Atom,
    Family,
    Introduction,
    Reference,
    Revision,
    look_up,
    on_their_side,
    same_half,
)


@pytest.mark.parametrize(
    ("reference", "hidden", "text"),
    [
        (Reference("#W1", "my lamp"), False, "#W1"),
        (Reference("#W1", "my lamp"), True, "my lamp"),
        (Reference("#W1"), True, "#W1"),
        (Reference("#W1", ""), True, ""),
    ],
)
def test_a_record_is_named_with_its_id_where_there_are_no_other_words(
    reference: Reference, hidden: bool, text: str
) -> None:
    assert reference.text(hidden) == text


@given(st.lists(st.sampled_from("abcdef"), unique=True).map(sorted), st.lists(st.sampled_from("abcdef"), max_size=9))
def test_two_halves_of_the_customers_have_no_record_in_common(keys: list[str], owners: list[str]) -> None:
    rows = list(enumerate(owners))
    records = same_half(keys, rows, lambda row: row[1])
    found = {key: records(key) for key in keys}
    first, second = keys[::2], keys[1::2]
    for half in (first, second):
        for key in half:
            assert found[key] == [row for row in rows if row[1] in half]


def test_steps_of_either_side_are_actions() -> None:
    assert look_up("get", a=1) == Action(action_id="get", name="get", arguments={"a": 1}, requestor="assistant")
    assert on_their_side("see", name="x") == Action(
        action_id="see", name="see", arguments={"name": "x"}, requestor="user"
    )
    assert Action.model_validate(look_up("get", a=1).model_dump()) == look_up("get", a=1)


NO_WORDS = "it is told in no words; write some into 'says' (and 'then')"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ({"says": "Renew it."}, "'says' is a list of sentences, not one"),
        ({"manner": "You wait."}, "'manner' is a list of sentences, not one"),
        ({"touches": "L1"}, "'touches' is a set of texts, as in frozenset({\"#W1\"})"),
        ({"facts": "2026-03-20"}, "'facts' holds several; write (one,) with a comma for one"),
        ({"steps": look_up("get_users")}, "'steps' holds several; write (one,) with a comma for one"),
        ({"about": ("the book",)}, "'about' is one phrase, not a list"),
        ({"says": ()}, NO_WORDS),
        ({"revision": Revision((), ("No.",), look_up("get_users"))}, NO_WORDS),
    ],
)
def test_words_in_the_wrong_shape(words: dict[str, Any], sentence: str) -> None:
    with pytest.raises(DomainError, match=f"^atom 'renew': {re.escape(sentence)}$"):
        Atom("renew", **{"says": ("Renew it.",), "steps": (), "touches": frozenset(), **words})


def test_one_in_the_place_of_several() -> None:
    check = NotCalled(check="not_called", name="create_task")
    with pytest.raises(DomainError, match=r"the family: 'checks' holds several; write \(one,\) with a comma for one"):
        Family(customers=lambda domain: [], checks=check)  # type: ignore[arg-type]
    with pytest.raises(DomainError, match="an introduction: 'says' holds several"):
        Introduction("I am Bo.", ())  # type: ignore[arg-type]
