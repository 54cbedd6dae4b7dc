"""The shop's conversation as programs of agent frameworks keep it, in forms that were seen in logs of real runs."""

from __future__ import annotations

import json
from typing import Any

from tests.recordings.logs import CALLS, CHAT, SYSTEM, TOOLS, lang_chain, lines


def agents_sdk() -> str:
    """What a trace processor exports: a trace for each turn, ended spans before the ones around them."""
    made: list[dict[str, Any]] = []
    for turn, ends in enumerate((CALLS[:2], CALLS[2:])):
        trace = f"trace_{turn}"
        made.append({"object": "trace", "id": trace, "workflow_name": "Shop", "group_id": "conv", "metadata": None})
        for position, end in enumerate(ends):
            data = {"type": "generation", "input": CHAT[: end - 1], "output": [CHAT[end - 1]], "usage": {}}
            made.append(sdk_span(trace, f"2026-03-01T10:0{turn}:0{position}", data))
        for call in CHAT[2]["tool_calls"][:1] if turn == 0 else []:
            function = {"type": "function", "input": call["function"]["arguments"], "output": "{'order_id': 'O1'}"}
            made.append(sdk_span(trace, "2026-03-01T10:00:00.5", {**function, "name": call["function"]["name"]}))
        made.append(sdk_span(trace, f"2026-03-01T10:0{turn}:00", {"type": "agent", "name": "Shop", "tools": []}))
    return lines(made)


def sdk_span(trace: str, at: str, data: dict[str, Any]) -> dict[str, Any]:
    span = {"object": "trace.span", "id": f"span_{at}", "trace_id": trace, "parent_id": None}
    return {**span, "started_at": at, "ended_at": at, "span_data": data, "error": None}


def agents_sdk_python_results() -> str:
    """Items whose results are values as Python writes them."""
    items: list[dict[str, Any]] = []
    for message in CHAT[1:]:
        if message["role"] == "tool":
            text = message["content"]
            output = str(json.loads(text)) if text.startswith("{") else text
            items.append({"type": "function_call_output", "call_id": message["tool_call_id"], "output": output})
            continue
        items += [{"role": message["role"], "content": message["content"]}] if message["content"] else []
        for call in message.get("tool_calls", []):
            items.append({"type": "function_call", "call_id": call["id"], "status": "completed", **call["function"]})
    return json.dumps([{"id": "conv", "instructions": SYSTEM, "items": items, "tools": TOOLS}])


def langchain_list() -> str:
    """``dumps(messages)``: one conversation, a list of constructors."""
    return json.dumps([lang_chain(message) for message in CHAT])


def langchain_dicts() -> str:
    """``messages_to_dict(messages)``."""
    names = {"user": "human", "assistant": "ai"}
    return json.dumps([{"type": names.get(m["role"], m["role"]), "data": lang_chain(m)["kwargs"]} for m in CHAT])


def langgraph_state() -> str:
    """A checkpoint's values, with messages as models dump themselves."""
    names = {"user": "human", "assistant": "ai"}
    messages = [{**lang_chain(m)["kwargs"], "type": names.get(m["role"], m["role"]), "name": None} for m in CHAT]
    return json.dumps({"thread_id": "conv", "values": {"messages": messages}, "next": []})


def pydantic_ai() -> str:
    """``all_messages_json()``: requests and responses of parts; a refused call is asked for again."""
    made: list[dict[str, Any]] = []
    for message in CHAT[1:]:
        parts: list[dict[str, Any]] = []
        if message["role"] == "user":
            parts = [{"part_kind": "user-prompt", "content": message["content"]}]
        elif message["role"] == "assistant":
            parts = [{"part_kind": "text", "content": message["content"]}] if message["content"] else []
            parts += [
                {"part_kind": "tool-call", "tool_name": c["function"]["name"], "args": c["function"]["arguments"],
                 "tool_call_id": c["id"], "id": None}
                for c in message.get("tool_calls", [])
            ]  # fmt: skip
        elif message["content"].startswith("Error"):
            refused = {"part_kind": "retry-prompt", "tool_name": "get_order", "tool_call_id": message["tool_call_id"]}
            parts = [{**refused, "content": message["content"]}]
        else:
            content = json.loads(message["content"])
            parts = [{"part_kind": "tool-return", "content": content, "tool_call_id": message["tool_call_id"]}]
        if message["role"] == "assistant":
            made.append({"kind": "response", "parts": parts, "model_name": "m"})
        elif made and made[-1]["kind"] == "request":
            made[-1]["parts"] += parts
        else:
            made.append({"kind": "request", "parts": parts, "instructions": SYSTEM})
    return json.dumps(made)


def litellm_payloads() -> str:
    """What a success callback is given, a call a line."""
    return lines(
        [
            {
                "id": f"chatcmpl-{position}",
                "trace_id": f"t{position}",
                "call_type": "completion",
                "messages": CHAT[: end - 1],
                "response": {"id": f"chatcmpl-{position}", "choices": [{"index": 0, "message": CHAT[end - 1]}]},
                "model_parameters": {"tools": TOOLS},
                "metadata": {},
            }
            for position, end in enumerate(CALLS)
        ]
    )


def vercel_ai() -> str:
    """Messages of the Vercel AI SDK: calls and results among the parts."""
    made: list[dict[str, Any]] = []
    for message in CHAT:
        content: Any = message["content"]
        if message["role"] == "tool":
            failed = content.startswith("Error")
            output = {"type": "error-text" if failed else "json", "value": content if failed else json.loads(content)}
            content = [{"type": "tool-result", "toolCallId": message["tool_call_id"], "output": output}]
        elif calls := message.get("tool_calls"):
            content = [{"type": "text", "text": content}] if content else []
            content += [
                {"type": "tool-call", "toolCallId": c["id"], "toolName": c["function"]["name"],
                 "input": json.loads(c["function"]["arguments"])}
                for c in calls
            ]  # fmt: skip
        made.append({"role": message["role"], "content": content})
    return json.dumps({"chatId": "conv", "messages": made})


def vercel_ui() -> str:
    """Messages of the Vercel AI SDK's UI: a turn each, with the calls and their results among the parts."""
    made: list[dict[str, Any]] = []
    results = {message["tool_call_id"]: message["content"] for message in CHAT if message["role"] == "tool"}
    for message in CHAT:
        if message["role"] == "tool":
            continue
        parts: list[dict[str, Any]] = [{"type": "text", "text": message["content"]}] if message["content"] else []
        for call in message.get("tool_calls", []):
            result, name = results[call["id"]], call["function"]["name"]
            given = {"toolCallId": call["id"], "input": json.loads(call["function"]["arguments"])}
            ended: dict[str, Any] = {"state": "output-error", "errorText": result}
            if result.startswith("{"):
                ended = {"state": "output-available", "output": json.loads(result)}
            parts.append({"type": f"tool-{name}", **given, **ended})
        if message["role"] == "assistant":
            parts = [{"type": "step-start"}, *parts]
        if made and made[-1]["role"] == message["role"]:
            made[-1]["parts"] += parts
        else:
            made.append({"id": f"msg-{len(made)}", "role": message["role"], "parts": parts})
    return json.dumps({"chatId": "conv", "messages": made})


def message_lines() -> str:
    """A message a line."""
    return lines([{**message, "timestamp": f"2026-03-01T10:00:0{n}Z"} for n, message in enumerate(CHAT)])


FORMATS = {
    "agents_sdk": agents_sdk,
    "agents_sdk_python_results": agents_sdk_python_results,
    "langchain_list": langchain_list,
    "langchain_dicts": langchain_dicts,
    "langgraph_state": langgraph_state,
    "pydantic_ai": pydantic_ai,
    "litellm_payloads": litellm_payloads,
    "vercel_ai": vercel_ai,
    "vercel_ui": vercel_ui,
    "message_lines": message_lines,
}
