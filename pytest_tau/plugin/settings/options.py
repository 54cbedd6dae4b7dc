"""Every ``--tau-*`` option and its ``tau_*`` ini twin, parsed once into frozen settings.

Loaded in every pytest session, so it imports nothing heavy.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import pytest

from .values import (
    CASSETTES,
    DOUBTS,
    INVALID,
    LEVELS,
    MISSES,
    MODES,
    SWITCH,
    TIMEOUTS,
    budget,
    criteria,
    exports,
    json_object,
    lines,
    names,
    number,
    one_of,
    shard,
    text,
)


class Settings:  # a dataclass or NamedTuple of this size takes 2 ms to define, in every pytest session
    """What the user asked for: command line, else ini, else these defaults. Frozen."""

    domain: tuple[str, ...] = ()
    k: int = 1
    tasks: tuple[str, ...] = ()
    split: str | None = None
    data: str | None = None
    parity: bool | None = None
    agent: str | None = None
    user: str | None = None
    mode: str = "default"
    policy: str | None = None
    knowledge: str | None = None
    agent_llm: str | None = None
    agent_llm_args: str | None = None
    few_shot: str | None = None
    user_llm: str | None = None
    user_llm_args: str | None = None
    user_style: str | None = None
    criteria: str | None = None
    judge_llm: str | None = None
    judge_llm_args: str | None = None
    judge_votes: int = 1
    user_judge: bool = False
    explain: bool = False
    prices: str | None = None
    retries: int = 10
    rpm: int | None = None
    tpm: int | None = None
    max_inflight: int | None = None
    budget: str | None = None
    concurrency: int | None = None
    cassette: str = "off"
    gate: tuple[str, ...] = ()
    baseline: str | None = None
    bless: bool = False
    stop: bool = False
    inconclusive: str = "fail"
    min_coverage: float = 1.0
    miss_as: str = "fail"
    invalid: str = "keep"
    audit: bool | None = None
    html: str | None = None
    markdown: str | None = None
    export: tuple[tuple[str, str], ...] = ()
    snapshot: Literal["tools", "messages", "state"] | None = None
    max_steps: int = 200
    max_errors: int = 10
    timeout: float = 600.0
    timeout_as: str = "infra"
    user_seeds: int | None = None
    seed: int = 300
    results: str = ".tau"
    resume: bool = False
    shard: tuple[int, int] | None = None
    rescore: str | None = None
    progress: float = 30.0
    task_dirs: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()  # names of those that stand on the command line

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("settings do not change during a run")

    @property
    def agent_name(self) -> str:
        """The agent that was named; naming a model alone means the tool-calling agent on it."""
        return self.agent or ("llm" if self.agent_llm else "oracle")

    @property
    def user_name(self) -> str:
        """The simulated customer that was named; naming a model alone means the one that is played by it."""
        return self.user or ("llm" if self.user_llm else "scripted")

    @property
    def agent_from_command_line(self) -> bool:
        """Whether the command line says who is to be evaluated, which then holds for every test."""
        return not self.given.isdisjoint(("agent", "agent_llm"))

    @property
    def user_from_command_line(self) -> bool:
        """Whether the command line says who plays the customer."""
        return not self.given.isdisjoint(("user", "user_llm"))

    @property
    def limits_calls(self) -> bool:
        """Whether calls of models are limited."""
        return any(limit is not None for limit in (self.rpm, self.tpm, self.max_inflight, self.budget))

    @property
    def first_tasks(self) -> int | None:
        """How many tasks of each domain to run, where ``tasks`` is a number."""
        return int(self.tasks[0]) if len(self.tasks) == 1 and self.tasks[0].isdecimal() else None


class _Option:
    """One option: ``parse`` turns its text into the setting, or raises ArgumentTypeError with what it must be."""

    def __init__(
        self,
        name: str,
        metavar: str,
        parse: Callable[[str], Any],
        help: str,
        *,
        repeated: bool = False,
        switch: bool = False,
    ) -> None:
        self.name, self.metavar, self.parse, self.help = name, metavar, parse, help
        self.repeated, self.switch = repeated, switch
        self.dest = f"tau_{name}"
        self.flag = "--tau-" + name.replace("_", "-")


def _switch(name: str, help: str) -> _Option:
    """An option without a value, whose ini twin is on or off."""
    return _Option(name, "", partial(one_of, SWITCH), help, switch=True)


_OPTIONS = (
    _Option(
        "domain", "NAMES", names, "run the tasks of these domains (comma-separated): yours in tasks/, else built in"
    ),
    _Option("k", "K", partial(number, int, 1, 10_000), "run every task this many times; pass^1 … pass^K (default: 1)"),
    _Option("tasks", "IDS", names, "only these tasks: ids or globs, comma-separated, or a number for the first n"),
    _Option("agent", "AGENT", text, "oracle, noop, faulty[:rate=0.3], or module:factory for yours (default: oracle)"),
    _Option("user", "USER", text, "who plays the customer: scripted, or module:factory (default: scripted)"),
    _Option("mode", "MODE", partial(one_of, MODES), "default, solo (from a ticket) or oracle-plan (told the plan)"),
    _Option("policy", "VARIANT", text, "a variant of the policy, where the domain has several: manual or workflow"),
    _Option(
        "knowledge",
        "SETTING",
        text,
        "how the agent gets at a domain's documents: none, full, golden, grep, bm25 or embeddings:MODEL",
    ),
    _Option("agent_llm", "MODEL", text, "evaluate this model, as litellm names it: openai/gpt-4.1, ollama/llama3 …"),
    _Option("agent_llm_args", "JSON", json_object, "parameters of its calls: temperature, api_base and the like"),
    _Option("few_shot", "FILE", text, "transcripts for the few-shot agent, a JSON object a line"),
    _Option("user_llm", "MODEL", text, "let this model play the customer"),
    _Option("user_llm_args", "JSON", json_object, "parameters of its calls"),
    _Option("user_style", "STYLE", text, "how the model plays the customer: minimal, …"),
    _Option(
        "criteria",
        "NAMES",
        criteria,
        "grade by these alone, whatever a task's reward basis: DB, COMMUNICATE, ACTION …",
    ),
    _Option("judge_llm", "MODEL", text, "let this model judge natural-language assertions"),
    _Option("judge_llm_args", "JSON", json_object, "parameters of its calls"),
    _Option("judge_votes", "N", partial(number, int, 1, 99), "ask it N times, the majority decides (default: 1)"),
    _switch("user_judge", "let the judge look at the customer, too: whether it kept to its scenario"),
    _switch("explain", "let the judge say in a few sentences why a trial missed"),
    _Option("prices", "FILE", text, "what models cost, in USD per million tokens, as JSON"),
    _Option("retries", "N", partial(number, int, 0, 1000), "try a failed model call again up to N times (default: 10)"),
    _Option("rpm", "N", partial(number, int, 1, None), "at most N model calls in any minute, over all workers"),
    _Option("tpm", "N", partial(number, int, 1, None), "at most N tokens in any minute, over all workers"),
    _Option("max_inflight", "N", partial(number, int, 1, None), "at most N model calls at once, over all workers"),
    _Option(
        "concurrency",
        "N",
        partial(number, int, 1, None),
        "conversations at once in each process (default: about eight in all)",
    ),
    _Option("budget", "AMOUNT", budget, "stop starting trials at this cost: USD, or tokens ('200000 tokens')"),
    _Option(
        "cassette",
        "record|replay|auto|off",
        partial(one_of, CASSETTES),
        "keep model calls in cassettes/, and play them again without any model (default: off)",
    ),
    _Option("data", "DIR", text, "run the public τ²-bench data in this folder instead"),
    _Option("split", "SPLIT", text, "which split of a suite (default: core, where there is one; of public data: base)"),
    _Option("parity", "on|off", partial(one_of, SWITCH), "follow the reference to the letter (default: on with data)"),
    _Option("max_steps", "N", partial(number, int, 1, None), "cut a conversation off after N steps (default: 200)"),
    _Option("max_errors", "N", partial(number, int, 1, None), "… after N failed tool calls in all (default: 10)"),
    _Option("timeout", "SECONDS", partial(number, float, 0.001, None), "… after so long a time (default: 600)"),
    _Option(
        "timeout_as",
        "infra|miss",
        partial(one_of, TIMEOUTS),
        "what a trial is whose agent ran out of time (default: infra)",
    ),
    _Option(
        "user_seeds", "M", partial(number, int, 2, 5000), "let each of M customers a task meet K/M trials of the agent"
    ),
    _Option("seed", "SEED", partial(number, int, 0, 2**63), "where every trial's seed derives from (default: 300)"),
    _Option("results", "DIR", text, "keep each run's journal in this folder (default: .tau)"),
    _Option("shard", "I/N", shard, "run the I-th of N parts of the trials; pytest-tau merge puts them together"),
    _Option("rescore", "FILE", text, "grade recorded conversations again: τ-bench or τ² results, or a journal"),
    _Option("gate", "GATE", lines, "fail unless this holds, as 'pass^1 >= 0.8'; can be repeated", repeated=True),
    _Option("baseline", "FILE", text, "the earlier run that the gate 'no regression' compares with"),
    _switch("stop", "stop playing when every gate is decided; trials are played in rounds over all tasks"),
    _Option("inconclusive", "fail|pass", partial(one_of, DOUBTS), "what a gate in doubt does (default: fail)"),
    _Option("min_coverage", "SHARE", partial(number, float, 0, 1), "trials a gate must have verdicts on (default: 1)"),
    _Option("miss_as", "fail|xfail", partial(one_of, MISSES), "how pytest counts a missed trial (default: fail)"),
    _Option(
        "invalid", "rerun|keep|drop", partial(one_of, INVALID), "trials whose customer broke rules (default: keep)"
    ),
    _switch("audit", "print what the grades of the tasks are worth"),
    _Option("html", "FILE", text, "write a report with every conversation, in one file that opens offline"),
    _Option("markdown", "FILE", text, "write the tables and misses as Markdown"),
    _Option(
        "export",
        "KIND:FILE",
        exports,
        "write the run as tau2 results, for the leaderboard, or as sft or preferences data; can be repeated",
        repeated=True,
    ),
    _Option("snapshot", "LEVEL", partial(one_of, LEVELS), "compare with snapshots: of tools, messages or state"),
    _Option("progress", "SECONDS", partial(number, float, 0, None), "print running totals this often (default: 30)"),
)


SWITCHES = {"--tau-bless", "--tau-resume", *(option.flag for option in _OPTIONS if option.switch)}
"""The flags that take no value."""


def add_options(parser: pytest.Parser) -> None:
    """Register the options and their ini twins."""
    group = parser.getgroup("tau", "tau: agent evaluations (pass^k over k trials of each task)")
    for option in _OPTIONS:
        parser.addini(option.dest, f"ini twin of {option.flag}", default=None)
        if option.switch:
            group.addoption(option.flag, dest=option.dest, action="store_true", default=None, help=option.help)
            continue
        group.addoption(
            option.flag,
            dest=option.dest,
            metavar=option.metavar,
            type=option.parse,
            default=None,
            help=option.help,
            action="append" if option.repeated else "store",
        )
    group.addoption(
        "--tau-bless",
        dest="tau_bless",
        action="store_true",
        default=None,
        help="write this run's results as the baseline, whose file --tau-baseline names",
    )
    group.addoption(
        "--tau-resume",
        dest="tau_resume",
        action="store_true",
        default=None,
        help="go on with the last run in the results folder: play only the trials that it has no result of",
    )
    parser.addini(
        "tau_task_dirs", "folders whose JSON files are collected as tasks in every run", "linelist", default=[]
    )


def read_settings(config: pytest.Config) -> Settings:
    """The settings of a session: command line, else ini file; raises UsageError for an ini value that cannot be."""
    names = ("bless", "resume", *(option.name for option in _OPTIONS))
    given = frozenset(name for name in names if getattr(config.option, f"tau_{name}", None) is not None)
    values = {option.name: _value(config, option) for option in _OPTIONS}
    return Settings(
        **{name: value for name, value in values.items() if value is not None},
        bless="bless" in given,
        resume="resume" in given,
        task_dirs=tuple(config.getini("tau_task_dirs")),
        given=given,
    )


def _value(config: pytest.Config, option: _Option) -> Any:
    value = config.getoption(option.dest)
    if value is not None:
        return tuple(one for some in value for one in some) if option.repeated else value
    text = config.getini(option.dest)
    if text is None or text == "":
        return None
    try:
        return option.parse(str(text))
    except argparse.ArgumentTypeError as error:
        raise pytest.UsageError(f"ini value {option.dest}: {error}") from None
