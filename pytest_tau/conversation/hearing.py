"""What becomes of a reply before it is said: thoughts are taken out, and calls that were written as text are noticed.

All of it holds for every player, ours or a project's. What was taken out stays in the message's ``raw_data``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..llm.chat import RAW, raw_output
from ..llm.replies import cause_of
from ..llm.written import WrittenCall, thoughts_apart, written_calls
from ..schema.incidents import ASKED_AGAIN, CUT, END_MARK, ROLE_LOST, TEXT_CALL, TEXT_CALL_RUN, THOUGHTS
from ..schema.messages import LEAKED, TEXT_CALLS, THOUGHT, Requestor, SpokenMessage, ToolCall
from .turns import Role

_SIDES: dict[Role, Requestor] = {"agent": "assistant", "user": "user"}
_ARGUMENTS: dict[Role, str] = {"agent": "--tau-agent-llm-args", "user": "--tau-user-llm-args"}
_MOST_THOUGHTS = 20_000


def as_said(message: SpokenMessage, role: Role, tools: Callable[[], Collection[str]], *, run: bool) -> SpokenMessage:
    """A reply without its thoughts, its written calls noted in ``raw_data``, and made calls of where they are to run.

    Args:
        message: the reply.
        role: whose it is.
        tools: gives the names of the tools of that side.
        run: whether calls that were written as text are to be run.
    """
    text = message.content or (raw_output(message) if message.tool_calls is None else None)
    if not text or ("<" not in text and "{" not in text):
        return message
    said, thoughts = thoughts_apart(text)
    raw = dict(message.raw_data or {})
    if thoughts:
        raw[LEAKED] = True
        raw[THOUGHT] = "\n".join(filter(None, [message.thoughts, thoughts]))[:_MOST_THOUGHTS]
    content = message.content and said
    calls = [] if message.tool_calls else _callable(written_calls(said, tools()), role)
    if calls:
        raw[TEXT_CALLS] = {"names": [call.name for call in calls], "run": run}
    if calls and run:
        raw.setdefault(RAW, said)
        content = None
    elif not (thoughts or calls or said != text):
        return message
    update = {"content": content, "raw_data": raw or None, **({"tool_calls": calls} if calls and run else {})}
    return message.model_copy(update=update)


def _callable(written: Collection[WrittenCall], role: Role) -> list[ToolCall]:
    calls = []
    for number, call in enumerate(written):
        try:
            side = _SIDES[role]
            made = ToolCall(id=f"written_{number}", name=call.name, arguments=call.arguments, requestor=side)
        except ValueError:  # nested too deeply
            continue
        calls.append(made)
    return calls


def incidents_of(message: SpokenMessage, role: Role) -> list[str]:
    """What was wrong with a reply, in the words of :mod:`..schema.incidents`, with whose it was."""
    found: list[str] = []
    if message.raw_data is None and not message.empty:
        return found  # all of it would be noted there
    if message.text_calls:
        found += [TEXT_CALL_RUN if message.text_calls_run else TEXT_CALL] * len(message.text_calls)
    if message.empty:
        found.append(cause_of(message.problem))
    elif message.cut_off:
        found.append(CUT)
    if message.thoughts and message.leaked_thoughts:
        found.append(THOUGHTS)
    found += [f"{ASKED_AGAIN} ({what})" for what in message.asked_again]
    if message.role_lost:
        found.append(f"{ROLE_LOST} ({message.role_lost})")
    if message.mended_end:
        found.append(END_MARK)
    return [f"{role}: {one}" for one in found]


def nothing(role: Role, message: SpokenMessage, attempts: int) -> str:
    """Why a side lost its turn, with what its model gave instead of a message and what helps, where that is known."""
    nothing = f"the {role} neither said nor called anything, {attempts} times in a row"
    if not message.problem:
        return nothing
    helps = f"; raise max_tokens in {_ARGUMENTS[role]}" if cause_of(message.problem) == CUT else ""
    return f"{nothing}: {message.problem}{helps}"
