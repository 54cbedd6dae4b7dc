"""Every option has an ini twin that means the same, and a value that cannot be is refused in one sentence."""

from typing import Any

import pytest

from pytest_tau.plugin.settings.reading import Settings, read_settings
from tests.options.usage import refused

# A value of each, as it is written; several lines are several values.
SAMPLES = {
    "domain": "mock, retail",
    "k": "3",
    "tasks": "a*, b",
    "perturb": "typos, rude:0.8",
    "policy_mutants": "never-deleted=delete",
    "faults": "timeout:0.2",
    "agent": "noop\nmine=react",
    "agent_command": "node agent.js",
    "agent_protocol": "openai",
    "user": "my:User",
    "mode": "solo",
    "policy": "workflow",
    "knowledge": "golden",
    "agent_llm": "openai/a, b",
    "agent_llm_args": '{"temperature": 0}',
    "images": "alt",
    "few_shot": "shots.jsonl",
    "isolate": "on",
    "isolate_env": "OPENAI_API_KEY",
    "user_llm": "openai/u",
    "user_llm_args": '{"temperature": 1}',
    "user_style": "minimal",
    "criteria": "communicate, db",
    "judge_llm": "openai/j",
    "judge_llm_args": '{"top_p": 1}',
    "judge_votes": "5",
    "review": "all",
    "user_judge": "on",
    "explain": "on",
    "satisfaction": "on",
    "prices": "prices.json",
    "retries": "2",
    "rpm": "7",
    "tpm": "9000",
    "max_inflight": "4",
    "concurrency": "6",
    "budget": "$2.50",
    "cassette": "auto",
    "data": "public",
    "split": "test",
    "parity": "on",
    "max_steps": "9",
    "max_errors": "4",
    "timeout": "0.5",
    "seed": "5",
    "timeout_as": "miss",
    "overflow_as": "miss",
    "stall": "off",
    "user_guard": "on",
    "text_calls": "run",
    "user_seeds": "3",
    "stop": "on",
    "results": "evals",
    "shard": "2/5",
    "rescore": "run.json",
    "rescore_tasks": "today",
    "gate": "pass^1 >= 0.5\ncost <= 5",
    "baseline": "base.json",
    "inconclusive": "pass",
    "min_coverage": "0.25",
    "miss_as": "xfail",
    "invalid": "drop",
    "audit": "on",
    "html": "run.html",
    "markdown": "run.md",
    "export": "run.json\nsft:sft.jsonl",
    "otel": "on",
    "snapshot": "state",
    "progress": "0",
}
SWITCHES = {"user_judge", "explain", "satisfaction", "audit", "stop", "otel", "isolate"}
ACTIONS = {"bless", "resume"}
"""They have no ini twin: nobody wants them in every run."""
READ = {
    "domain": ("mock", "retail"),
    "agent": ("noop", "mine=react"),
    "agent_llm": ("openai/a", "b"),
    "k": 3,
    "tasks": ("a*", "b"),
    "criteria": "DB, COMMUNICATE",
    "user_judge": True,
    "budget": "$2.50",
    "parity": True,
    "timeout": 0.5,
    "shard": (2, 5),
    "gate": ("pass^1 >= 0.5", "cost <= 5"),
    "export": (("tau2", "run.json"), ("sft", "sft.jsonl")),
    "progress": 0.0,
}
"""What some are read as."""


def flags(name: str) -> list[str]:
    flag = f"--tau-{name.replace('_', '-')}"
    return [flag] if name in SWITCHES else [f"{flag}={value}" for value in SAMPLES[name].splitlines()]


def test_every_option_is_read_as_its_ini_twin_is(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfig(*(flag for name in SAMPLES for flag in flags(name)))
    known = {name.removeprefix("tau_") for name in vars(config.option) if name.startswith("tau_")}
    assert set(SAMPLES) | ACTIONS == known
    given = read_settings(config)
    texts = {name: value.replace("\n", "\n    ") for name, value in SAMPLES.items()}
    pytester.makeini("[pytest]\n" + "\n".join(f"tau_{name} = {text}" for name, text in texts.items()))
    from_ini = read_settings(pytester.parseconfig())
    for name in SAMPLES:
        assert getattr(given, name) == getattr(from_ini, name), name
        assert getattr(given, name) != getattr(Settings(), name), name
    assert {name: getattr(given, name) for name in READ} == READ
    # Which of the two it was is kept for the players: a fixture comes before an ini value.
    assert (given.agent_from_command_line, given.user_from_command_line) == (True, True)
    assert (from_ini.agent_from_command_line, from_ini.user_from_command_line) == (False, False)


def test_the_command_line_takes_the_place_of_the_ini(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_k = 2\ntau_parity = on\ntau_gate =\n    pass^1 > 0\n    pass^1 > 0.5\ntau_seed = 5")
    chosen = read_settings(pytester.parseconfig("--tau-k=4", "--tau-parity=off", "--tau-gate=cost <= 1"))
    assert (chosen.k, chosen.parity, chosen.gate, chosen.seed) == (4, False, ("cost <= 1",), 5)


def test_nothing_given_is_the_defaults(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_k =\ntau_agent_llm =\n")
    chosen, defaults = read_settings(pytester.parseconfig()), Settings()
    assert {name: getattr(chosen, name) for name in SAMPLES} == {name: getattr(defaults, name) for name in SAMPLES}
    assert (chosen.agent_names, chosen.user_name, chosen.first_tasks) == (("oracle",), "scripted", None)


def test_settings_do_not_change() -> None:
    with pytest.raises(AttributeError, match="do not change"):
        Settings(k=2).k = 3


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({}, (("oracle",), "scripted")),
        ({"agent_llm": ("openai/a",), "user_llm": "openai/u"}, (("llm",), "llm")),
        ({"agent": ("act",), "user": "react", "user_llm": "openai/u"}, (("act",), "react")),
    ],
)
def test_naming_a_model_alone_names_who_plays_on_it(given: dict[str, Any], names: tuple[tuple[str, ...], str]) -> None:
    chosen = Settings(**given)
    assert (chosen.agent_names, chosen.user_name) == names


@pytest.mark.parametrize(("tasks", "first"), [((), None), (("3",), 3), (("a",), None), (("3", "4"), None)])
def test_a_number_alone_means_the_first_tasks(tasks: tuple[str, ...], first: int | None) -> None:
    assert Settings(tasks=tasks).first_tasks == first


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("k", "x", "must be a whole number from 1 to 10000, not 'x'"),
        ("concurrency", "9" * 23, f"must be a whole number from 1 to 10000, not '{'9' * 23}'"),
        ("parity", "maybe", "must be one of on, off, not 'maybe'"),
        ("explain", "yes", "must be one of on, off, not 'yes'"),
        ("budget", "cheap", "must be more than 0: USD such as 5 or $5, or tokens such as '200000 tokens', not 'cheap'"),
        ("agent_llm_args", "[1]", "must be a JSON object, such as '{\"temperature\": 0}'"),
        ("tasks", ",", "must name at least one"),
        ("export", "xlsx:x", "must be FILE or one of tau2:FILE, *, not 'xlsx:x'"),
    ],
)
def test_a_bad_ini_value_names_its_key(pytester: pytest.Pytester, name: str, value: str, sentence: str) -> None:
    pytester.makeini(f"[pytest]\ntau_{name} = {value}")
    refused(pytester).fnmatch_lines([f"ERROR: ini value tau_{name}: {sentence}"])
