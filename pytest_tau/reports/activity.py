"""What a run is doing while it lasts, in a line for logs and in a shorter one for a terminal."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..llm.meter import Activity
from ..metrics.totals import Totals
from ..metrics.wording import dollars, percent
from ..printable import count_of, printable
from .terminal import duration


@dataclass(frozen=True)
class Standing:
    """Where a run stands.

    Attributes:
        totals: of the trials that are done.
        planned: how many trials there are to be.
        seconds: how long trials have been played.
        activity: what the run is doing now.
        pace: calls of models a minute.
        expected: how many calls of models the forecast says, 0 for none: it tells the time left until a trial is done.
        before: trials that were done when the time began, such as those of the run that is resumed.
    """

    totals: Totals
    planned: int
    seconds: float
    activity: Activity = field(default_factory=Activity)
    pace: float = 0.0
    expected: float = 0.0
    before: int = 0

    @property
    def done(self) -> int:
        """Trials that are over."""
        return self.totals.done()

    @property
    def in_play(self) -> int:
        """Conversations that go on; a worker may tell of its last one a second late."""
        return min(self.activity.in_play, max(0, self.planned - self.done))

    @property
    def waiting(self) -> int:
        """Trials that have not begun."""
        return max(0, self.planned - self.done - self.in_play)

    @property
    def calls(self) -> int:
        """Answered calls of models."""
        return self.activity.asked.calls

    @property
    def cost(self) -> str:
        """What models have cost so far, "" while nobody can know."""
        if not self.calls and (self.activity.asked.waiting or not self.done):
            return ""
        usd = self.activity.asked.usd if self.calls else self.totals.cost()
        return "price unknown" if usd is None else f"cost {dollars(usd)}"

    @property
    def left(self) -> str:
        """When the rest may be over, "" while nobody can say."""
        new = self.done - self.before
        if new > 0 and self.done < self.planned:
            return f"about {duration(self.seconds / new * (self.planned - self.done))} left"
        if not new and self.calls and self.expected > self.calls:
            left = self.seconds / self.calls * (self.expected - self.calls)
            return f"about {duration(left)} left if the forecast holds"
        return ""


def progress_line(run: Standing) -> str:
    """Where a run stands: trials, pass^1 so far, calls of models, cost, the longest conversation, time left."""
    asked = run.activity.asked
    parts = [f"{run.done}/{count_of(run.planned, 'trials')}"]
    parts += [f"{number} {what}" for number, what in ((run.in_play, "in play"), (run.waiting, "waiting")) if number]
    if curve := run.totals.without_variants().pass_hat():
        parts.append(f"pass^1 {percent(curve[0].value)} so far")
    if asked.calls or asked.waiting:
        a_minute = f" ({run.pace:.0f} a minute)" if run.pace >= 0.5 else ""
        unanswered = [f"{asked.waiting} unanswered"] if asked.waiting and not asked.calls else []
        parts += [f"{count_of(asked.calls, 'model calls')}{a_minute}", *unanswered, f"{asked.tokens:,} tokens"]
    parts.append(run.cost)
    if run.in_play and run.activity.longest:
        parts.append(f"longest conversation at turn {run.activity.longest}")
    return "tau: " + ", ".join(filter(None, [*parts, run.left]))


def failure_lines(run: Standing) -> list[str]:
    """What calls of models have failed with that are tried again, which may take minutes."""
    asked = run.activity.asked
    if not asked.failing:
        return []
    have = "has" if asked.failing == 1 else "have"
    calls = count_of(asked.failing, "model calls")
    return [printable(f"tau: {calls} {have} failed and will be tried again: {asked.failure}")]


def status_line(run: Standing) -> str:
    """The same in the columns of a terminal, as far as they go."""
    asked = run.activity.asked
    trials = [f"{run.done}/{run.planned}", f"{run.in_play} in play", f"{run.waiting} waiting"]
    calls = [count_of(asked.calls, "calls"), f"{run.pace:.0f}/min", f"{_short(asked.tokens)} tokens"]
    parts = [", ".join(trials)]
    if asked.failing:
        parts.append(f"{count_of(asked.failing, 'calls')} failing")
    if asked.calls or asked.waiting:
        parts.append(", ".join([*calls, *filter(None, [run.cost.removeprefix("cost ")])]))
    if run.in_play and run.activity.longest:
        parts.append(f"turn {run.activity.longest}")
    return "tau: " + " · ".join([*parts, *filter(None, [run.left.partition(" if ")[0].removeprefix("about ")])])


def _short(number: int) -> str:
    if number < 10_000:
        return str(number)
    return f"{number / 1000:.0f}k" if number < 10_000_000 else f"{number / 1_000_000:.0f}M"
