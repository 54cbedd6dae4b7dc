"""The Responses API against a server that speaks it."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.errors import PlayerError
from pytest_tau.llm.pricing import Price, Prices
from pytest_tau.schema.simulation import Termination
from tests.adapters.protocols import PRICES, costs, earned, played, with_a_picture
from tests.adapters.server import CALL, Answer, Asked
from tests.builders import mock
from tests.pictures import strip

PICTURE = base64.b64encode(strip("STAMPS")).decode()


def response(*output: dict[str, Any]) -> Answer:
    return Answer({"id": "r", "output": list(output), "usage": {"input_tokens": 3, "output_tokens": 2}, "model": "m"})


def test_responses_gets_back_what_it_put_out() -> None:
    reasoning = {"type": "reasoning", "id": "rs_1", "summary": []}
    arguments = json.dumps(CALL["arguments"])
    call = {"type": "function_call", "call_id": "fc_1", "name": CALL["name"], "arguments": arguments}

    def behaviour(asked: Asked) -> Answer:
        if asked.body["input"][-1].get("type") == "function_call_output":
            return response({"type": "message", "content": [{"type": "output_text", "text": "It is done."}]})
        return response(reasoning, call)

    simulation, asked, _ = played(behaviour, "/v1/responses", prices=PRICES)
    assert earned(simulation) == 1.0
    assert asked[0].body["instructions"] == mock().environment().policy
    assert asked[0].body["tools"][0]["type"] == "function"
    assert "name" in asked[0].body["tools"][0]
    assert asked[0].body["input"][0] == {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Hi! How can I help you today?"}],
    }
    assert asked[1].body["input"][2:] == [
        reasoning,
        call,
        {"type": "function_call_output", "call_id": "fc_1", "output": asked[1].body["input"][-1]["output"]},
    ]
    assert costs(simulation) == [7.0, 7.0]


def test_a_refusal_is_named() -> None:
    refused = response({"type": "message", "content": [{"type": "refusal", "refusal": "Not that."}]})
    simulation, _, _ = played(lambda asked: refused, "/responses")
    assert str(simulation.note).endswith("3 times in a row: the model refused: Not that.")


def test_tokens_from_a_cache_have_the_price_of_these() -> None:
    said = response({"type": "message", "content": [{"type": "output_text", "text": "Hello."}]})
    usage = {"input_tokens": 3, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 2}}
    prices = Prices({"m": Price(input=1_000_000, output=2_000_000, cached=500_000)})
    simulation, _, _ = played(lambda asked: Answer({**said.body, "usage": usage}), "/responses", prices=prices)
    assert costs(simulation)[0] == 6.0


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("content_filter", "the provider's content filter withheld the reply"),
        ("max_output_tokens", "the reply is empty (the reply was cut off at the token limit); raise max_tokens in"),
    ],
)
def test_why_a_response_is_incomplete_is_told(reason: str, told: str) -> None:
    cut = Answer({**response().body, "status": "incomplete", "incomplete_details": {"reason": reason}})
    simulation, _, _ = played(lambda asked: cut, "/responses")
    assert f"3 times in a row: {told}" in str(simulation.note)


def test_a_team_says_which_of_it_speaks() -> None:
    said = response({"type": "message", "content": [{"type": "output_text", "text": "Hello."}]})
    simulation, _, _ = played(lambda asked: Answer({**said.body, "author": "refunds"}), "/responses")
    assert simulation.messages[2].author == "refunds"  # type: ignore[union-attr]


def test_responses_that_fail_are_the_providers_fault_and_others_are_named() -> None:
    failed = Answer({"status": "failed", "error": {"message": "overloaded"}, "output": []})
    simulation, asked, _ = played(lambda asked: failed, "/responses")
    assert simulation.termination_reason is Termination.INFRASTRUCTURE_ERROR
    assert len(asked) == 3
    with pytest.raises(PlayerError, match="it must be a response with a list of output items"):
        played(lambda asked: Answer({"choices": []}), "/responses")


def test_pictures_go_as_the_responses_api_has_them(tmp_path: Path) -> None:
    said = response({"type": "message", "content": [{"type": "output_text", "text": "I see."}]})
    (asked,) = with_a_picture(lambda asked: said, tmp_path, "/v1/responses")
    text, image = asked.body["input"][-1]["content"]
    assert text["type"] == "input_text"
    assert image == {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"}


@pytest.mark.parametrize("content", [3, [{"text": 1}]])
def test_values_of_other_types_are_not_of_the_protocol(content: Any) -> None:
    with pytest.raises(PlayerError, match="answered with something else than the protocol 'responses'"):
        played(lambda asked: response({"type": "message", "content": content}), "/v1/responses")
