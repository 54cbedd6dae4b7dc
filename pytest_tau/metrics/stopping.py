"""Deciding gates before all trials are played (``--tau-stop``), so that the rest need not be paid for.

Trials are played in rounds, trial 1 of every task, then trial 2 of every task. What decides a gate:

certain     nothing that the open trials can do changes the verdict. Looked at all the time; never errs.
predicted   for a gate on a rate, after a round: played to its end, the run would decide otherwise in less than 1 % of
            completions, drawn from a beta-binomial distribution that is fitted to the tasks.
bound       for a comparison with a baseline, after a round: it is decided at the level that :mod:`.sequential` leaves
            for this look. A verdict stays, whatever later trials do.

Gates on costs, replays and scores ask for no more trials: they are judged on what was played when the others are
decided.
A look at a round uses the trials up to that round alone, even where some of the next are played already. So
a run that is resumed comes to the same looks with the same numbers, and spends no error rate twice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from random import Random
from statistics import fmean
from typing import Literal

from .compare import ALPHA
from .comparison_told import describe
from .gate import Gate
from .gate_value import coverage_problem, estimate, gate_comparison, tasks_of, value_of
from .permutation import SEED, binomial
from .sequential import information, levels
from .shared_tasks import shared_task
from .student import spread_of
from .task_results import GateResult, GateState, TaskResult
from .variance import components
from .wording import percent, requirement

Rule = Literal["certain", "predicted", "bound"]
DRAWS = 1000
DOUBT = 0.01
# The share of variance between tasks where nothing is known of it yet, as after one round: from hardly any to most.
_ICCS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
_GRADED = {"passed": True, "missed": False}
_LEAST = 1e-9  # of a level that is worth a look
Kind = tuple[int, int, int]
Kinds = Counter[tuple[Kind, ...]]
"""How many tasks there are, by what became of the trials of each of their rows: passed, graded and planned ones."""
Completed = Counter[tuple[tuple[int, int], ...]]


@dataclass(frozen=True)
class Decision:
    """How a gate was decided, after how many rounds or trials, and one sentence with the numbers."""

    gate: Gate
    state: GateState
    rule: Rule
    said: str

    def result(self) -> GateResult:
        """As gates are reported."""
        return GateResult(self.gate, self.state, self.said)


@dataclass
class _Task:
    """One task's trials: how many are planned, and what became of those that ended (None: no verdict).

    ``row`` is empty as long as nothing tells which task it is: of a test of a project, before a trial of it ended.
    """

    row: str
    task_id: str
    planned: int
    ended: dict[int, bool | None] = field(default_factory=dict)
    known: bool = False  # its row, by a trial that ended

    @property
    def key(self) -> str:
        """Its name in a baseline."""
        return f"{self.row}/{self.task_id}"

    def kind(self, round: int | None = None) -> Kind:
        """Passed and graded trials, of all or up to a round, and planned ones."""
        last = self.planned if round is None else round
        graded = [passed for trial, passed in self.ended.items() if trial <= last and passed is not None]
        return sum(graded), len(graded), self.planned

    def until(self, round: int) -> TaskResult:
        """Its trials up to a round, as if no more had been planned."""
        passed, graded, planned = self.kind(round)
        return TaskResult(self.row, self.task_id, passed, graded, min(round, planned))


class Stopper:
    """Takes in how trials end, and says when every gate is decided."""

    def __init__(
        self,
        gates: Sequence[Gate],
        tasks: Mapping[str, tuple[str, str, int]],
        *,
        baseline: Mapping[str, tuple[int, int]] | None = None,
        min_coverage: float = 1.0,
    ) -> None:
        """Plan the looks.

        Args:
            gates: the gates of the run.
            tasks: (row of the table, task id, planned trials) of each task, by a key of the caller's.
            baseline: (successes, trials) by "row/task id".
            min_coverage: the share of trials that must have a verdict for a gate to be decided.
        """
        self._gates = gates
        self._tasks = {key: _Task(*known) for key, known in tasks.items()}
        self._baseline = baseline or {}
        self._min_coverage = min_coverage
        # Each comparison gets an equal part: Holm's adjustment would need them all at the same look.
        self._alpha = ALPHA / max(1, len({gate.domain for gate in gates if gate.needs_baseline}))
        self._open = Counter(trial for task in self._tasks.values() for trial in range(1, task.planned + 1))
        self.rounds = max(self._open, default=0)
        self.round = 0
        self._planned = sum(self._open.values())
        self._ended = 0
        self._times: dict[str | None, list[float]] = {}
        self._decided: dict[Gate, Decision] = {}
        self._predicted: dict[Gate, Decision] = {}

    def add(self, key: str, trial: int, outcome: str, label: tuple[str, str] | None = None) -> bool:
        """Take in a trial that ended; returns whether it is worth a look: a round is over, or many have ended."""
        task = self._tasks.get(key)
        if task is None or trial in task.ended or not 1 <= trial <= task.planned:
            return False
        if label:
            task.row, task.task_id, task.known = *label, True
        task.ended[trial] = _GRADED.get(outcome)
        self._open[trial] -= 1
        self._ended += 1
        return not self._open[self.round + 1] or self._ended % max(1, self._planned // 200) == 0

    def look(self) -> list[Decision] | None:
        """Look at all gates; returns what decided each when no more trials are needed, else None."""
        while self.round < self.rounds and not self._open[self.round + 1]:
            self.round += 1
            if self.round < self.rounds:
                self._after_round()
        asking = [gate for gate in self._gates if gate.asks_for_trials]
        if not asking or self._ended == self._planned:
            return None
        found = [self._decided.get(gate) or self._certain(gate) or self._predicted.get(gate) for gate in asking]
        known = [one for one in found if one is not None and (one.state is GateState.FAILED or self._is_covered(one))]
        return known if len(known) == len(asking) else None

    @property
    def decisions(self) -> list[Decision]:
        """The comparisons that a bound has decided so far; later trials do not decide them again."""
        return list(self._decided.values())

    def final_alpha(self, gate: Gate) -> float:
        """The level of a comparison that no look has decided, when all trials are played."""
        times = self._times.get(gate.domain)
        return levels((*times, 1.0), self._alpha)[-1] if times else self._alpha

    def _scope(self, gate: Gate) -> list[_Task]:
        return [task for task in self._tasks.values() if gate.domain in (None, task.row)]

    def _is_covered(self, decision: Decision) -> bool:
        """Whether enough of the trials that ended have a verdict; where they have not, no gate holds."""
        ended = [
            TaskResult(task.row, task.task_id, *task.kind()[:2], len(task.ended)) for task in self._scope(decision.gate)
        ]
        return coverage_problem(ended, self._min_coverage) is None

    def _after_round(self) -> None:
        self._predicted = {}
        for gate in self._gates:
            scope = self._scope(gate)
            if coverage_problem([task.until(self.round) for task in scope], self._min_coverage):
                continue
            if not gate.needs_baseline and gate.asks_for_trials:
                self._predict(gate, _kinds(gate, scope, self.round))
            elif gate.needs_baseline and gate not in self._decided:
                self._compare(gate, scope)

    def _compare(self, gate: Gate, scope: Sequence[_Task]) -> None:
        """Look at a comparison at the level that is its own after this round."""
        pairs = [(task, counts[1]) for task in scope if (counts := self._baseline.get(task.key))]
        if not pairs:
            said = "no task of the run is in the baseline"
            self._decided[gate] = Decision(gate, GateState.FAILED, "certain", said)
            return
        played = [min(self.round, task.planned) for task, _ in pairs]
        time = information([before for _, before in pairs], [task.planned for task, _ in pairs], played)
        times = self._times.setdefault(gate.domain, [])
        if time < 1 and (not times or times[-1] < time):
            times.append(time)
        level = self.final_alpha(gate) if time == 1 else levels(tuple(times), self._alpha)[-1]
        if level < _LEAST:
            return
        found = gate_comparison(gate, [task.until(self.round) for task in scope], self._baseline, level)
        answer = (
            None if found is None else found.no_regression if gate.metric == "no regression" else found.no_drop_over
        )
        if found is None or (answer is None and time < 1):
            return
        state = GateState.INCONCLUSIVE if answer is None else _state(answer)
        by = "with all of its trials" if time == 1 else "at an O'Brien-Fleming bound"
        said = f"decided after round {self.round} of {self.rounds} {by}: {describe(found)}"
        self._decided[gate] = Decision(gate, state, "bound", said)

    def _certain(self, gate: Gate) -> Decision | None:
        """The verdict that no open trial can change."""
        scope = self._scope(gate)
        played, planned = (sum(task.kind()[place] for task in scope) for place in (1, 2))
        if gate.needs_baseline or not planned:
            return None
        if not gate.every_task and not all(task.row for task in scope):
            return None  # some may be about a task that others are about, which counts once
        kinds = _kinds(gate, scope)
        if gate.domain is not None and not all(task.known for task in self._tasks.values()):
            return None  # others may belong to the row as well
        worst, best = (holds(gate, _complete_trials(kinds, lent)) for lent in (0, 1))
        if worst != best:
            return None
        said = f"certain after {played} of {planned} trials: whatever the others do, {_range(gate, kinds)}"
        return Decision(gate, _state(worst), "certain", said)

    def _predict(self, gate: Gate, kinds: Kinds) -> None:
        """The verdict that the whole run would reach in all but DOUBT of its completions."""
        held = sum(holds(gate, counts) for counts in completions(kinds)) / DRAWS
        if min(held, 1 - held) < DOUBT:
            other = f"less than {percent(DOUBT, 0)}" if min(held, 1 - held) else f"less than {percent(1 / DRAWS)}"
            said = (
                f"predicted after round {self.round} of {self.rounds}: played to its end, the run would decide "
                f"otherwise in {other} of cases; {_estimate_now(gate, kinds)}"
            )
            self._predicted[gate] = Decision(gate, _state(held > 0.5), "predicted", said)


def _state(held: bool) -> GateState:
    return GateState.HELD if held else GateState.FAILED


def _kinds(gate: Gate, scope: Sequence[_Task], round: int | None = None) -> Kinds:
    return tasks_of(gate, [(shared_task(task.row, task.task_id), task.kind(round)) for task in scope])


def _complete_trials(kinds: Kinds, lent: int) -> Completed:
    """The tasks when all open trials have missed (0) or passed (1)."""
    counts: Completed = Counter()
    for rows, count in kinds.items():
        ended = tuple((passed + (planned - graded) * lent, planned) for passed, graded, planned in rows)
        counts[ended] += count
    return counts


def _range(gate: Gate, kinds: Kinds) -> str:
    """What a gate's number can still become."""
    if gate.every_task:
        return "each task's verdict stays"
    ends = [value_of(gate, _complete_trials(kinds, lent)) for lent in (0, 1)]
    low, high = (0.0 if end is None else end for end in ends)
    return f"{_name(gate)} ends between {percent(low)} and {percent(high)}; {_requirement(gate)}"


def _estimate_now(gate: Gate, kinds: Kinds) -> str:
    """The estimate over the trials until now, as far as it is defined."""
    now: Completed = Counter()
    for rows, count in kinds.items():
        now[tuple((passed, graded) for passed, graded, _ in rows)] += count
    value = None if gate.every_task else value_of(replace(gate, bound="", these_tasks=False), now)
    until = "" if value is None else f"until then {gate.name} is {percent(value)}; "
    return f"{until}{_requirement(gate)}"


def _requirement(gate: Gate) -> str:
    return requirement(gate.operator, percent(gate.threshold), gate.bound)


def _name(gate: Gate) -> str:
    name = f"{gate.name}"
    return f"{gate.bound}({name}{', these tasks' if gate.these_tasks else ''})" if gate.bound else name


def holds(gate: Gate, tasks: Completed) -> bool:
    """Whether a gate on a rate holds for tasks whose rows have these (passed, trials)."""
    if gate.every_task:
        return all(
            trials >= gate.k and gate.holds(estimate(gate, passed, trials)) for rows in tasks for passed, trials in rows
        )
    value = value_of(gate, tasks)
    return value is not None and gate.holds(value)


def completions(kinds: Kinds, draws: int = DRAWS, seed: int = SEED) -> Iterator[Completed]:
    """Draws of how the tasks may end, by (passed, planned trials) of each of their rows.

    The rates of the tasks follow a beta distribution. Its mean is drawn as far as the tasks leave it open, with the two
    added tasks of the intervals; the share of variance between tasks is that of the analysis of variance, or any of
    several where there is one trial a task. Given these, what a task has shown makes its own rate a beta distribution
    and its open trials a beta-binomial one.

    Args:
        kinds: the tasks so far.
        draws: how many completions.
        seed: equal seeds give equal draws.
    """
    rng = Random(seed)
    seen = [([row for row in rows if row[1]], count) for rows, count in kinds.items()]
    values = [(fmean(passed / graded for passed, graded, _ in rows), count) for rows, count in seen if rows]
    n = 2 + sum(count for _, count in values)
    total, squares = (1 + sum(value**power * count for value, count in values) for power in (1, 2))
    mean = total / n
    size = max(0.1, mean * (1 - mean) / max(1e-9, spread_of(total, squares, n) ** 2) - 1)
    found = components([(c, g) for rows, count in kinds.items() for _ in range(count) for c, g, _ in rows])
    known = found.icc if found else None
    for _ in range(draws):
        rate = min(1 - 1e-6, max(1e-6, rng.betavariate(mean * size, (1 - mean) * size)))
        icc = rng.choice(_ICCS) if known is None else min(0.9, max(0.02, known))
        strength = 1 / icc - 1
        a, b = rate * strength, (1 - rate) * strength
        chances = {(c, g, n): _beta_binomial(n - g, a + c, b + g - c) for rows in kinds for c, g, n in rows}
        counts: Completed = Counter()
        for rows, count in kinds.items():
            drawn: list[tuple[tuple[tuple[int, int], ...], int]] = [((), count)]
            for row in rows:
                drawn = [
                    ((*done, (row[0] + more, row[2])), tasks)
                    for done, number in drawn
                    for more, tasks in _draw_counts(number, chances[row], rng)
                ]
            for done, tasks in drawn:
                counts[done] += tasks
        yield counts


def _beta_binomial(trials: int, a: float, b: float) -> list[float]:
    """The chances of 0, 1, … passes in so many trials of a task whose rate is Beta(a, b)."""
    chance = prod((b + i) / (a + b + i) for i in range(trials))
    chances = [chance]
    for passes in range(trials):
        chance *= (trials - passes) / (passes + 1) * (a + passes) / (b + trials - passes - 1)
        chances.append(chance)
    return chances


def _draw_counts(count: int, chances: Sequence[float], rng: Random) -> Iterator[tuple[int, int]]:
    """How many of ``count`` draws have each outcome."""
    left = 1.0
    for outcome, chance in enumerate(chances):
        last = outcome == len(chances) - 1
        drawn = count if last else binomial(count, min(1.0, chance / left) if left > 0 else 0.0, rng.getrandbits)
        if drawn:
            yield outcome, drawn
        count -= drawn
        left -= chance
        if not count:
            return
