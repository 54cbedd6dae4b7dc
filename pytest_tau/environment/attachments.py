"""The pictures of a task: found beside its file, checked when it is read, read again when they are looked at."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ..errors import TaskError, reason
from ..schema.messages import Attachment, ToolMessage, UserMessage, attachments_of
from ..schema.pictures import LARGEST
from ..schema.scenario import Instructions, UserScenario
from ..schema.task import Task
from .folders import suggestion

MARK = re.compile(r"\[attach:\s*([^\[\]\s]*)\s*\]")
"""What a customer writes to send a picture; the group is its id."""

_FOREIGN = re.compile(r"^[A-Za-z]:|^[\\/]|^\w+://")


def with_attachments(task: Task, folder: Path, where: str) -> Task:
    """The task with its pictures found and checked; most tasks have none and come back as they are.

    Args:
        task: the task as its file says it.
        folder: the folder of the file.
        where: the file, for errors.

    Raises:
        TaskError: a picture cannot be used, or one that there is not is named.
    """
    scenario, history = task.user_scenario, task.history
    if not (scenario.attachments or scenario.attach or _shows(history) or _marks(scenario)):
        return task
    where = f"{where}: task '{task.id}'"
    pictures = _read_pictures(scenario.attachments or [], folder, f"{where}: user_scenario.attachments")
    _refuse_unknown(scenario, pictures, where)
    changes: dict[str, object] = {
        "user_scenario": scenario.model_copy(update={"attachments": pictures or None}),
    }
    if task.initial_state is not None and _shows(history):
        shown = list(_with_pictures(history, folder, f"{where}: initial_state.message_history"))
        changes["initial_state"] = task.initial_state.model_copy(update={"message_history": shown})
    return task.model_copy(update=changes)


def carrying(task: Task) -> Task:
    """The task with the bytes of its pictures in itself, for those who take it away from its files.

    Raises:
        RecordingError: the bytes of a picture are out of reach.
    """
    return each_picture(task, _with_data)


def each_picture(task: Task, change: Callable[[Attachment], Attachment]) -> Task:
    """The task with what ``change`` makes of each of its pictures, in the scenario and in what was said before."""
    scenario, state = task.user_scenario, task.initial_state
    if scenario.attachments:
        changed = [change(one) for one in scenario.attachments]
        task = task.model_copy(update={"user_scenario": scenario.model_copy(update={"attachments": changed})})
    if state is not None and _shows(task.history):
        history = [
            message.model_copy(update={"attachments": [change(one) for one in attachments_of(message)]})
            if attachments_of(message)
            else message
            for message in task.history
        ]
        task = task.model_copy(update={"initial_state": state.model_copy(update={"message_history": history})})
    return task


def _with_data(one: Attachment) -> Attachment:
    return one.model_copy(update={"path": None, "data": base64.b64encode(one.content).decode()})


def _shows(history: Sequence[object]) -> bool:
    return any(isinstance(message, UserMessage | ToolMessage) and message.attachments for message in history)


def _with_pictures(history: Iterable[object], folder: Path, where: str) -> Iterator[object]:
    for position, message in enumerate(history):
        if isinstance(message, UserMessage | ToolMessage) and message.attachments:
            found = _read_pictures(message.attachments, folder, f"{where}[{position}].attachments")
            yield message.model_copy(update={"attachments": found})
        else:
            yield message


def _read_pictures(attachments: Sequence[Attachment], folder: Path, where: str) -> list[Attachment]:
    found: list[Attachment] = []
    for position, one in enumerate(attachments):
        if any(one.id == other.id for other in found):
            raise TaskError(f"{where}[{position}]: two pictures have the id '{one.id}'; ids differ within a task")
        try:
            found.append(_check_picture(one, folder))
        except ValueError as error:
            name = one.path if one.path is not None else "data"
            raise TaskError(f"{where}[{position}]: the picture '{one.id}' ({name}) {error}") from None
    return found


def _check_picture(one: Attachment, folder: Path) -> Attachment:
    """A picture with its bytes in reach; raises ValueError with the end of a sentence about it."""
    if (one.path is None) == (one.data is None):
        raise ValueError("needs either a path or data, and not both")
    if one.data is not None:
        if len(one.data) > 2 * LARGEST:
            raise ValueError(f"has more than {LARGEST:,} bytes; make it smaller")
        try:
            content = base64.b64decode(one.data, validate=True)
        except (binascii.Error, ValueError):
            raise ValueError("is not base64; give the picture's bytes in base64, without a data: prefix") from None
        # Where there is no file, the task itself keeps the picture.
        return one.holding(content, lambda: content).model_copy(update={"data": one.data})
    file = _inside(one.path or "", folder)
    return one.holding(_read(file), partial(_read, file))


def _inside(path: str, folder: Path) -> Path:
    if not path or _FOREIGN.match(path) or "\\" in path or "\0" in path:
        raise ValueError("must be a path relative to the folder of the task file, with / between its parts")
    try:
        file = (folder / path).resolve()
        if not file.is_relative_to(folder.resolve()):
            raise ValueError("lies outside of the folder of the task file; put it beside or below the file")
        if not file.is_file():
            raise ValueError("is a folder, not a file" if file.is_dir() else "is not there")
    except (OSError, RuntimeError) as error:  # a loop of links, or a name that is too long
        raise ValueError(f"cannot be found: {reason(error) if isinstance(error, OSError) else error}") from None
    return file


def _read(file: Path) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(LARGEST + 1)
    except OSError as error:
        raise ValueError(f"cannot be read: {reason(error)}") from None


def _refuse_unknown(scenario: UserScenario, pictures: Sequence[Attachment], where: str) -> None:
    """Raise TaskError for a picture that is named and is not there, or that would be sent twice."""
    known = [one.id for one in pictures]
    for position, one in enumerate(scenario.attach or []):
        named = f"{where}: user_scenario.attach[{position}]"
        if one.image not in known:
            raise TaskError(f"{named}: there is no picture '{one.image}'{suggestion(one.image, known)}")
        if one.image in [other.image for other in (scenario.attach or [])[:position]]:
            raise TaskError(f"{named}: the picture '{one.image}' already has a moment; name each once")
        if one.call is not None and one.when != "after_call":
            raise TaskError(f"{named}: call goes with when: after_call, and this is {one.when}")
    for mark in _marks(scenario):
        if mark not in known:
            raise TaskError(f"{where}: [attach: {mark}] names no picture of the task{suggestion(mark, known)}")


def _marks(scenario: UserScenario) -> list[str]:
    """The ids that the scenario's own texts name."""
    told = scenario.instructions
    texts = [told] if isinstance(told, str) else [told.reason_for_call, told.task_instructions, told.known_info or ""]
    if isinstance(told, Instructions):
        texts += [moment.say for moment in told.later or []]
    return [mark for text in texts if "[attach" in text for mark in MARK.findall(text)]
