"""Checks of a customer's model: does it speak as the customer, and end a conversation with the mark for that."""

from __future__ import annotations

from ..conversation.turns import GREETING
from ..evaluation.language.phrases import AGENT_VOICE
from ..llm.chat import Chat, system, user
from ..schema.messages import USER_STOP_TOKENS
from ..schema.scenario import Instructions, UserScenario
from ..users.guard import with_end_mark
from ..users.prompts import Guidelines, system_prompt
from .findings import DoctorFinding, failure, ok, warning
from .line import ModelLine

_SCENARIO = UserScenario(
    instructions=Instructions(
        domain="parcels",
        reason_for_call="You want to know where your parcel P-7731 is.",
        known_info="You are Ada Brook. The number of the parcel is P-7731.",
        task_instructions="Once you know where it is, you want nothing else.",
    )
)
_FOUND = (
    "Your parcel P-7731 waits for you at the depot in Harbour Street 12. Is there anything else I can help you with?"
)
_BYE = "Then that is all settled. Have a nice day!"
_OTHER = "let a larger model play the customer, or leave --tau-user-llm away for the scripted one"


async def plays_the_customer(line: ModelLine, guidelines: Guidelines) -> list[DoctorFinding]:
    """Whether it stays the customer, and ends the conversation when everything is settled."""
    chat = [system(system_prompt(_SCENARIO, guidelines, tools=False)), user(GREETING)]
    first = (await line.ask(chat)).text
    found = [_role(line, first)]
    ended = [mark for mark in USER_STOP_TOKENS if mark in first]
    if ended:
        text = f"it ended the conversation at once, with {ended[0]}"
        return [*found, failure(line.side, "end marks", text, _OTHER)]
    return [*found, await _end(line, [*chat, _spoken_lines(first or "Where is my parcel P-7731?")])]


def _role(line: ModelLine, said: str) -> DoctorFinding:
    if found := AGENT_VOICE.search(said.casefold()):
        return failure(line.side, "role", f"it speaks as the agent: '{said[found.start() :][:80]}'", _OTHER)
    if "parcel" not in said.casefold() and "7731" not in said:
        return warning(line.side, "role", f"asked how to help, it does not say what it wants: '{said[:80]}'", _OTHER)
    return ok(line.side, "role", "it speaks as the customer")


async def _end(line: ModelLine, chat: Chat) -> DoctorFinding:
    said = ""
    for agent in (_FOUND, _BYE):
        said = (await line.ask([*chat, user(agent)])).text
        if mark := next((mark for mark in USER_STOP_TOKENS if mark in said), None):
            return ok(line.side, "end marks", f"written when all was settled: {mark}")
        if with_end_mark(said) != said:
            text = f"it wrote '{said[-80:]}' where ###STOP### belongs"
            return warning(line.side, "end marks", text, "near-misses are understood; a larger model writes the mark")
        chat = [*chat, user(agent), _spoken_lines(said)]
    text = f"it never ends a conversation: all was settled, and it wrote '{said[:80]}'"
    return failure(line.side, "end marks", text, f"its trials go on until --tau-max-steps; {_OTHER}")


def _spoken_lines(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}
