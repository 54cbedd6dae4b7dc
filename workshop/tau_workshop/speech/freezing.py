"""What a recogniser made of a customer's lines, kept in the task."""

from __future__ import annotations

from typing import Any

from pytest_tau.schema.scenario import Instructions, UserScenario
from pytest_tau.schema.task import Task
from pytest_tau.users.spelling import ids_in, say_id

from .line import SpeechLine


def lines_of(scenario: UserScenario) -> list[str]:
    """The lines that the scripted customer of a conversation says."""
    told = scenario.instructions
    if not isinstance(told, Instructions):
        return []
    later = [moment.say for moment in told.later or []]
    return [one for one in (told.reason_for_call, told.known_info, *later) if one]


def as_said(text: str) -> str:
    """A line with its ids as people say them: a synthesiser would read "#W65" as a number."""
    for value in sorted(ids_in(text), key=len, reverse=True):
        text = text.replace(value, say_id(value))
    return text


def with_heard(task: Task, line: SpeechLine, number: int) -> Task:
    """The task with what the recogniser heard of each line of its conversations; ``number`` chooses the voice."""

    def listened(scenario: UserScenario) -> UserScenario:
        heard = {one: line.hear(as_said(one), number).casefold() for one in lines_of(scenario)}
        return scenario.model_copy(update={"heard": heard})

    update: dict[str, Any] = {"user_scenario": listened(task.user_scenario)}
    if task.episodes:
        update["episodes"] = [
            one.model_copy(update={"user_scenario": listened(one.user_scenario)}) for one in task.episodes
        ]
    return task.model_copy(update=update)
