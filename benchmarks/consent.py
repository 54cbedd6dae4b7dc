"""What rules see of recorded conversations without a judge, beside what a reader says: precision and recall, by halves.

python -m benchmarks.consent [--tau-data DIR] [--recordings DIR]

The rules were written with one half (``tuned``); the other was only measured. The halves are by a hash of the
conversation's id (labels.json), and of its task (consent.json). The rules about claims were written with all
conversations of GPT-4.1. The conversations of ``read_later`` were read when all rules but the last four had been
written.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import median

from benchmarks.labelled import HALVES, Labelled, Write, labelled, older_writes, recorded, writes
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.evaluation.language.consent import Agreement, agreement
from pytest_tau.evaluation.structure import StructureFinding, findings
from pytest_tau.metrics.intervals import wilson
from pytest_tau.recordings.rescored import Library

_LATER = Path(__file__).parent / "read_later" / "labels.json"


def _share(right: int, of: int) -> str:
    if not of:
        return "none"
    low, high = wilson(right / of, of)
    return f"{right} of {of} [{low:.0%}-{high:.0%}]"


def _line(what: str, by_half: Iterable[tuple[int, int]]) -> None:
    print(f"{what:<46}" + "".join(f"{_share(*one):>26}" for one in by_half))


def _verdicts(of: Sequence[Write], half: str) -> list[tuple[Write, Agreement]]:
    own = (one for one in of if one.half == half and one.consent != "unclear")
    return [
        (one, agreement(one.recording.simulation.messages, one.turn, one.call, env=one.recording.domain.environment()))
        for one in own
    ]


def _of_writes(name: str, of: Sequence[Write]) -> None:
    read = [_verdicts(of, half) for half in HALVES]
    kept = [[(one.consent == "yes" and one.terms != "mismatch", given) for one, given in half] for half in read]

    def count(half: list[tuple[bool, Agreement]], right: bool | None, given: str | None) -> int:
        return sum(right in (None, good) and given in (None, str(said)) for good, said in half)

    _line(f"{name}: a yes is right", [(count(half, True, "yes"), count(half, None, "yes")) for half in kept])
    _line(f"{name}: agreements read as yes", [(count(half, True, "yes"), count(half, True, None)) for half in kept])
    _line(f"{name}: agreements read as no", [(count(half, True, "no"), count(half, True, None)) for half in kept])
    _line(f"{name}: breaches read as no", [(count(half, False, "no"), count(half, False, None)) for half in kept])


def _clear(one: Labelled, kind: str = "false_claims") -> bool:
    return any(found.get("strength", "clear") == "clear" for found in one.label[kind])


def _of_conversations(of: Sequence[Labelled]) -> None:
    halves = [[(one, _found(one)) for one in of if one.half == half] for half in HALVES]
    read = [
        ("gpt41" in one.label["file"], one, any(found.kind == "claims" for found in seen))
        for half in halves
        for one, (seen, _) in half
    ]
    told = [[(one, seen) for tuned, one, seen in read if tuned is written] for written in (True, False)]
    _line(
        "clear false claims seen (GPT-4.1 | others)",
        [(sum(seen and _clear(one) for one, seen in part), sum(_clear(one) for one, _ in part)) for part in told],
    )
    clean = [[one for one in part if not one[0].label["false_claims"]] for part in told]
    _line("claims where the reader finds none (same)", [(sum(seen for _, seen in part), len(part)) for part in clean])
    for kind in ("consent", "terms", "figures", "stalled"):
        _line(
            f"conversations with {kind}",
            [(sum(any(one.kind == kind for one in seen) for _, (seen, _) in half), len(half)) for half in halves],
        )
    good = [[seen for one, (seen, _) in half if one.clean] for half in halves]
    _line("any finding in clean conversations", [(sum(bool(seen) for seen in half), len(half)) for half in good])
    _of_customers([[one for one, _ in half] for half in halves])
    spent = [seconds for half in halves for _, (_, seconds) in half]
    middle, mean = 1000 * median(spent), 1000 * sum(spent) / len(spent)
    print(f"findings of one conversation: median {middle:.2f} ms, mean {mean:.2f} ms of CPU")


def _of_customers(halves: Sequence[Sequence[Labelled]], which: str = "") -> None:
    """An error that only may be one counts in neither line."""
    read = [
        [(one, bool(user_audit(one.recording.task, one.recording.simulation, one.recording.domain))) for one in half]
        for half in halves
    ]
    bad = [[seen for one, seen in half if _clear(one, "customer_errors")] for half in read]
    good = [[seen for one, seen in half if not one.label["customer_errors"]] for half in read]
    _line(f"{which}customers with an error seen", [(sum(half), len(half)) for half in bad])
    _line(f"{which}customers without one called so", [(sum(half), len(half)) for half in good])


def _read_later(of: list[Labelled]) -> None:
    """The same of the conversations that were read last."""
    _of_writes("later", list(writes(of)))
    halves = [[(one, _found(one)[0]) for one in of if one.half == half] for half in HALVES]
    told = [[(one, any(found.kind == "claims" for found in seen)) for one, seen in half] for half in halves]
    bad = [[seen for one, seen in half if _clear(one)] for half in told]
    good = [[seen for one, seen in half if not one.label["false_claims"]] for half in told]
    _line("later: clear false claims seen", [(sum(half), len(half)) for half in bad])
    _line("later: claims where the readers find none", [(sum(half), len(half)) for half in good])
    _of_customers([[one for one, _ in half] for half in halves], "later: ")


def _found(one: Labelled) -> tuple[list[StructureFinding], float]:
    """What is found, and the seconds of CPU that it takes when the patterns are compiled."""
    recording = one.recording
    findings(recording.task, recording.simulation.messages, recording.domain)
    begin = time.process_time()
    found = findings(recording.task, recording.simulation.messages, recording.domain)
    return found, time.process_time() - begin


def main() -> None:
    """Print a line for each number, the two halves side by side."""
    shared = os.environ.get("PYTEST_TAU_SHARED", "../shared")
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tau-data", type=Path, default=Path(shared) / "tau2")
    parser.add_argument("--recordings", type=Path, default=Path(shared) / "recordings")
    chosen = parser.parse_args()
    if not chosen.recordings.is_dir():
        print("consent: not measured, without recorded conversations (--recordings DIR --tau-data DIR)")
        return
    found = recorded(chosen.recordings, Library(chosen.tau_data))
    conversations = labelled(chosen.recordings / "labels.json", found)
    print(f"{'':<46}" + "".join(f"{half:>26}" for half in HALVES))
    _of_writes("newer", list(writes(conversations)))
    _of_writes("older", list(older_writes(chosen.recordings, found)))
    _of_conversations(conversations)
    _read_later(labelled(_LATER, found))


if __name__ == "__main__":
    main()
