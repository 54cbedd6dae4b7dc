"""Tests that begin in the middle of a log, in whole runs: workers, resume, baselines, gates, cassettes."""

from __future__ import annotations

import json

import pytest

from pytest_tau import load_journal
from tests.llm.server import ChatServer, calls, says
from tests.plugin.inner import journal, workers
from tests.plugin.playing.test_from_recording import project  # noqa: F401  (a fixture)

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
TEST = """
import pytest

@pytest.mark.tau(domain="shop")
def test_goes_on(tau_conversation):
    tau_conversation.from_recording("log.jsonl#conversation-O7", turn=7)
    assert tau_conversation.finish().passed
"""
AGENTS = """
class Cancels:
    def __init__(self, context):
        self.tools = {tool.name: tool for tool in context.tools}

    def reply(self, messages):
        if not any("cancel" in (m.content or "") for m in messages[-1:]):
            self.tools["cancel_order"](order_id="O7")
        return "Order O7 is cancelled. Anything else?"


class Waits:
    def __init__(self, context):
        pass

    def reply(self, messages):
        return "Let me see."
"""


@pytest.fixture(autouse=True)
def _tests(project: pytest.Pytester) -> None:  # noqa: F811
    project.makepyfile(test_it=TEST, agents=AGENTS)


@pytest.mark.slow
def test_with_workers_as_without(pytester: pytest.Pytester) -> None:
    arguments = ("--tau-agent=faulty:rate=0.5", "--tau-k=4")
    alone = pytester.runpytest(*arguments, "--tau-results=alone")
    together = workers(pytester, *arguments, number=2)
    assert together.parseoutcomes()["failed"] == alone.parseoutcomes()["failed"] > 0
    verdicts = [
        {
            (record.nodeid, record.outcome, len(record.simulation.messages) if record.simulation else 0)
            for record in found
        }
        for found in (journal(pytester.path), load_journal(pytester.path / "alone"))
    ]
    assert verdicts[0] == verdicts[1]
    assert len(verdicts[0]) == 4


def test_resume_plays_what_is_missing(pytester: pytest.Pytester) -> None:
    pytester.runpytest("--tau-agent=agents:Cancels", "--tau-k=1").assert_outcomes(passed=1)
    result = pytester.runpytest("--tau-agent=agents:Cancels", "--tau-k=3", "--tau-resume", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["| shop, test_goes_on/cancel |    3/3 |*"])
    assert len(journal(pytester.path)) == 3
    # The history counts as what it is: what was said before the agent under test was asked.
    [said] = {len(record.simulation.messages) for record in journal(pytester.path) if record.simulation}
    assert said > 7


def test_baselines_and_gates(pytester: pytest.Pytester) -> None:
    bless = ("--tau-baseline=evals/shop.json", "--tau-k=4")
    assert pytester.runpytest("--tau-agent=agents:Cancels", *bless, "--tau-bless").ret == OK
    gates = ("--tau-gate=no regression", "--tau-gate=pass^1 >= 90 %")
    worse = pytester.runpytest("--tau-agent=agents:Waits", *bless, *gates)
    assert worse.ret == FAILED
    worse.stdout.fnmatch_lines(["gate no regression: FAILED: *from always to never: *"])
    worse.stdout.fnmatch_lines(["gate pass^1 >= 90 %: FAILED: *"])


@pytest.mark.usefixtures("_litellm")
def test_a_cassette_plays_it_again(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("litellm")
    replies = [calls(("cancel_order", {"order_id": "O7"})), says("It is cancelled. Good-bye.")]
    run = ("--tau-agent-llm=openai/agent", "--tau-k=2")

    with ChatServer(lambda request: replies[request.messages[-1]["role"] == "tool"]) as server:
        monkeypatch.setenv("OPENAI_API_BASE", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-a-test")
        pytester.runpytest(*run, "--tau-cassette=record").assert_outcomes(passed=2)
        # The model is told what was said before.
        told = json.dumps(server.requests[0].messages)
        assert "I want to undo this." in told
        assert "It is order O7" in told
        asked = len(server.requests)
    assert asked == 4 * 2  # not what a whole conversation takes
    pytester.runpytest(*run, "--tau-cassette=replay").assert_outcomes(passed=2)
