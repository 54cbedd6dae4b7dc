"""``--tau-user-llm``, its ``-args`` and ``--tau-user-style``: a model that plays the customer."""

import pytest

from pytest_tau.environment.folders import public_guidelines
from pytest_tau.users.prompts import STYLES, Guidelines
from tests.llm.server import by_model, by_turn, fails, says
from tests.options.models import AGENT, BOTH, COMPETENT, ONE, USER, Serve, prompt, simulations
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import journal, mock_run
from tests.plugin.parts import mock_play
from tests.shared import shared


def test_a_model_alone_plays_the_customer(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    result = mock_run(pytester, ONE, AGENT, USER, '--tau-user-llm-args={"temperature": 0.25}')
    result.assert_outcomes(passed=1)
    version = Guidelines().version
    result.stdout.fnmatch_lines(
        [
            "tau: mock (built in); k 1; agent llm; user llm; *",
            f'tau: user model openai/user {{"temperature": 0.25}}, prompts {version}',
            "agent: llm openai/agent   user: llm openai/user (llm args *0.25*)",
        ]
    )
    [simulation] = simulations(pytester)
    assert simulation.user == "llm openai/user"
    assert simulation.user_parameters["prompts"] == version
    assert {request.body.get("temperature") for request in server.requests if request.model == "user"} == {0.25}
    assert {request.body.get("temperature") for request in server.requests if request.model == "agent"} == {None}
    assert "You want task_1 set to completed and nothing else." in prompt(server, "user")


END = says("Thanks. ###STOP###")


def test_plays_against_any_agent(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_turn([says("Tick it off."), says("It is task_1."), *[says("No more.")] * 2, says("Yes, please."), END]))
    mock_play(pytester, ONE, USER, "--tau-agent=oracle").assert_outcomes(passed=1)


@pytest.mark.parametrize("user", ["react", "verify", "reflection"])
def test_other_ways_to_play_by_their_name(pytester: pytest.Pytester, serve: Serve, user: str) -> None:
    serve(by_model({"agent": COMPETENT, "user": says("Thought: none\nUser Response: true")}))
    mock_play(pytester, ONE, AGENT, USER, f"--tau-user={user}", "--tau-max-steps=6")
    assert [simulation.user for simulation in simulations(pytester)] == [f"{user} openai/user"]


def test_the_style_stands_in_the_prompt(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    result = mock_play(pytester, ONE, AGENT, USER, "--tau-user-style=minimal")
    result.stdout.fnmatch_lines(["tau: user model openai/user, style minimal, prompts *"])
    assert STYLES["minimal"] in prompt(server, "user")


def test_a_customer_that_is_named_comes_before_the_ini_value(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    pytester.makeini(
        '[pytest]\ntau_user_llm = openai/user\ntau_user_llm_args = {"temperature": 1}\ntau_user_style = unsure'
    )
    mock_play(pytester, ONE, AGENT, "--tau-user=scripted").assert_outcomes(passed=1)
    assert {request.model for request in server.requests} == {"agent"}


def test_a_provider_that_is_down_is_no_miss(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": COMPETENT, "user": fails(500)}))
    mock_play(pytester, ONE, AGENT, USER, "--tau-retries=0")
    assert [record.outcome for record in journal(pytester.path)] == ["infra_error"]


def test_a_customer_who_says_nothing_makes_no_miss(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(by_model({"agent": COMPETENT, "user": says("")}))
    mock_play(pytester, ONE, AGENT, USER)
    assert [record.outcome for record in journal(pytester.path)] == ["invalid"]


def test_public_data_brings_its_own_guidelines(pytester: pytest.Pytester, serve: Serve) -> None:
    folder = public_guidelines(shared("tau2"))
    assert folder is not None
    guidelines = Guidelines.read(folder).with_tools
    server = serve(BOTH)
    result = mock_play(pytester, "--tau-tasks=1", f"--tau-data={shared('tau2')}", AGENT, USER, "--tau-max-steps=4")
    assert prompt(server, "user").startswith(guidelines.partition("<PERSONA_GUIDELINES>")[0])
    result.stdout.no_fnmatch_line(f"*{Guidelines().version}*")


def test_a_user_that_plays_no_model_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", USER, "--tau-user=scripted").fnmatch_lines(
        ["ERROR: --tau-user-llm: the user 'scripted' plays no model; add --tau-user with *"]
    )


def test_a_style_without_a_model_is_refused(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-user-style=minimal").fnmatch_lines(
        ["ERROR: --tau-user-style: no model uses this; *--tau-user-llm"]
    )


def test_bad_values_are_usage_errors(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", AGENT, USER, "--tau-user-style=loud").fnmatch_lines(
        [f"ERROR: there is no user style 'loud': use {', '.join(STYLES)}, people"]
    )
    assert_refused("user_llm", " ", "must not be empty")
