"""Which sentences of a policy an agent goes by: its trials under a policy with one rule changed beside those as it is.

All numbers are of tasks that rest on the rule, so that an agent that obeys passes them as they are and misses them
under the changed rule. Trials are paired within tasks. Evidence is weighed by e-values, products of bets that nobody
can expect to win while a hypothesis is true; one of 1/α or more refutes it, however often and whenever one looks
(Ville's inequality; Ramdas, Grünwald, Vovk and Shafer, "Game-theoretic statistics and safe anytime-valid inference",
Statistical Science 38, 2023). So a rule needs no more trials once it is decided, and no level has to be planned.

killed      results change: more passes are lost than won (a sign test of pairs that differ)
better      more are won than lost: without the rule the agent does better
survived    the pass rate falls by less than MARGIN, of tasks that the agent has passed before
lost        the agent misses the tasks also as they are, more often than not
undecided   none of these is shown yet

A pair counts from the trial on before which its task was passed as it is; what was never passed can show no change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, exp, lgamma, log
from typing import Literal

ALPHA = 0.02
MARGIN = 0.4
_MOST_MORE = 400  # trials; who needs more of them is told no number
_BETS = (0.3, 0.6, 0.9)  # of the most that can be staked on a small fall

Outcome = Literal["killed", "better", "survived", "lost", "undecided"]
Reading = Literal["obeys", "knows anyway", "ignores", "better without", "cannot tell", "undecided"]
Pairs = tuple[Sequence[bool], Sequence[bool]]


@dataclass(frozen=True)
class Weighed:
    """What the trials of a rule show.

    Attributes:
        outcome: what became of the mutant.
        before: passed and all trials as they are, ``after``: under the changed policy.
        lost: pairs of which the trial as it is passed and the other missed, ``won`` the other way round, ``same``.
        more: trials of the changed policy that would probably decide; None where it is decided or nothing tells.
    """

    outcome: Outcome
    before: tuple[int, int]
    after: tuple[int, int]
    lost: int
    won: int
    same: int
    more: int | None = None


def weigh(tasks: Mapping[str, Pairs]) -> Weighed:
    """Weigh the trials of the tasks that rest on a rule.

    Args:
        tasks: for each task whether each trial passed, as it is and under the changed policy, in their order.
    """
    lost = won = same = 0
    for plain, changed in tasks.values():
        first = next((at for at, passed in enumerate(plain) if passed), len(plain))
        for one, other in list(zip(plain, changed, strict=False))[first + 1 :]:
            lost, won, same = lost + (one and not other), won + (other and not one), same + (one == other)
    before = [passed for plain, _ in tasks.values() for passed in plain]
    after = [passed for _, changed in tasks.values() for passed in changed]
    counts = (sum(before), len(before)), (sum(after), len(after))
    outcome = _decide(lost, won, same, counts[0])
    more = _trials_to_go(lost, won, same, counts) if outcome == "undecided" else None
    return Weighed(outcome, *counts, lost, won, same, more)


def _decide(lost: int, won: int, same: int, before: tuple[int, int]) -> Outcome:
    needed = -log(ALPHA)
    if log_more(lost, won) >= needed:
        return "killed"
    if log_more(won, lost) >= needed:
        return "better"
    if log_small_fall(lost, won, same) >= needed:
        return "survived"
    passed, trials = before
    return "lost" if log_more(trials - passed, passed) >= needed else "undecided"


# Looking ahead, and in each round anew, the same few numbers come up again and again.
@lru_cache(maxsize=4096)
def log_more(one: int, other: int) -> float:
    """The log of an e-value against "the first of two ends is no more likely than the second", of so many of each.

    The mean over all chances θ from ½ to 1 of the first of (2θ)^one · (2(1−θ))^other.
    """
    n = one + other
    beta = lgamma(one + 1) + lgamma(other + 1) - lgamma(n + 2)
    # A whole number of any size has a log; as a share of all 2^(n+1) it would be 0 from about a thousand ends on.
    return beta + log(sum(comb(n + 1, passes) for passes in range(one + 1)))


@lru_cache(maxsize=4096)
def log_small_fall(lost: int, won: int, same: int) -> float:
    """The log of an e-value against "the pass rate falls by ``MARGIN`` or more"."""
    bets = [share / (1 - MARGIN) for share in _BETS]
    logs = [
        same * log(1 + bet * MARGIN) + lost * log(1 - bet * (1 - MARGIN)) + won * log(1 + bet * (1 + MARGIN))
        for bet in bets
    ]
    top = max(logs)
    return top + log(sum(exp(one - top) for one in logs) / len(logs))


def _trials_to_go(lost: int, won: int, same: int, counts: tuple[tuple[int, int], tuple[int, int]]) -> int | None:
    """How many more trials decide if all goes on as before; None where nothing was played or too many would be."""
    (passed, trials), (_, played) = counts
    more = 1
    while played and more <= _MOST_MORE:
        factor = 1 + more / played
        a, b, c = (round(one * factor) for one in (lost, won, same))
        before = (round(passed * factor), round(trials * factor))
        if _decide(a, b, c, before) != "undecided":
            return more
        more += max(1, more // 4)
    return None


@dataclass(frozen=True)
class RuleReading:
    """How an agent treats a rule: by what it was named, and the weighed trials of each operation."""

    rule: str
    reading: Reading
    mutants: Mapping[str, Weighed]
    tasks: int


def read_rule(rule: str, mutants: Mapping[str, Weighed], tasks: int, *, blamed: bool) -> RuleReading:
    """Name how an agent treats a rule.

    Args:
        rule: its id.
        mutants: what the trials under each operation show.
        tasks: how many tasks rest on it.
        blamed: whether some task is lost that no other rule can explain; else a lost task says nothing of this one.
    """
    outcomes = {one.outcome for one in mutants.values()}
    reading: Reading = "undecided"
    if "killed" in outcomes:
        reading = "obeys"
    elif "better" in outcomes:
        reading = "better without"
    elif "survived" in outcomes:
        reading = "knows anyway"
    elif "lost" in outcomes:
        reading = "ignores" if blamed else "cannot tell"
    return RuleReading(rule, reading, mutants, tasks)


def explain_losses(rests_on: Mapping[str, Sequence[str]], passed: Mapping[str, Sequence[bool]]) -> dict[str, bool]:
    """For each rule whether some task is lost that no other rule explains.

    A rule is cleared where a task that rests on it passes more often than not. A lost task points at a rule if all
    others that it rests on are cleared.

    Args:
        rests_on: the rules of each task.
        passed: how its trials ended, as they are.
    """
    well = {task: sum(ends) * 2 > len(ends) for task, ends in passed.items() if ends}
    cleared = {rule for task, rules in rests_on.items() if well.get(task) for rule in rules}
    found: dict[str, bool] = {}
    for task, rules in rests_on.items():
        for rule in rules:
            points = well.get(task) is False and rule not in cleared and cleared.issuperset(set(rules) - {rule})
            found[rule] = found.get(rule, False) or points
    return found
