"""Logs of agent frameworks, as people keep them: each tells of the same conversation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_tau.recordings import Unread, read_conversations, read_log
from tests.recordings.framework_logs import FORMATS, litellm_payloads
from tests.recordings.logs import CALLS, CHAT, SYSTEM, flat, lines, otlp_span
from tests.recordings.readers.test_formats import WANTED, mutate, told


@pytest.mark.parametrize("name", FORMATS)
def test_a_log_of_a_framework(name: str, tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text(FORMATS[name](), encoding="utf-8")
    [conversation] = read_conversations(file)
    assert told(conversation) == WANTED
    assert conversation.meta["system"] == SYSTEM
    assert "notes" not in conversation.meta
    if name in ("agents_sdk", "agents_sdk_python_results", "langgraph_state"):
        assert conversation.id == "conv"


@pytest.mark.parametrize("name", FORMATS)
def test_mutated_logs_of_frameworks(name: str, tmp_path: Path) -> None:
    mutate(name, tmp_path, 12)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_two_thousand_mutated_logs_of_frameworks(name: str, tmp_path: Path) -> None:
    mutate(name, tmp_path, 250)


def test_calls_of_several_customers_that_are_mixed(tmp_path: Path) -> None:
    other = litellm_payloads().replace("O1", "O2")
    both = zip(litellm_payloads().splitlines(), other.splitlines(), strict=True)
    (tmp_path / "log.jsonl").write_text("\n".join(line for pair in both for line in reversed(pair)), encoding="utf-8")
    found = read_conversations(tmp_path / "log.jsonl")
    assert [len(one.messages) for one in found] == [9, 9]
    assert found[1].messages[0].content == CHAT[1]["content"] != found[0].messages[0].content


def test_a_trace_for_each_turn_is_one_conversation(tmp_path: Path) -> None:
    spans = []
    for position, end in enumerate(CALLS):
        attributes: dict[str, Any] = {"openinference.span.kind": "LLM"}
        for number, message in enumerate(CHAT[: end - 1]):
            attributes |= flat(message, f"llm.input_messages.{number}")
        attributes |= flat(CHAT[end - 1], "llm.output_messages.0")
        spans.append(otlp_span("completion", position, attributes) | {"traceId": f"{position:032x}"})
    # A tool's span that keeps the value of the only argument, not its name.
    tool = {"openinference.span.kind": "TOOL", "tool.name": "get_order", "input.value": "O1", "output.value": "{}"}
    spans.append(otlp_span("get_order", 9, tool) | {"traceId": f"{0:032x}"})
    exports = [{"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]} for span in spans]
    (tmp_path / "log.jsonl").write_text(lines(exports), encoding="utf-8")
    [found] = read_log(tmp_path / "log.jsonl")
    assert not isinstance(found, Unread)
    assert told(found) == WANTED
