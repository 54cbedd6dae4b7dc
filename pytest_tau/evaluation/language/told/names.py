"""Names from nowhere: the agent calls something by the name of a record that nothing has shown: "the Wayfarer plan".

The world tells which names there are, and what they are names of; the word for that has to stand beside the name, since
a plan may be called "Pocket". What nothing gives may be true all the same: a reader decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ....environment.environment import Environment
from ....schema.messages import AnyMessage
from ....schema.transcript import readable
from ..text import own_words, sentences
from .deeds import Claim

_CAPITALS = re.compile(r"[A-Z]\w+(?:[ -][A-Z]\w+)*")


def names_from_nowhere(messages: Sequence[AnyMessage], env: Environment) -> Iterator[Claim]:
    """The sentences of the agent with the name of a record that neither a message, nor policy or tools have had."""
    known = env.domain.base.names
    for turn, message in enumerate(messages) if known else ():
        if message.role != "assistant" or message.tool_calls or not message.text:
            continue
        for sentence, capitals in _capitals_in(message.text):
            said = sentence.casefold()
            names = [name for name in capitals if name in known and known[name].removesuffix("s") in said]
            shown = _shown_before(messages[:turn], env) if names else ""  # for few sentences
            if any(name.casefold() not in shown for name in names):
                yield Claim(turn, sentence)


@lru_cache(maxsize=2048)
def _capitals_in(text: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The sentences of a text with their words that have capitals, and runs of such words."""
    found = []
    for sentence in sentences(own_words(text)):
        runs = [run.split(" ") for run in _CAPITALS.findall(sentence)]
        parts = [" ".join(run[a:b]) for run in runs for a in range(len(run)) for b in range(a + 1, len(run) + 1)]
        found += [(sentence, tuple(parts))] if parts else []
    return tuple(found)


def _shown_before(messages: Sequence[AnyMessage], env: Environment) -> str:
    """All that was said, called and shown, and what the agent was told of its work, in small letters."""
    said = [readable(message.content or "") for message in messages]
    called = [str(call.arguments) for message in messages for call in getattr(message, "tool_calls", None) or ()]
    tools = [f"{spec.name} {spec.function.__doc__} {spec.signature}" for spec in env.tool_specs()]
    return "\n".join((env.policy, *tools, *called, *said)).casefold()
