"""When a conversation is cut off."""

from pytest_tau.conversation.limits import Limits


def test_the_limits_that_a_trial_has_unless_it_is_told_others() -> None:
    assert Limits() == Limits(max_steps=200, max_errors=10, timeout=600.0)
