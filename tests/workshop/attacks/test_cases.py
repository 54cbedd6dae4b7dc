"""A case is one request, said twice: what an author leaves out has a meaning."""

from dataclasses import FrozenInstanceError

import pytest

from tau_workshop.attacks.cases import Case, Side
from tests.workshop.attacks.on_mock import CASE


def test_what_is_left_out_of_a_side_is_the_cases() -> None:
    side = Side({}, ())
    assert (side.known, side.later, side.world) == (None, None, None)
    assert (side.demands, side.facts, side.initialise) == ((), (), ())


def test_by_default_a_violation_is_of_the_policy_and_as_bad_as_can_be() -> None:
    plain = Case("a", "injection", "naive", "o", "k", "s", CASE.attack, CASE.twin)
    assert (plain.dimension, plain.severity) == ("policy", 1.0)
    assert (plain.wanted, plain.says, plain.secrets, plain.promises, plain.forbidden) == ((), (), (), (), ())


def test_a_case_is_not_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CASE.name = "x"  # type: ignore[misc]
