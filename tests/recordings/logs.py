"""One conversation of a shop, as the programs log it that people use: a function for each format."""

from __future__ import annotations

import json
from typing import Any

SYSTEM = "You work for a shop. Ask before you change anything."
ORDER = {"order_id": "O1", "status": "pending", "total": 12.4}
GONE = {**ORDER, "status": "cancelled"}
CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": SYSTEM},
    {"role": "user", "content": "Please cancel order O1."},
    {
        "role": "assistant",
        "content": "I look it up.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "get_order", "arguments": json.dumps({"order_id": "O1"})},
            },
            {"id": "c2", "type": "function", "function": {"name": "get_order", "arguments": '{"order_id": "O9"}'}},
        ],
    },
    {"role": "tool", "tool_call_id": "c2", "content": "Error: no such order"},
    {"role": "tool", "tool_call_id": "c1", "content": json.dumps(ORDER)},
    {"role": "assistant", "content": "Shall I cancel order O1?"},
    {"role": "user", "content": "Yes, please."},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c3", "type": "function", "function": {"name": "cancel_order", "arguments": '{"order_id": "O1"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c3", "content": json.dumps(GONE)},
    {"role": "assistant", "content": "It is cancelled. You get 12.40 back."},
]
TOOLS: list[dict[str, Any]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": about,
            "parameters": {"type": "object", "properties": {"order_id": {"type": "string"}}, "required": ["order_id"]},
        },
    }
    for name, about in (("get_order", "Look an order up."), ("cancel_order", "Cancel an order."))
]
# After each model call, how many messages there are.
CALLS = (3, 6, 8, 10)


def lines(values: list[Any]) -> str:
    return "\n".join(json.dumps(value) for value in values) + "\n"


def chat() -> str:
    return lines([{"id": "conv", "messages": CHAT, "tools": TOOLS}])


def chat_calls() -> str:
    """A request with its response, for each model call."""
    return lines(
        [
            {
                "id": "conv",
                "request": {"model": "m", "messages": CHAT[: end - 1], "tools": TOOLS},
                "response": {"choices": [{"index": 0, "message": CHAT[end - 1]}]},
            }
            for end in CALLS
        ]
    )


def anthropic() -> str:
    messages: list[dict[str, Any]] = []
    for message in CHAT[1:]:
        if message["role"] == "tool":
            block = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
            if messages[-1]["role"] == "user":
                messages[-1]["content"].append(block)
            else:
                messages.append({"role": "user", "content": [block]})
            continue
        blocks: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}] if message["content"] else []
        for call in message.get("tool_calls", []):
            function = call["function"]
            blocks.append(
                {
                    "type": "tool_use",
                    "id": call["id"],
                    "name": function["name"],
                    "input": json.loads(function["arguments"]),
                }
            )
        messages.append({"role": message["role"], "content": blocks})
    tools = [{"name": t["function"]["name"], "input_schema": t["function"]["parameters"]} for t in TOOLS]
    return lines([{"id": "conv", "system": SYSTEM, "messages": messages, "tools": tools}])


def items() -> list[dict[str, Any]]:
    """The messages as items of the Responses API."""
    made: list[dict[str, Any]] = []
    for message in CHAT[1:]:
        if message["role"] == "tool":
            made.append(
                {"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}
            )
            continue
        if message["content"] and message["role"] == "user":
            made.append({"role": "user", "content": message["content"]})
        elif message["content"]:
            text = [{"type": "output_text", "text": message["content"], "annotations": []}]
            made.append({"type": "message", "id": "msg", "role": "assistant", "content": text})
        for call in message.get("tool_calls", []):
            made.append({"type": "function_call", "id": f"fc_{call['id']}", "call_id": call["id"], **call["function"]})
    return made


def responses() -> str:
    """A call of the API a line, each after the one before."""
    pieces: list[tuple[list[Any], list[Any]]] = []
    given: list[dict[str, Any]] = []
    number = 0
    before = None
    for item in [*items(), None]:
        by_agent = item is not None and (item.get("role") == "assistant" or item.get("type") == "function_call")
        if given and pieces and pieces[-1][1] and not by_agent:
            number += 1
            yield_line = {
                "request": {"instructions": SYSTEM, "input": pieces[-1][0], "tools": [t["function"] for t in TOOLS]},
                "response": {"id": f"r{number}", "object": "response", "output": pieces[-1][1]},
            }
            if before:
                yield_line["request"]["previous_response_id"] = before
            before = f"r{number}"
            given.append(yield_line)
            pieces.append(([], []))
        if item is None:
            break
        if not pieces:
            pieces.append(([], []))
        if not given:
            given.append({})
        pieces[-1][1 if by_agent else 0].append(item)
    return lines(given[1:])


def responses_items() -> str:
    return json.dumps([{"id": "conv", "instructions": SYSTEM, "items": items(), "tools": TOOLS}])


def parts(message: dict[str, Any]) -> dict[str, Any]:
    """A message as OpenTelemetry's conventions have it."""
    if message["role"] == "tool":
        response = {"type": "tool_call_response", "id": message["tool_call_id"], "response": message["content"]}
        return {"role": "tool", "parts": [response]}
    made: list[dict[str, Any]] = [{"type": "text", "content": message["content"]}] if message["content"] else []
    for call in message.get("tool_calls", []):
        arguments = json.loads(call["function"]["arguments"])
        made.append({"type": "tool_call", "id": call["id"], "name": call["function"]["name"], "arguments": arguments})
    return {"role": message["role"], "parts": made}


def otlp_span(name: str, start: int, attributes: dict[str, Any]) -> dict[str, Any]:
    def value(one: Any) -> dict[str, Any]:
        if isinstance(one, bool):
            return {"boolValue": one}
        return {"intValue": str(one)} if isinstance(one, int) else {"stringValue": one}

    return {
        "traceId": "5b8aa5a2d2c872e8321cf37308d69df2",
        "spanId": f"{start:016x}",
        "name": name,
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + start),
        "endTimeUnixNano": str(1_700_000_000_000_000_001 + start),
        "attributes": [{"key": key, "value": value(one)} for key, one in attributes.items()],
        "status": {},
    }


def otlp() -> str:
    """The conventions' attributes, with a span around all that repeats them, in a shuffled order."""
    spans = []
    for position, end in enumerate(CALLS):
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": "conv",
            "gen_ai.system_instructions": json.dumps([{"type": "text", "content": SYSTEM}]),
            "gen_ai.input.messages": json.dumps([parts(message) for message in CHAT[1 : end - 1]]),
            "gen_ai.output.messages": json.dumps([parts(CHAT[end - 1])]),
            "gen_ai.tool.definitions": json.dumps([{"type": "function", **t["function"]} for t in TOOLS]),
        }
        spans.append(otlp_span("chat m", position, attributes))
    spans.append(
        otlp_span("invoke_agent", 0, {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": "conv"})
    )
    return json.dumps({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans[::-1]}]}]})


def flat(message: dict[str, Any], key: str) -> dict[str, Any]:
    made = {f"{key}.message.role": message["role"]}
    if message.get("content"):
        made[f"{key}.message.content"] = message["content"]
    if "tool_call_id" in message:
        made[f"{key}.message.tool_call_id"] = message["tool_call_id"]
    for number, call in enumerate(message.get("tool_calls", [])):
        place = f"{key}.message.tool_calls.{number}.tool_call"
        made[f"{place}.id"] = call["id"]
        made[f"{place}.function.name"] = call["function"]["name"]
        made[f"{place}.function.arguments"] = call["function"]["arguments"]
    return made


def openinference() -> str:
    """OpenInference's spans as an SDK's console exporter prints them."""
    spans = []
    for position, end in enumerate(CALLS):
        attributes: dict[str, Any] = {"openinference.span.kind": "LLM", "session.id": "conv"}
        for number, message in enumerate(CHAT[: end - 1]):
            attributes |= flat(message, f"llm.input_messages.{number}")
        attributes |= flat(CHAT[end - 1], "llm.output_messages.0")
        for number, tool in enumerate(TOOLS):
            attributes[f"llm.tools.{number}.tool.json_schema"] = json.dumps(tool)
        spans.append(
            {
                "name": "ChatCompletion",
                "context": {"trace_id": f"0x{position}", "span_id": "0x1"},
                "start_time": f"2026-03-01T10:00:0{position}Z",
                "attributes": attributes,
                "status": {"status_code": "OK"},
            }
        )
    return lines(spans)


def span_events() -> str:
    """The conventions as they were: an event for each message."""
    spans = []
    for position, end in enumerate(CALLS):
        span = otlp_span("chat m", position, {"gen_ai.operation.name": "chat"})
        events = [
            {
                "name": f"gen_ai.{m['role']}.message",
                "attributes": [
                    {"key": "event_body", "value": {"stringValue": json.dumps({**m, "id": m.get("tool_call_id")})}}
                ],
            }
            for m in CHAT[: end - 1]
        ]
        choice = json.dumps({"index": 0, "message": CHAT[end - 1]})
        events.append(
            {"name": "gen_ai.choice", "attributes": [{"key": "event_body", "value": {"stringValue": choice}}]}
        )
        spans.append({**span, "events": events})
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})


def langfuse() -> str:
    """A trace with its observations; the last result stands in a tool's observation only."""
    observations: list[dict[str, Any]] = [
        {
            "id": f"o{position}",
            "type": "GENERATION",
            "startTime": f"2026-03-01T10:00:0{position}.000Z",
            "input": {"messages": CHAT[: end - 1], "tools": TOOLS},
            "output": CHAT[end - 1],
        }
        for position, end in enumerate(CALLS)
    ]
    return json.dumps([{"id": "trace", "sessionId": "conv", "input": None, "observations": observations[::-1]}])


def lang_chain(message: dict[str, Any]) -> dict[str, Any]:
    names = {"system": "SystemMessage", "user": "HumanMessage", "assistant": "AIMessage", "tool": "ToolMessage"}
    kwargs: dict[str, Any] = {"content": message["content"] or "", "type": message["role"]}
    if "tool_call_id" in message:
        kwargs["tool_call_id"] = message["tool_call_id"]
    if calls := message.get("tool_calls"):
        kwargs["tool_calls"] = [
            {"id": call["id"], "name": call["function"]["name"], "args": json.loads(call["function"]["arguments"])}
            for call in calls
        ]
    kwargs.pop("type")
    return {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", names[message["role"]]],
        "kwargs": kwargs,
    }


def langsmith() -> str:
    """Runs of a thread: a chain around a model's run for each call."""
    runs = []
    for position, end in enumerate(CALLS):
        model = {
            "id": f"m{position}",
            "trace_id": f"t{position}",
            "run_type": "llm",
            "name": "ChatOpenAI",
            "start_time": f"2026-03-01T10:00:0{position}",
            "inputs": {"messages": [[lang_chain(message) for message in CHAT[: end - 1]]]},
            "outputs": {"generations": [[{"text": "", "message": lang_chain(CHAT[end - 1])}]]},
            "extra": {"metadata": {"thread_id": "conv"}, "invocation_params": {"tools": TOOLS}},
        }
        runs.append(model)
    return lines(runs)


def plain() -> str:
    conversation = [
        CHAT[0],
        CHAT[1],
        {"role": "assistant", "content": "I look it up."},
        {"call": "get_order", "arguments": {"order_id": "O1"}, "result": ORDER},
        {"call": "get_order", "arguments": {"order_id": "O9"}, "error": "Error: no such order"},
        CHAT[5],
        CHAT[6],
        {"call": "cancel_order", "arguments": {"order_id": "O1"}, "result": GONE},
        CHAT[9],
    ]
    return json.dumps({"id": "conv", "conversation": conversation, "tools": TOOLS})


FORMATS = {
    "chat": chat,
    "chat_calls": chat_calls,
    "anthropic": anthropic,
    "responses": responses,
    "responses_items": responses_items,
    "otlp": otlp,
    "openinference": openinference,
    "span_events": span_events,
    "langfuse": langfuse,
    "langsmith": langsmith,
    "plain": plain,
}
