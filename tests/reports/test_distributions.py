"""Bars of distributions and faults."""

from pytest_tau.reports.distributions import BINS, HEIGHT, WIDTH, histogram, shares


def test_every_known_value_stands_in_a_bar() -> None:
    found = histogram("steps", [1.0, 2.0, 2.0, None, 9.0], lambda value: f"{value:.1f}")
    assert found is not None
    assert (found.smallest, found.median, found.largest) == ("1.0", "2.0", "9.0")
    assert len(found.bars) == BINS
    assert sum(int(bar.told.rpartition(": ")[2].split()[0]) for bar in found.bars) == 4
    assert max(bar.height for bar in found.bars) == HEIGHT
    assert all(bar.x >= 0 and bar.x + bar.width <= WIDTH for bar in found.bars)


def test_a_narrow_bar_is_told_by_one_value() -> None:
    found = histogram("seconds", [2.9, 3.0, 9.0], lambda value: f"{value:.0f} s")
    assert found is not None
    assert found.bars[0].told == "3 s: 2 trials"
    assert found.bars[1].told == "3 s to 4 s: 0 trials"


def test_what_does_not_scatter_has_no_picture() -> None:
    assert histogram("cost", [0.0, 0.0, None], str) is None
    assert histogram("cost", [1.0], str) is None
    assert histogram("cost", [None, None], str) is None


def test_the_most_frequent_fault_comes_first_and_is_the_longest() -> None:
    found = shares(["wrong tool", "partly done", "wrong tool"])
    assert [(share.name, share.count) for share in found] == [("wrong tool", 2), ("partly done", 1)]
    assert [share.width for share in found] == [WIDTH, WIDTH / 2]
    assert shares([]) == []
