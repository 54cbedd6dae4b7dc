"""A finished conversation: what it must be, and that an attempt that was discarded is one as well."""

import pytest
from pydantic import ValidationError

from pytest_tau import Simulation
from pytest_tau.schema.simulation import Termination
from tests.builders import finished, says


def test_trials_count_from_one() -> None:
    with pytest.raises(ValidationError):
        finished(trial=0)
    assert Simulation.model_validate_json(finished().model_dump_json()).trial == 1


def test_attempts_that_were_discarded_are_conversations() -> None:
    played = finished([says("Hi!")], discarded=[finished([says("Oh.")], Termination.USER_ERROR)])
    read = Simulation.model_validate_json(played.model_dump_json())
    assert read == played
    assert isinstance((read.discarded or [])[0], Simulation)


@pytest.mark.parametrize("reason", [None, "", "bored"])
def test_there_is_a_reason_why_it_ended(reason: object) -> None:
    with pytest.raises(ValidationError):
        finished(reason=reason)  # type: ignore[arg-type]


def test_text_that_no_file_can_hold_is_stored_all_the_same() -> None:
    assert Simulation.model_validate_json(finished(note="a\ud800b").model_dump_json()).note == "a?b"
