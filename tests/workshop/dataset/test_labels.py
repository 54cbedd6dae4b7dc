"""What a conversation is worth, as a whole and turn by turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.errors import RecordingError
from pytest_tau.schema.reward import MilestoneStatus, Violation
from tau_workshop.dataset.labels import following, label, progress_at
from tests.builders import a_call, asks, finished, mock, result_of, says
from tests.workshop.dataset.played import LAST, TASK, WRITE, badly, well


def status(turn: int | None, *, mine: bool = False) -> MilestoneStatus:
    return MilestoneStatus(id="a", name="a", turn=turn, mine=mine)


class TestPassed:
    def test_every_turn_is_worth_learning(self) -> None:
        one = well()
        assert one.passed
        assert (one.fault, one.no_return) == (None, None)
        assert [label.turn for label in one.turns] == [2, 4, 6, WRITE, LAST]  # without the greeting
        assert all(label.trainable for label in one.turns)
        assert [label.progress for label in one.turns] == [0.0, 0.0, 0.0, 1.0, 1.0]

    def test_the_oracles_own_moves_are_gold_and_looking_for_them_finds_the_same(self) -> None:
        messages = well().simulation.messages
        assert [label.gold for label in well().turns] == [messages[label.turn] for label in well().turns]
        found = [label.gold for label in well(gold=False).turns]
        assert [(gold.text, gold.tool_calls) for gold in found if gold] == [
            (gold.text, gold.tool_calls) for label in well().turns if (gold := label.gold)
        ]

    def test_alone_the_agent_has_no_greeting_of_its_own(self) -> None:
        assert well(solo=True).turns[0].turn == 0


class TestMissed:
    def test_the_turn_that_lost_it(self) -> None:
        one = badly()
        assert not one.passed
        assert one.fault is not None
        assert one.no_return is not None
        assert one.no_return.turn == WRITE

    def test_what_came_before_is_worth_learning_and_nothing_after_it(self) -> None:
        assert [label.trainable for label in badly().turns] == [True, True, True, False, False]

    def test_gold_is_what_the_oracle_would_have_done_there_and_nothing_after_it(self) -> None:
        gold = {label.turn: label.gold for label in badly().turns}
        assert gold[LAST] is None
        due = gold[WRITE]
        assert due is not None
        assert [call.arguments["title"] for call in due.tool_calls or []] == ["Renew the parking permit"]


def test_an_ungraded_one_has_no_turn_that_lost_it_and_teaches_nothing() -> None:
    simulation = badly().simulation
    ungraded = badly().reward.model_copy(update={"value": None, "passed": False})
    assert ungraded.ungraded
    one = label(TASK, simulation, ungraded, mock())
    assert one.no_return is None
    assert not any(label.trainable for label in one.turns)


def test_a_turn_that_broke_a_rule_is_not_worth_learning_though_the_trial_passed() -> None:
    broken = Violation(dimension="consent", severity=1.0, turn=WRITE, text="nobody agreed")
    reward = well().reward.model_copy(update={"violated": [broken]})
    turns = label(TASK, well().simulation, reward, mock(), oracle=True).turns
    assert [label.turn for label in turns if not label.trainable] == [WRITE]


def test_a_conversation_that_lacks_a_call_of_its_results_is_refused() -> None:
    messages = [message for turn, message in enumerate(badly().simulation.messages) if turn != WRITE]
    simulation = badly().simulation.model_copy(update={"messages": messages})
    with pytest.raises(RecordingError, match="Tool message not expected"):
        label(TASK, simulation, badly().reward, mock())


def test_the_results_that_follow_a_message_belong_to_it() -> None:
    one, other = a_call(id="a"), a_call(id="b")
    sim = finished([says(None, one, other), result_of(one), result_of(other), asks("x"), says("y")])
    assert [following(sim, turn) for turn in range(5)] == [2, 2, 2, 3, 4]


turns = st.none() | st.integers(0, 6)


@given(st.lists(turns, min_size=1, max_size=4))
def test_progress_never_falls_and_counts_what_was_reached(reached: list[int | None]) -> None:
    stations = [status(turn) for turn in reached]
    found = [progress_at(stations, turn) for turn in range(-1, 7)]
    assert found == sorted(found)
    assert found[0] == 0.0
    assert found[-1] == pytest.approx(sum(turn is not None for turn in reached) / len(reached))


@given(st.lists(turns, max_size=4), st.integers(0, 6))
def test_a_minefield_takes_it_all_away_from_then_on(reached: list[int | None], hit: int) -> None:
    stations = [status(turn) for turn in reached]
    mined = [*stations, status(hit, mine=True)]
    for turn in range(7):
        assert progress_at(mined, turn) == (0.0 if turn >= hit else progress_at(stations, turn))
