"""Every ``--tau-*`` option and its ``tau_*`` ini twin: what it is for, what it takes, and what depends on it.

Loaded in every pytest session, so it imports nothing heavy. :mod:`.reading` reads them into settings.
"""

from __future__ import annotations

from argparse import SUPPRESS
from collections.abc import Iterator
from typing import Any

import pytest

from .option import Decides, Option, switch_option

TASK_DIRS = "tau_task_dirs"
HELP = "--tau-help"
_ABOUT_HELP = "show all options of tau, also those that only experts need; each has an ini twin (tau_k = 4)"

TOPICS: dict[str, tuple[Option, ...]] = {
    "which tasks, and how often": (
        Option("run", "domain", "NAMES", "names", "run these domains or suites: your own in tasks/, or built-in ones"),
        Option("run", "tasks", "IDS", "tasks", "only these tasks: ids or globs; 5 means the first 5, id:5 the id 5"),
        Option("trial", "k", "K", "whole 1 10000", "run each task K times, for pass^1 to pass^K (default: 1)"),
        Option(
            "suite",
            "perturb",
            "KINDS",
            "text",
            "also play each task with other words, customer or data: typos, rude:0.8 … or all",
        ),
        Option(
            "suite", "faults", "KINDS", "text", "also play each task with failing tools: timeout:0.2, stale … or all"
        ),
        Option(
            "suite",
            "policy_mutants",
            "N|RULES",
            "text",
            "also play under policies with a rule changed: of N rules, all, or RULE=delete,invert; …",
        ),
        Option("result", "user_seeds", "M", "whole 2 5000", "use M customers per task, each for K/M of its trials"),
        Option(
            "result",
            "mode",
            "MODE",
            "one_of default solo oracle-plan",
            "default, solo (a ticket instead of a customer) or oracle-plan",
        ),
        Option(
            "result",
            "policy",
            "VARIANT",
            "text",
            "which policy to use, where the domain has several; or a file *.md instead",
        ),
        Option(
            "result",
            "knowledge",
            "SETTING",
            "text",
            "how the agent gets at documents: none, full, golden, grep, bm25 …",
        ),
        Option("trial", "data", "DIR", "path", "use the public τ²-bench data in this folder"),
        Option("result", "split", "SPLIT", "text", "which split of the suite (default: core; base for public data)"),
        Option(
            "result", "parity", "on|off", "switch", "behave exactly like the τ² reference (default: on with --tau-data)"
        ),
    ),
    "the agent": (
        Option(
            "agent",
            "agent",
            "AGENT",
            "lines",
            "oracle, noop, faulty, module:factory, http://…; llm, act, react, few-shot; or NAME=AGENT",
            repeated=True,
        ),
        Option(
            "agent",
            "agent_command",
            "COMMAND",
            "text",
            "run this program as the agent: it reads and writes one JSON line per turn",
        ),
        Option(
            "agent",
            "agent_protocol",
            "NAME",
            "one_of simple openai responses a2a",
            "protocol of an agent behind http://…: simple, openai, responses, a2a",
        ),
        Option("agent", "agent_llm", "MODELS", "names", "evaluate these models (litellm names)"),
        Option(
            "agent", "agent_llm_args", "JSON", "json_object", "parameters of the model's calls: temperature, api_base …"
        ),
        Option(
            "result",
            "images",
            "send|alt|drop",
            "one_of send alt drop",
            "send the agent pictures, their alt text, or nothing (default: send)",
        ),
        Option(
            "agent",
            "text_calls",
            "count|run",
            "one_of count run",
            "what to do with tool calls that a model writes as text (default: count them)",
        ),
        switch_option(
            "agent", "isolate", "play your own agent in a process of its own: without tasks, results and keys"
        ),
        Option("agent", "isolate_env", "NAMES", "names", "variables of the environment that an isolated agent needs"),
        Option("trial", "few_shot", "FILE", "path", "transcripts for the few-shot agent, one JSON object per line"),
    ),
    "the simulated customer": (
        Option(
            "result",
            "user",
            "USER",
            "text",
            "scripted, module:factory; on a model llm, react, verify, reflection, attacker",
        ),
        Option("result", "user_llm", "MODEL", "text", "let this model play the customer"),
        Option("result", "user_llm_args", "JSON", "json_object", "parameters of the model's calls"),
        Option(
            "result",
            "user_style",
            "STYLE",
            "text",
            "how the model plays the customer: minimal, talkative, impatient, unsure, people",
        ),
        Option(
            "result",
            "user_guard",
            "on|off",
            "switch",
            "ask a model that falls out of the customer's role again (default: on; off in parity)",
        ),
        Option(
            "result",
            "invalid",
            "rerun|keep|drop",
            "one_of rerun keep drop",
            "what to do with a trial whose customer broke the rules (default: rerun a model's)",
        ),
    ),
    "grading": (
        Option("result", "criteria", "NAMES", "criteria", "grade by these criteria only: DB, COMMUNICATE, ACTION …"),
        Option("result", "judge_llm", "MODEL", "text", "let this model judge natural-language assertions"),
        Option("result", "judge_llm_args", "JSON", "json_object", "parameters of the judge's calls"),
        Option("result", "judge_votes", "N", "whole 1 99", "ask the judge N times; the majority decides (default: 1)"),
        Option(
            "result",
            "review",
            "unclear|all|off",
            "one_of unclear all off",
            "what the judge reads: what is unclear (default), all conversations, nothing",
        ),
        switch_option("result", "user_judge", "let the judge check that the simulated customer followed its scenario"),
        switch_option("trial", "explain", "let the judge explain in a few sentences why a trial failed"),
        switch_option("trial", "satisfaction", "let the judge rate the customer's satisfaction from 1 to 5"),
        switch_option("run", "audit", "audit the tasks: what would their grading miss?"),
    ),
    "limits of a conversation": (
        Option("result", "max_steps", "N", "whole 1", "stop a conversation after N steps (default: 200)"),
        Option("result", "max_errors", "N", "whole 1", "stop a conversation after N failed tool calls (default: 10)"),
        Option("result", "timeout", "SECONDS", "decimal 0.001", "stop a trial after this time (default: 600)"),
        Option(
            "result",
            "timeout_as",
            "infra|miss",
            "one_of infra miss",
            "count a trial that ran out of time as this (default: infra)",
        ),
        Option(
            "result",
            "overflow_as",
            "infra|miss",
            "one_of infra miss",
            "count a trial that outgrew the agent's context window as this (default: infra)",
        ),
        Option(
            "result",
            "stall",
            "N|off",
            "whole_or_off 2",
            "stop a conversation in which the same comes N times over (default: 8; off in parity)",
        ),
        Option(
            "result",
            "seed",
            "SEED",
            "whole 0 9223372036854775808",
            "the seed that every trial's seed derives from (default: 300)",
        ),
    ),
    "calls of models": (
        Option(
            "run",
            "concurrency",
            "N",
            "whole 1 10000",
            "conversations at once per process (default: about eight in all)",
        ),
        Option("trial", "max_inflight", "N", "whole 1", "at most N model calls at once, across all workers"),
        Option(
            "trial",
            "rpm",
            "N",
            "rate",
            "at most N model calls per minute, across all workers; 'N shared': across all runs",
        ),
        Option(
            "trial", "tpm", "N", "rate", "at most N tokens per minute, across all workers; 'N shared': across all runs"
        ),
        Option(
            "trial", "budget", "AMOUNT", "budget", "start no more trials once this is spent: USD, or '200000 tokens'"
        ),
        Option("trial", "prices", "FILE", "path", "JSON file of model prices in USD per million tokens"),
        Option("trial", "retries", "N", "whole 0 1000", "retry a failed model call up to N times (default: 10)"),
        Option(
            "trial",
            "cassette",
            "record|replay|auto|off",
            "one_of record replay auto off",
            "record model calls in cassettes/ and replay them without a model (default: off)",
        ),
    ),
    "gates": (
        Option(
            "run",
            "gate",
            "GATE",
            "lines",
            "fail unless this holds, such as 'pass^1 >= 0.8'; can be repeated",
            repeated=True,
        ),
        Option("run", "baseline", "FILE", "path", "baseline file for the gate 'no regression'"),
        switch_option("suite", "stop", "stop as soon as every gate is decided; plays one trial of each task at a time"),
        Option(
            "run", "inconclusive", "fail|pass", "one_of fail pass", "what an inconclusive gate does (default: fail)"
        ),
        Option(
            "run",
            "min_coverage",
            "SHARE",
            "decimal 0 1",
            "share of trials that must be graded for a gate to hold (default: 1)",
        ),
        Option(
            "trial", "miss_as", "fail|xfail", "one_of fail xfail", "how pytest counts a missed trial (default: fail)"
        ),
    ),
    "runs, and what they write": (
        Option("run", "results", "DIR", "path", "keep each run's journal in this folder (default: .tau)"),
        Option("run", "shard", "I/N", "shard", "run part I of N; 'pytest-tau merge' joins the parts"),
        Option(
            "trial",
            "rescore",
            "FILE",
            "path",
            "grade recorded conversations again: τ-bench or τ² results, or a journal",
        ),
        Option(
            "trial",
            "rescore_tasks",
            "WHOSE",
            "one_of file today",
            "grade them against the tasks in the file (default) or today's",
        ),
        Option("run", "progress", "SECONDS", "decimal 0", "how often to print running totals (default: 30)"),
        Option("run", "html", "FILE", "path", "write an HTML report with every conversation; one file, opens offline"),
        Option("run", "markdown", "FILE", "path", "write the tables and the failed trials as Markdown"),
        Option(
            "run",
            "export",
            "KIND:FILE",
            "exports",
            "export tau2, leaderboard, sft, preferences, stats, csv, parquet, latex, svg or png",
            repeated=True,
        ),
        switch_option("run", "otel", "send each trial as an OpenTelemetry trace"),
        Option(
            "trial",
            "snapshot",
            "LEVEL",
            "one_of tools messages state",
            "compare each trajectory with its snapshot: tools, messages or state",
        ),
    ),
}
"""The options by what they are about, as ``pytest -h`` shows them."""

OPTIONS = tuple(option for options in TOPICS.values() for option in options)

_BLESS = switch_option("run", "bless", "write this run's results to the --tau-baseline file as the new baseline")
_RESUME = switch_option("run", "resume", "continue the last run: play only the trials that have no result yet")
ACTIONS = (_BLESS, _RESUME)
"""What is done once, and so has no ini twin."""

_LAST_OF = {"gates": _BLESS, "runs, and what they write": _RESUME}


def deciding(*what: Decides) -> list[str]:
    """The names of the settings that decide one of these."""
    return [option.name for option in OPTIONS if option.decides in what]


FIRST = frozenset(
    (
        *("domain", "tasks", "k", "split", "data", "agent", "agent_llm", "agent_llm_args", "user_llm", "user_llm_args"),
        *("judge_llm", "audit", "timeout", "concurrency", "rpm", "budget", "cassette", "gate", "baseline", "bless"),
        *("results", "rescore", "html", "markdown", "export", "resume"),
    )
)
"""The options of ``pytest -h``: those that one meets first. All of them are told by ``--tau-help``."""


def topics() -> Iterator[tuple[str, tuple[Option, ...]]]:
    """Each topic with all of its options, in the order of help."""
    for topic, options in TOPICS.items():
        yield topic, (*options, _LAST_OF[topic]) if topic in _LAST_OF else options


def add_options(parser: pytest.Parser) -> None:
    """Register the options, a group for each topic, and their ini twins; of those for experts help says only how many.

    All are taken, wherever they are told of.
    """
    parser.getgroup("tau").addoption(HELP, action="store_true", dest="show_tau_help", default=None, help=_ABOUT_HELP)
    for topic, options in topics():
        more = sum(option.name not in FIRST for option in options)
        group = parser.getgroup(f"tau: {topic}", f"tau: {topic} ({more} more: {HELP})" if more else "")
        for option in options:
            kind: dict[str, Any] = {"action": "store_true"}
            if not option.switch:
                action = "append" if option.repeated else "store"
                kind = {"action": action, "metavar": option.metavar, "type": option.parse}
            told = option.help if option.name in FIRST else SUPPRESS
            group.addoption(option.flag, dest=option.dest, default=None, help=told, **kind)

    for option in OPTIONS:
        parser.addini(option.dest, f"ini twin of {option.flag}", default=None)
    parser.addini(TASK_DIRS, "folders whose JSON files are collected as tasks in every run", "linelist", default=[])


def names_trials(config: pytest.Config) -> bool:
    """Whether an argument is the ID of a trial of a task file, as reports print it."""
    return any(".json::test_task[" in arg for arg in config.args)


def has_ini_values(config: pytest.Config) -> bool:
    """Whether the ini file, or ``-o``, has a value of this plugin."""
    if config.inipath is None and not config.getoption("override_ini", True):
        return False
    try:
        return any(config.getini(name) for name in (TASK_DIRS, *(option.dest for option in OPTIONS)))
    except (TypeError, ValueError):
        return True  # a value of TOML that is no text, which pytest does not know how to read
