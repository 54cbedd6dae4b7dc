"""Long episodes of which so many steps were reached."""

from typing import Any

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts


def trial(task: str, reached: int, due: int = 6, outcome: str = "missed", **reward: Any) -> dict[str, Any]:
    stations = [{"id": str(n), "name": str(n), "turn": n if n < reached else None} for n in range(due)]
    stations.append({"id": "mine", "name": "mine", "mine": True})
    return {"domain": "retail", "task_id": task, "outcome": outcome, "reward": {"stations": stations, **reward}}


def run(*trials: dict[str, Any]) -> Totals:
    totals = Totals()
    for each in trials:
        totals.add(TrialFacts.of(each))
    return totals


RUN = run(
    trial("a", 6, outcome="passed"), trial("a", 3, forgotten=[{"value": "x"}]), trial("b", 0), trial("c", 2, due=2)
)
