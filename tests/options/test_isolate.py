"""``--tau-isolate`` and ``--tau-isolate-env``: agents in processes of their own, and what reports say of it."""

import json
import shlex
import sys

import pytest

from pytest_tau.adapters.hiding import can_hide
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play

AGENTS = """
import os
from pathlib import Path

SEEN = []


class Looks:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        SEEN.append(self.context.task_id)
        opened = []
        for file in PLACES:
            try:
                opened.append(bool(open(file).read()))
            except OSError as error:
                opened.append(type(error).__name__)
        key = os.environ.get("PLANTED_API_KEY", "none")
        return f"{len(SEEN)} {key[:4]} {self.context.endpoint[:17]} {sorted(set(map(str, opened)))} {SEEN}"


class Here(Looks):
    pass
"""


def agents(pytester: pytest.Pytester, *places: str) -> None:
    pytester.makepyfile(agents=f"PLACES = {[str(pytester.path / place) for place in places]}\n{AGENTS}")


def words(pytester: pytest.Pytester) -> list[str]:
    """What each trial's agent said first."""
    found = [record.simulation for record in journal(pytester.path)]
    return [next(str(m.content) for m in one.messages[1:] if m.role == "assistant") for one in found if one]


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["here", "workers"])
def test_agents_play_apart(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workers: tuple[str, ...]
) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
    pytester.makefile(".json", **{"tasks/own": "{}", "cassettes/c": "{}"})
    agents(pytester, "tasks/own.json", "cassettes/c.json")
    named = ("--tau-agent=a=agents:Looks", "--tau-agent=b=agents:Here")
    result = mock_run(pytester, "--tau-tasks=2", *named, "--tau-isolate", *workers)
    result.assert_outcomes(failed=4)
    hidden = "hidden from it" if can_hide() else "not hidden from it: this system cannot"
    result.stdout.fnmatch_lines([f"tau: isolation on, the agent * of its own, and files of tasks are {hidden}"])
    told = words(pytester)
    opened = "['PermissionError']" if can_hide() else "['True']"
    # Four trials of which none sees another's traces, its task's name or a key.
    assert [one.partition(" ['task-")[0] for one in told] == [f"1 none http://127.0.0.1: {opened}"] * 4
    assert len({one.rpartition("[")[2] for one in told}) == 2


def test_variables_that_are_named_are_kept(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
    agents(pytester)
    pytester.makeini("[pytest]\ntau_isolate = on\ntau_isolate_env = PLANTED_API_KEY\n")
    pytester.makeconftest("def pytest_tau_make_agent(item):\n    return 'agents:Looks'\n")
    mock_play(pytester, "--tau-tasks=1")
    assert words(pytester)[0].startswith("1 plan ")


def test_a_command_has_no_keys_either(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
    pytester.makepyfile(
        program="import os, json\nwhile asked := json.loads(input()):\n"
        "    said = [os.environ.get('PLANTED_API_KEY'), os.environ['TAU_TASK_ID'], asked['task_id']]\n"
        "    print(json.dumps({'content': json.dumps(said)}), flush=True)\n"
    )
    mock_play(
        pytester, "--tau-tasks=1", f"--tau-agent-command={shlex.join([sys.executable, 'program.py'])}", "--tau-isolate"
    )
    key, name, asked = json.loads(words(pytester)[0])
    assert (key, name, name.startswith("task-")) == (None, asked, True)


def test_an_agent_that_is_made_here_is_refused(pytester: pytest.Pytester) -> None:
    agents(pytester)
    pytester.makeconftest("import agents\n\ndef pytest_tau_make_agent(item):\n    return agents.Looks\n")
    result = mock_run(pytester, "--tau-tasks=1", "--tau-isolate")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["--tau-isolate: the agent agents:Looks of a fixture or hook is made in this process*"])
    result.stdout.no_fnmatch_line("*UsageError*")


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--tau-isolate"], "--tau-isolate: is for an agent of your own; name it with --tau-agent module:factory"),
        (["--tau-isolate-env=A", "--tau-agent=a:B"], "--tau-isolate-env: is for an isolated agent; add --tau-isolate"),
        (["--tau-isolate", "--tau-agent=no:Agent"], "the agent 'no:Agent' cannot be imported: ModuleNotFoundError*"),
        (["--tau-isolate", "--tau-isolate-env=NO_SUCH", "--tau-agent=a:B"], "*there is no variable NO_SUCH*"),
    ],
    ids=["built-in", "env", "module", "variable"],
)
def test_what_cannot_be_is_refused(pytester: pytest.Pytester, args: list[str], sentence: str) -> None:
    pytester.makepyfile(a="class B:\n    pass\n")
    refused(pytester, "--tau-domain=mock", *args).fnmatch_lines([f"ERROR: {sentence}"])


@pytest.mark.slow
def test_a_run_goes_on_as_it_began(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLANTED_API_KEY", "planted-1234567")
    agents(pytester)
    isolated = ("--tau-agent=agents:Looks", "--tau-isolate", "--tau-isolate-env=PLANTED_API_KEY")
    mock_run(pytester, "--tau-tasks=1", *isolated).assert_outcomes(failed=1)
    result = mock_run(pytester, "--tau-tasks=2", *isolated, "--tau-resume")
    result.assert_outcomes(failed=1, deselected=1)
    assert len(journal(pytester.path)) == 2
    refused(pytester, "--tau-domain=mock", "--tau-agent=agents:Looks", "--tau-resume").fnmatch_lines(
        ["ERROR: --tau-resume: *--tau-isolate*"]
    )
