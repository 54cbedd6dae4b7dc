"""The command that runs a trial again: what is about the trial, nothing about the whole run, and no key."""

import shlex
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.environment.folders import builtin_folder
from pytest_tau.plugin.playing.rerun import rerun_command
from pytest_tau.plugin.run import Run
from tests.plugin.parts import collect


@pytest.fixture(autouse=True)
def _no_options_of_the_environment(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    for name in ("PYTEST_ADDOPTS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        monkeypatch.delenv(name)


PRINTED = '{"api_key": "[key]", "temperature": 0}'


def command(pytester: pytest.Pytester, *args: str, path: Path | None = None, nodeid: str = "") -> list[str]:
    item: Any = SimpleNamespace(
        path=path or pytester.path / "test_it.py", nodeid=nodeid or "test_it.py::test_it[trial2]"
    )
    return shlex.split(rerun_command(Run(pytester.parseconfig(*args)), item))


def test_what_is_about_the_trial_stays_and_what_is_about_the_run_goes(pytester: pytest.Pytester) -> None:
    about_it = ["--tau-agent=noop", "--tau-seed", "7", "--tau-explain", "--tau-criteria=DB, ACTION"]
    about_all = [
        "--tau-domain=mock",
        "--tau-gate",
        "pass^1 > 0",
        "--tau-audit",
        "--tau-bless",
        "--tau-html=x.html",
        "-x",
    ]
    assert command(pytester, *about_it, *about_all) == ["pytest", "test_it.py::test_it[trial2]", *about_it]


@pytest.mark.parametrize("given", [["--tau-agent-llm-args", "{}"], ["--tau-agent-llm-args={}"]])
def test_a_mark_stands_where_a_key_was_in_a_models_parameters(pytester: pytest.Pytester, given: list[str]) -> None:
    parameters = '{"api_key": "sk-test-0123456789", "temperature": 0}'
    args = [arg.replace("{}", parameters) for arg in given]
    assert command(pytester, *args)[2:] == ["--tau-agent-llm-args", PRINTED]


def test_a_path_is_said_from_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    monkeypatch.chdir(pytester.mkdir("below"))
    below = pytester.path / "below/mock/one.json"
    assert command(pytester, path=below, nodeid="below/mock/one.json::t[trial2]")[1] == "mock/one.json::t[trial2]"
    assert command(pytester, nodeid="tests/test_it.py::test_it[trial2]")[1] == "../test_it.py::test_it[trial2]"
    built_in = builtin_folder("tasks", "mock") / "add_a_task.json"
    nodeid = "tau/mock/add_a_task.json::test_task[trial1]"
    assert command(pytester, path=built_in, nodeid=nodeid) == ["pytest", nodeid]


def test_of_a_recording_the_file_is_named_and_not_the_folder(pytester: pytest.Pytester) -> None:
    item: Any = SimpleNamespace(path=pytester.path / "j.jsonl", nodeid="j.jsonl::mock::test_task[a-trial1]")
    run = Run(pytester.parseconfig("--tau-rescore=.tau", "--tau-judge-llm=openai/j"))
    run.recorded = pytester.path / "j.jsonl"
    assert shlex.split(rerun_command(run, item))[2:] == [
        "--tau-rescore",
        str(run.recorded),
        "--tau-judge-llm=openai/j",
    ]


def test_what_pytest_was_told_of_plugins_and_settings_stays(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = ["-p", "no:randomly", "-pno:flaky", "-o", "tau_max_steps=20", "--override-ini=tau_seed=5"]
    pytester.makepyfile(mine="")
    monkeypatch.setenv("PYTEST_ADDOPTS", "-p mine --tau-seed=7 -x --tau-html=r.html")
    pytester.syspathinsert()
    assert command(pytester, *given, "-v", "-n2")[2:] == ["-p", "mine", "--tau-seed=7", *given]


def test_no_key_is_in_an_ini_value(pytester: pytest.Pytester) -> None:
    value = 'tau_agent_llm_args={"api_key": "sk-test-0123456789", "temperature": 0}'
    assert command(pytester, "-o", value)[2:] == ["-o", f"tau_agent_llm_args={PRINTED}"]
    assert command(pytester, f"--override-ini={value}")[2:] == [f"--override-ini=tau_agent_llm_args={PRINTED}"]


def test_how_documents_are_read_is_left_out_where_there_are_none(pytester: pytest.Pytester) -> None:
    found = collect(pytester, "--tau-domain=insurance,mock", "--tau-knowledge", "grep", "--tau-tasks=1")
    with_documents, without = (shlex.split(rerun_command(found.run, item)) for item in found.items)
    assert (with_documents[2:], without[2:]) == (["--tau-knowledge", "grep"], [])
