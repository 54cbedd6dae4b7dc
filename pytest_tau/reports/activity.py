"""What a run is doing while it lasts, in one line."""

from __future__ import annotations

from ..llm.meter import Activity, Asked
from ..metrics.totals import Totals
from ..printable import counted
from .terminal import duration, percent


def progress_line(
    totals: Totals,
    planned: int,
    seconds: float,
    activity: Activity | None = None,
    *,
    pace: float = 0.0,
    expected: float = 0.0,
) -> str:
    """Where a run stands: trials, pass^1 so far, calls of models, cost, the longest conversation, time left.

    Args:
        totals: of the trials that are done.
        planned: how many trials there are to be.
        seconds: how long trials have been played.
        activity: what the run is doing now.
        pace: calls of models a minute.
        expected: how many calls of models the forecast says, 0 for none: it tells the time left until a trial is done.
    """
    now, done = activity or Activity(), totals.done()
    waiting = max(0, planned - done - now.in_play)
    parts = [f"{done}/{counted(planned, 'trials')}"]
    parts += [f"{number} {what}" for number, what in ((now.in_play, "in play"), (waiting, "waiting")) if number]
    if curve := totals.unperturbed().pass_hat():
        parts.append(f"pass^1 {percent(curve[0].value)} so far")
    parts += _asked(now.asked, pace)
    usd = now.asked.usd if now.asked.calls else totals.cost()
    if now.asked.calls or not now.asked.waiting:  # nobody knows the price of what is not answered
        parts.append("price unknown" if usd is None else f"cost ${usd:.2f}")
    if now.longest:
        parts.append(f"longest conversation at turn {now.longest}")
    if 0 < done < planned:
        parts.append(f"about {duration(seconds / done * (planned - done))} left")
    elif not done and now.asked.calls and expected > now.asked.calls:
        left = seconds / now.asked.calls * (expected - now.asked.calls)
        parts.append(f"about {duration(left)} left if the forecast holds")
    return "tau: " + ", ".join(parts)


def _asked(asked: Asked, pace: float) -> list[str]:
    """What models were asked; nothing where none was."""
    if not (asked.calls or asked.waiting):
        return []
    a_minute = f" ({pace:.0f} a minute)" if pace >= 0.5 else ""
    open_calls = [f"{asked.waiting} unanswered"] if asked.waiting and not asked.calls else []
    return [f"{counted(asked.calls, 'model calls')}{a_minute}", *open_calls, f"{asked.tokens:,} tokens"]
