"""``--tau-prices``: what models cost; what nobody knows is unknown, never nothing."""

import pytest

from tests.options.models import A_REPLY, AGENT, BOTH, COMPETENT, ONE, PRICES, USER, Serve, simulations
from tests.options.usage import refused
from tests.plugin.inner import AGENTS, Printed, mock_run, rows, write
from tests.plugin.parts import mock_play

FILE = "--tau-prices=prices.json"


def cost(result: Printed) -> str:
    return rows(result)["mock"]["cost"]


def test_make_costs_of_tokens(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    assert cost(mock_play(pytester, ONE, AGENT, FILE, "--tau-k=2")) == f"${2 * 2 * A_REPLY:.2f}"
    assert [simulation.agent_cost for simulation in simulations(pytester)] == [pytest.approx(2 * A_REPLY)] * 2


def test_a_model_nobody_knows_the_price_of(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    assert cost(mock_play(pytester, ONE, AGENT)) == "unknown"
    assert [simulation.agent_cost for simulation in simulations(pytester)] == [None]


def test_a_model_that_litellm_knows_needs_no_table(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    result = mock_play(pytester, ONE, "--tau-agent-llm=openai/gpt-4.1")
    [simulation] = simulations(pytester)
    assert simulation.agent_cost is not None
    assert 0 < simulation.agent_cost < 0.01
    assert cost(result) != "unknown"


def test_costs_of_both_sides_add_up(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    write(pytester.path, "prices.json", {**PRICES, "openai/user": PRICES["agent"]})
    result = mock_run(pytester, ONE, AGENT, USER, FILE, "-v")
    assert cost(result) == f"${len(server.requests) * A_REPLY:.2f}"
    result.stdout.fnmatch_lines(["Cost: agent $0.20, user $0.20."])
    write(pytester.path, "prices.json", PRICES)
    unknown = mock_play(pytester, ONE, AGENT, USER, FILE, "-v")
    assert cost(unknown) == "unknown"
    unknown.stdout.fnmatch_lines(["Cost: agent $0.20, user unknown."])
    [simulation] = simulations(pytester)
    assert simulation.agent_cost == pytest.approx(2 * A_REPLY)
    assert simulation.user_cost is None


def test_ini_twin_is_relative_to_the_root(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    pytester.makeini("[pytest]\ntau_prices = prices.json")
    assert cost(mock_play(pytester, ONE, AGENT)) == "$0.20"


def test_an_agent_of_yours_says_its_costs_itself(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    assert cost(mock_play(pytester, ONE, "--tau-agent=agents:Polite")) == "unknown"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "*prices.json: the price table cannot be read: No such file or directory"),
        ("{", "*prices.json: the price table is not valid JSON: *"),
        ('{"agent": 3}', "the price table *prices.json, 'agent': a price has the keys input and output*"),
    ],
)
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, text: str | None, sentence: str) -> None:
    if text is not None:
        write(pytester.path, "prices.json", text)
    refused(pytester, "--tau-domain=mock", AGENT, FILE).fnmatch_lines([f"ERROR: {sentence}"])


@pytest.mark.parametrize("option", ["prices=x", "retries=1", "rpm=1", "tpm=1", "max-inflight=1", "budget=1"])
def test_options_about_models_are_refused_where_none_is_called(pytester: pytest.Pytester, option: str) -> None:
    write(pytester.path, "x", "{}")
    refused(pytester, "--tau-domain=mock", f"--tau-{option}").fnmatch_lines(
        [f"ERROR: --tau-{option.partition('=')[0]}: no model is called, so it has no effect*"]
    )
