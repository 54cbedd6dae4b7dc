"""The customer's words as somebody else put them, which stand in the task."""

from typing import Any

import pytest
from pydantic import ValidationError

from pytest_tau import Task
from pytest_tau.schema.scenario import Instructions, Rewording
from pytest_tau.variants import Dose, builtin_kinds
from pytest_tau.variants.reworded import with_words
from pytest_tau.variants.texts import words_of
from tests.builders import mock, task
from tests.variants.telling import customer

KIND = builtin_kinds()["reworded"]


def told(number: int, played: Task) -> list[str]:
    found = KIND.change(played, mock(), Dose("reworded", number=number), 1)
    assert isinstance(found, Task)
    return words_of(found)


def test_what_a_paraphrase_does_not_say_stays() -> None:
    original = customer("A", "B", "C")
    assert words_of(with_words(original, Rewording(reason_for_call="x"))) == ["x", "B", "C"]
    whole = Rewording(reason_for_call="x", known_info="y", later=["z"])
    assert words_of(with_words(original, whole)) == ["x", "y", "z"]
    assert words_of(original) == ["A", "B", "C"]


def test_when_the_customer_says_it_and_the_directions_stay() -> None:
    original = customer("A", None, "C")
    found = with_words(original, Rewording(reason_for_call="x", later=["z"])).user_scenario.instructions
    assert isinstance(found, Instructions)
    assert [moment.when for moment in found.later or []] == ["done"]
    assert found.task_instructions == "Nothing else."


def test_instructions_that_are_one_text_are_replaced() -> None:
    assert words_of(with_words(task(), Rewording(reason_for_call="x"))) == ["x"]


def test_trials_go_through_them_in_their_order_and_begin_again() -> None:
    played = customer("A", reworded=[{"reason_for_call": "x"}, {"reason_for_call": "y"}])
    assert [told(number, played) for number in (1, 2, 3, 4)] == [["x"], ["y"], ["x"], ["y"]]


@pytest.mark.parametrize("given", [{}, {"reworded": []}])
def test_without_any_the_kind_does_not_apply(given: dict[str, Any]) -> None:
    played = customer("A", **given)
    assert not KIND.applies(played, mock())
    assert told(1, played) == ["A"]
    assert KIND.applies(customer("A", reworded=[{"reason_for_call": "x"}]), mock())


def test_one_that_has_other_moments_than_the_scenario_is_refused_with_the_task() -> None:
    with pytest.raises(ValidationError, match=r"reworded\[0\]\.later has 2 texts, the scenario 1"):
        customer("A", None, "C", reworded=[{"reason_for_call": "x", "later": ["y", "z"]}])
