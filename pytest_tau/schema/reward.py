"""The grade of a simulation: one result for each criterion, and the reward they make together."""

from __future__ import annotations

from typing import Any

from pydantic import Field, computed_field

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


class Retrieval(Frozen):
    """What an agent that searches a knowledge base found, beside what the task requires: ids of documents.

    ``found``: every document that a result of a search named; ``read``: those whose text it saw.
    """

    required: list[str] = Field(min_length=1)
    found: list[str]
    read: list[str]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def recall(self) -> float:
        """The share of the required documents that were found."""
        return len(set(self.required) & set(self.found)) / len(set(self.required))

    @computed_field  # type: ignore[prop-decorator]
    @property
    def precision(self) -> float | None:
        """The share of the documents found that are required; None when nothing was found."""
        return len(set(self.required) & set(self.found)) / len(set(self.found)) if self.found else None

    def __str__(self) -> str:
        wanted = set(self.required)
        hits, read = len(wanted & set(self.found)), len(wanted & set(self.read))
        return (
            f"{hits} of {len(wanted)} required documents found, {read} read, among {len(set(self.found))} found in all"
        )


class Reward(Frozen):
    """The reward of a simulation.

    ``value`` is the product of the results in ``basis``: 1.0 or 0.0, or None (ungraded) when no result is 0 and one
    needs a judge that was not there. ``basis`` is None when nothing was graded (the conversation ended early, or the
    task has no criteria); ``note`` then says why. ``retrieval``: of a task that requires documents, when the agent had
    tools to find them; it is reported and takes no part in the reward.
    """

    value: float | None = None
    basis: list[str] | None = None
    results: list[CriterionResult] = Field(default_factory=list)
    note: str | None = None
    retrieval: Retrieval | None = None

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
