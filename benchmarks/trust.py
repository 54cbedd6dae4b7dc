"""How far the rules that read people's words can be trusted: precision and recall on recorded conversations.

The recordings are split by task into two halves: the rules were written with one of them, and the other is measured.
Labels: for each writing call, whether the customer had agreed to it, as one person read it (consent.json).
"""

from __future__ import annotations

import argparse
import os
from collections import Counter
from pathlib import Path

from benchmarks.labelled import HALVES, of_task, older_writes, recorded
from pytest_tau import load_domain
from pytest_tau.diagnosis.user_audit import RULES, SPOILING, user_audit
from pytest_tau.evaluation.criteria.defaults import identifying
from pytest_tau.evaluation.criteria.needless import needless_writes
from pytest_tau.evaluation.criteria.records import first_leak
from pytest_tau.evaluation.language.consent import agreement
from pytest_tau.evaluation.language.told.deeds import first_false
from pytest_tau.metrics.intervals import wilson
from pytest_tau.recordings.rescored import Library


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
    found = recorded(chosen.recordings, library)
    verdicts = {name: Counter[tuple[str, bool]]() for name in HALVES}
    for write in older_writes(chosen.recordings, found):
        of = write.recording
        verdict = agreement(of.simulation.messages, write.turn, write.call, env=of.domain.environment())
        verdicts[write.half][str(verdict), write.consent == "yes"] += 1
    for name, counts in verdicts.items():
        yes, no = counts["yes", True] + counts["yes", False], counts["no", True] + counts["no", False]
        unclear = counts["unclear", True] + counts["unclear", False]
        given, withheld = (sum(n for (_, label), n in counts.items() if label is given) for given in (True, False))
        print(f"agreement, {name}: yes right {_share(counts['yes', True], yes)}, found {counts['yes', True]}/{given}")
        print(f"agreement, {name}: no right {_share(counts['no', False], no)}, found {counts['no', False]}/{withheld}")
        print(f"agreement, {name}: unclear {_share(unclear, yes + no + unclear)}")
    every = [one for recordings in found.values() for one in recordings]
    for name in HALVES:
        part = [one for one in every if of_task(one) == name]
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
