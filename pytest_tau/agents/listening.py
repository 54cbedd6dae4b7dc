"""Agents that take ids from what they hear, on a telephone line on which a letter may be another one.

Both play as an inner agent does that knows the task, but where its next move needs an id that the customer told, they
use what they heard. One reads it back first, until the customer says that it is right, unless only one id that it has
seen in their records can be meant (``oracle:careful``); the other takes the first that it hears (``oracle:hearsay``),
and so fails where a letter was heard wrong, and only there.
"""

from __future__ import annotations

from typing import Any

from ..evaluation.language.dialogue import answer
from ..schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage
from ..schema.scenario import Instructions
from ..schema.task import Task
from ..users.spelling import best_match, distance, ids_in, normal, shaped_like
from .hearing import is_written

_PATIENCE = 6  # questions about one id
_NEAR = 2  # letters


class Listening:
    """Plays as ``inner`` does, with ids as they were heard; ``confirms``: whether each is read back first."""

    knows_the_task = True

    def __init__(self, inner: Any, task: Task, episode: int, *, confirms: bool) -> None:
        self._inner, self._confirms = inner, confirms
        self._said = _ids_of(task.in_episode(episode))
        used = str([action.arguments for action in task.in_episode(episode).gold_actions])
        # The last digits of a card are no id beside its own.
        whole = [one for one in self._said if not any(one != other and one in other for other in self._said)]
        self._theirs = [one for one in whole if one in used]
        self._heard: dict[str, str] = {}
        self._settled: set[str] = set()
        self._held: AssistantMessage | None = None
        self._asked: str | None = None
        self._questions = 0

    def reply(self, messages: list[AnyMessage]) -> AssistantMessage:
        """The next move, or a question about an id in it."""
        said = [one.text for one in messages if isinstance(one, UserMessage) and one.text]
        if self._asked is not None:
            self._take_answer(self._asked, said[-1] if said else "")
        if self._held is None:
            self._held = self._inner.reply(messages)
        for value in self._theirs:
            is_open = value not in self._settled and _is_in(value, self._held)
            if is_open and (question := self._settle(value, said, messages)) is not None:
                self._asked = value
                return AssistantMessage(content=question, cost=0.0)
        held, self._held = self._held, None
        return self._as_heard(held)

    def _settle(self, value: str, said: list[str], messages: list[AnyMessage]) -> str | None:
        """Decide what an id is, or ask; None where it is decided."""
        if any(value in text for text in said) or is_written("".join(said)):
            self._settled.add(value)  # nobody can have heard it wrong
            return None
        found = (best_match(value, text, others=self._said) for text in said)
        heard = self._heard.get(value) or next((shaped_like(one, value) for one in found if one), None)
        if not self._confirms or self._questions >= _PATIENCE:
            self._questions = 0
            self._settled.add(value)
            self._heard[value] = heard or value
            return None
        if (meant := _seen(heard, value, messages) if heard is not None else None) is not None:
            self._settled.add(value)
            self._heard[value] = meant
            return None
        if heard is None:
            return f"I did not catch the {_kind(value)}. Could you spell it for me, please?"
        self._heard[value] = heard
        return f"For the {_kind(value)} I have {heard}. Is that right?"

    def _take_answer(self, value: str, text: str) -> None:
        self._asked, self._questions = None, self._questions + 1
        told = answer(text)
        if value in self._heard and told.yes and not told.no:
            self._settled.add(value)
            self._questions = 0
        elif (heard := best_match(value, text, 3, self._said)) is not None:
            self._heard[value] = shaped_like(heard, value)

    def _as_heard(self, move: AssistantMessage) -> AssistantMessage:
        wrong = {value: heard for value, heard in self._heard.items() if heard != value}
        if not wrong:
            return move
        calls = [
            call.model_copy(update={"arguments": _replace(call.arguments, wrong)}) for call in move.tool_calls or []
        ]
        return move.model_copy(update={"content": _replace(move.content, wrong), "tool_calls": calls or None})


def _ids_of(task: Task) -> list[str]:
    """The ids that the customer of a task can tell."""
    told = task.user_scenario.instructions
    if not isinstance(told, Instructions):
        return []
    texts = [told.reason_for_call, told.known_info or "", *(moment.say for moment in told.later or [])]
    return list(dict.fromkeys(one for text in texts for one in ids_in(text)))


def _is_in(value: str, move: AssistantMessage) -> bool:
    return value in (move.content or "") or any(value in str(call.arguments) for call in move.tool_calls or [])


def _seen(heard: str, value: str, messages: list[AnyMessage]) -> str | None:
    """The one id of the records seen so far that can be meant by what was heard; None where there is none, or several.

    What is only digits, or an e-mail address, may be a new one. ``value``: for its form, which an agent knows.
    """
    if normal(value).isdigit() or "@" in value:
        return None
    length = len(normal(value))
    most = min(_NEAR, length // 4)  # of a short one, one letter in another place is another id
    shown = (one.content or "" for one in messages if isinstance(one, ToolMessage) and not one.error)
    ids = {one for text in shown for one in ids_in(text) if len(normal(one)) == length}
    far = sorted((distance(normal(heard), normal(one)), one) for one in ids)
    if not far or far[0][0] > most or (len(far) > 1 and far[1][0] - far[0][0] < _NEAR):
        return None
    return far[0][1]


def _kind(value: str) -> str:
    if "@" in value:
        return "e-mail address"
    return "user id" if "_" in value else "order number" if value.startswith("#") else "number"


def _replace(value: Any, wrong: dict[str, str]) -> Any:
    """A value with ids as they were heard."""
    if isinstance(value, str):
        for true, heard in wrong.items():
            value = value.replace(true, heard)
        return value
    if isinstance(value, dict):
        return {key: _replace(one, wrong) for key, one in value.items()}
    return [_replace(one, wrong) for one in value] if isinstance(value, list) else value
