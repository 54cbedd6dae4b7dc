"""``--tau-agent-llm``: a model in the agent's place, from its name to its row in the table."""

import os
from pathlib import Path

import pytest

from pytest_tau.agents.prompts import PROMPT_VERSION
from tests.llm.server import bad_json_arguments, cut, fails, says
from tests.options.models import AGENT, COMPETENT, KEY, ONE, Serve, prompt, simulations
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, journal, mock_run, rows
from tests.plugin.parts import mock_play


def test_a_model_alone_is_the_tool_calling_agent(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    result = mock_run(pytester, ONE, AGENT)
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(
        [
            "tau: mock (built in); k 1; agent llm; user scripted; *",
            f"tau: agent model openai/agent, prompts {PROMPT_VERSION}",
            "agent: llm openai/agent   user: scripted",
        ]
    )
    result.stdout.no_fnmatch_line("*o model *evaluated*")
    [simulation] = simulations(pytester)
    assert simulation.agent == "llm openai/agent"
    assert simulation.agent_parameters["model"] == "openai/agent"
    assert simulation.agent_parameters["prompts"] == PROMPT_VERSION
    assert len(server.requests) == 2
    assert "update_task_status" in server.requests[0].tools


@pytest.mark.parametrize(
    ("agent", "told"),
    [
        ("act", ["Action:\n"]),
        ("react", ["Thought:\n", "Action:\n"]),
    ],
)
def test_other_agents_play_it_by_their_name(
    pytester: pytest.Pytester, serve: Serve, agent: str, told: list[str]
) -> None:
    written = '{"name": "update_task_status", "arguments": {"task_id": "task_1", "status": "completed"}}'
    respond = '{"name": "respond", "arguments": {"content": "It is done."}}'
    server = serve([says(f"Action:\n{written}"), says(f"Action:\n{respond}")])
    mock_play(pytester, ONE, AGENT, f"--tau-agent={agent}").assert_outcomes(passed=1)
    assert [simulation.agent for simulation in simulations(pytester)] == [f"{agent} openai/agent"]
    assert all(part in prompt(server) for part in told)
    assert server.requests[0].tools == []


def test_comes_before_a_fixture_and_the_ini_value_after_it(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    pytester.makeini("[pytest]\ntau_agent_llm = openai/agent")
    mock_play(pytester, ONE).assert_outcomes(passed=1)
    assert len(server.requests) == 2
    pytester.makeconftest(f"import pytest\n{AGENTS}\n@pytest.fixture\ndef tau_agent():\n    return Polite")
    result = mock_run(pytester, ONE)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["tau: *agent from the fixture tau_agent;*", "agent: conftest:Polite *"])
    result.stdout.no_fnmatch_line("tau: agent model*")
    assert len(server.requests) == 2
    mock_run(pytester, ONE, AGENT).assert_outcomes(passed=1)
    assert len(server.requests) == 4


def test_another_agent_on_the_command_line_comes_before_the_ini_value(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_agent_llm = openai/agent")
    result = mock_play(pytester, ONE, "--tau-agent=oracle")
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("tau: agent model*")


@pytest.mark.parametrize("answer", [fails(500), cut(), fails(401, f"Incorrect API key provided: {KEY}.")])
def test_a_provider_that_is_down_is_no_miss(pytester: pytest.Pytester, serve: Serve, answer: object) -> None:
    serve(answer)  # type: ignore[arg-type]  # an Answer; parametrize knows no types
    result = mock_play(pytester, ONE, AGENT, "--tau-retries=0")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (rows(result)["mock"]["missed"], rows(result)["mock"]["infra"]) == ("0", "1")
    [record] = journal(pytester.path)
    assert record.outcome == "infra_error"
    assert KEY not in result.stdout.str() + written(pytester.path)


def test_a_server_that_is_not_there_is_no_miss(
    pytester: pytest.Pytester, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(says("Nobody asks."))
    monkeypatch.setenv("OPENAI_API_BASE", "http://127.0.0.1:9/v1")
    mock_play(pytester, ONE, AGENT, "--tau-retries=0")
    assert [record.outcome for record in journal(pytester.path)] == ["infra_error"]


def test_a_model_that_writes_no_json_misses(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(bad_json_arguments())
    mock_play(pytester, ONE, AGENT)
    assert [record.outcome for record in journal(pytester.path)] == ["missed"]


def test_without_litellm_nothing_is_played(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    refused(pytester, "--tau-domain=mock", ONE, AGENT).fnmatch_lines(
        ["ERROR: calls of models need litellm; install it with: pip install 'pytest-tau[[]llm[]]' (for openai/NAME *"]
    )
    assert not (pytester.path / ".tau").exists()


def test_an_agent_that_plays_no_model_is_refused(pytester: pytest.Pytester) -> None:
    sentence = "--tau-agent-llm: the agent 'oracle' plays no model; add --tau-agent with one of llm, act, *"
    pytester.makeini("[pytest]\ntau_agent = oracle")
    for args in ([], ["--tau-agent=oracle"]):
        refused(pytester, "--tau-domain=mock", AGENT, *args).fnmatch_lines([f"ERROR: {sentence}"])


def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-agent-llm= ").fnmatch_lines(["*--tau-agent-llm*"])


def written(root: Path) -> str:
    """Every file below a folder, as one text."""
    files = (Path(folder) / name for folder, _, names in os.walk(root) for name in names)
    return "".join(file.read_text(encoding="utf-8", errors="replace") for file in files)
