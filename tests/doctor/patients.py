"""Models on loopback that are well, or have one fault each that people meet; the healthy one does all that is asked."""

import json
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.llm.server import Answer, Request, calls, fails, rate_limited, raw_call, says

Model = Callable[[Request], Answer]

THREE = "A warranty is a promise. It says that the seller repairs a thing. The customer can ask for that in a year."
PARCEL = {"number": "P-7731", "country": "FR"}
SEEN = "tokens of the prompt, as good as any"


def last(request: Request) -> str:
    """What the model is to answer."""
    return str(request.messages[-1].get("content") or "")


def told(request: Request) -> str:
    """What the model was told at the beginning."""
    return str(request.messages[0].get("content") or "")


def is_a_customer(request: Request) -> bool:
    return "<scenario>" in told(request)


def healthy(request: Request) -> Answer:
    """Does what each check asks, and counts its tokens as a tokenizer would."""
    return _counted(request, _replied(request))


def _replied(request: Request) -> Answer:
    text = last(request)
    if is_a_customer(request):
        spoken = [message for message in request.messages if message["role"] == "assistant"]
        return says("Thank you, that is all. ###STOP###" if spoken else "Hello, where is my parcel P-7731?")
    if "find_parcel" in request.tools:
        return _worked(request)
    if "expectations" in text:
        verdicts = [
            {"number": 1, "reasoning": "It does.", "met": True},
            {"number": 2, "reasoning": "No.", "met": False},
        ]
        return says(json.dumps({"results": verdicts}))
    if "find_parcel" in told(request):
        return says(f"Action:\n{json.dumps({'name': 'find_parcel', 'arguments': PARCEL})}")
    if "new colour" in text:
        return says(_colour(request))
    if "Count from one" in text:
        words = " ".join(["one"] * 100).split()
        bound = request.body.get("max_tokens") or 100
        return says(" ".join(words[:bound]), completion_tokens=min(bound, 100), finish="length")
    return says(THREE if "warranty" in text else "ready", completion_tokens=30)


def _worked(request: Request) -> Answer:
    if request.messages[-1]["role"] == "tool":
        return says("It waits for you at Harbour Street 12.")
    second = [("find_parcel", {**PARCEL, "number": "P-9120"})] if "P-9120" in last(request) else []
    return calls(("find_parcel", PARCEL), *second)


def _colour(request: Request) -> str:
    seed, heat = request.body.get("seed"), request.body.get("temperature")
    rolled = random.Random(seed if heat else 0)
    return "".join(rolled.choices("abcdefgh", k=8))


def _counted(request: Request, answer: Answer) -> Answer:
    """The answer, with the tokens of its prompt: one for four characters."""
    assert isinstance(answer.body, dict)
    read = len(json.dumps([request.messages, request.body.get("tools")])) // 4
    told = {"prompt_tokens": read, "prompt_tokens_details": {"cached_tokens": read // 2}}
    return with_usage(answer, {**answer.body["usage"], **told})


def with_usage(answer: Answer, usage: dict[str, Any]) -> Answer:
    """The answer with another usage."""
    assert isinstance(answer.body, dict)
    return replace(answer, body={**answer.body, "usage": usage})


def with_text(answer: Answer, change: Callable[[str], str]) -> Answer:
    """The answer with another text."""
    assert isinstance(answer.body, dict)
    choice = answer.body["choices"][0]
    message = {**choice["message"], "content": change(choice["message"]["content"] or "")}
    return replace(answer, body={**answer.body, "choices": [{**choice, "message": message}]})


# One fault each


def wrong_key(request: Request) -> Answer:
    return fails(401, "Incorrect API key provided.", code="invalid_api_key")


def unknown_model(request: Request) -> Answer:
    return fails(404, "The model `patient` does not exist.", code="model_not_found")


def no_tool_parser(request: Request) -> Answer:
    if "find_parcel" in request.tools:
        return says(f"<tool_call>\n{json.dumps({'name': 'find_parcel', 'arguments': PARCEL})}\n</tool_call>")
    return healthy(request)


def refuses_tools(request: Request) -> Answer:
    if request.tools:
        return fails(400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set')
    return healthy(request)


def invalid_arguments(request: Request) -> Answer:
    if "find_parcel" in request.tools:
        return says(None, calls=[raw_call("find_parcel", '{"number": "P-7731", "country"')])
    return healthy(request)


def invented_arguments(request: Request) -> Answer:
    if "find_parcel" in request.tools:
        return calls(("find_parcel", {"parcel": "P-7731"}))
    return healthy(request)


WINDOW = 1024


def tiny_context(request: Request) -> Answer:
    read = len(json.dumps([request.messages, request.body.get("tools")])) // 4
    if read > WINDOW:
        return fails(400, f"request ({read} tokens) exceeds the available context size ({WINDOW} tokens)")
    return healthy(request)


def cuts_the_prompt(request: Request) -> Answer:
    answer = healthy(request)
    assert isinstance(answer.body, dict)
    usage = {**answer.body["usage"], "prompt_tokens": min(WINDOW // 2, answer.body["usage"]["prompt_tokens"])}
    return replace(answer, body={**answer.body, "usage": usage})


def ignores_the_seed() -> Model:
    rolled = random.Random(1)

    def model(request: Request) -> Answer:
        if "new colour" in last(request) and request.body.get("temperature"):
            return healthy(Request(request.headers, {**request.body, "seed": rolled.random()}))
        return healthy(request)

    return model


def tells_no_usage(request: Request) -> Answer:
    answer = healthy(request)
    assert isinstance(answer.body, dict)
    return replace(answer, body={name: value for name, value in answer.body.items() if name != "usage"})


def rate_limited_at_first() -> Model:
    turned_away: list[Any] = []

    def model(request: Request) -> Answer:
        turned_away.append(request)
        return rate_limited() if len(turned_away) % 3 == 2 else healthy(request)

    return model


def cut_off(request: Request) -> Answer:
    """As a server whose answers may have so many tokens only."""
    answer = healthy(request)
    assert isinstance(answer.body, dict)
    choice = answer.body["choices"][0]
    words = (choice["message"]["content"] or "").split()
    if len(words) <= 10 or choice["message"].get("tool_calls"):
        return answer
    message = {**choice["message"], "content": " ".join(words[:10])}
    return replace(answer, body={**answer.body, "choices": [{**choice, "message": message, "finish_reason": "length"}]})


def cut_off_and_brief(request: Request) -> Answer:
    """As a brief model behind such a server: three sentences of it fit."""
    if "in three" in last(request):
        return says("A warranty is a promise.", completion_tokens=6)
    return cut_off(request)


def thinks_aloud(request: Request) -> Answer:
    return with_text(healthy(request), lambda text: f"<think>\nThe user wants something.\n</think>\n\n{text}")


def never_ends(request: Request) -> Answer:
    if is_a_customer(request) and len(request.messages) > 2:
        return says("You're welcome!")
    return healthy(request)


def says_goodbye(request: Request) -> Answer:
    if is_a_customer(request) and len(request.messages) > 2:
        return says("Thanks, goodbye!")
    return healthy(request)


def ends_in_small_letters(request: Request) -> Answer:
    if is_a_customer(request) and len(request.messages) > 2:
        return says("Thank you! ###stop###")
    return healthy(request)


def shouts(request: Request) -> Answer:
    if is_a_customer(request) and len(request.messages) > 2:
        return says("I want this to STOP happening!")
    return healthy(request)


def speaks_as_the_agent(request: Request) -> Answer:
    return says("Hello! How can I help you today?") if is_a_customer(request) else healthy(request)


def judges_in_prose(request: Request) -> Answer:
    if "expectations" in last(request):
        return says("The first expectation is met, and the second one is not.")
    return healthy(request)


def writes_chinese(request: Request) -> Answer:
    return says("保修是卖家的承诺。") if "warranty" in last(request) else healthy(request)


def ignores_max_tokens(request: Request) -> Answer:
    return healthy(Request(request.headers, {**request.body, "max_tokens": None}))


def counts_briefly(request: Request) -> Answer:
    """As one that ignores max_tokens, and ends the count by itself."""
    if "Count from one" in last(request):
        return _counted(request, says("one, two, three", completion_tokens=9))
    return healthy(request)


def reads_no_results(request: Request) -> Answer:
    if request.messages[-1]["role"] == "tool":
        return says("I do not know where it is.")
    return healthy(request)
