"""Writes a run on the public data in the shape in which results are submitted to τ²-bench's leaderboard.

``submission.json`` beside a folder ``trajectories`` with a τ² results file a domain. What a run cannot know, who
submits it and whose model it is, is left empty for a person to fill in. Nulls are not written.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..errors import RecordingError
from ..files import replacing
from ..manifest import GRADED_AGAIN
from ..metrics.pass_k import mean_pass_hat_k
from ..metrics.trial_facts import total_cost
from ..printable import count_of
from ..recordings.tau2_writer import model_of, repeated_trials, write_tau2
from .run_facts import ISOLATION

if TYPE_CHECKING:
    from ..environment.domain import Domain
    from ..schema.record import TrialRecord
    from ..schema.simulation import Simulation
    from ..schema.task import Task

DOMAINS = ("retail", "airline", "telecom", "banking_knowledge")
_MOST = 4
# What the leaderboard's runs have, as far as it can differ; a run that differs says so.
_USUAL = {"mode": "default", "policy": None, "max_steps": 200, "max_errors": 10, "split": "base", "perturb": None}


def write_leaderboard(
    records: Sequence[TrialRecord],
    path: str | Path,
    *,
    domains: Mapping[str, Domain],
    tasks: Mapping[tuple[str, str], Task],
    expected: Mapping[str, Collection[str]],
    settings: Mapping[str, Any] | None = None,
    facts: Mapping[str, str] | None = None,
    **limits: Any,
) -> list[Path]:
    """Write the submission and its trajectories; returns the files.

    Args:
        records: the trials of the run.
        path: the submission's own file; the folder ``trajectories`` is made beside it.
        domains: the domains they ran in, by name.
        tasks: the tasks by domain and id.
        expected: the ids of all tasks of each domain, of which none should be left out.
        settings: what the run's results depend on, by option name, as its manifest has it.
        facts: how the numbers came about.
        limits: the run's ``max_steps``, ``max_errors`` and ``seed``.

    Raises:
        RecordingError: the run cannot be submitted: a domain is not on the leaderboard, several agents or simulated
            customers played, or the agent or the grading was not the leaderboard's.
    """
    path, settings, facts = Path(path), settings or {}, facts or {}
    played = [record.simulation for record in records if record.simulation]
    if not played:
        raise RecordingError("no conversation was finished, so there is nothing to submit")
    if idle := sorted(set(domains) - {record.domain for record in records}):
        raise RecordingError(f"no task of {', '.join(idle)} was played as it is; run it again without that domain")
    if repeated_trials(records):
        raise RecordingError("several tests or agents have played the same task; run it again with one of them")
    agent, user = _one(played, "agent"), _one(played, "user")
    refuse(domains, settings, [played[0].agent], parity=all(domain.parity for domain in domains.values()))
    files = {name: f"{name}_results.json" for name in domains}
    changed = [f"{name} {settings[name]}" for name, usual in _USUAL.items() if settings.get(name, usual) != usual]
    gaps = [gap for name in domains if (gap := _gap(name, records, expected.get(name, ())))]
    submission = {
        "model_name": agent,
        "model_organization": "",
        "submitting_organization": "",
        "submission_date": date.today().isoformat(),
        # Prompts and orchestration are ours, not the reference's own.
        "submission_type": "custom",
        "contact_info": {},
        "is_new": False,
        "trajectories_available": True,
        "trajectory_files": files,
        "references": [],
        "model_release": {},
        "results": {
            name: {**_results([r for r in records if r.domain == name]), **_retrieval(domain)}
            for name, domain in domains.items()
        },
        "methodology": {
            "evaluation_date": _day(played),
            "user_simulator": user,
            "notes": f"{_methodology(facts)} by pytest-tau {__version__}.{_facts_text(facts)}",
            "verification": {
                "modified_prompts": GRADED_AGAIN not in facts,  # else they are those of who recorded it
                "omitted_questions": bool(gaps),
                "details": "; ".join([*gaps, *changed]) or "All tasks of the base split, equally often.",
            },
        },
    }
    folder = path.parent / "trajectories"
    for name, file in files.items():
        own = {task_id: task for (domain, task_id), task in tasks.items() if domain == name}
        write_tau2(records, folder / file, domain=domains[name], tasks=own, facts=facts, **limits)
    with replacing(path) as written:
        json.dump(submission, written, indent=2, ensure_ascii=False)
        written.write("\n")
    return [path, *(folder / file for file in files.values())]


def refuse(domains: Collection[str], settings: Mapping[str, Any], agents: Collection[str], *, parity: bool) -> None:
    """Raise RecordingError for a run whose numbers mean something else than the leaderboard's."""
    if strangers := set(domains) - set(DOMAINS):
        raise RecordingError(f"the leaderboard has no domain '{min(strangers)}'; it has {', '.join(DOMAINS)}")
    why = ""
    if settings.get("criteria"):
        why = f"it was graded by {settings['criteria']} alone (--tau-criteria), and not by each task's own basis"
    elif settings.get("mode") == "oracle-plan":
        why = "its agent was told the plan (--tau-mode oracle-plan)"
    elif known := [agent for agent in agents if agent.partition(":")[0] in ("oracle", "faulty")]:
        why = f"its agent {known[0]} knows the answers"
    elif len(agents) > 1:
        why = f"it is about one agent, and this run has {', '.join(agents)}"
    elif not parity:
        why = "it did not follow the reference to the letter (--tau-parity off)"
    if why:
        raise RecordingError(f"this run cannot be submitted: {why}; run it again without that")


def _methodology(facts: Mapping[str, str]) -> str:
    return "Recorded elsewhere, graded" if GRADED_AGAIN in facts else "Run and graded"


def _facts_text(facts: Mapping[str, str]) -> str:
    told = facts if GRADED_AGAIN in facts else {ISOLATION: "off, the agent is built in", **facts}
    return "".join(f" {label}: {value}." for label, value in told.items() if label != "command")


def _one(played: Sequence[Simulation], side: str) -> str:
    """The model of one side, which must be the same in all trials with the same parameters but for the trial's seed."""
    found = {
        (str(getattr(one, side)), json.dumps(parameters, sort_keys=True, default=repr))
        for one in played
        for parameters in [{**getattr(one, f"{side}_parameters"), "seed": None}]
    }
    if len(found) > 1:
        names = sorted({name for name, _ in found})
        what = ", ".join(names) if len(names) > 1 else f"{names[0]} with several"
        raise RecordingError(f"a submission is about one {side} with one set of parameters, and this run has {what}")
    ((name, _),) = found
    return model_of(name)


def _results(records: Sequence[TrialRecord]) -> dict[str, float]:
    """pass^k in percent for each k that every task has trials for, and what a trial cost; no verdict is no success."""
    tasks: dict[str, list[bool]] = {}
    for record in records:
        tasks.setdefault(record.task_id, []).append(record.reward is not None and record.reward.passed)
    pairs = [(sum(trials), len(trials)) for trials in tasks.values()]
    most = min(_MOST, min(trials for _, trials in pairs))
    found = {f"pass_{k}": 100 * mean[0] for k in range(1, most + 1) if (mean := mean_pass_hat_k(pairs, k))}
    costs = [record.simulation.agent_cost if record.simulation else None for record in records]
    if total_cost(costs) is not None:
        found["cost"] = fmean(cost or 0.0 for cost in costs)
    return found


def _retrieval(domain: Domain) -> dict[str, str]:
    """How the agent got at the documents, which the leaderboard asks for where a domain has any."""
    return {"retrieval_config": domain.knowledge.name} if domain.knowledge else {}


def _gap(name: str, records: Sequence[TrialRecord], expected: Collection[str]) -> str:
    """What of a domain is left out, "" if nothing is."""
    trials: dict[str, int] = {}
    for record in records:
        if record.domain == name:
            trials[record.task_id] = trials.get(record.task_id, 0) + 1
    if missing := set(expected) - set(trials):
        return f"{name}: {len(missing)} of {count_of(len(expected), 'tasks')} left out"
    fewest, most = min(trials.values()), max(trials.values())
    return f"{name}: tasks have {fewest} to {most} trials" if fewest < most else ""


def _day(played: Sequence[Simulation]) -> str:
    day = max(one.end_time for one in played)[:10]
    return day or date.today().isoformat()
