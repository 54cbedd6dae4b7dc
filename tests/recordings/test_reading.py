"""What all formats have in common: the ids of the conversations of a log, and a file that is not there."""

import json
from pathlib import Path

import pytest

from pytest_tau.errors import RecordingError
from pytest_tau.recordings import read_conversations, read_log
from pytest_tau.recordings.logged import LoggedConversation, Unread
from tests.journal.written import record, spooled, written


def test_no_two_conversations_of_a_log_have_one_id(tmp_path: Path) -> None:
    given = ("a", "a", "a_2", "a", "a_2")
    said = [{"id": id, "conversation": [{"role": "user", "content": f"{n}"}]} for n, id in enumerate(given)]
    (tmp_path / "log.json").write_text(json.dumps(said), encoding="utf-8")
    found = [(one.id, one.messages[0].content) for one in read_conversations(tmp_path / "log.json")]
    assert found == [("a", "0"), ("a_2", "1"), ("a_2_2", "2"), ("a_3", "3"), ("a_2_3", "4")]


def test_a_name_that_is_too_long_for_a_file_is_that_of_none() -> None:
    with pytest.raises(RecordingError, match=r"x: there is no such file; give the log's path"):
        list(read_log("x" * 300))


def test_of_a_run_of_our_own_the_journal_is_read_and_nothing_beside_it(tmp_path: Path) -> None:
    run = tmp_path / "20260101-000000-000000"
    run.mkdir()
    for file in (run / "journal.jsonl", run / "manifest.json", run / "spool-gw0.jsonl", tmp_path / "other.json"):
        file.write_text('{"id": "one", "conversation": [{"role": "user", "content": "Hi"}]}', encoding="utf-8")
    assert len(list(read_log(run))) == 1
    assert [one.meta["where"] for one in read_conversations(tmp_path)] == [
        str(run / "journal.jsonl"),
        str(tmp_path / "other.json"),
    ]


def test_of_a_run_that_was_killed_what_is_in_spools_only_is_read_too(tmp_path: Path) -> None:
    run = written(tmp_path, record(1), record(2)).parent
    again = record(2).model_copy(update={"graded": False, "reward": None})
    spooled(run, "gw0", again, record(3), again, "tau/mock/t.json::test_task[trial4]")
    found = {one.id: one.meta for one in read_log(tmp_path) if not isinstance(one, Unread)}
    assert [(id, meta["where"].rpartition("/")[2], meta["reward"]) for id, meta in found.items()] == [
        ("t-1", "journal.jsonl:1", 1.0),
        ("t-2", "journal.jsonl:2", 1.0),
        ("t-3", "spool-gw0.jsonl:4", 1.0),
    ]


def test_a_line_of_a_journal_that_another_version_has_written_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, record(1), record(2))
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":9', 1))
    told, read = read_log(path)
    assert str(told) == f"{path}:1: written in version 9, and this reads 1 and 2"
    assert isinstance(read, LoggedConversation)
    assert read.meta["trial"] == 2


@pytest.mark.parametrize("journal", [b"", None])
def test_a_run_that_was_killed_may_have_spools_only(tmp_path: Path, journal: bytes | None) -> None:
    run = tmp_path / "20260101-000000-000000"
    spooled(run, "main", record(1))
    if journal is not None:
        (run / "journal.jsonl").write_bytes(journal)
    (run / "manifest.json").write_text("{}", encoding="utf-8")
    assert [getattr(one, "id", one) for one in read_log(run)] == ["t-1"]


ASKED, ANSWERED = '{"role": "user", "content": "Hi"}', '{"role": "assistant", "content": "Hello"}'
ODD = '{"role": "narrator", "content": "x"}'


class TestMessagesOfOneConversation:
    def read(self, tmp_path: Path, *lines: str) -> list[str]:
        (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
        return [
            str(one) if isinstance(one, Unread) else f"{one.id}: {len(one.messages)}"
            for one in read_log(tmp_path / "log.jsonl")
        ]

    def test_one_alone_is_a_conversation(self, tmp_path: Path) -> None:
        assert self.read(tmp_path, ASKED) == ["log: 1"]

    def test_one_that_is_odd_is_said_to_be_what_is_wrong(self, tmp_path: Path) -> None:
        lines = [ASKED, ODD, ANSWERED]
        why = "message 1: a message has the role 'narrator'; use system, user, assistant or tool"
        for log in (lines, [f"[{', '.join(lines)}]"], [f"[{', '.join(lines)}]", f"[{ASKED}]"]):
            told, *rest = self.read(tmp_path, *log)
            assert told.endswith(f": {why}")
            assert len(rest) == (len(log) == 2)

    def test_a_line_that_a_crash_has_cut_short_costs_no_other(self, tmp_path: Path) -> None:
        cut, read = self.read(tmp_path, ASKED, ANSWERED, '{"role": "us')
        assert ("log.jsonl:3: is not JSON" in cut, read) == (True, "log: 2")
