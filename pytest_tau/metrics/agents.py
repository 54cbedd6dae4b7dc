"""Several agents on the same trials: what each reaches and costs, which rank it may have, and each pair compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .compare import Comparison
from .family import Rank, ranks
from .task_results import results_of
from .totals import PassK, Totals


@dataclass(frozen=True)
class AgentRow:
    """One of several agents.

    Attributes:
        name: its label.
        passed: trials that passed; ``trials``: those that came to any end.
        curve: pass^1 … pass^k over all of its tasks.
        ranks: (best, worst) rank that it may have by pass^1 and, where there is more than one trial, by pass^k.
        cost: USD of all its trials, None when that of any is unknown.
    """

    name: str
    trials: int
    passed: int
    curve: tuple[PassK, ...]
    ranks: tuple[tuple[int, int], ...]
    cost: float | None

    @property
    def cost_per_pass(self) -> float | None:
        """USD of all trials ÷ trials that passed; None when unknown, or nothing passed."""
        return None if self.cost is None or not self.passed else self.cost / self.passed

    def cost_per_reliability(self, k: int) -> float | None:
        """USD of a trial ÷ pass^k; None when one of them is unknown, or pass^k is 0."""
        value = next((point.value for point in self.curve if point.k == k), 0.0)
        return self.cost / self.trials / value if self.cost is not None and self.trials and value else None


@dataclass(frozen=True)
class Pair:
    """Two agents compared, the earlier named first; ``p`` is Holm's, for all pairs of this k."""

    names: tuple[str, str]
    found: Comparison
    p: float


@dataclass(frozen=True)
class SideBySide:
    """Several agents, in the order they were named, and their pairs by pass^1; ``k``: the largest that all can have."""

    agents: tuple[AgentRow, ...]
    pairs: tuple[Pair, ...]
    k: int


def side_by_side(totals: Totals) -> SideBySide | None:
    """The agents of a run with several; None for a run of one.

    Only tasks that all agents have played are compared: they meet the same customers under the same seeds. A trial
    that was planned and has no verdict counts as missed, as it does for gates.
    """
    each = {name: part.without_variants() for name, part in totals.by_agent().items()}
    if len(each) < 2:
        return None
    tasks = {name: results_of(part) for name, part in each.items()}
    counts = {name: {task.key: task.counts() for task in own} for name, own in tasks.items()}
    about = {task.key: task.about for own in tasks.values() for task in own}
    most = min(max((trials for _, trials in own.values()), default=0) for own in counts.values())
    of_one = ranks(counts, k=1, about=about)
    of_all = ranks(counts, k=most, about=about) if most > 1 else None
    known = [{rank.name: rank for rank in found[0]} for found in (of_one, of_all) if found is not None]
    rows = [_row(name, part, [ranked[name] for ranked in known]) for name, part in each.items()]
    pairs = {} if of_one is None else of_one[1]
    compared = tuple(Pair(names, found, min(found.adjusted or (1.0,))) for names, found in pairs.items())
    return SideBySide(tuple(rows), compared, max(1, most))


def _row(name: str, part: Totals, ranked: Sequence[Rank]) -> AgentRow:
    return AgentRow(
        name=name,
        trials=part.done(),
        passed=sum(task.passed for task in part.of()),
        curve=tuple(part.pass_hat()),
        ranks=tuple((rank.best, rank.worst) for rank in ranked),
        cost=part.cost(),
    )
