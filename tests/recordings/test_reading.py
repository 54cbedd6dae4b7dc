"""What all formats have in common: the ids of the conversations of a log, and a file that is not there."""

import json
from pathlib import Path

import pytest

from pytest_tau.errors import RecordingError
from pytest_tau.recordings import read_conversations, read_log


def test_no_two_conversations_of_a_log_have_one_id(tmp_path: Path) -> None:
    given = ("a", "a", "a_2", "a", "a_2")
    said = [{"id": id, "conversation": [{"role": "user", "content": f"{n}"}]} for n, id in enumerate(given)]
    (tmp_path / "log.json").write_text(json.dumps(said), encoding="utf-8")
    found = [(one.id, one.messages[0].content) for one in read_conversations(tmp_path / "log.json")]
    assert found == [("a", "0"), ("a_2", "1"), ("a_2_2", "2"), ("a_3", "3"), ("a_2_3", "4")]


def test_a_name_that_is_too_long_for_a_file_is_that_of_none() -> None:
    with pytest.raises(RecordingError, match=r"x: there is no such file; give the log's path"):
        list(read_log("x" * 300))
