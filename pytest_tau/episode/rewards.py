"""What a step of an episode earns: a function of how the episode stood before it, and how it stands after it."""

from __future__ import annotations

from dataclasses import dataclass

from .looking import Info


def passed(before: Info, after: Info) -> float:
    """The sparse reward: what the trial earns at its end, 0 before it and where it cannot be graded."""
    reward = after["reward"]
    return 0.0 if reward is None or reward.value is None else float(reward.value)


@dataclass(frozen=True)
class Shaped:
    """A reward for every step: what it adds to progress, what it breaks, and the pass at the end.

    ``progress``: for all milestones together, each as it is reached; what a minefield takes away is taken away again.
    ``violation``: for each rule of the policy that it breaks. ``passed``: for the full reward at the end.
    """

    progress: float = 0.5
    violation: float = -0.1
    passed: float = 0.5

    def __call__(self, before: Info, after: Info) -> float:
        """The reward of the step between them."""
        gained = (after["progress"] or 0.0) - (before["progress"] or 0.0)
        broken = len(after["violations"]) - len(before["violations"])
        return self.progress * gained + self.violation * broken + self.passed * passed(before, after)
