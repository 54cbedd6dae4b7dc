"""A few crafted inputs for each reader; ``python -m tests.fuzz`` tries as many as there is time for."""

from pathlib import Path

import pytest

from .readers import READERS, Read
from .trying import problem_with

EACH = 40


@pytest.mark.parametrize("read", READERS, ids=lambda read: read.__name__)
def test_a_crafted_file_is_read_or_refused_in_a_sentence(tmp_path: Path, read: Read) -> None:
    found = {
        seed: problem
        for seed in (f"{read.__name__} {number}" for number in range(EACH))
        if (problem := problem_with(read, seed, tmp_path / "input")[0]) is not None
    }
    assert found == {}
