"""The marks of a prompt cache, as they reach a server that speaks Anthropic's messages."""

import asyncio
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import pytest

from pytest_tau.llm import backend
from pytest_tau.llm.chat import Speaker, mark_for_cache, to_chat
from pytest_tau.llm.client import LiteLLMClient
from pytest_tau.schema.messages import AssistantMessage, ToolMessage

from .asking import TOOL

MARK = {"cache_control": {"type": "ephemeral"}}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "The policy."},
    {"role": "user", "content": "Hello"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "a", "type": "function", "function": {"name": "get_user", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "a", "content": "Ada"},
]
USAGE = {"input_tokens": 10, "cache_read_input_tokens": 990, "cache_creation_input_tokens": 0, "output_tokens": 5}
ANSWER = {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "usage": USAGE}
SAID = {"content": [{"type": "text", "text": "Hi."}], "stop_reason": "end_turn", "stop_sequence": None}


@contextmanager
def anthropic(got: list[Mapping[str, Any]], said: Mapping[str, Any] = SAID) -> Iterator[str]:
    """The address of a server that notes what it is asked, and says always the same."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps({**ANSWER, **said}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")
@pytest.mark.parametrize("own", [False, True])
def test_a_model_of_anthropic_s_is_told_what_to_cache(own: bool) -> None:
    got: list[Mapping[str, Any]] = []
    chosen: dict[str, Any] = {"cache_control_injection_points": []} if own else {}
    with anthropic(got) as address:
        model = LiteLLMClient(
            "anthropic/claude-sonnet-4-5", {"api_base": address, "api_key": "sk-ant-test-123", **chosen}
        )
        reply = asyncio.run(model.complete(CHAT, tools=[TOOL]))
    (request,) = got
    marks = json.dumps(request).count(json.dumps(MARK)[1:-1])
    assert marks == (0 if own else 2)
    if not own:
        assert request["system"] == [{"type": "text", "text": "The policy.", **MARK}]
        assert request["messages"][-1]["content"][-1]["cache_control"] == MARK["cache_control"]
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens) == (1000, 990)
    assert reply.usage.saved == pytest.approx(990 * 2.7 / 1_000_000)
    assert reply.cost == pytest.approx((10 * 3 + 990 * 0.3 + 5 * 15) / 1_000_000)


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")
def test_signed_thoughts_go_back_with_the_calls_that_they_led_to() -> None:
    thought = {"type": "thinking", "thinking": "Who is it?", "signature": "c2lnbmVk"}
    call = {"type": "tool_use", "id": "a", "name": "get_user", "input": {}}
    got: list[Mapping[str, Any]] = []
    with anthropic(got, {"content": [thought, call], "stop_reason": "tool_use", "stop_sequence": None}) as address:
        chosen = {"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2000}
        secret = {"api_base": address, "api_key": "sk-ant-test-123"}
        speaker = Speaker(LiteLLMClient("anthropic/claude-sonnet-4-5", {**secret, **chosen}), seed=None, prompts="")
        reply = asyncio.run(speaker.ask(CHAT[:2], tools=[TOOL]))
        said = AssistantMessage.model_validate_json(speaker.pass_on(AssistantMessage, reply).model_dump_json())
        chat = [*CHAT[:2], *to_chat([said, ToolMessage(id="a", content="Ada")], "assistant")]
        asyncio.run(speaker.ask(chat, tools=[TOOL]))
    assert said.thoughts == "Who is it?"
    assert got[1]["messages"][1]["content"][0] == thought


@pytest.mark.skipif(find_spec("litellm") is None, reason="litellm is not installed: pytest-tau[llm]")
@pytest.mark.parametrize(
    ("model", "wants"),
    [
        ("anthropic/claude-sonnet-4-5", True),
        ("openrouter/anthropic/claude-sonnet-4.5", True),
        ("openai/claude-on-my-own-server", False),
        ("openai/gpt-4.1", False),
        ("nobody knows this", False),
    ],
)
def test_others_cache_by_themselves(model: str, wants: bool) -> None:
    assert backend.wants_marks(model) is wants


def test_the_system_prompt_and_the_last_message_are_marked_and_nothing_is_changed() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    parts = [{"type": "text", "text": "See."}, picture]
    chat = [*CHAT, {"role": "user", "content": parts}]
    marked = mark_for_cache(chat)
    assert [MARK["cache_control"] in one.values() for one in marked] == [True, False, False, False, False]
    assert marked[-1]["content"] == [parts[0], {**picture, **MARK}]
    assert "cache_control" not in json.dumps(chat)
    assert mark_for_cache([]) == []
