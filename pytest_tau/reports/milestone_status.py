"""How far a trial got, in words: its milestones and minefields."""

from __future__ import annotations

from collections.abc import Sequence

from ..printable import count_of
from ..schema.reward import WHOLE, MilestoneStatus, Reward


def progress_line(reward: Reward) -> str:
    """How far a trial got, as one line: the share, the last milestone reached and the first one lost; "" if unknown."""
    if reward.progress is None:
        return ""
    mine = next((one for one in reward.stations if one.mine and one.turn is not None), None)
    if mine is not None:
        return f"0 %: the minefield {mine.name} was hit in turn {mine.turn}"
    due = [one for one in reward.stations if not one.mine]
    got = sum(one.turn is not None for one in due)
    parts = [f"{got} of {count_of(len(due), 'milestones')} ({100 * reward.progress:.0f} %)"]
    if got == len(due) and reward.value is not None and not reward.passed:
        return f"{parts[0]}; the miss is for something else"
    if (last := _last(due)) is not None:
        parts.append(f"got as far as {last.name} (turn {last.turn})")
    lost = next((one for one in due if one.turn is None), None)
    if lost is not None and lost.id != WHOLE:
        parts.append(f"lost at {lost.name}")
    return "; ".join(parts)


def _last(due: Sequence[MilestoneStatus]) -> MilestoneStatus | None:
    """The milestone reached last; of several in one turn the latest in order."""
    reached = [one for one in due if one.turn is not None]
    return max(reversed(reached), key=lambda one: one.turn or 0, default=None)
