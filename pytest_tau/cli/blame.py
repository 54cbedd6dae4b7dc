"""``pytest-tau blame``: the point of no return of each recorded trial that missed."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..recordings.rescored import Recording
    from ..schema.record import NoReturn, Repair

HELP = "for recorded trials that failed: the step after which they could no longer pass"


_SHOWN = 160


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("recording", help="a journal, a run's or a results folder, or a τ² results file")
    parser.add_argument("--data", metavar="DIR", help="root of the public data, for runs on it")
    parser.add_argument("--exhaustive", action="store_true", help="try every turn instead of bisecting")
    parser.add_argument("--repair", action="store_true", help="also the smallest change there that would have passed")
    parser.add_argument("--json", action="store_true", help="print one JSON object per trial")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns 0, or 1 where a trial was not passable from its start, or cannot be graded."""
    from ..diagnosis.blame import point_of_no_return
    from ..errors import RecordingError
    from ..evaluation.grade import grade
    from ..recordings.rescored import Library, read_recordings, recorded_file

    missed = placed = ungraded = 0
    for recording in read_recordings(recorded_file(arguments.recording), Library(arguments.data)):
        if recording.broke_off:
            continue  # no miss, and nobody's fault
        task, simulation, domain = recording.task, recording.simulation, recording.domain
        told = "the oracle does not pass this task, or it was not lost before it broke off"
        reward = None
        try:
            reward = grade(task, simulation, domain, strict=False)
            if reward.passed or reward.ungraded:
                continue
            found = point_of_no_return(task, simulation, domain, exhaustive=arguments.exhaustive)
        except RecordingError as error:
            found, told = None, str(error)
        missed, ungraded = missed + (reward is not None), ungraded + (reward is None)
        placed += found is not None
        asked = bool(arguments.repair)
        change = _repair(recording, found) if asked and found is not None else None
        lines = (_as_json if arguments.json else _in_words)(recording, found, told, change, asked=asked)
        for line in lines:
            print(line)  # noqa: T201
    if not arguments.json:
        others = f", {ungraded} not graded" if ungraded else ""
        print(f"{missed} missed, {placed} with a point of no return{others}")  # noqa: T201
    return 1 if placed < missed + ungraded else 0


def _repair(recording: Recording, found: NoReturn) -> Repair | None:
    from ..diagnosis.repair import smallest_repair

    return smallest_repair(recording.task, recording.simulation, recording.domain, no_return=found)


def _whose(recording: Recording) -> tuple[str | None, str | None]:
    """Which of several agents played a trial, and how its task was told or shown, where not as it is."""
    return recording.label or None, recording.variant.label if recording.variant else None


def _as_json(
    recording: Recording, found: NoReturn | None, told: str, change: Repair | None, *, asked: bool
) -> list[str]:
    """One object; ``repair`` is null where none was found, and missing where none was asked for."""
    played = recording.simulation
    label, variant = _whose(recording)
    where: dict[str, Any] = {"domain": played.domain, "task_id": played.task_id, "trial": played.trial}
    where |= {"label": label, "variant": variant}
    what: dict[str, Any] = {"turn": found and found.turn, "text": found.text if found else told}
    repair = {"repair": None if change is None else change.model_dump(mode="json")} if asked else {}
    return [json.dumps({**where, **what, **repair})]


def _in_words(
    recording: Recording, found: NoReturn | None, told: str, change: Repair | None, *, asked: bool
) -> list[str]:
    from ..printable import one_line
    from ..schema.calls import render_call
    from ..schema.messages import ToolMessage

    played = recording.simulation
    whose = ", ".join(filter(None, _whose(recording)))
    title = one_line(f"{played.domain}/{played.task_id} trial {played.trial}{whose and f' ({whose})'}")
    if found is None:
        return [f"{title}: {one_line(told)}"]
    message = played.messages[found.turn]
    calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
    shown = one_line(", ".join(render_call(call.name, call.arguments) for call in calls) or message.content or "")
    return [
        f"{title}: turn {found.turn} of {len(played.messages)}: {one_line(found.text)}",
        f"    {shown[:_SHOWN]}{' …' if len(shown) > _SHOWN else ''}",
        *([f"    repair: {'none found' if change is None else one_line(str(change))}"] if asked else []),
    ]
