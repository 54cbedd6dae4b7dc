"""Where randomness comes from: every trial of every task has a seed of its own, derived from the run's."""

from __future__ import annotations

import hashlib


def trial_seed(run_seed: int, domain: str, task_id: str, trial: int, attempt: int = 0) -> int:
    """A seed in 0 … 2³¹−1 that depends on all five and on nothing else, the same on every machine."""
    text = f"{run_seed}\0{domain}\0{task_id}\0{trial}" + (f"\0{attempt}" if attempt else "")
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
