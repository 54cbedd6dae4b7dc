"""Checks of an agent's model: its calls of tools, and whether this suite's longest prompt fits into its window."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..agents.act import parse_action
from ..agents.prompts import ACT_FORM, ACTIONS, REACT_FORM, RESPOND
from ..llm.chat import Chat, system, user
from ..llm.retry import ProviderError
from ..printable import cut
from ..schema.messages import ToolCall
from .findings import DoctorFinding, failure, ok, warning
from .line import LineAnswer, ModelLine

_TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "find_parcel",
        "description": "Says where a parcel is.",
        "parameters": {
            "type": "object",
            "properties": {
                "number": {"type": "string", "description": "The parcel's number, such as P-1000."},
                "country": {"type": "string", "enum": ["DE", "FR", "US"], "description": "Where it was sent from."},
            },
            "required": ["number", "country"],
        },
    },
}
_NAME = "find_parcel"
_PLACE = "Harbour Street 12"
_TASK = "You work in customer service. Look parcels up with the tool find_parcel before you say anything about them."
_ASK = "Where is my parcel P-7731? It was sent from France."
_TWO = "Where are my parcels P-7731 and P-9120? Both were sent from France."
_WANTED = {"number": "P-7731", "country": "FR"}
_FORMS = {"act": ACT_FORM, "react": REACT_FORM}
# How calls look that no parser has read; with the tool's name in it.
_WRITTEN = re.compile(r"<tool_call>|<function|\[TOOL_CALLS\]|\"(?:name|arguments|parameters)\"\s*:|find_parcel\s*\(")
_NO_PARSER = (
    "the server was started without a tool-call parser: llama.cpp --jinja, vLLM --enable-auto-tool-choice "
    "--tool-call-parser NAME; or play --tau-agent act, which needs none"
)
_WINDOW = "llama.cpp -c, Ollama OLLAMA_CONTEXT_LENGTH, vLLM --max-model-len"
_TRIES = 2
_CHARACTERS = 8  # a token has fewer, in any text of ours
_ANSWER = 512  # tokens that an answer may take
_ENDS = 16  # tokens of the answers that are thrown away


@dataclass(frozen=True)
class LongestPrompt:
    """What the agent reads at the start of this suite's longest task.

    ``grows``: tokens that a conversation adds to it until its end, as the forecast has it.
    """

    task_id: str
    system: str
    tools: tuple[Mapping[str, Any], ...]
    grows: float

    @property
    def characters(self) -> int:
        """Of the prompt and its tools."""
        return len(self.system) + len(json.dumps(self.tools, ensure_ascii=False))


async def calls_tools(line: ModelLine, agent: str) -> list[DoctorFinding]:
    """Whether the model calls a tool when it is asked to, and what it makes of the result."""
    if agent in _FORMS:
        return [await _writes_actions(line, agent)]
    chat = [system(_TASK), user(_ASK)]
    problems: list[DoctorFinding] = []
    for attempt in range(_TRIES):
        try:
            answer = await line.ask(chat, tools=[_TOOL], seed=attempt + 1)
        except ProviderError as error:
            if error.kind not in ("refused", "server", "no tool parser", "unknown"):
                raise
            said = " ".join(str(error).partition("; start the server")[0].split())[:300]
            line.refuses_tools = True
            return [failure(line.side, "tool calls", f"a request with tools is refused: {said}", _NO_PARSER)]
        found = _call_problem(line, answer)
        if found is None:
            found = ok(line.side, "tool calls", "native, with arguments that fit")
            if problems:
                found = warning(line.side, "tool calls", f"native, at the second try; first: {problems[0].text}", "")
            return [found, await _understands(line, chat, answer), await _parallel(line)]
        problems.append(found)
    return [problems[0]]


def _call_problem(line: ModelLine, answer: LineAnswer) -> DoctorFinding | None:
    """What is wrong with the answer to a question that needs a tool; None where it calls the tool as it should."""
    reply, check = answer.reply, "tool calls"
    if reply.problem and "was called" in reply.problem:
        return failure(
            line.side,
            check,
            f"invalid arguments: {reply.problem}",
            "use a larger model or a finer quantisation, or a server that holds calls to their schema",
        )
    if not reply.tool_calls:
        if _WRITTEN.search(answer.raw):
            return failure(line.side, check, f"the call came as text: {_quote(answer.raw)}", _NO_PARSER)
        said = (
            f"it called nothing and wrote {_quote(answer.raw)}" if answer.raw.strip() else "it called and wrote nothing"
        )
        advice = f"use a model that is trained to call tools; if this one is, {_NO_PARSER}"
        return failure(line.side, check, said, advice)
    call = reply.tool_calls[0]
    if call.name != _NAME:
        return failure(line.side, check, f"it called '{call.name}', which there is not", "use a larger model")
    if _plain(call.arguments) != _plain(_WANTED):
        advice = "use a larger model; this one will call tools with what nobody has said"
        return failure(line.side, check, f"invalid arguments: {_quote(json.dumps(call.arguments))}", advice)
    return None


def _plain(arguments: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value).strip().lstrip("#").casefold() for name, value in arguments.items()}


async def _understands(line: ModelLine, chat: Chat, answer: LineAnswer) -> DoctorFinding:
    """Whether it says what a tool has returned."""
    calls: list[ToolCall] = answer.reply.tool_calls or []
    spoken: dict[str, Any] = {"role": "assistant", "content": answer.reply.content}
    spoken["tool_calls"] = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in calls
    ]
    result = json.dumps({"number": "P-7731", "waits_at": _PLACE})
    results = [{"role": "tool", "tool_call_id": call.id, "content": result} for call in calls]
    said = await line.ask([*chat, spoken, *results], tools=[_TOOL])
    if "harbour" in said.text.casefold():
        return ok(line.side, "tool results", "read, and passed on to the customer")
    if said.reply.tool_calls:
        return warning(line.side, "tool results", "it calls the tool again instead of saying what it returned", _DULL)
    text = f"the tool returned {_PLACE}, and it wrote {_quote(said.text)}"
    return warning(line.side, "tool results", text, _DULL)


_DULL = "use a larger model, or see that the chat template has tool results"


async def _parallel(line: ModelLine) -> DoctorFinding:
    answer = await line.ask([system(_TASK), user(_TWO)], tools=[_TOOL])
    number = len(answer.reply.tool_calls or [])
    told = f"{number} calls in one answer" if number > 1 else "one call at a time, which takes more turns"
    return ok(line.side, "parallel calls", told)


async def _writes_actions(line: ModelLine, agent: str) -> DoctorFinding:
    """Whether it writes its calls in the form that the agent reads."""
    instructions = f"{_TASK}\n\n{ACTIONS.format(respond=RESPOND, form=_FORMS[agent])}"
    chat = [system(f"{instructions}\n<tools>\n{json.dumps([_TOOL])}\n</tools>"), user(_ASK)]
    for attempt in range(_TRIES):
        answer = await line.ask(chat, seed=attempt + 1)
        _, action = parse_action(answer.reply.content or "")
        if action is not None and action[0] == _NAME and _plain(action[1]) == _plain(_WANTED):
            return ok(line.side, "actions", f"written as the agent {agent} reads them")
    if action is not None:
        advice = "use a larger model; this one will call tools with what nobody has said"
        return failure(line.side, "actions", f"invalid action: {_quote(json.dumps(action))}", advice)
    advice = "use a larger model, or --tau-agent llm with a server that has a tool-call parser"
    return failure(line.side, "actions", f"no action of the form that {agent} reads: {_quote(answer.raw)}", advice)


async def holds_the_prompt(line: ModelLine, longest: LongestPrompt) -> tuple[list[DoctorFinding], int | None]:
    """Whether the longest prompt fits, twice, for the prompt cache; with the tokens it has, where they are told."""
    check = "context window"
    chat = [system(longest.system), user("Hello, I have a question about my account.")]
    more = f"start the server with more ({_WINDOW})"
    try:
        first = await line.ask(chat, tools=longest.tools, changed=line.bound_parameter(_ENDS))
    except ProviderError as error:
        if error.kind != "context window" and "context size" not in str(error):
            raise
        needed, window = error.tokens
        about = f"about {longest.characters // 4:,}" if needed is None else f"{needed:,}"
        holds = "fewer" if window is None else f"{window:,}"
        text = f"the prompt and tools of {longest.task_id} have {about} tokens, and the window holds {holds}"
        return [failure(line.side, check, text, f"{more}, or use a model with a larger window")], None
    read = first.reply.usage.prompt_tokens if first.reply.usage else None
    if read is not None and read < longest.characters / _CHARACTERS:
        text = (
            f"the server cut the prompt without a word: it read {read:,} tokens of about {longest.characters // 4:,} "
            f"({longest.task_id})"
        )
        return [failure(line.side, check, text, more)], None
    found = [_room(line, longest, read or longest.characters // 4, more)]
    other = [chat[0], user("Hello, I would like to change an order.")]
    second = await line.ask(other, tools=longest.tools, changed=line.bound_parameter(_ENDS))
    return [*found, _cache_finding(line, first, second)], read


def _room(line: ModelLine, longest: LongestPrompt, read: int, more: str) -> DoctorFinding:
    name = line.model.partition("/")[2]
    listed = line.listed_models()
    window = listed.get(name) or (next(iter(listed.values())) if len(listed) == 1 else None) or known_window(line.model)
    needs = read + round(longest.grows) + _ANSWER
    whose = f"the longest prompt with its tools has {read:,} tokens ({longest.task_id})"
    told = f"{whose}, with a conversation about {needs:,}"
    if window is None:
        advice = f"see that the server was started with as many ({_WINDOW})"
        return warning(line.side, "context window", f"{told}; nobody tells how many the window holds", advice)
    if window < needs:
        return failure(line.side, "context window", f"{told}, and the window holds {window:,}", more)
    if window < 2 * needs:
        return warning(
            line.side, "context window", f"{told}; the window holds {window:,}, so long ones will not fit", more
        )
    return ok(line.side, "context window", f"{told}; the window holds {window:,}")


def known_window(model: str) -> int | None:
    """The window that litellm knows a model to have."""
    from ..llm import backend

    try:
        found = backend.load().get_model_info(model).get("max_input_tokens")
    except Exception:
        return None  # it raises different classes for models it does not know
    return found if isinstance(found, int) else None


def _cache_finding(line: ModelLine, first: LineAnswer, second: LineAnswer) -> DoctorFinding:
    """Whether the second call with the same prompt read it from a cache."""
    check = "prompt cache"
    cached = second.reply.usage.cached_tokens if second.reply.usage else None
    if cached:
        return ok(line.side, check, f"used: {cached:,} tokens of the second call")
    if second.reply.seconds < first.reply.seconds / 2 and first.reply.seconds > 1:
        return ok(line.side, check, f"used: {first.reply.seconds:.1f} s, then {second.reply.seconds:.1f} s")
    if second.reply.usage is None:
        return ok(line.side, check, "nobody tells whether there is one")
    advice = "each call reads its whole prompt anew; switch prefix caching on where the server or the provider has it"
    return warning(line.side, check, "no sign of one", advice)


def _quote(text: str) -> str:
    return repr(cut(" ".join(text.split()), 100))
