"""Several agents in one run: ``--tau-agent`` repeated, ``--tau-agent-llm a,b``."""

from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.llm.server import by_model, by_turn, says
from tests.options.models import COMPETENT, ONE, PRICES, Serve
from tests.options.usage import refused
from tests.plugin.inner import journal, mock_run, rows, write
from tests.plugin.parts import mock_play

TWO = ("--tau-agent=best=oracle", "--tau-agent=nothing=noop")


def test_each_plays_every_trial_and_has_a_row(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    result = mock_run(
        pytester,
        *TWO,
        "--tau-k=2",
        "--tau-tasks=4",
        "--tau-gate=pass^1 >= 0.5",
        "--tau-html=r.html",
        "--tau-markdown=r.md",
    )
    outcomes = result.parseoutcomes()
    assert (outcomes["passed"], outcomes["missed"]) == (8, 8)
    assert rows(result)["mock, best"]["pass^2"].startswith("100.0 %")
    assert rows(result)["mock, nothing"]["pass^1"].startswith("0.0 %")
    table = rows(result, "agent")
    assert {name: row["rank^1"] for name, row in table.items()} == {"best": "1", "nothing": "2"}
    assert table["nothing"]["cost per passed trial"] == "–"
    result.stdout.fnmatch_lines(
        [
            "best → nothing: worse, -100.0 points *",
            "gate best: pass^1 >= 0.5: HELD: *",
            "gate nothing: pass^1 >= 0.5: FAILED: *",
        ]
    )
    records = journal(pytester.path)
    assert {record.label for record in records} == {"best", "nothing"}
    seeds = {
        label: {r.simulation.seed for r in records if r.label == label and r.simulation}
        for label in ("best", "nothing")
    }
    assert seeds["best"] == seeds["nothing"]  # the same customers
    assert "tau/mock/add_a_task.json::test_task[nothing-trial2]" in {record.nodeid for record in records}
    page = (pytester.path / "r.html").read_text(encoding="utf-8")
    assert "all agents" in page
    assert "| nothing |" in (pytester.path / "r.md").read_text(encoding="utf-8")
    assert main(["compare", str(pytester.path / ".tau"), "--html", str(pytester.path / "c.html")]) == 1
    assert "best → " in capsys.readouterr().out
    assert "comparison of" in (pytester.path / "c.html").read_text(encoding="utf-8")


def test_two_models_share_a_server_its_limits_and_the_run(pytester: pytest.Pytester, serve: Serve) -> None:
    server = serve(by_model({"good": COMPETENT, "bad": by_turn([says("I cannot do that.")])}))
    write(pytester.path, "prices.json", {"good": PRICES["agent"], "bad": PRICES["agent"]})
    limits = ("--tau-prices=prices.json", "--tau-budget=200")
    result = mock_play(pytester, ONE, "--tau-agent-llm=openai/good,openai/bad", *limits)
    result.assert_outcomes(passed=1, failed=1)
    assert {request.model for request in server.requests} == {"good", "bad"}
    table = rows(result, "agent")
    assert table["good"]["cost per passed trial"] == "$0.20"
    assert float(table["bad"]["cost"].strip("$")) > 0
    assert {record.simulation.agent for record in journal(pytester.path) if record.simulation} == {
        "llm openai/good",
        "llm openai/bad",
    }


def test_trials_that_never_reported_stand_in_their_agents_row(pytester: pytest.Pytester) -> None:
    result = mock_run(
        pytester, ONE, *TWO, "--tau-k=2", "-x", "--deselect=tau/mock/complete_a_task.json::test_task[best-trial2]"
    )
    assert rows(result)["mock, nothing"]["trials"].startswith("1 of 2")


@pytest.mark.parametrize("option", ["--tau-baseline=b.json", "--tau-stop"])
def test_what_is_for_one_agent_is_refused(pytester: pytest.Pytester, option: str) -> None:
    Path(pytester.path / "b.json").write_text("{}", encoding="utf-8")
    told = refused(pytester, "--tau-domain=mock", *TWO, option, "--tau-gate=pass^1 >= 0.5")
    told.fnmatch_lines(
        [f"ERROR: {option.partition('=')[0]}: works with one agent only, and this run has best, nothing"]
    )
