"""Long texts stand once in a journal, and whoever reads it does not notice."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import load_journal
from pytest_tau.errors import RecordingError
from pytest_tau.journal import BrokenLine, JournalWriter, new_run, packing, read_open
from pytest_tau.merging import merge
from pytest_tau.recordings import read_conversations
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolCall, ToolMessage
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import Check, CriterionResult, Reward
from tests.builders import asks, finished
from tests.journal.written import record, written

LONG = [f"{name} " * 40 for name in ("snow boots", "Grüße", "a \u2028 line")]
WORDS = st.sampled_from([*LONG, "short", "text:0011223344556677", "###STOP###"])


def played(trial: int, texts: Sequence[str], outcome: Outcome = Outcome.PASSED) -> TrialRecord:
    """A trial in which these texts were said, given to a tool, returned by it and checked."""
    messages: list[AnyMessage] = [asks("Hello")]
    for text in texts:
        call = ToolCall(id="1", name="look", arguments={"kind": "", "deep": [{"explanation": "", "text": text}]})
        messages += [asks(text), AssistantMessage(tool_calls=[call]), ToolMessage(id="1", content=text)]
    checks = [Check(name=text, met=True) for text in texts]
    reward = Reward(value=1.0, basis=["DB"], results=[CriterionResult(criterion="DB", value=1.0, checks=checks)])
    simulation = finished(messages).model_copy(update={"id": f"simulation {trial}"})
    return record(trial, simulation=simulation, reward=reward, outcome=outcome)


@given(st.lists(st.tuples(st.lists(WORDS, max_size=4), st.booleans(), st.booleans()), max_size=8), st.integers(1, 900))
def test_what_is_read_is_what_was_written_whoever_went_on_with_it_and_however_little_is_known(
    tmp_path_factory: pytest.TempPathFactory, trials: Sequence[tuple[Sequence[str], bool, bool]], room: int
) -> None:
    run, records = new_run(tmp_path_factory.mktemp("results")), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "_ROOM", room)
        writer = JournalWriter(run)
        writer.open()
        for number, (texts, goes_on, is_open) in enumerate(trials, start=1):
            if goes_on:
                writer.close()
                writer = JournalWriter(run)
            records.append(played(number, texts, Outcome.UNGRADED if is_open else Outcome.PASSED))
            line = records[-1].model_dump_json(exclude_none=True)
            writer.queue(line, json.loads(line) if number % 2 else None)
            writer.flush()
        writer.close()
        assert load_journal(run) == records
        left = read_open(writer.path)
        for one in records:
            if one.outcome == "ungraded":
                assert TrialRecord.of_line(left.conversation(one.nodeid) or "") == one


def test_a_text_stands_once_and_a_line_without_names_is_of_the_first_version(tmp_path: Path) -> None:
    path = written(tmp_path, played(1, LONG), played(2, LONG), played(3, ["text:0011223344556677", *LONG]))
    lines = path.read_text(encoding="utf-8").split("\n")
    texts = [json.dumps(text, ensure_ascii=False) for text in LONG]
    assert [[line.count(text) for text in texts] for line in lines] == [[1] * 3, [0] * 3, [4] * 3, [0] * 3]
    assert [json.loads(line)["version"] for line in lines[:-1]] == [2, 2, 1]
    first = json.loads(written(tmp_path / "one", played(1, ["short"])).read_bytes())
    assert first["version"] == 1
    assert first["reward"]["results"] == [{"criterion": "DB", "value": 1.0, "checks": [{"name": "short", "met": True}]}]
    assert first["simulation"]["messages"][2]["tool_calls"][0]["arguments"]["kind"] == ""


def test_where_a_line_broke_the_others_keep_their_grade_and_say_what_they_lack(tmp_path: Path) -> None:
    path = written(tmp_path, played(1, LONG[:1]), played(2, LONG[:1]), played(3, []))
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0][:50], *lines[1:]]))
    with pytest.warns(BrokenLine, match=r":1: this line is not valid|journal.jsonl:2: a line further up is broken"):
        second, third = load_journal(path)
    assert [one.content for one in second.simulation.messages][1] == packing.MISSING  # type: ignore[union-attr]
    assert second.reward.passed  # type: ignore[union-attr]
    assert third == played(3, [])
    path.write_bytes(lines[1])
    with pytest.raises(RecordingError, match="names a text that stands further up in its journal"):
        read_conversations(path)


def test_logs_and_merged_runs_have_all_words(tmp_path: Path) -> None:
    from tests.test_merging import run

    runs = [run(tmp_path / str(number), [played(number, LONG), played(number + 2, LONG)]) for number in (1, 2)]
    merged = merge(runs, tmp_path / "all").run / "journal.jsonl"
    assert load_journal(merged) == [played(number, LONG) for number in (1, 3, 2, 4)]
    assert merged.read_text(encoding="utf-8").count(json.dumps(LONG[0])) == 1
    found = [conversation.messages for conversation in read_conversations(merged)]
    assert found == [one.simulation.messages for one in load_journal(merged) if one.simulation]


def test_what_was_not_written_is_not_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = JournalWriter(new_run(tmp_path))
    writer.append(played(1, ["short"]).model_dump_json())
    with monkeypatch.context() as patch:
        patch.setattr("os.fstat", lambda _: (_ for _ in ()).throw(OSError("no room")))
        with pytest.raises(OSError, match="no room"):
            writer.append(played(2, LONG).model_dump_json())
    writer.append(played(3, LONG).model_dump_json())
    writer.close()
    assert load_journal(tmp_path) == [played(1, ["short"]), played(2, LONG), played(3, LONG)]
