"""What holds of runs on a real model, however badly it plays: laws, and never a verdict that one would wish for."""

import json
from collections import Counter

import pytest

from .runs import MODEL, NOBODY, SHORT, Outcome, Project, spent

AGENT = (f"--tau-agent-llm={MODEL}", f"--tau-agent-llm-args={SHORT}")
USER = (f"--tau-user-llm={MODEL}", f"--tau-user-llm-args={SHORT}")
JUDGE = (f"--tau-judge-llm={MODEL}", f"--tau-judge-llm-args={SHORT}", "--tau-user-judge")
ALL = (*AGENT, *USER, *JUDGE, "--tau-tasks=2")
MINUTE = 60.0


@pytest.fixture(scope="module")
def recorded(project: Project) -> Outcome:
    """A run of agent, customer and judge on the model, with all that they were asked and answered."""
    return project.run(*ALL, "--tau-cassette=record", "--tau-results=first")


def test_nothing_is_lost(project: Project, recorded: Outcome) -> None:
    records = project.journal("first")
    assert Counter(record.task_id for record in records) == {"add_a_task": 1, "complete_a_task": 1}, recorded.text
    assert all(record.simulation is not None for record in records)
    assert recorded.status in (0, 1)


def test_no_minute_is_silent(recorded: Outcome) -> None:
    assert recorded.silence < MINUTE, recorded.text


def test_every_call_is_accounted_for(project: Project, recorded: Outcome) -> None:
    for record in project.journal("first"):
        players = [one.reply for one in project.exchanges(record) if one.request.role != "judge"]
        used = [reply.usage for reply in players]
        total = spent(record)
        assert all(used), "the server tells the tokens of each answer"
        assert total.prompt_tokens == sum(one.prompt_tokens for one in used if one)
        assert total.completion_tokens == sum(one.completion_tokens for one in used if one)


def test_every_miss_has_a_cause(project: Project, recorded: Outcome) -> None:
    for record in project.journal("first"):
        assert record.outcome in ("passed", "missed", "invalid", "ungraded", "infra_error")
        if record.outcome == "missed":
            assert record.fault is not None, record.task_id
        elif record.outcome == "infra_error":
            assert record.note


def test_a_replay_equals_its_recording(project: Project, recorded: Outcome) -> None:
    again = project.run(*ALL, "--tau-cassette=replay", "--tau-results=again", address=NOBODY)
    for record, replayed in zip(project.journal("first"), project.journal("again"), strict=True):
        assert record.simulation is not None
        assert replayed.simulation is not None, again.text
        said, repeated = (
            [message.model_dump(exclude={"timestamp", "generation_time_seconds"}) for message in one.messages]
            for one in (record.simulation, replayed.simulation)
        )
        assert said == repeated
        assert (record.outcome, record.reward and record.reward.value) == (
            replayed.outcome,
            replayed.reward and replayed.reward.value,
        )


@pytest.mark.parametrize("agent", ["act", "react"])
def test_agents_that_write_their_calls_come_to_an_end(project: Project, agent: str) -> None:
    outcome = project.run(*AGENT, f"--tau-agent={agent}", "--tau-tasks=1", f"--tau-results={agent}")
    [record] = project.journal(agent)
    assert record.outcome in ("passed", "missed"), outcome.text
    assert record.outcome == "passed" or record.fault is not None
    assert spent(record).completion_tokens > 0


OWN_AGENT = """
import json
import urllib.request


class Agent:
    def __init__(self, context):
        self.context = context

    def reply(self, messages):
        chat = [{"role": "user", "content": messages[-1].content or ""}]
        body = json.dumps({"model": "openai/smol", "messages": chat, "max_tokens": 20}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(self.context.endpoint + "/chat/completions", body, headers)
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)["choices"][0]["message"]["content"] or "Hello."
"""


def test_calls_over_the_endpoint_are_billed_to_their_trial(project: Project) -> None:
    (project.path / "own_agent.py").write_text(OWN_AGENT, encoding="utf-8")
    given = ("-opythonpath=.", "--tau-agent=own_agent:Agent", "--tau-tasks=1", "--tau-results=own")
    outcome = project.run(*given)
    [record] = project.journal("own")
    assert record.outcome in ("passed", "missed"), outcome.text
    replies = [m for m in record.simulation.messages if m.role == "assistant"] if record.simulation else []
    assert len(replies) > 1
    assert all(message.usage is not None for message in replies[1:])


def test_a_run_that_was_killed_goes_on_where_it_was(project: Project) -> None:
    given = (*AGENT, "--tau-tasks=3", "--tau-concurrency=1", "--tau-results=killed")
    with project.start(*given, "-v") as process:
        assert process.stdout is not None
        for line in process.stdout:
            if "::test_task[trial1] " in line and any(word in line for word in ("PASSED", "FAILED")):
                break
        process.kill()
    before = {record.nodeid: record for record in project.journal("killed")}
    assert 1 <= len(before) < 3
    outcome = project.run(*given, "--tau-resume")
    after = {record.nodeid: record for record in project.journal("killed")}
    assert len(after) == 3, outcome.text
    for nodeid, record in before.items():
        assert record.simulation is not None
        assert after[nodeid].simulation == record.simulation, "what was played is not played again"


def test_a_budget_in_tokens_is_kept(project: Project) -> None:
    budget = 6000
    given = (*AGENT, "--tau-concurrency=1", f"--tau-budget={budget} tokens", "--tau-results=budget")
    outcome = project.run(*given, "--tau-tasks=6")
    used = [spent(record) for record in project.journal("budget") if record.simulation is not None]
    assert 0 < sum(one.prompt_tokens + one.completion_tokens for one in used) <= budget
    assert outcome.status == 1
    assert "budget" in outcome.text


def test_the_doctor_says_what_it_found(project: Project) -> None:
    status, said = project.doctor(*AGENT, *USER, "--tau-tasks=2", "--trials=1")
    found = {one["check"]: one for one in said["findings"]}
    assert status == (1 if said["status"] == "failed" else 0)
    assert found["answers"]["status"] == "ok"
    assert found["usage"]["status"] == "ok"
    assert found["price"]["status"] == "warning"
    assert {"tool calls", "context window", "role", "forecast"} <= found.keys()
    assert all(one["advice"] for one in said["findings"] if one["status"] == "failed"), json.dumps(said, indent=1)
