"""How a run's numbers came about: who played what, on which data, under which settings, from which command.

One list of labels and values, made from the run's manifest and totals, and shown alike by the terminal, the HTML page,
Markdown and the exports.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..manifest import ENDED, FILES_OF, GRADED_AGAIN, PROGRAM, RECORDED_WITH, TASKS_IN, TASKS_OF, Manifest, content_hash
from ..metrics.totals import Totals

Fact = tuple[str, str]

ISOLATION = "isolation"
"""The fact that says where somebody's own agent was played, and so what it could read."""
EVALUATED = "evaluated"
"""The fact that says of a run without a model that it evaluated none."""

# Settings that are told in words of their own below, and the limits, which are told together.
_PLAYERS = ("agent", "user", "judge")
_LIMITS = ("max_steps", "max_errors", "timeout")
_TOLD = {*_LIMITS, "mode", "parity", "seed", "split", "stop", "user_judge", "isolate", *_PLAYERS}
_USUAL = ("keep", "infra")  # of settings that are told only where they are not as usual
# Whose values are more than a word or a number.
_WITH_COLON = ("agent", "user", "judge", "suites", "domains", "data", "command")
_FIRST = ("suites", "domains", ENDED, "pytest-tau", "command")  # of their lines
_WIDTH = 118


def run_facts(manifest: Manifest, totals: Totals) -> list[Fact]:
    """Everything somebody needs who quotes this run's numbers, in reading order; no keys, no empty values.

    Args:
        manifest: what the run's results depend on. ``about`` may hold "agents" (each by its label), "agent" and
            "user" (who was to play, where no option says it), "suites" (of other names than their
            domains) and "domains" (each with its origin), "tasks" and "parity".
        totals: who played, by the names that stand on the trials, and the domains.
    """
    return [(label, value) for label, value in _facts(manifest, totals) if value]


def _facts(manifest: Manifest, totals: Totals) -> Iterator[Fact]:
    options, about = manifest.options, manifest.about
    played = GRADED_AGAIN not in about  # how recordings were played, only those who played them know
    agents = about.get("agents")
    yield (
        "agent",
        _player("agent", [agents] if agents else totals.agents, options) or _chosen_player("agent", played, manifest),
    )
    yield ISOLATION, about.get(ISOLATION, "")
    yield EVALUATED, about.get(EVALUATED, "")
    users = [] if played and options.get("mode") == "solo" else totals.users
    yield "user", _player("user", users, options) or _chosen_player("user", played, manifest)
    yield "judge", _player("judge", [options["judge_llm"]] if options.get("judge_llm") else [], options)
    yield "suites", about.get("suites", "")
    yield "domains", about.get("domains") or ", ".join(totals.domains())
    yield "data", ", ".join(_versions(manifest.content))
    yield "tasks", about.get("tasks", "")
    # Recordings and tests with a marker may have more trials of a task.
    yield "k", str(max([manifest.k, *(max(task.planned, task.outcomes.total()) for task in totals.of())]))
    yield "shard", manifest.shard or ""
    yield "mode", str(options.get("mode", "default")) if played else ""
    yield "parity", _value_text(options.get("parity")) or about.get("parity", "")
    if played:
        yield "seed", _value_text(options.get("seed"))
        yield "limits", ", ".join(f"{name} {_value_text(options[name])}" for name in _LIMITS if name in options)
    for name, value in options.items():
        if name not in _TOLD and not name.startswith(_PLAYERS) and value is not False and value not in _USUAL:
            yield name.replace("_", " "), _value_text(value)
    yield "customers", "checked by the judge" if options.get("user_judge") else ""
    yield ENDED, about.get(ENDED, "")
    yield "stop", "when every gate is decided" if options.get("stop") else ""
    yield "pytest-tau", manifest.content.get(PROGRAM, "")
    yield "commit", about.get("commit", "")
    yield "began", about.get("began", "")
    yield GRADED_AGAIN, about.get(GRADED_AGAIN, "")
    yield RECORDED_WITH, about.get(RECORDED_WITH, "")
    yield "command", about.get("command", "")


def _versions(content: Mapping[str, str]) -> Iterator[str]:
    """Each domain with a hash of its folder, then the hash of all tasks that were played."""
    for name in content:
        if name.startswith(FILES_OF):
            domain = name.removeprefix(FILES_OF)
            files = {one: digest for one, digest in content.items() if one.endswith(f" of {domain}")}
            files.pop(f"{TASKS_OF}{domain}", None)
            yield f"{domain} {content_hash(files)[:12]}"
    tasks = {name: digest for name, digest in content.items() if name.startswith((TASKS_OF, TASKS_IN))}
    if tasks:
        # Wherever their files lie: in a wheel and in a clone the same tasks have the same hash.
        yield f"tasks {content_hash(sorted(tasks.values()))[:12]}"


def _player(side: str, names: Any, options: Mapping[str, Any]) -> str:
    """Who played a side: names from the trials, and the settings of that side that were given."""
    given = {
        name.removeprefix(f"{side}_"): value
        for name, value in options.items()
        if name.startswith(f"{side}_")
        and name not in (f"{side}_llm", f"{side}_command", *_TOLD)
        and value not in (None, False, 1)
    }
    settings = "; ".join(f"{name.replace('_', ' ')} {_value_text(value)}" for name, value in given.items())
    who = ", ".join(sorted(names))
    return f"{who} ({settings})" if who and settings else who


def _chosen_player(side: str, played: bool, manifest: Manifest) -> str:
    """Who was to play a side, where no conversation says who did."""
    options = manifest.options
    if not played:
        return "not recorded"
    if side == "user" and options.get("mode") == "solo":
        return "none"
    found = options.get(side) or options.get(f"{side}_llm") or manifest.about.get(side)
    return ", ".join(map(str, found)) if isinstance(found, list) else str(found or "not known")


def _value_text(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "on", False: "off"}[value]
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def players(totals: Totals, facts: Sequence[Fact]) -> tuple[str, str]:
    """Who played agent and customer, by the names that stand on the trials, or else what the facts say of them."""
    told = dict(facts)
    users = [] if told.get("mode") == "solo" else totals.users  # nobody spoke
    agent, user = (", ".join(sorted(names)) for names in (totals.agents, users))
    return agent or told.get("agent", "none"), user or told.get("user", "none")


def no_model(facts: Sequence[Fact]) -> str:
    """A sentence for the top of a report on a run that evaluated no model, else ""."""
    _, _, why = dict(facts).get(EVALUATED, "").partition(": ")
    return f"No model was evaluated: {why}." if why else ""


def fact_lines(facts: Sequence[Fact]) -> list[str]:
    """The facts as lines of text for a terminal: the players, what was played and how, what with, the command."""
    lines = [""]
    for label, value in facts:
        if label == EVALUATED:
            continue  # the terminal's last line says it, and what to do
        fact = f"{label}{':' if label in _WITH_COLON else ''} {value}"
        if lines[-1] and (label in _FIRST or len(lines[-1]) + 3 + len(fact) > _WIDTH):
            lines.append("")
        lines[-1] += f"   {fact}" if lines[-1] else fact
    return [line for line in lines if line]
