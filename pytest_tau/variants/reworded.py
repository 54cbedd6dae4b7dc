"""``reworded``: the customer's words as somebody else put them, frozen in the task or in a file beside its suite.

A paraphrase has another ``reason_for_call``, and where it says so other ``known_info`` and other lines for ``later``.
They stand in the task (``reworded``), or in a file ``reworded.json`` beside the task files: an object with a list of
paraphrases for each task id, which :func:`~pytest_tau.environment.tasks.read_tasks` puts into the tasks. Trials go
through them in their order. No model is asked: ``pytest-tau perturb`` does that once, and somebody commits the file.
Those with a ``language`` are for the kind of that name (words.py).
"""

from __future__ import annotations

from typing import Any

from ..environment.domain import Domain
from ..schema.scenario import Instructions, Rewording
from ..schema.task import Task
from .kinds import Dose, Kind


def with_words(task: Task, words: Rewording) -> Task:
    """The task in the words of a paraphrase."""
    scenario = task.user_scenario
    instructions = scenario.instructions
    if isinstance(instructions, Instructions):
        update: dict[str, Any] = {"reason_for_call": words.reason_for_call}
        if words.known_info is not None:
            update["known_info"] = words.known_info
        if words.later is not None and instructions.later:
            pairs = zip(instructions.later, words.later, strict=True)
            update["later"] = [moment.model_copy(update={"say": say}) for moment, say in pairs]
        told: Instructions | str = instructions.model_copy(update=update)
    else:
        told = words.reason_for_call
    changed = {"instructions": told, "language": words.language or scenario.language}
    return task.model_copy(update={"user_scenario": scenario.model_copy(update=changed)})


def _reword(task: Task, domain: Domain, dose: Dose, seed: int) -> Task:
    words = task.wordings()
    return with_words(task, words[(dose.number - 1) % len(words)]) if words else task


def _has_words(task: Task, domain: Domain) -> bool:
    return bool(task.wordings())


REWORDED = (Kind("reworded", "words", "paraphrases that were written before", _reword, _has_words),)
