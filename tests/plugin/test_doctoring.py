"""The part of pytest-tau doctor that is played within pytest: it knows the options, the suite and the ini file."""

import json
import re
from typing import Any

import pytest

from pytest_tau.plugin.doctoring import MARK
from tests.doctor.patients import healthy, last, no_tool_parser
from tests.llm.server import Answer, Request, calls, says
from tests.options.models import PRICES, Serve

DOCTOR = ("-p", "pytest_tau.plugin.doctoring", "--collect-only", "-q", "-s")
AGENT = "--tau-agent-llm=openai/patient"


def findings(result: pytest.RunResult) -> list[dict[str, Any]]:
    told = [json.loads(line.removeprefix(MARK)) for line in result.outlines if line.startswith(MARK)]
    return [data for data in told if not data.keys() & {"doing", "over"}]


def plays(request: Request) -> Answer:
    """A model that is well and, in a trial, does what complete_a_task takes."""
    if "update_task_status" in request.tools and "watered" in str(request.messages):
        done = any(message["role"] == "tool" for message in request.messages)
        return (
            says("It is done.") if done else calls(("update_task_status", {"task_id": "task_1", "status": "completed"}))
        )
    if "<scenario>" in str(request.messages[0]) and "parcel" not in str(request.messages[0]):
        spoken = [message for message in request.messages if message["role"] == "assistant"]
        return says("Thanks. ###STOP###" if spoken else "I have watered the plants; tick off task_1.")
    return healthy(request)


def test_a_model_is_looked_over_for_this_suite(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(plays)
    (pytester.path / "prices.json").write_text(json.dumps({**PRICES, "patient": {"input": 2, "output": 4}}))
    result = pytester.runpytest(
        *DOCTOR, AGENT, "--tau-user-llm=openai/patient", "--tau-domain=mock", "--tau-tasks=complete_a_task",
        "--tau-k=3", "--tau-prices=prices.json", "--doctor-trials=1", "-n4",
    )  # fmt: skip
    assert result.ret == pytest.ExitCode.OK
    found = findings(result)
    assert {one["side"] for one in found} == {"agent and user", "suite"}
    assert [one["check"] for one in found if one["status"] == "failed"] == []
    [trial, forecast] = [one for one in found if one["side"] == "suite"]
    assert trial["text"] == "complete_a_task ended by user_stop (agent 2 calls, user 2 calls)"
    figures = forecast["figures"]
    assert figures["trials"] == 3
    assert figures["calls"] == pytest.approx(12)
    assert figures["usd"] > 0
    assert "(from 1 played)" in forecast["text"]
    read = [request for request in server.requests if "update_task_status" in request.tools]
    assert any("watered" not in last(request) for request in read), "the prompt of the suite was sent"


def test_a_forecast_after_the_doctor_is_what_the_run_takes(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(plays)
    run = (AGENT, "--tau-user-llm=openai/patient", "--tau-domain=mock", "--tau-tasks=complete_a_task", "--tau-k=4")
    figures = findings(pytester.runpytest(*DOCTOR, *run, "--doctor-trials=1"))[-1]["figures"]
    before = len(server.requests)
    played = pytester.runpytest("-p", "no:cacheprovider", *run)
    assert len(server.requests) - before == pytest.approx(figures["calls"])
    foretold = [line for line in played.outlines if line.startswith("tau: forecast: ")]
    assert foretold[0].startswith("tau: forecast: 4 trials, about 16 model calls, ")
    assert re.fullmatch(r"tau: forecast: by the 1 trial that pytest-tau doctor played on \d{4}-\d\d-\d\d", foretold[1])
    # What another model takes, it has not measured.
    other = pytester.runpytest("--collect-only", "-q", "--tau-agent-llm=openai/other", "--tau-domain=mock")
    other.stdout.fnmatch_lines(["tau: forecast: a guess: *(pytest-tau doctor measures them)"])
    assert (pytester.path / ".tau" / ".gitignore").exists()


def test_a_customer_that_loses_its_trials_is_counted_as_often_as_a_run_plays_it(
    pytester: pytest.Pytester, serve: Serve
) -> None:

    def speaks_as_the_agent(request: Request) -> Answer:
        played = "<scenario>" in str(request.messages[0]) and "parcel" not in str(request.messages[0])
        return says("How can I help you today?") if played else plays(request)

    server = serve(speaks_as_the_agent)
    run = (AGENT, "--tau-user-llm=openai/patient", "--tau-domain=mock", "--tau-tasks=complete_a_task")
    found = findings(pytester.runpytest(*DOCTOR, *run, "--doctor-trials=1"))
    [trial] = [one for one in found if one["check"] == "a trial"]
    assert trial["text"].endswith("; its customer broke the rules, so a run plays it again")
    before = len(server.requests)
    pytester.runpytest("-p", "no:cacheprovider", *run)
    assert len(server.requests) - before == pytest.approx(found[-1]["figures"]["calls"])


def test_nothing_is_played_where_the_model_cannot_be_reached(pytester: pytest.Pytester) -> None:
    address = '{"api_base": "http://127.0.0.1:9/v1", "api_key": "none"}'
    result = pytester.runpytest(
        *DOCTOR, AGENT, f"--tau-agent-llm-args={address}", "--tau-domain=mock", "--doctor-trials=1"
    )
    found = findings(result)
    assert (found[0]["check"], found[0]["status"]) == ("address", "failed")
    assert [one for one in found if one["check"] == "a trial"] == []
    assert "a guess: no trial was played" in found[-1]["text"]


def test_an_agent_that_writes_its_calls_needs_no_parser(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(no_tool_parser)
    run = (*DOCTOR, AGENT, "--tau-domain=mock", "--tau-tasks=1")
    native, written = (findings(pytester.runpytest(*run, f"--tau-agent={agent}")) for agent in ("llm", "act"))
    assert [one["check"] for one in native if one["status"] == "failed"] == ["tool calls"]
    assert [one["check"] for one in written if one["status"] == "failed"] == []


def test_without_a_suite_only_the_model_is_looked_over(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(healthy)
    found = findings(pytester.runpytest(*DOCTOR, AGENT))
    assert found[-1]["status"] == "warning"
    assert found[-1]["text"] == "no task is named, so prompts and forecast are not looked at: add --tau-domain NAME"


def test_without_a_model_there_is_nothing_to_look_over(pytester: pytest.Pytester) -> None:
    [said] = findings(pytester.runpytest(*DOCTOR, "--tau-domain=mock"))
    assert said["error"].startswith("no model is named")
