"""The lines above a tau run's tests: what is run, who plays, and on which models."""

from __future__ import annotations

from typing import Any

import pytest

from .options import project_root, settings

OFFLINE = ("oracle", "noop", "faulty")


def header(config: pytest.Config) -> list[str]:
    """What a tau run is about, before it starts."""
    chosen = settings(config)
    if not chosen.domain:
        return []
    where = f"public data in {chosen.data}, split {chosen.split}" if chosen.data else _origin(config)
    agent, note = _agent(config)
    user = chosen.user or "scripted"
    lines = []
    if project_root(config) != config.rootpath:
        lines.append(
            f"tau: pytest took {config.rootpath} for its root directory, so the settings here were not read: "
            "write options that name a folder with '=', as in --tau-data=FOLDER"
        )
    lines += [f"tau: {where}; k {chosen.k}; agent {agent}; user {user}; mode {chosen.mode}; seed {chosen.seed}"]
    return [*lines, f"tau: {note}"] if note else lines


def _origin(config: pytest.Config) -> str:
    from .suites import REGISTRY

    own = project_root(config) / "tasks"
    names = []
    for name in settings(config).domain:
        origin = "registered" if name in config.stash[REGISTRY].tasks else "built in"
        if (own / name).exists() or (own / f"{name}.json").exists():
            origin = "of this project"
        names.append(f"{name} ({origin})")
    return ", ".join(names)


def _agent(config: pytest.Config) -> tuple[str, str]:
    """The agent as far as it is known before collection, and what to say about it."""
    chosen = settings(config).agent
    if settings(config).agent_from_command_line and chosen:
        offline = chosen.partition(":")[0] in OFFLINE
        return chosen, "no model is evaluated; name your agent with --tau-agent module:factory" if offline else ""
    if any(hasattr(plugin, "tau_agent") and _is_conftest(plugin) for plugin in config.pluginmanager.get_plugins()):
        return "from the fixture tau_agent", ""
    if config.hook.pytest_tau_make_agent.get_hookimpls():
        return "from pytest_tau_make_agent", ""
    if chosen and chosen.partition(":")[0] not in OFFLINE:
        return chosen, ""
    note = "no model is evaluated: the oracle knows the answers; name your agent with --tau-agent module:factory"
    return chosen or "oracle", note


def _is_conftest(plugin: Any) -> bool:
    return str(getattr(plugin, "__file__", "")).endswith("conftest.py")
