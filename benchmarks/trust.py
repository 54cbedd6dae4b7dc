"""How far the rules that read people's words can be trusted: precision and recall on recorded conversations.

The recordings are split by task into two halves: the rules were written with one of them, and the other is measured.
Labels: for each writing call, whether the customer had agreed to it, as one person read it (consent.json).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.labelled import LABELS
from pytest_tau import load_domain
from pytest_tau.diagnosis.user_audit import RULES, SPOILING, user_audit
from pytest_tau.evaluation.criteria.defaults import identifying
from pytest_tau.evaluation.criteria.needless import needless_writes
from pytest_tau.evaluation.criteria.records import first_leak
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.evaluation.language.told.deeds import first_false
from pytest_tau.metrics.intervals import wilson
from pytest_tau.recordings.rescored import Library, Recording, read_recordings
from pytest_tau.schema.messages import ToolMessage

HALVES = ("read", "measured")


def half(recording: Recording) -> str:
    """In which half a conversation is: those of a task are in the same."""
    digest = hashlib.sha256(f"{recording.domain.name}/{recording.task.id}".encode()).digest()
    return HALVES[digest[0] % 2]


def labelled(folder: Path, found: dict[str, list[Recording]]) -> Iterator[tuple[Recording, str, bool]]:
    """Each labelled writing call: its conversation, the rule's verdict, and what the reader says."""
    by: dict[tuple[str, ...], Recording] = {}
    for file, recordings in found.items():
        for one in recordings:
            by[file, one.simulation.task_id, str(one.simulation.trial - 1)] = by[file, one.simulation.id] = one
    taken: Counter[tuple[str, int, str]] = Counter()
    for label in json.loads((folder / "consent.json").read_text(encoding="utf-8")):
        first = label["file"].startswith("tau1")
        name = (str(label["task_id"]), str(label["trial"])) if first else (label["sim_id"],)
        one = by[label["file"], *name]
        turn = label["turn"] + first  # τ-bench v1 has no greeting in its files
        message = one.simulation.messages[turn]
        calls = [] if isinstance(message, ToolMessage) else message.tool_calls or []
        same = [call for call in calls if call.name == label["call"]]
        place = (one.simulation.id, turn, label["call"])
        call = same[min(taken[place], len(same) - 1)]
        taken[place] += 1
        yield one, str(agreement(one.simulation.messages, turn, call, env=one.domain.environment())), label["consented"]


def _share(right: int, of: int) -> str:
    if not of:
        return "none"
    low, high = wilson(right / of, of)
    return f"{right}/{of} = {right / of:.1%} [{low:.0%}-{high:.0%}]"


def main() -> None:
    """Print a line for each number."""
    shared = os.environ.get("PYTEST_TAU_SHARED")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tau-data", type=Path, default=Path(shared) / "tau2" if shared else None)
    parser.add_argument("--recordings", type=Path, default=Path(shared) / "recordings" if shared else None)
    chosen = parser.parse_args()
    if chosen.recordings is None or chosen.tau_data is None:
        print("trust: not measured, without recorded conversations (--recordings DIR --tau-data DIR)")
        return
    library = Library(chosen.tau_data)
    files = [path for path in sorted(chosen.recordings.glob("*.json")) if path.name not in LABELS]
    found = {path.name: list(read_recordings(path, library)) for path in files}
    verdicts = {name: Counter[tuple[str, bool]]() for name in HALVES}
    for one, verdict, label in labelled(chosen.recordings, found):
        verdicts[half(one)][verdict, label] += 1
    for name, counts in verdicts.items():
        yes, no = counts["yes", True] + counts["yes", False], counts["no", True] + counts["no", False]
        unclear = counts["unclear", True] + counts["unclear", False]
        given, withheld = (sum(n for (_, label), n in counts.items() if label is given) for given in (True, False))
        print(f"agreement, {name}: yes right {_share(counts['yes', True], yes)}, found {counts['yes', True]}/{given}")
        print(f"agreement, {name}: no right {_share(counts['no', False], no)}, found {counts['no', False]}/{withheld}")
        print(f"agreement, {name}: unclear {_share(unclear, yes + no + unclear)}")
    every = [one for recordings in found.values() for one in recordings]
    for name in HALVES:
        part = [one for one in every if half(one) == name]
        alarms: Counter[str] = Counter()
        for one in part:
            domain = load_domain(one.domain.name, data=chosen.tau_data)
            env, messages = domain.environment(), one.simulation.messages
            alarms["claims"] += first_false(messages, env)[1] is not None
            by = identifying(domain.spec.default_checks)
            alarms["own_records"] += first_leak(messages, env, by)[1] is not None
            alarms["no_needless_writes"] += any(True for _ in needless_writes(one.task, messages, env))
            alarms.update(finding.rule for finding in user_audit(one.task, one.simulation, domain))
        for rule in ("claims", "own_records", "no_needless_writes", *RULES):
            role = " (spoils a trial)" if rule in SPOILING else ""
            print(f"{rule}{role}, {name}: found in {alarms[rule]} of {len(part)} conversations")


if __name__ == "__main__":
    main()
