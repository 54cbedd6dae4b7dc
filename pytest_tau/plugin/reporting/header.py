"""The lines above a tau run's tests: what is run, who plays, on which models and within which limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from ..playing.players import evaluates, from_project, judges_customers, models_in_use
from ..recording.resuming import done
from ..settings.options import is_given, project_root, settings
from ..workers.hosts import number_of_hosts
from ..workers.spool import run_folder

EVALUATE_ONE = "name one with --tau-agent-llm, or your agent with --tau-agent module:factory"
_CASSETTES = {
    "record": "model calls are recorded in cassettes/",
    "replay": "model calls are answered from cassettes/, no model is called",
    "auto": "model calls are answered from cassettes/, and recorded from where a trial differs",
}
_LIMITS = ("rpm", "tpm", "max_inflight")


def header(config: pytest.Config) -> list[str]:
    """What a tau run is about, before it starts."""
    chosen = settings(config)
    if not chosen.domain:
        return []
    lines = []
    if project_root(config) != config.rootpath:
        lines.append(
            f"pytest took {config.rootpath} for its root directory, so the settings here were not read: "
            "write options that name a folder with '=', as in --tau-data=FOLDER"
        )
    where = f"public data in {chosen.data}, split {chosen.split}" if chosen.data else _origin(config)
    players = f"agent {_player(config, 'agent')}; user {_player(config, 'user')}"
    lines.append(f"{where}; k {chosen.k}; {players}; mode {chosen.mode}; seed {chosen.seed}")
    lines += _models(config)
    if chosen.criteria:
        lines.append(f"graded by {chosen.criteria} alone, whatever the tasks' reward basis")
    if chosen.resume:
        lines.append(f"going on with {run_folder(config)}: {len(done(config))} trials are done")
    if chosen.cassette != "off":
        lines.append(f"cassettes: {_CASSETTES[chosen.cassette]}")
    if not evaluates(config):
        why = "" if is_given(config, "agent") else ": the oracle knows the answers"
        lines.append(f"no model is evaluated{why}; {EVALUATE_ONE}")
    return [f"tau: {line}" for line in lines]


def _origin(config: pytest.Config) -> str:
    from ..collecting.task_files import registry

    own = project_root(config) / "tasks"
    names = []
    for name in settings(config).domain:
        origin = "registered" if name in registry(config).tasks else "built in"
        if (own / name).exists() or (own / f"{name}.json").exists():
            origin = "of this project"
        names.append(f"{name} ({origin})")
    return ", ".join(names)


def _player(config: pytest.Config, side: str) -> str:
    """A player as far as it is known before collection."""
    chosen = settings(config)
    own = from_project(config, side)
    return f"from {own}" if own else chosen.agent_name if side == "agent" else chosen.user_name


def _models(config: pytest.Config) -> Iterator[str]:
    """A line for each model: its name, the parameters given without keys, which prompts; then the limits of all."""
    from ..playing.models import models

    used = models_in_use(config)
    if "agent" not in used and is_given(config, "agent_llm"):
        used = {"endpoint": models(config).clients["agent"], **used}
    replayed = settings(config).cassette == "replay"  # without litellm, which knows what a model takes
    for side, client in used.items():
        given = f" {json.dumps(dict(client.parameters))}" if client.parameters else ""
        left_out = [] if replayed else client.unsupported()
        without = f", without {', '.join(left_out)}, which it does not take" if left_out else ""
        yield f"{side} model {client.model}{given}{without}{_manner(config, side)}"
    if used and (limits := _limits(config)):
        hosts = number_of_hosts(config)
        of = f" of {hosts} hosts, each" if hosts > 1 else ""
        yield f"limits over all workers{of}: " + ", ".join(f"{name} {value}" for name, value in limits.items())


def _limits(config: pytest.Config) -> dict[str, Any]:
    """The limits that the workers of each host keep to together."""
    from ..playing.models import models

    shared = models(config).limits
    if shared is None:
        return {}
    kept = shared.settings
    limits = {name: value for name in _LIMITS if (value := getattr(kept, name)) is not None}
    if kept.budget_usd is not None:
        limits["budget"] = f"${kept.budget_usd:.10g}"
    elif kept.budget_tokens is not None:
        limits["budget"] = f"{kept.budget_tokens} tokens"
    return limits


def _manner(config: pytest.Config, side: str) -> str:
    """What besides the model decides how a side answers."""
    if side == "endpoint":
        return ", for what the agent asks through its endpoint"
    from ...evaluation.explain import PROMPT_VERSION as EXPLAINER_PROMPTS

    chosen, manner = settings(config), ""
    if side == "judge":
        manner = f", {chosen.judge_votes} vote{'s' * (chosen.judge_votes > 1)}"
        manner += ", on the customer, too" if judges_customers(config) else ""
        manner += f", explains misses by prompts {EXPLAINER_PROMPTS}" if chosen.explain else ""
    elif side == "user" and chosen.user_style:
        manner = f", style {chosen.user_style}"
    return f"{manner}, prompts {prompts_of(config, side)}"


def prompts_of(config: pytest.Config, side: str) -> str:
    """The prompts of a side that plays a model, by the name that stands on records."""
    from ...agents.prompts import PROMPT_VERSION as AGENT_PROMPTS
    from ...evaluation.judge import PROMPT_VERSION as JUDGE_PROMPTS
    from ...evaluation.user_judge import PROMPT_VERSION as USER_JUDGE_PROMPTS
    from ..playing.models import models

    user = models(config).user
    judge = f"{JUDGE_PROMPTS} {USER_JUDGE_PROMPTS}" if judges_customers(config) else JUDGE_PROMPTS
    return {"agent": AGENT_PROMPTS, "judge": judge, "user": user.guidelines.version if user else ""}[side]


def about_concurrency(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """How many conversations run at once, and which trials are not played ahead of their tests."""
    from ..playing.lookahead import LookAhead, runner

    engine = runner(config, items)
    if not isinstance(engine, LookAhead):
        return []
    trials = [item for item in items if "tau_trial" in getattr(item, "fixturenames", ())]
    alone = Counter(reason for item in trials if (reason := engine.why_alone(item)) is not None)
    lines = [f"tau: {engine.concurrency} conversations at once"] if alone.total() < len(trials) else []
    return lines + [f"tau: {number} trials run by themselves: {reason}" for reason, number in alone.items()]
