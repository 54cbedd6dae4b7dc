"""The file of a recorded trial: its name, and that what is written is read again."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau.errors import CassetteError
from pytest_tau.llm.protocol import ModelReply
from pytest_tau.llm.tape import RecordedCall, Request, Tape, TrialKey
from pytest_tau.schema.messages import ToolCall
from pytest_tau.schema.spending import Usage
from tests.full_disk import at_most
from tests.strategies import text

KEY = TrialKey("shop", "sell_one", 1)
SELL = ToolCall(id="call_1", name="sell", arguments={"item_id": "kettle", "note": "é ☕"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cassettes"


# Names


HOSTILE = [
    "..",
    "../../etc/passwd",
    "a/b",
    "a\\b",
    "",
    ".",
    "CON",
    "com1",
    "a" * 300,
    "[mobile|x]\n\0",
    "é",
    "A",
    "a:b",
    "nul",
]


def test_names_are_safe_short_and_differ(root: Path) -> None:
    files = [TrialKey(domain, task, 1).file(root) for domain in HOSTILE for task in HOSTILE]
    for file in files:
        assert file.resolve().parent.parent == root.resolve()
        assert len(file.name) < 80
        assert file.name.split(".")[0] not in ("", "con", "com1", "nul")
    assert len({str(file).lower() for file in files}) == len(files)


@given(st.lists(text(), min_size=2, max_size=2, unique=True))
def test_two_tasks_never_share_a_file(ids: list[str]) -> None:
    one, other = (TrialKey("d", id, 1).file(Path("root")) for id in ids)
    assert str(one).lower() != str(other).lower()
    assert one.parent.parent == other.parent.parent == Path("root")


def test_a_plain_name_stays_readable(root: Path) -> None:
    assert TrialKey("retail", "exchange_lamp", 3).file(root) == root / "retail" / "exchange_lamp.trial3.jsonl"
    assert TrialKey("retail", "exchange_lamp", 3, "x.py::test").file(root).name.startswith("exchange_lamp.trial3.")


# The file


texts = text(max_size=30) | st.just("a long text that grows, " * 30).flatmap(
    lambda long: text(max_size=9).map(lambda end: long + end)
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts, lambda inner: st.lists(inner, max_size=2), max_leaves=3
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool"]), "content": st.none() | texts},
    optional={"tool_call_id": texts, "tool_calls": st.lists(values, max_size=2)},
)
replies = st.builds(
    ModelReply,
    content=st.none() | text(max_size=20),
    tool_calls=st.none() | st.just([SELL]),
    cost=st.none() | st.floats(0, 10),
    usage=st.none() | st.just(Usage(prompt_tokens=1, completion_tokens=2)),
    seconds=st.floats(0, 100),
    finish_reason=st.none() | st.just("stop"),
    problem=st.none() | text(min_size=1, max_size=9),
    parameters=st.dictionaries(text(max_size=5), values, max_size=2),
)
requests = st.builds(
    Request,
    role=st.sampled_from(["agent", "user", "judge"]),
    options=st.fixed_dictionaries({"model": text(max_size=5)}, optional={"seed": st.integers(), "tools": texts}),
    messages=st.lists(messages, max_size=4),
)


@st.composite
def conversations(draw: Callable[..., Any]) -> list[RecordedCall]:
    """Requests that often begin as an earlier one, as those of a conversation do."""
    made: list[RecordedCall] = []
    for request, answer in draw(st.lists(st.tuples(requests, replies), max_size=5)):
        begun = made[-1].request.messages if made and draw(st.booleans()) else []
        made.append(RecordedCall(replace(request, messages=[*begun, *request.messages]), answer))
    return made


@given(conversations())
@settings(max_examples=20)
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, exchanges: list[RecordedCall]) -> None:
    tape = Tape(tmp_path_factory.mktemp("tape"), KEY)
    tape.rewrite(exchanges[:1])
    for number, exchange in enumerate(exchanges[1:], start=1):
        tape.append(exchanges[:number], exchange)
    assert tape.read() == exchanges
    appended = tape.path.read_bytes()
    tape.rewrite(exchanges)
    assert tape.path.read_bytes() == appended


@pytest.mark.parametrize("room", [0, 1, 30, 150])
def test_a_disk_that_was_full_for_a_moment_spoils_no_recording(root: Path, room: int) -> None:
    tape, said = Tape(root, KEY), ModelReply("Yes.", None, cost=None, usage=None, seconds=0.0)
    exchanges = [RecordedCall(Request("agent", {"model": "m"}, [{"content": text}]), said) for text in "abc"]
    tape.rewrite(exchanges[:1])
    with at_most(tape.path.stat().st_size + room), pytest.raises(CassetteError, match=r"No space left|too large"):
        tape.append(exchanges[:1], exchanges[1])
    for number in (1, 2):
        tape.append(exchanges[:number], exchanges[number])
    assert tape.read() == exchanges


def test_a_long_conversation_is_compared_with_its_latest_request_alone(root: Path) -> None:
    compared = 0

    class Message(dict[str, Any]):
        def __ne__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return super().__ne__(other)

    said = ModelReply("Yes.", None, cost=None, usage=None, seconds=0.0)
    chat: list[Any] = [Message(role="user", content=f"line {number}") for number in range(100)]
    exchanges = [
        # other objects each time, as each request is made anew
        RecordedCall(Request("agent", {"model": "m"}, [Message(one) for one in chat[: number + 1]]), said)
        for number in range(100)
    ]
    tape = Tape(root, KEY)
    tape.rewrite(exchanges[:-1])
    compared = 0
    tape.append(exchanges[:-1], exchanges[-1])
    assert compared < 2 * len(chat)
    assert tape.read() == exchanges


@given(conversations(), st.data())
@settings(max_examples=20)
def test_a_file_that_is_cut_anywhere_holds_what_was_finished(
    tmp_path_factory: pytest.TempPathFactory, exchanges: list[RecordedCall], data: st.DataObject
) -> None:
    tape = Tape(tmp_path_factory.mktemp("tape"), KEY)
    tape.rewrite(exchanges)
    whole = tape.path.read_bytes()
    tape.path.write_bytes(whole[: data.draw(st.integers(0, len(whole)))])
    found = tape.read()
    assert found is not None
    assert found == exchanges[: len(found)]


ASKED = '{"exchange": 1, "ask": "agent", "model": "m"}'


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{}",
        "7",
        '{"reply": {}}',
        '{"exchange": 2, "ask": "agent", "model": "m"}',
        '{"exchange": 1, "ask": "nobody", "model": "m"}',
        '{"exchange": 1, "ask": "agent"}',
        '{"exchange": 1, "ask": "agent", "model": "m", "begins": {"like": 1, "messages": 1}}',
        '{"exchange": 1, "ask": "agent", "model": "m"}\n{"message": {}, "more": 1}',
        '{"exchange": 1, "ask": "agent", "model": "m"}\n{"took": {}}',
        f'{ASKED}\n{{"reply": {{}}}}\n{{"took": {{"seconds": 1, "cost": -5, "usage": {{}}}}}}',
        f'{ASKED}\n{{"reply": {{}}}}\n{{"took": {{"seconds": 1, "cost": 1e308, "usage": {{}}}}}}',
        '{"exchange": 1, "ask": "agent", "model": "m"}\n{"reply": {"content": 7}}',
        '{"exchange": 1, "ask": "agent", "model": "m"}\n{"reply": {}}\n{"reply": {}}',
        '{"exchange": 1, "ask": "agent", "model": "m"}\n{"exchange": 2, "ask": "agent", "model": "m"}',
        "[" * 100_000,
        "\x00",
    ],
)
def test_a_line_that_is_none_is_named(root: Path, line: str) -> None:
    tape = Tape(root, KEY)
    tape.rewrite([])
    with tape.path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    number = 2 + line.count("\n")
    with pytest.raises(
        CassetteError, match=rf"jsonl:{number}: this is not a line of a recording; record the trial again"
    ):
        tape.read()


def test_another_version_is_told_in_one_line(root: Path) -> None:
    tape = Tape(root, KEY)
    tape.rewrite([])
    tape.path.write_text('{"cassette": "\\u001b[31m\\n::error::x"}\n', encoding="utf-8")
    with pytest.raises(CassetteError, match="and this reads") as caught:
        tape.read()
    assert not {"\n", "\x1b"} & set(str(caught.value))
