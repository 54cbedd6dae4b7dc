"""A run's simulated customers beside people: lines and a table, feature by feature."""

from __future__ import annotations

from collections.abc import Mapping

from ..metrics.family import Rank
from ..metrics.likeness import CUSTOMERS, FEATURES, Likeness, compare_with_people
from ..metrics.totals import Totals
from ..printable import count_of
from .terminal import align_table

_FEWEST = 5
"""Conversations from which on a comparison says anything."""


def likeness_of(totals: Totals) -> Likeness | None:
    """The customers of a run's unperturbed trials beside people; None for fewer than five conversations."""
    tasks = totals.without_variants().of()
    found = [one for task in tasks for one in task.measured.get(CUSTOMERS.name, ())]
    return compare_with_people(found) if len(found) >= _FEWEST else None


def customer_lines(totals: Totals) -> list[str]:
    """The comparison in a sentence and a table, for ``-v``."""
    found = likeness_of(totals)
    if found is None:
        return []
    return [
        f"Customers: AUC {found.auc:.2f} from people (0.5 a person, 1.0 a machine), distance {found.distance:.2f}; "
        f"{count_of(found.number, 'conversations')} beside 1,477 of people at a service desk.",
        *feature_table({"this run": found}),
    ]


def feature_table(runs: Mapping[str, Likeness], ranks: Mapping[str, Rank] | None = None) -> list[str]:
    """A table: a feature a line, people and then each run, with the median and the distance from people.

    ``ranks``: which each run may have by its mean distance.
    """
    first = next(iter(runs.values()))
    heads = ["what the customer writes", "people", *runs]
    rows: list[list[str]] = [["AUC from people", "0.50", *(f"{one.auc:.2f}" for one in runs.values())]]
    rows.append(["mean distance", "0.00", *(f"{one.distance:.2f}" for one in runs.values())])
    if ranks:
        rows.append(["rank by distance", "", *(f"{ranks[name]}" for name in runs)])
    for at, feature in enumerate(first.features):
        low, high = feature.quartiles_of_people
        people = f"{feature.of_people:.4g} [{low:.4g}–{high:.4g}]"
        cells = [f"{one.features[at].median:.4g} ({one.features[at].distance:.2f})" for one in runs.values()]
        rows.append([FEATURES[feature.name], people, *cells])
    return align_table([heads, *rows])
