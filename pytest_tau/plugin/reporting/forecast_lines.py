"""The lines that say before the first call what a run with models will take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ...environment.tasks import read_tasks
from ...errors import TauError
from ..collecting.domains import find_domain
from ..collecting.task_files import suite_of
from ..playing.models import models
from ..playing.players import brings_an_agent, judges_customers, models_in_use
from ..run import Run

if TYPE_CHECKING:
    from ...reports.forecast import Expected, Load
    from .rows import Place

# Customers whose every message is looked at by a supervisor.
_ASKED_TWICE = ("verify", "reflection")
_UNSEEN = (
    "forecast: without the model calls of your own agent, which are not known yet; those to context.endpoint count in "
    "the costs and the budget, others do not"
)


Planned = Mapping[tuple[str, str], int]
"""Trials by domain and task id."""


def forecast(
    run: Run, planned: Callable[[], Mapping[str, Planned]], trials: int, place: Callable[[str], Place | None]
) -> tuple[list[str], float]:
    """What so many trials take, in lines, and how many calls of models that is.

    Nothing and 0 where no model is called, as in a replay, or none of the tasks is known.

    Args:
        run: the run.
        planned: gives the trials of each agent by its label ("" where there is one), as far as node IDs tell them;
            those that they do not tell are taken to be like the others.
        trials: how many there are in all.
        place: what a trial that is done was about, by its node ID.
    """
    used = models_in_use(run)
    if not used or run.settings.cassette == "replay":
        return [], 0.0
    of_agents = planned()
    known = _forecasts(run, {task for of_agent in of_agents.values() for task in of_agent})
    expected = {
        label: [(known[task], number) for task, number in of_agent.items() if task in known]
        for label, of_agent in of_agents.items()
    }
    of_all = [one for of_agent in expected.values() for one in of_agent]
    if not of_all:
        return [], 0.0
    from ...reports.forecast import forecast_lines, mean
    from .experiences import done_so_far, find_measured

    how = done_so_far(run, place, known, partial(load_of, run)) if run.done else None
    how = how or find_measured(run, used, {of.domain_name for of, _ in of_all})
    experience = how[1] if how else {}

    def load(side: str) -> Load:
        """What a side takes: an agent in its own trials, the others in all."""
        who, _, label = side.partition(" ")
        its = expected.get(label, []) if who == "agent" else of_all
        share = sum(number for _, number in its) / sum(number for _, number in of_all)
        guess = mean((load_of(run, side, of), number) for of, number in its) * (trials * share)
        return experience[side].correct(guess) if side in experience else guess

    made = models(run)
    loads = {side: load(side) for side in used}
    loads = {side: load for side, load in loads.items() if load.calls}
    limits = made.limits.settings if made.limits else None
    lines = forecast_lines(
        trials,
        loads,
        {side: used[side].price() for side in loads},
        usd=limits.budget_usd if limits else None,
        tokens=limits.budget_tokens if limits else None,
        explained=run.settings.explain,
        pictures=run.settings.images is None and any(of.has_pictures for of, _ in of_all),
        source=how[0] if how else "",
        guessed=[side for side in loads if side not in experience],
    )
    if brings_an_agent(run):
        lines.append(_UNSEEN)
    calls = sum(load.calls for load in loads.values())
    return ([f"tau: {line}" for line in lines], calls) if loads else ([], 0.0)


def _forecasts(run: Run, planned: Collection[tuple[str, str]]) -> dict[tuple[str, str], Expected]:
    """What a trial of each planned task takes, as far as the task is known."""
    from ...reports.forecast import Expected

    chosen = run.settings
    public = chosen.data is not None
    found: dict[tuple[str, str], Expected] = {}
    for name in {domain for domain, _ in planned}:
        try:
            tasks = [task for file in suite_of(run, name) for task in read_tasks(file)]
            # In the public data the folder is the domain; a suite of ours may be called otherwise than its domain.
            names = {name} if public else {task.domain_name or name for task in tasks}
            domains = {one: find_domain(run, one, public=public) for one in names}
        except TauError:
            continue  # a suite in another place: its tests say what is wrong, if anything is
        for task in tasks:
            if (name, task.id) in planned:
                domain = domains[name if public else task.domain_name or name]
                found[name, task.id] = Expected(task, domain, solo=chosen.mode == "solo")
    return found


def load_of(run: Run, side: str, trial: Expected) -> Load:
    """What one trial takes of a side's model."""
    from ...agents.few_shot import SHOWN
    from ...reports.forecast import Load

    chosen, made = run.settings, models(run)
    if side.partition(" ")[0] == "agent":
        label = side.partition(" ")[2]
        displays = made.agents[label].displays if run.settings.agent_called[label].name == "few-shot" else ()
        shown = min(SHOWN, len(displays)) * sum(map(len, displays)) // max(1, len(displays))
        return trial.agent(shown=shown, images=chosen.images or "send")
    if side == "judge":
        of_customers = trial.user_judge(votes=chosen.judge_votes) if judges_customers(run) else Load()
        of_misses = trial.explainer() if chosen.explain else Load()
        rated = trial.user_judge(votes=1) if chosen.satisfaction else Load()
        review = trial.review(votes=chosen.judge_votes) if chosen.review != "off" else Load()
        return trial.judge(votes=chosen.judge_votes) + review + of_customers + of_misses + rated
    if made.user is None or chosen.mode == "solo":
        return Load()
    return trial.user(guidelines=made.user.guidelines.text, asks=2 if chosen.user_name in _ASKED_TWICE else 1)
