"""Ini twins as TOML writes them: lists, numbers, switches and tables mean what the text means on the command line."""

from importlib.metadata import version
from typing import Any

import pytest

from pytest_tau.plugin.settings.options import ACTIONS, OPTIONS
from pytest_tau.plugin.settings.reading import Settings, read_settings

HAS_NATIVE_TOML = int(version("pytest").partition(".")[0]) >= 9
native = pytest.mark.skipif(not HAS_NATIVE_TOML, reason="[tool.pytest] is read by pytest 9")

TOML = [
    ('tau_domain = ["mock", "retail"]', "domain", ("mock", "retail")),
    ('tau_tasks = ["a", "b*"]', "tasks", ("a", "b*")),
    ('tau_gate = ["pass^1 >= 0.5", "cost <= 5"]', "gate", ("pass^1 >= 0.5", "cost <= 5")),
    ('tau_gate = "pass^1 >= 0.5"', "gate", ("pass^1 >= 0.5",)),
    ('tau_export = ["tau2:run.json", "sft:sft.jsonl"]', "export", (("tau2", "run.json"), ("sft", "sft.jsonl"))),
    ('tau_criteria = ["DB", "ACTION"]', "criteria", "DB, ACTION"),
    ('tau_task_dirs = ["evals", "more"]', "task_dirs", ("evals", "more")),
    ("tau_explain = true", "explain", True),
    ("tau_parity = false", "parity", False),
]
NATIVE = [
    ("tau_k = 4", "k", 4),
    ("tau_timeout = 0.5", "timeout", 0.5),
    ("tau_timeout = 5", "timeout", 5.0),
    ("tau_budget = 5", "budget", "5"),
    ("tau_parity = true", "parity", True),
    ("tau_explain = false", "explain", False),
    ('tau_agent_llm_args = {temperature = 0, api_base = "x"}', "agent_llm_args", '{"temperature": 0, "api_base": "x"}'),
    ("tau_tasks = 3", "first_tasks", 3),
    ('tau_task_dirs = "evals"', "task_dirs", ("evals",)),
]


def from_toml(pytester: pytest.Pytester, section: str, line: str) -> Settings:
    pytester.makefile(".toml", pyproject=f"[{section}]\n{line}\n")
    return read_settings(pytester.parseconfig("-W", "error"))


@pytest.mark.parametrize(("line", "name", "value"), TOML)
def test_toml_as_pytest_has_always_read_it(pytester: pytest.Pytester, line: str, name: str, value: Any) -> None:
    assert getattr(from_toml(pytester, "tool.pytest.ini_options", line), name) == value


@native
@pytest.mark.parametrize(("line", "name", "value"), [*TOML, *NATIVE])
def test_toml_with_its_own_types(pytester: pytest.Pytester, line: str, name: str, value: Any) -> None:
    assert getattr(from_toml(pytester, "tool.pytest", line), name) == value


@native
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("tau_k = 0.5", "tau_k: must be a whole number from 1 to 10000, not '0.5'"),
        ("tau_k = true", "tau_k: must be a whole number from 1 to 10000, not 'on'"),
        ("tau_k = [1, 2]", "tau_k: must be a whole number from 1 to 10000, not '1,2'"),
        ("tau_agent = []", "tau_agent: must not be empty"),
        ("tau_task_dirs = 3", "tau_task_dirs: must be folders, not 3"),
    ],
)
def test_a_value_that_cannot_be_is_told_in_a_sentence(pytester: pytest.Pytester, line: str, sentence: str) -> None:
    with pytest.raises(pytest.UsageError, match="ini value") as refused:
        from_toml(pytester, "tool.pytest", line)
    assert str(refused.value) == f"ini value {sentence}"


def test_a_switch_is_true_or_false_in_the_ini_file_too(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_explain = True\ntau_parity = false\ntau_agent = true\n")
    found = read_settings(pytester.parseconfig("-W", "error"))
    assert (found.explain, found.parity, found.agent_names) == (True, False, ("true",))


def test_a_value_on_the_command_line_of_pytest(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_k = 2\n")
    assert read_settings(pytester.parseconfig("-o", "tau_k=3", "-o", "tau_seed=7")).k == 3


def test_strict_config_knows_no_other_keys(pytester: pytest.Pytester) -> None:
    """Those that it knows are read in a run of test_idle.py."""
    pytester.makeini("[pytest]\ntau_nothing = 2\n")
    result = pytester.runpytest("--strict-config")
    assert "tau_nothing" in result.stdout.str() + result.stderr.str()
    assert result.ret != pytest.ExitCode.OK


def test_a_plugin_that_is_loaded_late_has_its_twins(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_ADDOPTS")  # which names it
    pytester.makeini("[pytest]\ntau_k = 2\n")
    pytester.makeconftest("pytest_plugins = ['pytest_tau.plugin']")
    pytester.makepyfile("def test_it(request): assert request.config.getini('tau_seed') is None")
    result = pytester.runpytest_subprocess("-p", "no:tau", "--strict-config", "-W", "error")
    result.assert_outcomes(passed=1)


def test_the_help_says_for_every_option_what_it_decides_and_takes() -> None:
    for option in (*OPTIONS, *ACTIONS):
        assert option.decides in ("agent", "result", "suite", "trial", "run"), option.name
        assert bool(option.metavar) is not option.switch, option.name
        assert len(option.help) <= 90, option.help
    assert len({option.name for option in OPTIONS}) == len(OPTIONS)
