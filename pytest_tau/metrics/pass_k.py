"""pass^k: how often all of k trials of a task succeed."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil, comb


def pass_hat_k(successes: int, trials: int, k: int) -> float:
    """The unbiased estimate of pass^k for one task: C(successes, k) / C(trials, k).

    Yao et al., "τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains" (2024), section 4.

    Args:
        successes: trials that passed, 0 ≤ successes ≤ trials.
        trials: trials that count.
        k: how many trials must all succeed, 1 ≤ k ≤ trials.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0 <= successes <= trials and 1 <= k <= trials):
        raise ValueError(f"pass^{k} is not defined for {successes} successes in {trials} trials")
    return comb(successes, k) / comb(trials, k)


def mean_pass_hat_k(tasks: Iterable[tuple[int, int]], k: int) -> tuple[float, int] | None:
    """pass^k over tasks: the mean of each task's estimate.

    Args:
        tasks: (successes, trials) for each task; those with fewer than k trials are left out.
        k: how many trials must all succeed.

    Returns:
        The mean and the number of tasks in it; None when no task has k trials.
    """
    values = [pass_hat_k(successes, trials, k) for successes, trials in tasks if trials >= k]
    return (sum(values) / len(values), len(values)) if values else None


def g_pass(successes: int, trials: int, k: int, share: float) -> float:
    """The unbiased estimate of G-Pass@k_τ for one task: at least the share τ of k trials succeeds.

    Σ C(c, j)·C(n−c, k−j) / C(n, k) over j from ⌈τ·k⌉ to k; pass^k with τ = 1. Liu et al., "Are Your LLMs Capable of
    Stable Reasoning?" (2024), equation 4.

    Args:
        successes: trials that passed, 0 ≤ successes ≤ trials.
        trials: trials that count.
        k: how many trials are looked at, 1 ≤ k ≤ trials.
        share: τ, 0 < share ≤ 1.

    Raises:
        ValueError: a number is out of its range.
    """
    if not (0 <= successes <= trials and 1 <= k <= trials and 0 < share <= 1):
        raise ValueError(f"G-Pass@{k} at {share} is not defined for {successes} successes in {trials} trials")
    least = max(1, ceil(share * k - 1e-9))
    ways = sum(comb(successes, j) * comb(trials - successes, k - j) for j in range(least, min(successes, k) + 1))
    return ways / comb(trials, k)
