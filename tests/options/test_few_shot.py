"""``--tau-few-shot``: transcripts that the few-shot agent is shown."""

import json
from pathlib import Path

import pytest

from tests.options.models import AGENT, COMPETENT, ONE, Serve, prompt, simulations
from tests.options.usage import refused
from tests.plugin.inner import mock_run, write
from tests.plugin.parts import mock_play

FEW_SHOT = "--tau-agent=few-shot"


def transcripts(root: Path, name: str = "shots.jsonl", text: str = "user: Hello\nassistant: None") -> str:
    write(root, name, json.dumps({"messages_display": text}) + "\n")
    return name


def test_stand_in_the_prompt(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    file = transcripts(pytester.path)
    mock_run(pytester, ONE, AGENT, FEW_SHOT, f"--tau-few-shot={file}").assert_outcomes(passed=1)
    assert "Example 1:\nuser: Hello\nassistant: None" in prompt(server)
    assert [simulation.agent for simulation in simulations(pytester)] == ["few-shot openai/agent"]


def test_ini_twin_is_relative_to_the_root(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    transcripts(pytester.path)
    pytester.makeini("[pytest]\ntau_few_shot = shots.jsonl")
    mock_play(pytester, ONE, AGENT, FEW_SHOT).assert_outcomes(passed=1)
    assert "user: Hello" in prompt(server)


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        ([FEW_SHOT, "--tau-few-shot=nosuch.jsonl"], "few-shot file *nosuch.jsonl: No such file or directory"),
        ([FEW_SHOT, "--tau-few-shot=bad.jsonl"], "few-shot file *bad.jsonl:1: must be a JSON object with a text *"),
        ([FEW_SHOT], "the agent 'few-shot' is shown transcripts: give their file with --tau-few-shot"),
        (["--tau-few-shot=shots.jsonl"], "--tau-few-shot: these transcripts are for the agent few-shot; *"),
    ],
)
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, args: list[str], sentence: str) -> None:
    transcripts(pytester.path)
    write(pytester.path, "bad.jsonl", "[]\n")
    refused(pytester, "--tau-domain=mock", AGENT, *args).fnmatch_lines([f"ERROR: {sentence}"])
