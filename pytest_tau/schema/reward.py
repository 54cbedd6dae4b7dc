"""The grade of a simulation: one result for each criterion, and the reward they make together."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .messages import Frozen, Usage


class Check(Frozen):
    """One thing a criterion looked at; ``met`` is None where it could not be decided."""

    name: str
    met: bool | None = None
    explanation: str = ""


class Difference(Frozen):
    """One field of one record where the state reached differs from the gold state.

    ``expected`` and ``actual`` are JSON values; a record or field that is absent on one side is marked by the flags.
    """

    side: str
    table: str
    key: str
    path: str
    expected: Any = None
    actual: Any = None
    expected_absent: bool = False
    actual_absent: bool = False


class Judgement(Frozen):
    """Who judged, and at what price; ``cost`` is in USD, None when unknown."""

    model: str
    prompts: str
    votes: int = 1
    cost: float | None = None
    usage: Usage | None = None


class CriterionResult(Frozen):
    """The verdict of one criterion: 1.0, 0.0, or None when it needs a judge and there is none."""

    criterion: str
    value: float | None = None
    in_basis: bool = True
    checks: list[Check] = Field(default_factory=list)
    differences: list[Difference] = Field(default_factory=list)
    note: str | None = None
    judgement: Judgement | None = None


class Reward(Frozen):
    """The reward of a simulation.

    ``value`` is the product of the results in ``basis``: 1.0 or 0.0, or None (ungraded) when no result is 0 and one
    needs a judge that was not there. ``basis`` is None when nothing was graded (the conversation ended early, or the
    task has no criteria); ``note`` then says why.
    """

    value: float | None = None
    basis: list[str] | None = None
    results: list[CriterionResult] = Field(default_factory=list)
    note: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the full reward was earned."""
        return self.value is not None and abs(self.value - 1.0) <= 1e-6

    @property
    def ungraded(self) -> bool:
        """Whether a criterion of the basis is still open."""
        return self.value is None

    def result(self, criterion: str) -> CriterionResult | None:
        """The result of one criterion, None when it was not evaluated."""
        return next((result for result in self.results if result.criterion == criterion), None)
