"""What a trial waits for, and how a time-out names it."""

import pytest

from pytest_tau.conversation.asking import AtWork


def reply(work: AtWork) -> None:
    with work:
        assert work
        raise ValueError("a bug")


def test_a_player_is_at_work_within_it_whatever_it_raises() -> None:
    work = AtWork()
    assert not work
    with pytest.raises(ValueError, match="a bug"):
        reply(work)
    assert not work


def test_what_is_at_work_is_named() -> None:
    work = AtWork()
    assert work.still("user", "in time") == "the user was still answering in time"
    work.running = "the tool look"
    assert work
    assert work.still("user", "in time") == "the tool look had not returned in time"
