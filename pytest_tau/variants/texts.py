"""The customer's words in a task: which they are, how to say them otherwise, and what of them must survive.

The scripted customer says ``reason_for_call``, ``known_info`` and what comes ``later`` as they are written; a customer
that a model plays reads them as its instructions. So a kind changes these texts, and for the model it adds a note on
how this customer writes to the persona, which the scripted one does not read. ``task_instructions`` are directions for
whoever plays the customer, and stay. So do instructions that are one text: they mix directions with what is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from ..environment.domain import Domain
from ..schema.scenario import Instructions, UserScenario
from ..schema.task import EvaluationCriteria, Task
from ..users.pieces import sentences

Part = Literal["reason", "known", "later", "ticket"]
Say = Callable[[str, Part], str]

_WORD = re.compile(r"[^\s]+")
_TELLING = re.compile(r"[\d@#$_%€£]")
_QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|'[^'\s][^']*[^'\s]'(?!\w)|###[A-Z-]+###")
_EDGES = ".,;:!?()[]\"“”‘’'…"
# Capitals that are no name: beginnings of sentences are left out by their place.
_NO_NAMES = frozenset(["i", "i'd", "i'm", "i've", "i'll", "ok", "a", "the"])


def retold(task: Task, say: Say | None, note: str | None = None) -> Task:
    """The task with the customer's words changed.

    Args:
        task: the task.
        say: returns a text of the customer in other words; None keeps them.
        note: how this customer writes, for a model that plays them.
    """
    told = say or (lambda text, part: text)
    update: dict[str, Any] = {"user_scenario": _retold(task.user_scenario, told, note)}
    if task.ticket is not None:
        update["ticket"] = told(task.ticket, "ticket")
    if task.episodes:
        again = [(one, _retold(one.user_scenario, told, note)) for one in task.episodes]
        update["episodes"] = [one.model_copy(update={"user_scenario": scenario}) for one, scenario in again]
    return task.model_copy(update=update)


def _retold(scenario: UserScenario, told: Say, note: str | None) -> UserScenario:
    instructions = scenario.instructions
    if not isinstance(instructions, str):
        update: dict[str, Any] = {"reason_for_call": told(instructions.reason_for_call, "reason")}
        if instructions.known_info:
            update["known_info"] = told(instructions.known_info, "known")
        if instructions.later:
            update["later"] = [m.model_copy(update={"say": told(m.say, "later")}) for m in instructions.later]
        instructions = instructions.model_copy(update=update)
    persona = "\n".join(filter(None, (scenario.persona, note))) or None
    return scenario.model_copy(update={"instructions": instructions, "persona": persona})


def words_of(task: Task) -> list[str]:
    """The customer's words as they stand in a task."""
    instructions = task.user_scenario.instructions
    if isinstance(instructions, str):
        return [instructions]
    later = [moment.say for moment in instructions.later or []]
    return [text for text in (instructions.reason_for_call, instructions.known_info, *later) if text]


def exact_values(task: Task) -> set[str]:
    """What has to be passed on letter by letter, as far as the customer says it: the texts that the gold path uses."""
    criteria = task.evaluation_criteria or EvaluationCriteria()
    texts = [text for action in criteria.actions or [] for text in _texts(action.arguments)]
    return {text for text in (*texts, *(criteria.communicate_info or [])) if len(text) > 1}


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def fixed_spans(text: str, exact: Iterable[str] = ()) -> list[tuple[int, int]]:
    """Where a text must not be touched: ids, numbers, names, what is quoted, and ``exact`` values."""
    spans = [found.span() for found in _QUOTED.finditer(text)]
    for value in exact:
        spans += [found.span() for found in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE)]
    for word in _WORD.finditer(text):
        bare = word[0].strip(_EDGES)
        if _TELLING.search(bare) or bare[:1].isupper() or any(letter.isupper() for letter in bare):
            spans.append(word.span())
    return spans


def free_words(text: str, exact: Iterable[str] = ()) -> list[tuple[int, int]]:
    """The places of the words, in small letters alone, that may be written otherwise."""
    fixed = fixed_spans(text, exact)
    words = (found.span() for found in re.finditer(r"(?<![\w'’-])[a-z]+(?![\w'’-])", text))
    return [(start, end) for start, end in words if not any(start < last and first < end for first, last in fixed)]


def telling(text: str, exact: Iterable[str] = ()) -> set[str]:
    """What of a text must stand in any other wording of it, in small letters: ids, numbers, names, exact values."""
    found: set[str] = set()
    for sentence in sentences(text):
        for place, word in enumerate(_WORD.findall(sentence)):
            bare = word.strip(_EDGES).removesuffix("'s").removesuffix("’s")
            named = bare[:1].isupper() and place > 0 and bare.casefold() not in _NO_NAMES
            # A capital within: PayPal, JFK.
            if bare and (_TELLING.search(bare) or named or sum(map(str.isupper, bare)) > 1):
                found.add(bare.casefold())
    flat = text.casefold()
    return found | {value.casefold() for value in exact if _stands(value.casefold(), flat)}


def missing_parts(before: str, after: str, exact: Iterable[str] = ()) -> list[str]:
    """What of a text is missing in another wording of it."""
    flat = after.casefold()
    return sorted(item for item in telling(before, exact) if not _stands(item, flat))


def strange(before: str, after: str) -> list[str]:
    """Ids and numbers that only the other wording has."""
    flat = before.casefold()
    words = {word.strip(_EDGES).casefold() for word in _WORD.findall(after)}
    return sorted(word for word in words if _TELLING.search(word) and not _stands(word, flat))


def _stands(item: str, flat: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(item)}(?!\w)", flat) is not None


def is_sectioned(task: Task) -> bool:
    """Whether the scenario is written in sections, so that the customer's words are known from the directions."""
    return isinstance(task.user_scenario.instructions, Instructions)


def is_in_english(task: Task, domain: Domain) -> bool:
    """Whether the scenario is in sections and in English: how people write, spell and are heard is known of that."""
    return is_sectioned(task) and task.user_scenario.language is None
