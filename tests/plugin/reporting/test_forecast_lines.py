"""The forecast of a run: printed once, before the first call, where a model is to be called."""

import re

import pytest

from tests.cli.models import AGENT, BOTH, COMPETENT, ONE, PRICES, USER, Serve
from tests.llm.server import ChatServer
from tests.plugin.inner import AGENTS, make_shop, mock_run, write

FILE = "--tau-prices=prices.json"


def foretold(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("tau: forecast: ") and "a guess" not in line]


def test_stands_before_the_tests(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    result = mock_run(pytester, ONE, AGENT, FILE, "--tau-k=2")
    result.stdout.fnmatch_lines(
        ["collected 2 items", "tau: forecast: 2 trials, about *", "tau: forecast: a guess: *", "tau/mock*"]
    )
    assert "unknown" not in foretold(result)[0]


def test_each_of_several_agents_counts_in_its_own_trials(pytester: pytest.Pytester, serve: Serve) -> None:
    """The customer counts in the trials of all."""
    serve(BOTH)
    price = {"input": 40000, "output": 120000}
    write(pytester.path, "prices.json", dict.fromkeys(("agent", "other", "user"), price))

    def costs(*agents: str) -> dict[str, int]:
        models = ",".join(f"openai/{agent}" for agent in agents)
        result = mock_run(pytester, ONE, f"--tau-agent-llm={models}", USER, FILE, "--tau-k=2", "--collect-only")
        shown = re.search(r"\((.*)\)$", foretold(result)[0])
        assert shown is not None
        parts = (part.rpartition(" $") for part in re.split(", (?=[a-z])", shown[1]))
        return {side: int(usd.replace(",", "")) for side, _, usd in parts}

    alone, both = costs("agent"), costs("agent", "other")
    assert both == {
        "agent agent": alone["agent"],
        "agent other": alone["agent"],
        "user": pytest.approx(2 * alone["user"], rel=0.05),
    }


def test_without_a_price_the_cost_is_unknown(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    result = mock_run(pytester, ONE, AGENT)
    assert foretold(result)[0].endswith("tokens, cost unknown")


def test_says_so_when_the_budget_will_not_do(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    result = mock_run(pytester, AGENT, USER, "--tau-budget=5000 tokens")
    result.stdout.fnmatch_lines(
        ["tau: forecast: 6 trials, *(agent unknown, user unknown); the budget is enough for about * % of it"]
    )


def test_costs_no_call(pytester: pytest.Pytester, serve: Serve) -> None:
    server: ChatServer = serve(COMPETENT)
    assert len(foretold(mock_run(pytester, AGENT, "--collect-only"))) == 1
    assert server.requests == []


def test_says_that_it_cannot_see_what_an_agent_of_ones_own_asks(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(BOTH)
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, "--tau-agent=agents:Completes", USER, "--collect-only")
    result.stdout.fnmatch_lines(["tau: forecast: without what your agent asks of models, which nobody knows *"])
    mock_run(pytester, AGENT, USER, "--collect-only").stdout.no_fnmatch_line("*what your agent asks*")


@pytest.mark.parametrize("agent", ["--tau-agent=oracle", "--tau-agent=noop"])
def test_players_without_a_model_take_nothing(pytester: pytest.Pytester, agent: str) -> None:
    assert foretold(mock_run(pytester, agent)) == []


def test_tasks_of_a_project_and_tests_in_python(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    make_shop(pytester.path)
    write(
        pytester.path,
        "test_more.py",
        """
        import pytest

        @pytest.mark.tau(domain="shop", k=3)
        def test_it(tau_simulation):
            pass
        """,
    )
    both = pytester.runpytest("tasks/shop", "test_more.py", AGENT, "--collect-only")
    assert foretold(both)[0].startswith("tau: forecast: 4 trials, ")
    # Node IDs of Python tests alone do not say which tasks they are about.
    assert foretold(pytester.runpytest("test_more.py", AGENT, "--collect-only")) == []


def test_a_broken_suite_breaks_no_forecast(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "tasks/mock/broken.json", "{")
    result = pytester.runpytest("tasks/mock", AGENT, "--collect-only")
    assert foretold(result) == []
    result.stdout.no_fnmatch_line("*Traceback*")
