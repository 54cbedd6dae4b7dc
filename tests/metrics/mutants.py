"""Trials of a shop as it is, and under a policy without one of its rules."""

from pytest_tau.metrics.totals import Totals
from pytest_tau.metrics.trial_facts import TrialFacts


def trial(row: str, task_id: str, outcome: str, policy: str = "") -> TrialFacts:
    variant = {"label": policy, "policy": policy, "sentence": "Be kind.", "rests_on": ["kind"]} if policy else None
    content = {"domain": "shop", "task_id": task_id, "trial": 1, "outcome": outcome, "nodeid": "n", "variant": variant}
    facts = TrialFacts.of(content)
    return facts.__class__(**{**vars(facts), "domain": row})


def totals(plain: str, changed: str, number: int = 14) -> Totals:
    found = Totals()
    for _ in range(number):
        found.add(trial("shop", "one", plain))
        found.add(trial("shop, delete:kind", "one", changed, "delete:kind"))
    return found
