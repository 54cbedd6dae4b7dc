"""What a trial cost its customer, read off the messages: turns, questions too many, waiting, apologies, a hand-over.

None of it takes part in the reward. The rules are English and count what is certain:

- A question is **asked twice** where the agent has put it before in nearly the same words; "anything else?" and the
  question for a yes are none.
- A fact is **asked though it was told** where the agent asks for it (an e-mail address, an order, a zip code …) and the
  customer has said one like it before.
- An **apology without an action** is one that no successful change of the agent's follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from ...environment.environment import Environment
from ...environment.pace import seconds_of_each
from ...schema.messages import AnyMessage
from ...schema.reward import Effort
from ...schema.transcript import Line, calls_done, calls_not_failed, lines_of
from ..language.text import plain

_SENTENCE = re.compile(r"[^.!?\n]+[.!?]?")
_SORRY = re.compile(r"\b(?:sorry|apologi[sz]e|apologies|regret)\b", re.IGNORECASE)
_NO_QUESTION = re.compile(
    r"anything else|any other|something else|go ahead|proceed|confirm|is that (?:all )?right|shall i|should i"
    r"|would you like me|do you agree|yes/no|help you|all right\?",
    re.IGNORECASE,
)
# What an agent asks for, and how it looks where a customer says it.
_FACTS = {
    r"e-?mail": r"[\w.+-]+@[\w-]+\.\w",
    r"order (?:id|number)|which order": r"#W\d{4,}",
    r"zip|postal code": r"\b\d{5}\b",
    r"phone number": r"\b\d{3}[-. ]\d{3}[-. ]\d{4}\b",
    r"(?:reservation|booking|confirmation) (?:id|number|code)|which reservation": r"\b(?=[A-Z0-9]*\d)[A-Z0-9]{6}\b",
    r"user id": r"\b[a-z]+_[a-z]+_\d{3,}\b",
}
_FACTS_ASKED = [(re.compile(rf"\b(?:{asked})", re.IGNORECASE), re.compile(said)) for asked, said in _FACTS.items()]
_REQUEST = re.compile(r"\b(?:provide|give me|tell me|share|send me|need|let me know)\b[^.!?]*\byour\b", re.IGNORECASE)
_PERSON = re.compile(r"human|agent|person")
_ALIKE = 0.8
_WORD = re.compile(r"\w+")


def effort(messages: Sequence[AnyMessage], env: Environment, episodes: Sequence[int] = ()) -> Effort:
    """The effort of a conversation, or of several, where ``episodes`` says where the later ones begin."""
    lines = lines_of(messages)
    begins = pairwise([0, *episodes, len(messages)])
    parts = [[line for line in lines if begin <= line.turn < end] for begin, end in begins] if episodes else [lines]
    writes = [
        turn
        for turn, call, _ in calls_done(messages)
        if call.requestor == "assistant" and env.writes(call.name, call.requestor)
    ]
    agent, customer = seconds_of_each(messages, env)
    sorry = [line.turn for line in lines if line.by_agent and _apologizes(line.text)]
    return Effort(
        turns=sum(not line.by_agent for line in lines),
        asked_twice=sum(map(_asked_twice, parts)),
        asked_though_told=sum(len(asked_though_told(part)) for part in parts),
        apologies=sum(not any(turn > at for turn in writes) for at in sorry),
        handed_over=handed_over(messages, env),
        wait_seconds=round(agent, 1),
        handle_time=round(agent + customer, 1),
    )


def handed_over(messages: Sequence[AnyMessage], env: Environment | None) -> bool:
    """Whether the agent handed the customer over to a person; what it transfers otherwise, such as money, is a change.

    A call that failed hands nobody over. ``env``: tells which tools change something; without it the name has to do.
    """
    made = calls_not_failed(messages)
    return any(hands_over(call.name, env) for _, call, _ in made if call.requestor == "assistant")


def hands_over(name: str, env: Environment | None) -> bool:
    """Whether an agent's tool of this name hands over to a person, as far as :func:`handed_over` can tell."""
    return "transfer" in name and (env is None or not env.writes(name) or _PERSON.search(name) is not None)


@lru_cache(maxsize=4096)
def _apologizes(text: str) -> bool:
    return _SORRY.search(plain(text)) is not None


@lru_cache(maxsize=4096)
def _questions(text: str) -> tuple[frozenset[str], ...]:
    """The words of each question that is one."""
    put = (s for s in _SENTENCE.findall(plain(text)) if s.endswith("?") and not _NO_QUESTION.search(s))
    return tuple(words for one in put if len(words := frozenset(_WORD.findall(one.casefold()))) > 3)


def _asked_twice(lines: Sequence[Line]) -> int:
    asked: list[frozenset[str]] = []
    again = 0
    for line in lines:
        for words in _questions(line.text) if line.by_agent else ():
            again += any(len(words & before) >= _ALIKE * len(words | before) for before in asked)
            asked.append(words)
    return again


def asked_though_told(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """The turns in which the agent asks for a fact that the customer has told, and in which it was told first.

    One for each such fact.
    """
    told: list[Line] = []
    asked: list[tuple[int, int]] = []
    for line in lines:
        if not line.by_agent:
            told.append(line)
            continue
        for says in _facts_asked(line.text):
            if (before := next((one for one in told if says.search(one.text)), None)) is not None:
                asked.append((line.turn, before.turn))
    return asked


@lru_cache(maxsize=4096)
def _facts_asked(text: str) -> tuple[re.Pattern[str], ...]:
    """How the facts look that a line of the agent asks for."""
    asked = [part for part in _SENTENCE.findall(plain(text)) if _is_asked(part)]
    return tuple(says for asks, says in _FACTS_ASKED if asked and any(map(asks.search, asked)))


def _is_asked(sentence: str) -> bool:
    return (sentence.endswith("?") and not _NO_QUESTION.search(sentence)) or _REQUEST.search(sentence) is not None
