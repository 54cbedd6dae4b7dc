"""A logged conversation up to a turn, as a history that replays."""

from pathlib import Path

import pytest

from pytest_tau import load_domain
from pytest_tau.errors import RecordingError
from pytest_tau.recordings.from_turn import find_conversation, history_until
from tests.recordings.logs import chat


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text(chat(), encoding="utf-8")
    return path


def test_one_of_several_is_named(file: Path) -> None:
    whole = find_conversation(str(file))
    assert find_conversation(f"{file}#{whole.id}").messages == whole.messages
    with pytest.raises(RecordingError, match="has no conversation 'x'; it has "):
        find_conversation(f"{file}#x")


def test_a_folder_may_have_the_mark_in_its_name(file: Path) -> None:
    folder = file.parent / "in C#"
    folder.mkdir()
    moved = file.rename(folder / "log#1.jsonl")
    whole = find_conversation(str(moved))
    assert find_conversation(f"{moved}#{whole.id}").messages == whole.messages
    with pytest.raises(RecordingError, match=r"in C#/log#1\.jsonl: has no conversation 'a#b'; it has "):
        find_conversation(f"{moved}#a#b")


def test_calls_that_the_domain_does_not_know_are_left_out(file: Path) -> None:
    conversation, domain = find_conversation(str(file)), load_domain("mock")
    last = next(n for n in reversed(range(len(conversation.messages))) if conversation.messages[n].role != "tool")
    history = history_until(conversation, domain, None, last)
    assert history
    assert all(message.role != "tool" and not message.tool_calls for message in history)


def test_a_turn_that_is_none_says_where_one_is(file: Path) -> None:
    conversation, domain = find_conversation(str(file)), load_domain("mock")
    with pytest.raises(RecordingError, match=r"has no turn 999 to begin at; it has 1 to \d+"):
        history_until(conversation, domain, None, 999)
    result = next(n for n, message in enumerate(conversation.messages) if message.role == "tool")
    with pytest.raises(RecordingError, match="is a tool's result: begin where somebody speaks, such as"):
        history_until(conversation, domain, None, result)
