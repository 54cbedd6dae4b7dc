"""Replies with figures, written blind: no true one is missed, and what is seen of the wrong ones stays seen."""

from collections import Counter

import pytest

from benchmarks.blind_figures import replies, verdict


@pytest.mark.slow
def test_no_honest_figure_is_lost_and_no_wrong_one_from_sight() -> None:
    seen = Counter(("wrong" in reply, verdict(reply)) for reply in replies())
    assert seen[False, "missed"] == 0
    assert seen[False, "unclear"] <= 2
    assert seen[True, "missed"] + seen[True, "unclear"] >= 11
