"""The lines above a tau run's tests: what is run, who plays, on which models and within which limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from ...agents.names import is_elsewhere
from ...environment.tasks import missing_ids, read_splits
from ...errors import TauError
from ...printable import count_of, one_line
from ...scrub import conceal
from ..collecting.task_files import origin_of, own_suite, split_of, unread_folders
from ..playing.models import models, rates
from ..playing.players import brings_an_agent, evaluates, judges_customers, models_in_use, prompts_of
from ..playing.sources import SIDES, find_unused, from_project, out_of_reach, source_of, suites
from ..run import BASE, Run, is_played
from ..settings.agents import public_name
from ..workers.hosts import number_of_hosts
from ..workers.link import answer
from .judges import known_judge

EVALUATE_ONE = "name one with --tau-agent-llm, or your agent with --tau-agent module:factory"
_CASSETTES = {
    "record": "model calls are recorded in cassettes/",
    "replay": "model calls are answered from cassettes/, no model is called",
    "auto": "model calls are answered from cassettes/, and recorded from where a trial differs",
}
WARNS = "(!)"
"""Stands in lines that nobody should miss."""
_SHOWN = 5
_LIMITS = ("rpm", "tpm", "max_inflight")


def other_root(run: Run) -> str:
    """Says that pytest has taken another folder than this one for its root, "" where it has not.

    It does so for a folder that is written behind an option without a "=", and then sees neither settings nor
    conftest.py of the project.
    """
    if run.root == run.config.rootpath:
        return ""
    return (
        f"pytest took {run.config.rootpath} for its root directory, so the settings and the conftest.py here were not "
        "read: write options that name a folder or file with '=', as in --tau-data=FOLDER"
    )


def header(run: Run) -> list[str]:
    """What a tau run is about, before it starts."""
    chosen = run.settings
    names = suites(run)
    if not (run.domains or names):
        return []
    lines = [elsewhere] if (elsewhere := other_root(run)) else []
    where = ", ".join(f"{name} ({origin_of(run, name)}{_split(run, name)})" for name in run.domains) or ", ".join(names)
    where = f"public data in {chosen.data}, split {chosen.split or BASE}" if chosen.data and run.domains else where
    players = "; ".join(f"{side} {player_told(run, side)}" for side in SIDES)
    knowledge = f"; knowledge {chosen.knowledge}" if chosen.knowledge else ""
    lines.append(f"{where}; k {chosen.k}; {players}; mode {chosen.mode}{knowledge}; seed {chosen.seed}")
    lines += [line for name in run.domains if (line := _gone(run, name))]
    lines += [*unread_folders(run), *out_of_reach(run)]
    lines += [f"isolation {isolation_told(run)}"] if chosen.isolate and brings_an_agent(run) else []
    lines += _models(run)
    lines += [line] if (line := known_judge(run).line) else []
    if chosen.criteria:
        lines.append(f"graded by {chosen.criteria} alone, whatever the tasks' reward basis")
    if chosen.resume:
        are = "is" if len(run.done) == 1 else "are"
        lines.append(f"going on with {run.folder}: {count_of(len(run.done), 'trials')} {are} done")
    if chosen.cassette != "off":
        lines.append(f"cassettes: {_CASSETTES[chosen.cassette]}")
    if not evaluates(run):
        why = "" if chosen.names_agent else ": the oracle knows the answers"
        lines.append(f"no model is evaluated{why}; {EVALUATE_ONE}")
    return [conceal(f"tau: {line}") for line in lines]  # a command of an agent may hold a key


def _split(run: Run, name: str) -> str:
    """Which part of an own suite is played, where that is not all of it."""
    if (found := _part(run, name)) is None:
        return ""
    split, tasks, whole = found
    more = f"; --tau-split {BASE} plays all {whole}" if whole is not None else ""
    return f", split {split}: {count_of(tasks, 'tasks')}{more}"


def _gone(run: Run, name: str) -> str:
    """Says that the split of a project's suite names tasks that are not there, "" where it does not."""
    if origin_of(run, name) != "of this project" or (found := _part(run, name)) is None:
        return ""
    try:
        ids = missing_ids(own_suite(run, name), found[0])
    except TauError:
        return ""  # collection says it
    if not ids:
        return ""
    are = "tasks that are" if len(ids) > 1 else "a task that is"
    some = one_line(", ".join(ids[:_SHOWN])) + ("" if len(ids) <= _SHOWN else f" and {len(ids) - _SHOWN} more")
    return f"{WARNS} {name}: the split {found[0]} names {are} not there: {some}"


def split_told(run: Run, name: str) -> str:
    """Which part of an own suite was played, as reports tell it; "" where a suite has no parts."""
    if name not in run.settings.domain or run.settings.data or (found := _part(run, name)) is None:
        return ""
    split, tasks, whole = found
    return f", split {split}: " + (
        count_of(tasks, "tasks") if whole is None else f"{tasks} of {count_of(whole, 'tasks')}"
    )


def _part(run: Run, name: str) -> tuple[str, int, int | None] | None:
    """The split of an own suite that counts, how many tasks it has, and of how many where it is not the largest."""
    try:
        file = own_suite(run, name)[0]
        split, splits = split_of(run, file), read_splits(file) or {}
    except TauError:
        return None  # what is wrong with it, collection says
    if split is None or split not in splits:
        return None
    whole = len(splits[BASE]) if split != BASE and BASE in splits else None
    return split, len(splits[split]), whole


def player_told(run: Run, side: str) -> str:
    """Who plays a side, as far as that is known before collection: of suites that differ in it, each with its name."""
    players: dict[str, list[str]] = {}
    for name, file in suites(run).items():
        found = source_of(run, side, file)
        players.setdefault(_chosen_player(run, side) if found is None else f"from {found}", []).append(name)
    if not players:
        own = from_project(run, side)
        return _chosen_player(run, side) if own is None else f"from {own}"
    if len(players) == 1:
        return next(iter(players))
    return ", ".join(f"{player} ({', '.join(names)})" for player, names in players.items())


def isolation_told(run: Run) -> str:
    """Where the agents of the project are played, and so what they could read; "" where all are built in."""
    if not brings_an_agent(run):
        return ""
    if not run.settings.isolate:
        away = not from_project(run, "agent") and all(is_elsewhere(agent.name) for agent in run.settings.agents)
        return f"off, the agent is {'not ' if away else ''}in the process that has the answers"
    from ...adapters.hiding import can_hide

    hidden = "hidden from it" if can_hide() else "not hidden from it: this system cannot"
    return f"on, the agent has a process of its own, and files of tasks are {hidden}"


def _chosen_player(run: Run, side: str) -> str:
    chosen = run.settings
    return ", ".join(public_name(name) for name in chosen.agent_names) if side == "agent" else chosen.user_name


def _models(run: Run) -> Iterator[str]:
    """A line for each model: its name, the parameters given without keys, which prompts; then the limits of all."""
    used = models_in_use(run)
    if not any(side.startswith("agent") for side in used) and "agent_llm" in run.settings.given:
        behind = [client for side, client in models(run).clients.items() if side.partition(" ")[0] == "agent"]
        used = {"endpoint": behind[0], **used}
    replayed = run.settings.cassette == "replay"  # without litellm, which knows what a model takes
    for side, client in used.items():
        given = f" {json.dumps(dict(client.parameters))}" if client.parameters else ""
        left_out = [] if replayed else client.unsupported_parameters()
        without = f", without {', '.join(left_out)}, which it does not take" if left_out else ""
        yield f"{side} model {client.model}{given}{without}{_manner(run, side)}"
    own = brings_an_agent(run) and not any(side.partition(" ")[0] in ("agent", "endpoint") for side in used)
    if (used or own) and (limits := _limits(run)):
        hosts = number_of_hosts(run)
        of = f" of {hosts} hosts, each" if hosts > 1 else ""
        told = ", ".join(f"{name} {value}" for name, value in limits.items())
        which = "; for models that the agent asks at context.endpoint" if own and not used else ""
        yield f"limits over all workers{of}: {told}{which}"


def _limits(run: Run) -> dict[str, Any]:
    """The limits that the workers of each host keep to together."""
    shared = models(run).limits
    if shared is None:
        return {}
    kept = shared.settings
    limits: dict[str, Any] = {name: value for name in _LIMITS if (value := getattr(kept, name)) is not None}
    limits |= {name: f"{rate} shared with other runs" for name, (rate, shared) in rates(run).items() if shared}
    if kept.budget_usd is not None:
        limits["budget"] = f"${kept.budget_usd:.10g}"
    elif kept.budget_tokens is not None:
        limits["budget"] = f"{kept.budget_tokens} tokens"
    return limits


def _manner(run: Run, side: str) -> str:
    """What besides the model decides how a side answers."""
    if side == "endpoint":
        return ", for what the agent asks through its endpoint"
    from ...evaluation.explain import PROMPT_VERSION as EXPLAINER_PROMPTS
    from ...evaluation.progress.satisfaction import PROMPT_VERSION as RATING_PROMPTS

    chosen, manner = run.settings, ""
    if side == "judge":
        manner = f", {count_of(chosen.judge_votes, 'votes')}"
        manner += ", on the customer, too" if judges_customers(run) else ""
        manner += f", explains misses by prompts {EXPLAINER_PROMPTS}" if chosen.explain else ""
        manner += f", rates satisfaction by prompts {RATING_PROMPTS}" if chosen.satisfaction else ""
    elif side == "user" and chosen.user_style:
        manner = f", style {chosen.user_style}"
    return f"{manner}, prompts {prompts_of(run, side)}"


def about_concurrency(run: Run, items: list[pytest.Item]) -> list[str]:
    """How many conversations run at once, which trials are not played ahead of their tests, and whom nobody asks."""
    from ..playing.lookahead import look_ahead

    lines = [f"tau: {sentence}" for sentence in find_unused(run, items)]
    if (ahead := run.one(look_ahead)) is not None:
        trials = [item for item in items if is_played(item)]
        alone = Counter(reason for item in trials if (reason := ahead.why_alone(item)) is not None)
        lines += [f"tau: {count_of(ahead.concurrency, 'conversations')} at once"] if alone.total() < len(trials) else []
        for reason, number in alone.items():
            lines.append(
                f"tau: {'1 trial runs by itself' if number == 1 else f'{number} trials run by themselves'}: {reason}"
            )
    if run.is_worker:
        answer(run.config, lines)  # nobody reads a worker's terminal
    return lines
