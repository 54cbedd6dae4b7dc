"""What trials took of a run's models, for its forecast: those that it has done, or that pytest-tau doctor has played.

The doctor leaves what it measured in the results folder. It holds for runs of the same players, models and suites.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from ...errors import TauError
from ...files import read_json, write_whole
from ...journal import MEASURED, read_trials
from ...llm.encoding import encode_json
from ...printable import count_of
from ...reports.forecast import Expected, Experience, Load
from ..playing.models import models
from ..run import Run
from .rows import Place

Loads = Callable[[str, Expected], Load]
"""What one trial takes of a side."""
Known = tuple[str, Mapping[str, Experience]]
"""Which trials an experience comes from, in words, and the experience by side."""
_VERSION = 1


def keep_measured(run: Run, domains: Iterable[str], found: Mapping[str, Experience]) -> None:
    """Leave what the doctor has measured to the runs after it; where nothing can be written, they guess."""
    path = run.results / MEASURED
    kept = _read(run)
    for side, one in found.items():
        kept[_key(run, side, domains)] = {
            "on": date.today().isoformat(),
            "trials": one.trials,
            "expected": [one.expected.calls, one.expected.read, one.expected.written],
            "taken": [one.taken.calls, one.taken.read, one.taken.written],
            "counted": one.counted,
        }
    with suppress(OSError, TauError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, encode_json({"version": _VERSION, "measured": kept}))


def find_measured(run: Run, sides: Iterable[str], domains: Iterable[str]) -> Known | None:
    """What the doctor has measured for a run of these domains; None where it has not."""
    kept, found, days = _read(run), dict[str, Experience](), set[str]()
    names = sorted(domains)
    for side in sides:
        one = kept.get(_key(run, side, names), {})
        with suppress(KeyError, TypeError, ValueError, AttributeError, OverflowError):
            expected, taken = (Load(*map(_number, one[name])) for name in ("expected", "taken"))
            day = date.fromisoformat(one["on"])
            found[side] = Experience(int(one["trials"]), expected, taken, bool(one["counted"]))
            days.add(str(day))
    if not found:
        return None
    number = max(one.trials for one in found.values())
    return f"the {count_of(number, 'trials')} that pytest-tau doctor played on {max(days)}", found


def _number(written: Any) -> float:
    """A number of calls or tokens in a file that anybody may have edited; raises ValueError for none."""
    number = float(written)
    if number and not 1e-3 <= number <= 1e12:
        raise ValueError(number)
    return number


def done_so_far(
    run: Run, place: Callable[[str], Place | None], expected: Mapping[tuple[str, str], Expected], loads: Loads
) -> Known | None:
    """What the trials of a resumed run have taken; None where none has told of tokens or time.

    Args:
        run: the run, which has done some trials.
        place: what a trial was about, by its node ID.
        expected: what a trial of each task takes.
        loads: what one trial takes of a side.
    """
    found: dict[str, Experience] = {}
    trials = set()
    for content in read_trials(run.folder, lambda sentence: None):
        nodeid = content["nodeid"]
        where = place(nodeid) if nodeid in run.done else None
        trial = expected.get(where[1:]) if where else None
        if where is None or trial is None:
            continue
        trials.add(nodeid)
        for side, role in ((f"agent {where.agent}".rstrip(), "assistant"), ("user", "user")):
            with suppress(AttributeError, KeyError, TypeError):  # a line that somebody has changed
                of_one = _experience(list(_messages(content, role)), loads(side, trial))
                found[side] = found[side] + of_one if side in found else of_one
    found = {side: one for side, one in found.items() if one.taken.calls}
    return (f"the {count_of(len(trials), 'trials')} done so far", found) if found else None


def _experience(messages: list[Mapping[str, Any]], expected: Load) -> Experience:
    """What a side's model took in a trial, by its messages; no calls where no model wrote them."""
    used = [message["usage"] for message in messages if message.get("usage")]
    asked = sum(1 + len((message.get("raw_data") or {}).get("asked_again") or ()) for message in messages)
    read, written = (sum(one.get(name, 0) for one in used) for name in ("prompt_tokens", "completion_tokens"))
    return Experience(1, expected, Load(asked, read, written), counted=len(used) == len(messages))


def _messages(content: Mapping[str, Any], role: str) -> Iterator[Mapping[str, Any]]:
    """The messages of a role that a model wrote, with those of customers that were played again."""
    simulation = content.get("simulation") or {}
    for played in (simulation, *(simulation.get("discarded") or ())):
        for message in played.get("messages") or ():
            if message.get("role") == role and (message.get("usage") or message.get("generation_time_seconds")):
                yield message


def _read(run: Run) -> dict[str, Any]:
    with suppress(TauError, OSError):
        content = read_json(run.results / MEASURED, TauError, "what pytest-tau doctor measured")
        if (
            isinstance(content, dict)
            and content.get("version") == _VERSION
            and isinstance(content.get("measured"), dict)
        ):
            return dict(content["measured"])
    return {}


def _key(run: Run, side: str, domains: Iterable[str]) -> str:
    """What an experience holds for."""
    chosen = run.settings
    who, _, label = side.partition(" ")
    player = {"agent": run.settings.agent_called[label].name if who == "agent" else "", "user": chosen.user_name}.get(
        who, ""
    )
    return " | ".join([who, player, models(run).clients[side].model, chosen.mode or "", ",".join(sorted(domains))])
