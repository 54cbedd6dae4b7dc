"""``--tau-parity``."""

import pytest

from pytest_tau.plugin.collecting.collection import slot_for
from pytest_tau.plugin.private import parameters_of
from tests.options.usage import assert_refused
from tests.plugin.parts import collect
from tests.shared import shared


def parity(pytester: pytest.Pytester, *args: str) -> bool:
    """Whether the world of a task is the one of the reference."""
    found = collect(pytester, "--tau-domain=mock", "--tau-tasks=1", *args)
    return slot_for(found.run, parameters_of(found.items[0])["tau_slot"]).domain.parity


def test_off_for_our_own_world_and_on_at_will(pytester: pytest.Pytester) -> None:
    assert not parity(pytester)
    assert parity(pytester, "--tau-parity=on")


def test_on_for_the_public_data_and_off_at_will(pytester: pytest.Pytester) -> None:
    data = f"--tau-data={shared('tau2')}"
    assert parity(pytester, data)
    assert not parity(pytester, data, "--tau-parity=off")


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("parity", "yes", "must be one of on, off, not 'yes'")
