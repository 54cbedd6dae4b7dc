"""The grade of a simulation: verdicts, progress, violations, severities, retrieval."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from pytest_tau import Reward
from pytest_tau.schema.reward import Check, Conduct, CriterionResult, Effort, MilestoneStatus, Retrieval, Violation

BROKEN = [Violation(dimension="consent", severity=1.0, text="no yes")]


@pytest.mark.parametrize(
    ("value", "passed", "ungraded"),
    [(1.0, True, False), (1 - 1e-9, True, False), (0.0, False, False), (0.99, False, False), (None, False, True)],
)
def test_a_reward(value: float | None, passed: bool, ungraded: bool) -> None:
    reward = Reward(value=value)
    assert (reward.passed, reward.ungraded) == (passed, ungraded)


def test_a_result_by_name() -> None:
    result = CriterionResult(criterion="DB", value=1.0)
    reward = Reward(value=1.0, results=[result])
    assert reward.result("DB") is result
    assert reward.result("ACTION") is None


STATUSES = st.lists(
    st.builds(
        MilestoneStatus, id=st.just("s"), name=st.just("s"), turn=st.none() | st.integers(0, 9), mine=st.booleans()
    ),
    max_size=6,
)


@given(STATUSES, st.sampled_from([None, 0.0, 1.0]))
def test_progress_is_the_share_of_milestones_unless_a_minefield_was_hit(
    stations: list[MilestoneStatus], value: float | None
) -> None:
    reward = Reward(value=value, stations=stations)
    due = [one.turn is not None for one in stations if not one.mine]
    hit = any(one.mine and one.turn is not None for one in stations)
    expected = 0.0 if hit else sum(due) / len(due) if due else None
    assert reward.progress == expected
    assert reward.partial == (None if expected is None or value is None else (expected + value) / 2)
    assert Reward.model_validate_json(reward.model_dump_json()) == reward


def test_violations_are_looked_for_when_somebody_asks_and_known_ones_stand() -> None:
    asked: list[int] = []

    def look() -> tuple[list[Violation], int]:
        asked.append(1)
        return BROKEN, 1

    reward = Reward(value=1.0).looked_at(look)
    assert asked == []
    assert (reward.violations, reward.under_policy) == (BROKEN, False)
    assert reward == Reward(value=1.0)  # whether it was looked at makes no difference
    assert Reward(violated=[]).looked_at(look).violations == []
    assert Reward().violations == []


@pytest.mark.parametrize(
    ("violated", "unclear", "ends"),
    [([], 0, (1.0, 1.0)), ([], 2, (0.0, 1.0)), (BROKEN, 0, (0.0, 0.0)), (BROKEN, 2, (0.0, 0.0))],
)
def test_under_policy_is_a_range_as_long_as_something_is_unclear(
    violated: list[Violation], unclear: int, ends: tuple[float, float]
) -> None:
    known = Reward(violated=violated, conduct=Conduct(completed=True, unclear=unclear))
    asked = Reward().looked_at(lambda: (violated, unclear))
    assert known.under_policy_range == asked.under_policy_range == ends
    assert known.under_policy == bool(ends[1])


def test_agreements_that_are_unclear_are_counted_where_they_count() -> None:
    checks = [Check(name="a", unclear=2), Check(name="b", unclear=1), Check(name="c")]
    results = [CriterionResult(criterion=name, checks=checks, in_basis=name == "in") for name in ("in", "out")]
    assert Reward(results=results).unclear == 3


@pytest.mark.parametrize(
    ("written", "read"), [("low", 0.25), ("medium", 0.5), ("high", 1.0), (0.25, 0.25), (0.5, 0.5), (1, 1.0)]
)
def test_a_severity_is_a_weight_and_once_was_a_word(written: Any, read: float) -> None:
    assert Violation(dimension="x", severity=written, text="y").severity == read


@pytest.mark.parametrize("written", [0, 0.3, 2, "huge", None])
def test_there_are_no_other_severities(written: Any) -> None:
    with pytest.raises(ValidationError):
        Violation(dimension="x", severity=written, text="y")


NAMES = st.lists(st.sampled_from("abcdef"), max_size=8)


@given(NAMES.filter(len), NAMES, NAMES)
def test_documents_are_counted_once_however_often_they_are_found(
    required: list[str], found: list[str], read: list[str]
) -> None:
    once = Retrieval(required=list(dict.fromkeys(required)), found=list(dict.fromkeys(found)), read=read)
    often = Retrieval(required=required, found=found * 2, read=read)
    hits = len({*required} & {*found})
    assert (often.recall, often.precision, str(often)) == (once.recall, once.precision, str(once))
    assert often.recall == hits / len({*required})
    assert often.precision == (hits / len({*found}) if found else None)


def test_retrieval_in_words() -> None:
    assert str(Retrieval(required=["a", "b"], found=["a", "c", "d"], read=["a", "c"])) == (
        "1 of 2 required documents found, 1 read, among 3 found in all"
    )


def test_a_finding_names_the_change_without_a_yes_and_not_all_that_need_one() -> None:
    found = Check(name="confirmed: cancel_order, return_order", met=False, explanation="cancel_order without a yes")
    assert found.finding == "confirmed: cancel_order without a yes"
    assert Check(name="order: a → b", met=False, explanation="b came first").finding == "order: a → b: b came first"
    assert Check(name="112.71", met=False).finding == "112.71"


@pytest.mark.parametrize("field", ["turns", "apologies", "handle_time"])
@pytest.mark.parametrize("value", [10**400, -1])
def test_effort_is_a_number_that_one_can_divide(field: str, value: int) -> None:
    with pytest.raises(ValueError, match=field):
        Effort.model_validate({"turns": 1, field: value})
