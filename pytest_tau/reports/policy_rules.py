"""The rules of the policies of a run: how many of its tasks rest on each, and how often the agent passes those."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..environment.rules import PolicyText
from ..metrics.totals import Totals
from ..schema.task import Task


def policy_rules(
    totals: Totals, tasks: Mapping[tuple[str, str], Task], policies: Mapping[str, PolicyText]
) -> list[dict[str, Any]]:
    """What the HTML page shows of each domain whose tasks say what they rest on.

    Args:
        totals: of the run; trials of variants do not count.
        tasks: the tasks by domain and id.
        policies: the rules by domain.
    """
    plain = totals.without_variants()
    shown = []
    for domain, policy in policies.items():
        guards: dict[str, list[str]] = {}
        for (name, task_id), task in tasks.items():
            for guarded in task.guards if name == domain else ():
                guards.setdefault(guarded, []).append(task_id)
        if not guards:
            continue
        played: dict[str, tuple[int, int]] = {}
        for (row, task_id), found in plain.tasks.items():
            if row.partition(", ")[0] == domain:
                passed, graded = played.get(task_id, (0, 0))
                played[task_id] = passed + found.passed, graded + found.graded
        rows = []
        for rule in policy.rules:
            its = [task_id for task_id in guards.get(rule.id, ()) if task_id in played]
            graded = sum(played[task_id][1] for task_id in its)
            rate = sum(played[task_id][0] for task_id in its) / graded if graded else None
            state = "guarded" if its else "free" if rule.unguarded else "open"
            rows.append({"rule": rule, "tasks": len(its), "rate": rate, "state": state})
        open_rules = sum(row["state"] == "open" for row in rows)
        shown.append({"domain": domain, "rows": rows, "guarded": sum(bool(row["tasks"]) for row in rows),
                      "open": open_rules})  # fmt: skip
    return shown
