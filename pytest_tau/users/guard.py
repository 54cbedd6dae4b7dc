"""Whether what a model writes for the customer is what a customer would say, before the agent reads it.

Small models fall out of the role: they speak as the agent, repeat it word for word, recite their instructions, make up
an id, or end with a mark of their own. :func:`slip` tells that from structure: the words that a reply has in common
with the agent's lines or with the instructions, ids that stand neither in the scenario nor in the conversation, the
shape of the text. What it cannot decide is no slip.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..evaluation.language.phrases import AGENT_VOICE
from ..llm.written import written_calls
from ..schema.messages import USER_STOP_TOKENS, AnyMessage, AssistantMessage, ToolMessage
from ..schema.scenario import UserScenario
from ..scrub import conceal

_WORD = re.compile(r"[^\W_]+(?:['’_-][^\W_]+)*")
# A mark alone on its line, after a whole sentence, or in signs of its own: "I want this to STOP." has none. In small
# letters it stands in the signs that it was told to have.
_MARK = re.compile(
    r"(?:\A|\n|(?<=[.!?…])|(?P<signs>[#\[<({*|]))[\s#\[<({*|_`\"']{0,20}"
    r"(?P<word>STOP|TRANSFER|OUT[-_ ]OF[-_ ]SCOPE|(?<=##)(?i:stop|transfer|out[-_ ]of[-_ ]scope))"
    r"(?![\w-])[\s\]>)}|#*.!`\"'_]*\Z"
)
# Who says goodbye and nothing else has left.
_FAREWELL = re.compile(
    r"\A(?=.*\b(?:good ?)?bye\b)"
    r"(?:\b(?:okay|ok|thanks|thank you|very much|so much|for your help|that is all|that's all|and"
    r"|good ?bye|bye|have a (?:nice|good|great) day)\b[\s,.!]*)+\Z",
    re.I | re.S,
)
# Who writes for somebody may hand the text over first: "Sure, here's my answer:", and the answer below.
_HANDED_OVER = re.compile(r"\A(?:sure|certainly|of course|here)\b[^\n:]{0,60}:[ \t]*\n+(?=\S)", re.I)
_LABEL = re.compile(r"^\W{0,4}(agent|assistant|customer service|representative|support|system)\W{0,4}:", re.I | re.M)
_TEMPLATE = re.compile(r"<\|?(im_start|im_end|endoftext|eot_id|start_header_id|assistant|user|system)\|?>|\[/?INST\]")
# Who offers help is no customer, and words alone say so.
_OFFERS = re.compile(
    r"\b(?:help|assist)(?:ing)? you\b(?! (?:help|assist))|\b(?:glad|happy|pleased) (?:i could|to) (?:help|assist)\b"
    r"|\bhere to (?:help|assist)\b(?! me)|\bdo you need (?:help|assistance)\b|\bfeel free to (?:ask|reach)\b"
    r"|\bif you have any (?:other |more |further )?questions\b|\bhesitate to ask\b"
    r"|(?<!you )(?<!please )\bplease provide me with (?:the|any|your|some) [^.?!]{0,300}\byou\b"
)
_JSON = re.compile(r"(?:\A|```\w*)\s*[{\[]\s*\"")
# It begins at no second place of a run, which would be read to its end from each of them.
_ID = re.compile(r"(?:(?=#)|(?<![\w-])-*)([#\w][\w-]*\d[\w-]*)")
_REPEATS, _SHORTEST, _LONG = 0.8, 5, 15  # the share of the reply's runs of words; words
_RUN = 3
_RECITED = 10
_FIRST = {"i", "i'm", "i've", "i'd", "i'll", "my", "mine", "me", "we", "our", "us"}
_SECOND = {"you", "your", "yours", "you're"}

SPEAKS_AS_AGENT, REPEATS, RECITES, INVENTS, WRONG_FORM = (
    "spoke as the agent",
    "repeated the agent",
    "told its instructions",
    "invented an id",
    "wrote in another form",
)


class Slip(NamedTuple):
    """What is wrong with a reply, and what its model is to heed when it is asked again."""

    what: str
    hint: str = ""


def slip(text: str, scenario: UserScenario, messages: Sequence[AnyMessage], tools: Collection[str] = ()) -> Slip | None:
    """The first thing that is wrong with a text of the customer; None where nothing is.

    Args:
        text: what the model wrote.
        scenario: what it plays.
        messages: the conversation as the customer sees it.
        tools: the names of the customer's own tools.
    """
    if _TEMPLATE.search(text) or _JSON.search(text) or written_calls(text, tools):
        return Slip(WRONG_FORM, "It is one plain message, without marks, labels or JSON.")
    said = [one.text for one in messages if isinstance(one, AssistantMessage) and one.text]
    if any(_repeats(text, line) for line in said):
        return Slip(REPEATS)
    if _LABEL.search(text) or _speaks_as_agent(text, messages):
        return Slip(SPEAKS_AS_AGENT)
    if _recites(text, scenario):
        return Slip(RECITES, "Use words of my own.")
    if invented := _invented_ids(conceal(text), scenario, messages):  # the beginning of a key is one to nobody else
        return Slip(
            INVENTS, f"I have never heard of {', '.join(invented)}; what I do not know, I say that I do not know."
        )
    return None


def with_end_mark(text: str) -> str:
    """The text with the mark that ends a conversation, where it has nearly that, or says goodbye and nothing else."""
    if any(mark in text for mark in USER_STOP_TOKENS):
        return text
    if _FAREWELL.match(text.strip()):
        return f"{text.strip()} {USER_STOP_TOKENS[0]}"
    if (found := _MARK.search(text)) is None:
        return text
    return f"{text[: found.start()].rstrip()} ###{re.sub('[_ ]', '-', found['word'].upper())}###".strip()


def only_the_answer(text: str) -> str:
    """A reply that was asked for again, without what hands it over and without quotes around all of it."""
    answer = _HANDED_OVER.sub("", text.strip()).strip()
    if len(answer) > 2 and answer[0] == answer[-1] == '"' and '"' not in answer[1:-1]:
        answer = answer[1:-1].strip()
    return answer


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _WORD.findall(text)]


def _runs(words: Sequence[str], length: int) -> set[tuple[str, ...]]:
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}


def _repeats(text: str, line: str) -> bool:
    """Whether a text says hardly more than a line of the agent does."""
    words = _words(text)
    if len(words) < _SHORTEST:
        return False
    runs, theirs = _runs(words, _RUN), _runs(_words(line), _RUN)
    common = len(runs & theirs)
    whole = 2 * common >= len(theirs) or len(words) >= _LONG  # and not one of the things that the agent has listed
    return common >= _REPEATS * len(runs) and whole


def _speaks_as_agent(text: str, messages: Sequence[AnyMessage]) -> bool:
    for message in messages:
        if isinstance(message, ToolMessage) and message.content:
            text = text.replace(message.content, " ")  # reads out what its device says
    if _OFFERS.search(text.casefold().replace("’", "'")):
        return True
    words = _words(text)
    addresses = sum(word in _SECOND for word in words)
    if addresses == 0 or addresses < sum(word in _FIRST for word in words):
        return False  # it speaks of itself, whatever an agent might say as well
    return AGENT_VOICE.search(text.casefold()) is not None


def _recites(text: str, scenario: UserScenario) -> bool:
    """Whether a text has a long run of words of the instructions that address the player.

    What it calls for may be written as the customer says it, and is no instruction.
    """
    told = scenario.instructions
    part = told if isinstance(told, str) else told.task_instructions
    return any(_SECOND & set(run) for run in _runs(_words(text), _RECITED) & _runs(_words(part or ""), _RECITED))


def _invented_ids(text: str, scenario: UserScenario, messages: Sequence[AnyMessage]) -> list[str]:
    """Ids that stand neither in the scenario nor in the conversation: letters with digits, or long numbers."""
    named = [token for token in _ID.findall(text) if _is_id(token)]
    if not named:
        return []
    known = _plain("\n".join([scenario.render(), *(one.content or "" for one in messages)]))
    return [token for token in named if _plain(token) not in known]


def _is_id(token: str) -> bool:
    letters = sum(letter.isalpha() for letter in token)
    digits = sum(letter.isdigit() for letter in token)
    ordinal = re.fullmatch(r"\d+(?:st|nd|rd|th|am|pm|gb|mb|kg|h|k|x|s|d)", token.casefold()) is not None
    joined = letters and digits >= 3 and not ordinal
    return bool(joined) or (not letters and digits >= 6 and "-" not in token)


def _plain(text: str) -> str:
    return re.sub(r"[^\w]", "", text).casefold()
