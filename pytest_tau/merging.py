"""Puts the trials of several runs into one: of the shards of a suite, or of any runs that were played alike.

The new run has a journal and a manifest like any other, so it can be reported on, compared, exported and resumed. A
trial counts once. Where two runs have played the same one, a verdict takes the place of a failure of infrastructure and
of what waits for a judge, as when a run is resumed; two verdicts are refused, for whoever could choose between them
could choose the better one.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from .errors import RecordingError, SettingsError
from .journal import (
    FILE_NAME,
    REST,
    JournalWriter,
    LineFile,
    PackedFile,
    is_graded,
    is_of_task_file,
    last_run,
    new_run,
    read_as_kept,
    read_trials,
    validate,
)
from .manifest import (
    COMMAND,
    COMMIT,
    ENDED,
    JUDGE,
    RESULT,
    SHARDS,
    WHOLE,
    Manifest,
    each,
    early_decisions,
    keep_plan,
    load_manifest,
    plan_of,
    save_decided,
)
from .metrics.tally import REPLAYED
from .pictures import copy_pictures


@dataclass(frozen=True)
class _Merged:
    """The run that was made.

    Attributes:
        run: its folder.
        manifest: what its trials have in common.
        missing: shards that none of the runs was, as "3/5".
        commits: the different ones of the runs' projects, as far as they are known.
    """

    run: Path
    manifest: Manifest
    missing: list[str]
    commits: list[str]


@dataclass(frozen=True)
class _Place:
    """Where the trial stands that counts: the number of its run, and of its line there.

    ``weight``: 2 for what playing again would not change, 1 for what waits for a judge, 0 for what failed.
    """

    run: int
    line: int
    weight: int
    simulation: str | None


def merge(runs: Sequence[Path], results: Path) -> _Merged:
    """Make a run of all trials of these runs.

    Args:
        runs: results folders (their latest runs), runs' folders or journal files.
        results: the results folder to put the new run into; its ``latest`` is then that run.

    Raises:
        RecordingError: a run cannot be read, was not played like the others, or has a verdict on a trial that another
            one has as well.
        SettingsError: the new run cannot be written.
    """
    manifests = _in_order({folder.resolve(): folder for folder in map(_folder, runs)}.values())
    folders, manifest = list(manifests), _common(manifests)
    counting, decided = _counting(folders), _decisions(manifests)
    run = new_run(results)
    try:
        _write(run, manifests, counting, manifest, decided)
    except OSError as error:
        shutil.rmtree(run, ignore_errors=True)
        raise SettingsError(f"{results}: cannot be written: {error.strerror}") from None
    return _Merged(run, manifest, _missing(manifest), [one for one in manifest.about[COMMIT].split(", ") if one])


def _folder(given: Path) -> Path:
    found = last_run(given) or given
    return found.parent if found.name == FILE_NAME else found


def _in_order(folders: Iterable[Path]) -> dict[Path, Manifest]:
    """The runs as they began one after another, so that nothing depends on the order in which they were named.

    In each manifest stands what it is a part of, beside its other notes, as in that of a merged run.
    """
    known = {folder: load_manifest(folder) for folder in folders}
    order = sorted(known, key=lambda folder: (known[folder].about.get("began", ""), str(folder)))
    return {one: replace(known[one], about={SHARDS: known[one].shard or WHOLE, **known[one].about}) for one in order}


def _common(runs: Mapping[Path, Manifest]) -> Manifest:
    """The manifest of all of them; raises RecordingError when their trials cannot stand in one table."""
    first, *_ = manifests = list(runs.values())
    known = first
    for folder, manifest in runs.items():
        if known.differences(manifest):
            others = ((before, one.differences(manifest)) for before, one in runs.items())
            before, differences = next((before, found) for before, found in others if found)
            raise RecordingError(
                f"{folder}: its trials cannot be combined with those of {before}: {'; '.join(differences)}"
            )
        known = known.knowing(manifest.content)
    notes = [manifest.about for manifest in manifests]
    about = {
        **{name: note for name, note in first.about.items() if name not in (RESULT, JUDGE, "tasks")},
        "began": min(note.get("began", "") for note in notes),
        **{name: each(notes, name) for name in (COMMIT, SHARDS, COMMAND, "domains")},
        **{name: told for name in ("suites", ENDED) if (told := each(notes, name))},
    }
    if all("tasks" in note for note in notes):  # a run that says nothing of a choice has played all
        about["tasks"] = each(notes, "tasks")
    if len({note.get(JUDGE) for note in notes}) == 1 and JUDGE in first.about:  # by one passport
        about[JUDGE] = first.about[JUDGE]
    content = {name: digest for manifest in manifests for name, digest in manifest.content.items()}
    return Manifest(first.options, content, about, k=max(manifest.k for manifest in manifests))


def _plan(runs: Mapping[Path, Manifest], manifest: Manifest) -> Mapping[str, int]:
    """How many trials of which tests there were to be: shards add up, and runs of the same part do not.

    Of a task in a file that is k at most, and with the missing shards k.
    """
    parts: dict[str, Counter[str]] = {}
    for folder, of_run in runs.items():
        part = of_run.about[SHARDS]
        parts[part] = parts.get(part, Counter()) | Counter(plan_of(folder))
    plan, k, is_part = parts.pop(WHOLE, Counter()) | sum(parts.values(), Counter()), manifest.k, _missing(manifest)
    return {
        test: trials if not is_of_task_file(test) else k if is_part else min(trials, k) for test, trials in plan.items()
    }


def _decisions(runs: Mapping[Path, Manifest]) -> list[str]:
    """What decided the gates of the new run, a line each, if anything did.

    What stops a shard holds for the whole suite, whatever the others play; what stops other runs, for themselves only.
    """
    found = {folder: early_decisions(folder) for folder in runs}
    stopped = [folder for folder in runs if found[folder]]
    if stopped != list(runs) and all(runs[one].about[SHARDS] == WHOLE for one in stopped):
        return []
    return list(dict.fromkeys(line for lines in found.values() for line in lines))


def _missing(manifest: Manifest) -> list[str]:
    """The shards that nobody has played, where all runs were shards."""
    have = manifest.about[SHARDS].split(", ")
    if WHOLE in have:
        return []
    sizes = sorted({int(shard.partition("/")[2]) for shard in have})
    return [name for size in sizes for part in range(1, size + 1) if (name := f"{part}/{size}") not in have]


def _counting(folders: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """The run and line where each trial stands that counts, by node ID."""
    places: dict[str, _Place] = {}
    for number, folder in enumerate(folders):
        for nodeid, place in _last_of(number, folder).items():
            before = places.get(nodeid)
            if before and before.weight == place.weight == 2 and before.simulation != place.simulation:
                raise RecordingError(
                    f"{folder}: has a verdict on {nodeid}, and so has {folders[before.run]}; "
                    "a trial counts once, so leave one of the two runs out"
                )
            if before is None or place.weight >= before.weight:
                places[nodeid] = place
    return {nodeid: (place.run, place.line) for nodeid, place in places.items()}


def _last_of(number: int, folder: Path) -> dict[str, _Place]:
    """Each trial of a run as it ended last, by node ID."""
    from .schema.record import FINAL, Outcome, TrialRecord

    places = {}
    for line, content in enumerate(read_trials(folder)):
        record = validate(TrialRecord, content, f"{folder}: trial {line + 1}")
        simulation = record.simulation.id if record.simulation else None
        is_final = record.outcome in FINAL and record.graded
        weight = is_final + (is_final and record.outcome is not Outcome.UNGRADED)
        places[record.nodeid] = _Place(number, line, weight, simulation)
    return places


def _write(
    run: Path,
    runs: Mapping[Path, Manifest],
    counting: Mapping[str, tuple[int, int]],
    manifest: Manifest,
    decided: Sequence[str],
) -> None:
    with closing(PackedFile(run / FILE_NAME)) as journal, closing(LineFile(run / REST)) as rest:
        journal.open()
        for line, waits in _counting_lines(list(runs), counting):
            (rest if waits else journal).append(line)
    for folder in runs:
        copy_pictures(folder, run)
    if plan := _plan(runs, manifest):
        keep_plan(run, plan)
    if decided:
        save_decided(run, decided)
    manifest.save(run)
    writer = JournalWriter(run)
    writer.open()  # only now is this the latest run
    writer.close()


def _counting_lines(folders: Sequence[Path], counting: Mapping[str, tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """The lines of the trials that count, and before them the failures that were played again: tables tell how many.

    With each, whether it waits for its test in Python. A failure that a merged run has taken over from another of these
    counts once.
    """
    failures: dict[str, int] = {}
    for number, folder in enumerate(folders):
        for line, (content, waits) in enumerate(read_as_kept(folder)):
            place = counting[content["nodeid"]]
            again = not waits and is_graded(content) and content["outcome"] in REPLAYED
            if (number, line) == place or (again and (number, line) < place):
                text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
                if not again or failures.setdefault(text, number) == number:
                    yield text, waits
