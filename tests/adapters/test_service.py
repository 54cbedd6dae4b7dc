"""What the answers of agents that are not Python become."""

import asyncio
import threading
from typing import Any

import pytest

from pytest_tau.adapters.service import agent_message, in_thread, reply_of, tools_url
from pytest_tau.errors import SettingsError
from pytest_tau.llm.pricing import Prices
from tests.builders import agent_context

PRICES = Prices.parse({"big": {"input": 4000, "output": 12000}, "small": {"input": 0, "output": 0}})
USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def completion(**fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello."}}
    return {"choices": [choice], "usage": USAGE, **fields}


@pytest.mark.parametrize(
    ("fields", "model", "cost"),
    [
        ({"model": "big"}, None, 0.1),
        ({}, "big", 0.1),
        ({"model": "small"}, "big", 0.0),  # the answer says which it was
        ({"model": "unheard of"}, "big", None),
        ({}, None, None),
        ({"cost": 0.5, "model": "big"}, None, 0.5),  # what it says itself comes first
        ({"usage": {**USAGE, "cost": 0.25}}, None, 0.25),
        ({"cost": 0}, "big", 0.0),
        *(({"cost": odd}, "big", 0.1) for odd in (-1, True, "0.5", float("nan"), 1e10)),
    ],
)
def test_the_price_of_an_answer(fields: dict[str, Any], model: str | None, cost: float | None) -> None:
    reply = reply_of(completion(**fields), seconds=1.5, prices=PRICES, model=model)
    assert reply.cost == (None if cost is None else pytest.approx(cost))
    assert (reply.content, reply.seconds) == ("Hello.", 1.5)
    unpriced = reply_of(completion(model="big"), seconds=1.5, prices=None, model=None)
    assert unpriced.cost is None


def test_what_a_cache_saved_is_noted_as_with_models() -> None:
    prices = Prices.parse({"big": {"input": 4000, "output": 12000, "cached": 1000}})
    usage = {**USAGE, "prompt_tokens_details": {"cached_tokens": 10}}
    reply = reply_of(completion(model="big", usage=usage), seconds=1.5, prices=prices, model=None)
    assert reply.usage is not None
    assert reply.cost == pytest.approx(0.07)
    assert reply.usage.saved == pytest.approx(0.03)


def test_an_answer_is_a_message_of_the_agent() -> None:
    message = agent_message(reply_of(completion(model="big"), seconds=1.23456789, prices=PRICES, model=None))
    assert (message.content, message.tool_calls, message.problem) == ("Hello.", None, None)
    assert message.cost == pytest.approx(0.1)
    assert message.usage is not None
    assert message.usage.completion_tokens == 5
    assert message.generation_time_seconds == 1.234568


def test_an_answer_that_is_none_is_an_empty_message_that_says_why() -> None:
    choice = {"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": None}}
    reply = reply_of({"choices": [choice]}, seconds=1.0, prices=None, model=None)
    assert reply.problem
    message = agent_message(reply)
    assert (message.content, message.tool_calls, message.problem) == (None, None, reply.problem)


def test_work_is_done_in_a_thread_that_keeps_no_process_from_ending() -> None:
    thread = asyncio.run(in_thread(threading.current_thread))
    assert (thread.name, thread.daemon) == ("tau-service", True)

    def broken() -> None:
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        asyncio.run(in_thread(broken))


def test_where_nothing_can_serve_its_tools_an_agent_has_no_address_of_them() -> None:
    def without(tools: object) -> str:
        raise SettingsError("install the extra")

    assert tools_url(agent_context(open_mcp=without)) is None
    assert tools_url(agent_context(open_mcp=lambda tools: "http://127.0.0.1:9/mcp")) == "http://127.0.0.1:9/mcp"
