"""How far a trial got, in words and on the HTML page."""

import pytest

from pytest_tau import Reward
from pytest_tau.reports.evidence import trial_view
from pytest_tau.reports.milestone_status import progress_line
from pytest_tau.schema.reward import MilestoneStatus
from tests.reports.runs import record

ADDED, PAID = MilestoneStatus(id="a", name="bag added", turn=8), MilestoneStatus(id="b", name="compensation")
MINE = MilestoneStatus(id="m", name="other booking lost", mine=True)


@pytest.mark.parametrize(
    ("stations", "told"),
    [
        ([ADDED, PAID], "1 of 2 milestones (50 %); got as far as bag added (turn 8); lost at compensation"),
        ([PAID], "0 of 1 milestone (0 %); lost at compensation"),
        (
            [ADDED, MINE],
            "1 of 1 milestone (100 %); the miss is for something else",
        ),
        ([ADDED, MINE.model_copy(update={"turn": 9})], "0 %: the minefield other booking lost was hit in turn 9"),
        ([], ""),
    ],
)
def test_in_words(stations: list[MilestoneStatus], told: str) -> None:
    assert progress_line(Reward(value=0.0, stations=stations)) == told


def test_of_a_trial_that_passed() -> None:
    told = "1 of 1 milestone (100 %); got as far as bag added (turn 8)"
    assert progress_line(Reward(value=1.0, stations=[ADDED])) == told


def test_the_last_is_the_latest_in_time() -> None:
    early = MilestoneStatus(id="c", name="looked up", turn=2)
    assert "got as far as bag added" in progress_line(Reward(stations=[ADDED, early]))


def test_the_page_has_a_line_of_stations() -> None:
    hit = MINE.model_copy(update={"turn": 9})
    view = trial_view(record("a", reward=Reward(value=0.0, stations=[ADDED, PAID, MINE, hit])))
    assert [(one["kind"], one["turn"]) for one in view["stations"]] == [
        ("got", 8),
        ("lost", None),
        ("clear", None),
        ("hit", 9),
    ]
    assert ["progress", "0 %: the minefield other booking lost was hit in turn 9"] in view["facts"]
