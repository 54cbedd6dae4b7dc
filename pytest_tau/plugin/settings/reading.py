"""What the user asked for: the options and their ini twins, read once into frozen settings.

Loaded in every run, so it imports nothing heavy.
"""

from __future__ import annotations

import argparse
import json
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import pytest

from ..private import ini_value
from .option import Option
from .options import ACTIONS, OPTIONS, TASK_DIRS

if TYPE_CHECKING:
    from .agents import ChosenAgent


class Settings:  # a dataclass or NamedTuple of this size takes 2 ms to define, in every pytest session
    """What the user asked for: command line, else ini, else these defaults. Frozen."""

    domain: tuple[str, ...] = ()
    k: int = 1
    tasks: tuple[str, ...] = ()
    perturb: str | None = None
    policy_mutants: str | None = None
    faults: str | None = None
    split: str | None = None
    data: str | None = None
    parity: bool | None = None
    agent: tuple[str, ...] = ()
    agent_command: str | None = None
    agent_protocol: str | None = None
    user: str | None = None
    mode: str = "default"
    policy: str | None = None
    knowledge: str | None = None
    agent_llm: tuple[str, ...] = ()
    agent_llm_args: str | None = None
    text_calls: str | None = None  # None: count
    isolate: bool | None = None
    isolate_env: tuple[str, ...] | None = None
    few_shot: str | None = None
    images: Literal["send", "alt", "drop"] | None = None  # None: send
    user_llm: str | None = None
    user_llm_args: str | None = None
    user_style: str | None = None
    user_guard: bool | None = None
    criteria: str | None = None
    judge_llm: str | None = None
    judge_llm_args: str | None = None
    judge_votes: int = 1
    review: str | None = None
    user_judge: bool = False
    explain: bool = False
    satisfaction: bool = False
    prices: str | None = None
    retries: int = 10
    rpm: int | str | None = None
    tpm: int | str | None = None
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
    invalid: str | None = None
    audit: bool | None = None
    html: str | None = None
    markdown: str | None = None
    export: tuple[tuple[str, str], ...] = ()
    otel: bool = False
    snapshot: Literal["tools", "messages", "state"] | None = None
    max_steps: int = 200
    max_errors: int = 10
    timeout: float = 600.0
    timeout_as: str = "infra"
    overflow_as: str | None = None
    stall: int | None = None  # 0: never; None: as parity says
    user_seeds: int | None = None
    seed: int = 300
    results: str = ".tau"
    resume: bool = False
    shard: tuple[int, int] | None = None
    rescore: str | None = None
    rescore_tasks: Literal["file", "today"] = "file"
    progress: float = 30.0
    task_dirs: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()  # names of those that stand on the command line

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("settings do not change during a run")

    @cached_property
    def agent_names(self) -> tuple[str, ...]:
        """The agents as they were named; naming models alone means the tool-calling agent on them."""
        command = (f"command:{self.agent_command}",) if self.agent_command else ()
        return (*self.agent, *command) or (("llm",) if self.agent_llm else ("oracle",))

    @cached_property
    def agents(self) -> tuple[ChosenAgent, ...]:
        """The agents of the run, in the order they were named; raises SettingsError."""
        from .agents import chosen_agents

        return chosen_agents(self.agent_names, self.agent_llm)

    @cached_property
    def agent_called(self) -> dict[str, ChosenAgent]:
        """The agents by their labels."""
        return {agent.label: agent for agent in self.agents}

    @cached_property
    def agent_labels(self) -> tuple[str, ...]:
        """The labels of several agents, else nothing."""
        return tuple(agent.label for agent in self.agents) if len(self.agents) > 1 else ()

    @cached_property
    def is_parity(self) -> bool:
        """Whether everything is to behave exactly like the reference."""
        return self.data is not None if self.parity is None else self.parity

    @cached_property
    def guards_user(self) -> bool:
        """Whether a model that falls out of the customer's role is asked again."""
        return not self.is_parity if self.user_guard is None else self.user_guard

    @cached_property
    def invalid_as(self) -> str:
        """What becomes of a trial whose customer broke the rules: a model's is played again, where nobody says."""
        plays = self.user_llm is not None and self.mode != "solo" and not self.is_parity
        return self.invalid or ("rerun" if plays else "keep")

    @cached_property
    def names_agent(self) -> bool:
        """Whether somebody has said who is to be evaluated, in an option or the ini file."""
        return bool(self.agent or self.agent_command or self.agent_llm)

    @cached_property
    def user_name(self) -> str:
        """The simulated customer that was named; naming a model alone means the one that is played by it."""
        return self.user or ("llm" if self.user_llm else "scripted")

    @cached_property
    def agent_from_command_line(self) -> bool:
        """Whether the command line says who is to be evaluated, which then holds for every test."""
        return not self.given.isdisjoint(("agent", "agent_command", "agent_llm"))

    @cached_property
    def user_from_command_line(self) -> bool:
        """Whether the command line says who plays the customer."""
        return not self.given.isdisjoint(("user", "user_llm"))

    @cached_property
    def limits_calls(self) -> bool:
        """Whether calls of models are limited."""
        return any(limit is not None for limit in (self.rpm, self.tpm, self.max_inflight, self.budget))

    @cached_property
    def first_tasks(self) -> int | None:
        """How many tasks of each domain to run, where ``tasks`` is a number."""
        return int(self.tasks[0]) if len(self.tasks) == 1 and self.tasks[0].isdecimal() else None

    def divides(self, k: int) -> bool:
        """Whether so many trials of a task can be divided among the customers, two or more for each."""
        return self.user_seeds is None or (k % self.user_seeds == 0 and k >= 2 * self.user_seeds)


def read_settings(config: pytest.Config) -> Settings:
    """The settings of a session: command line, else ini file; raises UsageError for an ini value that cannot be."""
    named = [*OPTIONS, *ACTIONS]
    given = frozenset(option.name for option in named if getattr(config.option, option.dest, None) is not None)
    values = {option.name: _value(config, option) for option in OPTIONS}
    return Settings(
        **{name: value for name, value in values.items() if value is not None},
        **{action.name: action.name in given for action in ACTIONS},
        task_dirs=_task_dirs(config),
        given=given,
    )


def _value(config: pytest.Config, option: Option) -> Any:
    value = getattr(config.option, option.dest, None)
    if value is not None:
        return tuple(one for some in value for one in some) if option.repeated else value
    written = ini_value(config, option.dest)
    if written is None or written == "":
        return None
    if option.kind == "switch" and str(written).lower() in ("true", "false"):  # as pytest's own are written
        written = str(written).lower() == "true"
    try:
        return option.parse(_as_text(written, "\n" if option.repeated else ","))
    except argparse.ArgumentTypeError as error:
        raise pytest.UsageError(f"ini value {option.dest}: {error}") from None


def _as_text(written: Any, between: str) -> str:
    """A value as the command line has it; TOML has lists, numbers, switches and tables as well."""
    if isinstance(written, bool):
        return "on" if written else "off"
    if isinstance(written, list):
        return between.join(_as_text(one, between) for one in written)
    return json.dumps(written) if isinstance(written, dict) else str(written)


def _task_dirs(config: pytest.Config) -> tuple[str, ...]:
    written = ini_value(config, TASK_DIRS)
    lines = written.splitlines() if isinstance(written, str) else written or []
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise pytest.UsageError(f"ini value {TASK_DIRS}: must be folders, not {written!r}")
    return tuple(line.strip() for line in lines if line.strip())
