"""``--tau-cassette`` with an agent of somebody's own, whose calls go through the endpoint that its context names."""

import sys
from collections.abc import Callable, Iterator

import pytest

from tests.options.models import AGENT, COMPETENT, ONE, PRICES, Serve, written
from tests.plugin.inner import journal, mock_run, what_counts, write
from tests.plugin.parts import mock_play

RECORD, REPLAY = "--tau-cassette=record", "--tau-cassette=replay"

FOREIGN = """
import json
import urllib.error
import urllib.request

from pytest_tau import AssistantMessage, ToolCall
from pytest_tau.llm.chat import to_chat


class Foreign:
    def __init__(self, context, url=None):
        self.context, self.url = context, url

    def reply(self, messages):
        chat = [{"role": "system", "content": self.context.policy}, *to_chat(messages, "assistant")]
        body = {"model": "openai/agent", "messages": chat, "tools": [tool.schema for tool in self.context.tools]}
        request = urllib.request.Request(
            (self.url or self.context.endpoint) + "/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": "Bearer key-of-the-agent"},
        )
        try:
            with urllib.request.urlopen(request) as answer:
                said = json.load(answer)["choices"][0]["message"]
        except urllib.error.HTTPError as refusal:
            with refusal:  # else its socket is closed when somebody else collects the garbage
                raise
        calls = [
            ToolCall(id=call["id"], name=call["function"]["name"], arguments=json.loads(call["function"]["arguments"]))
            for call in said.get("tool_calls") or []
        ]
        return AssistantMessage(content=said["content"], tool_calls=calls)


class Swallows(Foreign):
    def reply(self, messages):
        try:
            return super().reply(messages)
        except Exception:
            return "I am sorry, something went wrong."


class SumsUp(Foreign):
    def reply(self, messages):
        return AssistantMessage(content="Goodbye.", cost=1.0)

    def close(self):
        super().reply([])
"""
OWN = "--tau-agent=own:Foreign"


@pytest.fixture
def own(pytester: pytest.Pytester) -> Iterator[None]:
    pytester.makepyfile(own=FOREIGN)
    pytester.syspathinsert()
    yield
    sys.modules.pop("own", None)


@pytest.mark.usefixtures("own")
def test_what_an_agent_asks_for_as_it_is_let_go_is_on_its_bill(pytester: pytest.Pytester, serve: Serve) -> None:
    write(pytester.path, "prices.json", PRICES)
    pytester.makeini("[pytest]\ntau_prices = prices.json")
    serve(COMPETENT)
    mock_play(pytester, ONE, "--tau-agent=own:SumsUp")
    [trial] = journal(pytester.path)
    assert trial.simulation is not None
    said = sum(message.cost or 0.0 for message in trial.simulation.messages if message.role == "assistant")
    assert (trial.simulation.agent_cost or 0.0) > said > 0.0


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize("model", [[], [AGENT]])
def test_an_agent_in_any_framework_is_recorded_and_billed(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None], model: list[str]
) -> None:
    write(pytester.path, "prices.json", PRICES)
    pytester.makeini("[pytest]\ntau_prices = prices.json")
    server = serve(COMPETENT)
    result = mock_play(pytester, ONE, OWN, *model, RECORD)
    result.assert_outcomes(passed=1)
    if model:
        result.stdout.fnmatch_lines(["tau: endpoint model openai/agent, for what the agent asks through its endpoint"])
    live, asked = journal(pytester.path), len(server.requests)
    assert asked == 2
    assert live[0].simulation is not None
    assert live[0].simulation.agent_cost == pytest.approx(0.2)
    assert "key-of-the-agent" not in written(pytester.path)
    gone()
    mock_play(pytester, ONE, OWN, *model, REPLAY).assert_outcomes(passed=1)
    assert what_counts(journal(pytester.path)) == what_counts(live)
    assert len(server.requests) == asked


@pytest.mark.usefixtures("own")
def test_an_own_agent_cannot_talk_its_way_out_of_a_mismatch(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    for agent in ("Foreign", "Swallows"):
        arguments = [ONE, f"--tau-agent=own:{agent}", AGENT]
        mock_play(pytester, *arguments, RECORD).assert_outcomes(passed=1)
        result = mock_play(pytester, *arguments, '--tau-agent-llm-args={"temperature": 1}', REPLAY)
        result.assert_outcomes(failed=1)
        assert [record.outcome.value for record in journal(pytester.path)] == ["error"]
        result.stdout.fnmatch_lines(["request 1 of the agent is not the recorded one *", "+temperature: 1"])


@pytest.mark.usefixtures("own")
def test_a_fixture_gives_the_address_too(pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]) -> None:
    server = serve(COMPETENT)
    pytester.makeconftest(
        """
        import pytest
        from own import Foreign

        @pytest.fixture
        def tau_agent(tau_llm_endpoint):
            return lambda context: Foreign(context, tau_llm_endpoint)
        """
    )
    mock_run(pytester, ONE, RECORD).assert_outcomes(passed=1)
    gone()
    mock_run(pytester, ONE, REPLAY).assert_outcomes(passed=1)
    assert len(server.requests) == 2


@pytest.mark.usefixtures("own")
def test_limits_hold_for_an_own_agents_calls(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    result = mock_play(pytester, ONE, OWN, AGENT, "--tau-budget=1 tokens", "--tau-k=2", "--tau-concurrency=1")
    assert [record.outcome.value for record in journal(pytester.path)] == ["infra_error"]
    result.assert_outcomes(failed=1, skipped=1)
