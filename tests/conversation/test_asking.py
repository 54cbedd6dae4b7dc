"""What a trial waits for, and how a time-out names it."""

import pytest

from pytest_tau.conversation.asking import Ask, AtWork
from pytest_tau.errors import PlayerError
from tests.builders import Lines, says


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


class Forgetful:
    """Its reply takes no messages."""

    def reply(self) -> str:
        """What an author may write who has not read what a reply is asked with."""
        return "Hello."


def test_a_reply_that_does_not_take_the_messages_is_told_so() -> None:
    sentence = r"Forgetful\.reply\(\) cannot be called with the messages: .* takes 1 positional argument but 2 "
    with pytest.raises(PlayerError, match=sentence):
        Ask("agent", Forgetful(), [says("Hi!")])()
    with pytest.raises(TypeError, match="a bug") as raised:
        Ask("agent", Lines([TypeError("a bug")]), [says("Hi!")])()
    assert not isinstance(raised.value, PlayerError)
