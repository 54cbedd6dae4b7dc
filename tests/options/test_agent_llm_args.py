"""``--tau-agent-llm-args``: parameters of the model's calls, whose keys are written nowhere."""

import json
from pathlib import Path

import pytest

from tests.llm.server import says
from tests.options.models import AGENT, COMPETENT, ONE, Serve, simulations
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import mock_run

SECRET = "sk-other-9876543210fedcba"  # noqa: S105 (it opens nothing)


def test_go_with_every_call_and_onto_the_record(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    result = mock_run(pytester, ONE, AGENT, '--tau-agent-llm-args={"temperature": 0.5, "max_tokens": 99}')
    assert {(request.body["temperature"], request.body["max_tokens"]) for request in server.requests} == {(0.5, 99)}
    result.stdout.fnmatch_lines(['tau: agent model openai/agent {"temperature": 0.5, "max_tokens": 99}, prompts *'])
    [simulation] = simulations(pytester)
    assert simulation.agent_parameters["temperature"] == 0.5
    assert "seed" in simulation.agent_parameters


def test_what_a_model_does_not_take_is_named_above_and_not_on_the_record(
    pytester: pytest.Pytester, serve: Serve
) -> None:
    server = serve(COMPETENT)
    result = mock_run(pytester, ONE, "--tau-agent-llm=openai/o3-mini", '--tau-agent-llm-args={"temperature": 0.5}')
    result.stdout.fnmatch_lines(
        ['tau: agent model openai/o3-mini {"temperature": 0.5}, without temperature, which it does not take, prompts *']
    )
    assert not any("temperature" in request.body for request in server.requests)
    [simulation] = simulations(pytester)
    assert "temperature" not in simulation.agent_parameters


def test_a_key_is_used_and_left_nowhere(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(says("Goodbye."))
    given = json.dumps({"api_key": SECRET, "extra_headers": {"X-Team": SECRET}, "temperature": 0})
    for option in ([f"--tau-agent-llm-args={given}"], ["--tau-agent-llm-args", given]):
        result = mock_run(pytester, ONE, AGENT, *option, "-v", "-l", "--junitxml=all.xml", "--tau-html=all.html")
        assert result.ret == pytest.ExitCode.TESTS_FAILED
        marks = json.dumps({"api_key": "[key]", "extra_headers": {"X-Team": "[key]"}, "temperature": 0})
        result.stdout.fnmatch_lines([f"*pytest *--tau-agent-llm-args '{marks}'*".replace("[", "[[]")])
        assert SECRET not in result.stdout.str() + result.stderr.str()
    assert {request.headers["authorization"] for request in server.requests} == {f"Bearer {SECRET}"}
    assert [path for path in files(pytester.path) if SECRET in path.read_text(encoding="utf-8")] == []
    assert {path.name for path in files(pytester.path)} >= {"all.xml", "all.html", "journal.jsonl"}


def files(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


def test_a_parameter_of_ours_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", AGENT, '--tau-agent-llm-args={"stream": true}').fnmatch_lines(
        ["ERROR: openai/agent: stream cannot be given as a model parameter; leave it out"]
    )


def test_an_address_that_is_no_text_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", AGENT, '--tau-agent-llm-args={"api_base": 5}').fnmatch_lines(
        ["ERROR: openai/agent: api_base is no text; write it in quotes"]
    )


def test_parameters_without_a_model_are_refused(pytester: pytest.Pytester) -> None:
    for side in ("agent", "user", "judge"):
        refused(pytester, "--tau-domain=mock", f"--tau-{side}-llm-args={{}}").fnmatch_lines(
            [f"ERROR: --tau-{side}-llm-args: no model uses this; name one with --tau-{side}-llm"]
        )


@pytest.mark.parametrize("value", ["{", "[1]", "temperature=0", f'{{"api_key": {SECRET}}}'])
@pytest.mark.parametrize("side", ["agent", "user", "judge"])
def test_a_bad_value_is_a_usage_error(capsys: pytest.CaptureFixture[str], side: str, value: str) -> None:
    assert_refused(f"{side}_llm_args", value, "must be a JSON object, such as '{\"temperature\": 0}'")
    assert SECRET not in "".join(capsys.readouterr())
