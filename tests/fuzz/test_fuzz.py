"""A few crafted inputs for each reader; ``python -m tests.fuzz`` tries as many as there is time for."""

from pathlib import Path

import pytest

from tests.laws.test_crafted_files import READERS as OF_THE_LAWS

from .more_readers import MORE
from .readers import READERS, Read
from .trying import problem_with

EACH = 40
FEW = 8  # of those that run whole commands


@pytest.mark.parametrize("read", [read for read in READERS if read not in OF_THE_LAWS], ids=lambda read: read.__name__)
def test_a_crafted_file_is_read_or_refused_in_a_sentence(tmp_path: Path, read: Read) -> None:
    found = {
        seed: problem
        for seed in (f"{read.__name__} {number}" for number in range(FEW if read in MORE else EACH))
        if (problem := problem_with(read, seed, tmp_path / "input")[0]) is not None
    }
    assert found == {}
