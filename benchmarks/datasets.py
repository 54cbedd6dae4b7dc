"""A data set of 5,000 conversations of retail on one core, projected from a smaller one: composed, played, labelled."""

from __future__ import annotations

import time

from benchmarks.measuring import Result
from pytest_tau.reports.telling import Teller
from tau_workshop.dataset.formats import FORMATS, DatasetRows
from tau_workshop.dataset.making import Made, conversations, prepare

LIMIT_S, WANTED, MADE = 180.0, 5000, 120


def main() -> None:
    """Print the line; CPU time of this process."""
    composed = [_composed(number) for number in (MADE, 4 * MADE)]
    (made, few), (more, many) = composed
    tasks = [sum(map(len, one.tasks.values())) for one in (made, more)]
    a_task = (many - few) / (tasks[1] - tasks[0])  # what is read once a process is in both

    began = time.process_time()
    rows = DatasetRows(Teller({"retail": made.domain}, {}))
    number = sum(1 for one in conversations(made, MADE, 1) for _ in [list(rows.of(one, FORMATS))])
    each = (time.process_time() - began) / number
    seconds = few + a_task * (WANTED / MADE - 1) * tasks[0] + each * WANTED
    note = f"{1e3 * a_task:.0f} ms a task, {1e3 * each:.0f} ms a conversation, measured on {number}"
    print(Result("5,000 labelled conversations, retail", seconds, LIMIT_S, "s", note))


def _composed(number: int) -> tuple[Made, float]:
    """The tasks for so many conversations, and how long it took to compose them."""
    began = time.process_time()
    return prepare("retail", number, 1), time.process_time() - began


if __name__ == "__main__":
    main()
