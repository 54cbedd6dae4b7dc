"""The forecast of a run: printed once, before the first call, where a model is to be called."""

import re
from collections.abc import Iterable

import pytest

from pytest_tau.plugin.reporting.controller import Controller
from pytest_tau.plugin.run import Run
from tests.options.models import AGENT, BOTH, COMPETENT, ONE, PRICES, USER, Serve
from tests.plugin.inner import make_shop, mock_run, write
from tests.plugin.players import TASKS

pytestmark = pytest.mark.usefixtures("_litellm")  # which knows prices

FILE = "--tau-prices=prices.json"
SUITE = [f"tau/mock/{task}.json::test_task[trial1]" for task in TASKS]
TWICE = [f"tau/mock/complete_a_task.json::test_task[trial{trial}]" for trial in (1, 2)]


def lines(pytester: pytest.Pytester, *args: str, nodeids: Iterable[str] = SUITE) -> list[str]:
    """What a run of these tests says when they are collected."""
    known = Controller(Run(pytester.parseconfig(*args)))
    known.plan(nodeids)
    found = known.forecast()
    assert known.forecast() == []  # once, though every worker collects
    return found


def foretold(pytester: pytest.Pytester, *args: str, nodeids: Iterable[str] = SUITE) -> list[str]:
    """The same without the words about guessing."""
    return [line for line in lines(pytester, *args, nodeids=nodeids) if "a guess" not in line]


def test_stands_before_the_tests(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(COMPETENT)
    write(pytester.path, "prices.json", PRICES)
    result = mock_run(pytester, ONE, AGENT, FILE, "--tau-k=2")
    result.stdout.fnmatch_lines(
        ["collected 2 items", "tau: forecast: 2 trials, about *", "tau: forecast: a guess: *", "tau/mock*"]
    )
    assert not [line for line in result.outlines if line.startswith("tau: forecast: 2 trials") and "unknown" in line]


def test_a_resumed_run_goes_by_what_it_has_done(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(COMPETENT)
    mock_run(pytester, ONE, AGENT)
    calls = len(server.requests)
    result = mock_run(pytester, ONE, AGENT, "--tau-k=4", "--tau-resume")
    result.stdout.fnmatch_lines(
        [f"tau: forecast: 3 trials, about {3 * calls} model calls, *", "tau: forecast: by the 1 trial done so far"]
    )
    assert len(server.requests) == 4 * calls


def test_each_of_several_agents_counts_in_its_own_trials(pytester: pytest.Pytester) -> None:
    """The customer counts in the trials of all."""
    price = {"input": 40000, "output": 120000}
    write(pytester.path, "prices.json", dict.fromkeys(("agent", "other", "user"), price))

    def costs(*agents: str) -> dict[str, int]:
        models = ",".join(f"openai/{agent}" for agent in agents)
        labels = [f"{agent}-" for agent in agents] if len(agents) > 1 else [""]
        nodeids = [nodeid.replace("[", f"[{label}") for label in labels for nodeid in TWICE]
        found = foretold(pytester, f"--tau-agent-llm={models}", USER, FILE, "--tau-k=2", nodeids=nodeids)
        shown = re.search(r"\((.*)\)$", found[0])
        assert shown is not None
        parts = (part.rpartition(" $") for part in re.split(", (?=[a-z])", shown[1]))
        return {side: int(usd.replace(",", "")) for side, _, usd in parts}

    alone, both = costs("agent"), costs("agent", "other")
    assert both == {
        "agent agent": alone["agent"],
        "agent other": alone["agent"],
        "user": pytest.approx(2 * alone["user"], rel=0.05),
    }


def test_without_a_price_the_cost_is_unknown(pytester: pytest.Pytester) -> None:
    (line,) = foretold(pytester, AGENT, nodeids=TWICE[:1])
    assert line.startswith("tau: forecast: 1 trial, ")
    assert line.endswith("tokens, cost unknown")


def test_says_so_when_the_budget_will_not_do(pytester: pytest.Pytester) -> None:
    (line,) = foretold(pytester, AGENT, USER, "--tau-budget=5000 tokens")
    assert re.fullmatch(
        r"tau: forecast: 6 trials, .*\(agent unknown, user unknown\); the budget is enough for about .* % of it", line
    )


def test_costs_no_call(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(BOTH)
    assert len(foretold(pytester, AGENT, USER)) == 1
    assert server.requests == []


def test_says_that_it_cannot_see_what_an_agent_of_ones_own_asks(pytester: pytest.Pytester) -> None:
    unseen = "tau: forecast: without the model calls of your own agent, which are not known yet; "
    assert lines(pytester, "--tau-agent=agents:Completes", USER)[-1].startswith(unseen)
    assert not any("model calls of your own agent" in line for line in lines(pytester, AGENT, USER))


@pytest.mark.parametrize("args", [["--tau-agent=oracle"], ["--tau-agent=noop"], [AGENT, "--tau-cassette=replay"]])
def test_players_without_a_model_take_nothing(pytester: pytest.Pytester, args: list[str]) -> None:
    assert lines(pytester, *args) == []


def test_tasks_of_a_project_and_tests_in_python(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    python = [f"test_more.py::test_it[sell_one-trial{trial}]" for trial in (1, 2, 3)]
    nodeids = ["tasks/shop/sell_one.json::test_task[trial1]", *python]
    assert foretold(pytester, AGENT, nodeids=nodeids)[0].startswith("tau: forecast: 4 trials, ")
    # Node IDs of Python tests alone do not say which tasks they are about.
    assert lines(pytester, AGENT, nodeids=python) == []


def test_a_broken_suite_breaks_no_forecast(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/broken.json", "{")
    assert lines(pytester, AGENT, nodeids=["tasks/mock/one.json::test_task[trial1]"]) == []
