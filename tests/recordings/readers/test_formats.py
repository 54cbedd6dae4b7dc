"""Every format tells of the same conversation; what cannot be read is a sentence, whatever it is."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.recordings import Unread, read_conversations, read_log
from pytest_tau.recordings.logged import LoggedConversation
from pytest_tau.schema.messages import ToolMessage
from tests.recordings.framework_logs import FORMATS as frameworks
from tests.recordings.logs import FORMATS, GONE, ORDER, SYSTEM
from tests.shared import shared


def told(conversation: LoggedConversation) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for message in conversation.messages:
        if isinstance(message, ToolMessage):
            content = message.content or ""
            found.append(("tool", content if message.error else json.loads(content), message.error))
        else:
            calls = [(call.name, call.arguments) for call in message.tool_calls or []]
            found += [(message.role, message.content)] if message.content else []
            found += [("calls", *call) for call in calls]
    return sorted(found, key=repr)


WANTED = sorted(
    [
        ("user", "Please cancel order O1."),
        ("assistant", "I look it up."),
        ("calls", "get_order", {"order_id": "O1"}),
        ("calls", "get_order", {"order_id": "O9"}),
        ("tool", ORDER, False),
        ("tool", "Error: no such order", True),
        ("assistant", "Shall I cancel order O1?"),
        ("user", "Yes, please."),
        ("calls", "cancel_order", {"order_id": "O1"}),
        ("tool", GONE, False),
        ("assistant", "It is cancelled. You get 12.40 back."),
    ],
    key=repr,
)


@pytest.mark.parametrize("name", FORMATS)
def test_a_format(name: str, tmp_path: Path) -> None:
    file = tmp_path / ("log.json" if FORMATS[name]().startswith("[") else "log.jsonl")
    file.write_text(FORMATS[name](), encoding="utf-8")
    [conversation] = read_conversations(file)
    assert told(conversation) == WANTED
    roles = [message.role for message in conversation.messages]
    # Our own form has one call in a message.
    looked_up = ["assistant", "tool", "assistant", "tool"] if name == "plain" else ["assistant", "tool", "tool"]
    assert roles == ["user", *looked_up, "assistant", "user", "assistant", "tool", "assistant"]
    assert conversation.meta["system"] == SYSTEM
    if name not in ("span_events",):
        assert [tool["function"]["name"] for tool in conversation.meta["tools"]] == ["get_order", "cancel_order"]
    if name != "responses":
        assert conversation.id in ("conv", "5b8aa5a2d2c872e8321cf37308d69df2")


def test_all_formats_give_one_hash(tmp_path: Path) -> None:
    hashes = set()
    for name, text in FORMATS.items():
        if name == "plain":  # which keeps results as values, and they are written anew
            continue
        file = tmp_path / f"{name}.json"
        file.write_text(text(), encoding="utf-8")
        hashes |= {one.hash for one in read_conversations(file)}
    assert len(hashes) == 1


def test_a_result_that_only_the_tool_s_span_has(tmp_path: Path) -> None:
    """The last call of a trace is followed by no model call that would be given its result."""
    from tests.recordings.logs import CHAT, otlp_span, parts

    chat = {
        "gen_ai.operation.name": "chat",
        "gen_ai.input.messages": json.dumps([parts(message) for message in CHAT[1:7]]),
        "gen_ai.output.messages": json.dumps([parts(CHAT[7])]),
    }
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "cancel_order",
        "gen_ai.tool.call.id": "c3",
        "gen_ai.tool.call.arguments": '{"order_id": "O1"}',
        "gen_ai.tool.call.result": json.dumps(GONE),
    }
    file = tmp_path / "spans.json"
    spans = [otlp_span("chat", 1, chat), otlp_span("execute_tool", 2, tool)]
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}), encoding="utf-8")
    [conversation] = read_conversations(file)
    last = conversation.messages[-1]
    assert isinstance(last, ToolMessage)
    assert json.loads(last.content or "") == GONE


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_logs_are_read_or_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    mutate(name, tmp_path, 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_two_thousand_mutated_logs(name: str, tmp_path: Path) -> None:
    mutate(name, tmp_path, 182)


def mutate(name: str, folder: Path, times: int) -> None:
    rng = random.Random(f"mutated {name}")
    text = {**FORMATS, **frameworks}[name]()
    for number in range(times):
        broken = mutated(text, rng)
        file = folder / f"{number}.json{'l' if rng.random() < 0.5 else ''}"
        file.write_bytes(broken)
        for found in read_log(file):
            if isinstance(found, Unread):
                assert str(found).startswith(str(file)), broken
                assert "\n" not in str(found)
                assert len(found.why) < 500
            else:
                assert found.messages
                assert found.hash


def mutated(text: str, rng: random.Random) -> bytes:
    kind = rng.randrange(5)
    if kind == 0:  # cut off
        return text[: rng.randrange(len(text))].encode()
    if kind == 1:  # bytes that are no text
        raw = bytearray(text.encode())
        for _ in range(3):
            raw[rng.randrange(len(raw))] = rng.randrange(256)
        return bytes(raw)
    made = []
    for line in text.splitlines():
        value = json.loads(line)
        for _ in range(rng.randrange(1, 4)):
            value = _changed(value, rng)
        made.append(json.dumps(value))
    return "\n".join(made).encode()


ODD: list[Any] = [None, 0, -1, 1e300, True, "", "x", "\ud800", [], {}, [[]], {"role": 7}, [None], "null", "[" * 300]


def _changed(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.9:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {other: inner for other, inner in value.items() if other != key}
        return {**value, key: _changed(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.9:
        at = rng.randrange(len(value))
        if rng.random() < 0.2:
            return value[:at] + value[at + 1 :]
        return [*value[:at], _changed(value[at], rng), *value[at + 1 :]]
    return rng.choice(ODD)


@pytest.mark.parametrize(
    ("file", "number"),
    [("tau1_airline_gpt4o.json", 100), ("tau2_retail_gpt41.json", 18), ("tau2_telecom_gpt41.json", 17)],
)
def test_the_public_recordings(file: str, number: int) -> None:
    found = list(read_log(shared("recordings", file)))
    assert len(found) == number
    assert not [one for one in found if isinstance(one, Unread)]


def test_a_bare_list_of_simulations(tmp_path: Path) -> None:
    content = json.loads(shared("recordings", "tau2_retail_gpt41.json").read_text(encoding="utf-8"))
    file = tmp_path / "list.json"
    file.write_text(json.dumps(content["simulations"][:3]), encoding="utf-8")
    assert len(read_conversations(file)) == 3


def test_what_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    good = {"id": "a", "messages": [{"role": "user", "content": "Hello"}]}
    bad = {"id": "b", "messages": [{"role": "wizard", "content": "Hello"}]}
    rows = [json.dumps(good), json.dumps(bad), "{", json.dumps({"other": 1}), json.dumps({**good, "id": "a"})]
    file.write_text("\n".join(rows), encoding="utf-8")
    found = list(read_log(file))
    assert sorted(str(one).removeprefix(str(tmp_path)) for one in found if isinstance(one, Unread)) == [
        "/log.jsonl:2: message 0: a message has the role 'wizard'; use system, user, assistant or tool",
        "/log.jsonl:3: is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        "/log.jsonl:4: of no known format: spans of OpenTelemetry or OpenInference, chat completions, Responses, "
        "Langfuse, LangSmith, τ-bench, τ², a journal, or the form that docs/from_conversations.md shows",
    ]
    assert [one.id for one in found if isinstance(one, LoggedConversation)] == ["a", "a_2"]
