"""Plays in natural words (benchmarks/blind): no right one is missed, and what is seen of the others stays seen."""

import pytest

from benchmarks.plays import RIGHT, SETS, plays, verdict

SEEN = {
    "1_eighty": 33,
    "2_sixty": 24,
    "3_talkative": 0,
    "4_several_wishes": 0,
    "5_eighty_more": 33,
    "6_eighty_again": 32,
    "7_yet_eighty_more": 26,
    "8_partly_agreed": 41,
    "9_agreed_or_not": 53,
    "9b_agreed_and_told": 0,
    "9c_agreed_and_breached": 54,
    "9d_agreed_at_last": 0,
    "9e_eighty_of_a_day": 28,
    "9f_eighty_of_a_weekday": 29,
    "9g_eighty_of_a_workday": 35,
    "9h_eighty_of_one_day": 27,
    "9i_eighty_that_came_in": 26,
    "9j_seventy_six_of_a_day": 24,
    "9k_fifty_six_with_facts": 11,
    "9l_forty_of_one_more_day": 17,
    "9m_forty_of_a_quiet_day": 17,
    "9n_forty_of_a_rainy_day": 14,
}
"""Of the plays with a defect, how many are missed or at least unclear."""


LATEST = "9n_forty_of_a_rainy_day"


@pytest.mark.parametrize(
    "name", [name if name == LATEST else pytest.param(name, marks=pytest.mark.slow) for name in SETS]
)
def test_no_right_play_is_missed_and_no_defect_is_lost_from_sight(name: str) -> None:
    found = [(play, verdict(play)) for play in plays(name)]
    assert [play.id for play, given in found if play.label == RIGHT and given == "missed"] == []
    assert sum(play.label != RIGHT and given in ("missed", "unclear") for play, given in found) >= SEEN[name]
