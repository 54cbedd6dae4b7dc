"""The ``pytest_tau_*`` hooks, each by its effect; the examples in their docstrings are what is run."""

from dataclasses import dataclass

import pytest
from pluggy import PluginValidationError

from pytest_tau.plugin.collecting.task_files import find_domain, resolve_arguments
from pytest_tau.plugin.reporting.header import header
from pytest_tau.plugin.run import Run
from pytest_tau.schema.record import TrialRecord
from tests.conftest import Shared
from tests.plugin.inner import AGENTS, example, journal, make_shop, mock_run
from tests.plugin.parts import play


def test_register_domains(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path / "elsewhere")
    code = example("pytest_tau_register_domains").replace("/srv/eval", str(pytester.path / "elsewhere"))
    pytester.makeconftest(code)
    run = Run(pytester.parseconfig("--tau-domain=shop"))
    resolve_arguments(run)
    assert run.config.args == [str(pytester.path / "elsewhere/tasks/shop/sell_one.json")]
    assert find_domain(run, "shop", public=False).folder == pytester.path / "elsewhere/domains/shop"
    assert header(run)[0].startswith("tau: shop (registered); ")


def test_register_domains_that_are_not_there(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_register_domains"))
    with pytest.raises(pytest.UsageError, match="there is no suite of tasks 'shop': "):
        resolve_arguments(Run(pytester.parseconfig("--tau-domain=shop")))


@dataclass(frozen=True)
class Ran:
    """What a run with the examples of most hooks said and left."""

    result: pytest.RunResult
    records: list[TrialRecord]
    trials: list[str]


@pytest.fixture(scope="module")
def ran(shared_run: Shared) -> Ran:
    """With -q, at which much is left out."""
    changes = {"modify_tasks": ('"slow"', '"write"'), "grade": ("<= 40", "<= 0")}
    names = ("modify_tasks", "make_agent", "make_user", "grade", "trial_finished", "summary")
    with shared_run() as pytester:
        code = [example(f"pytest_tau_{name}").replace(*changes.get(name, ("", ""))) for name in names]
        pytester.makeconftest("\n\n".join(code))
        result = mock_run(pytester, "--tau-k=2", "-q")
        trials = (pytester.path / "trials.txt").read_text(encoding="utf-8").splitlines()
        return Ran(result, journal(pytester.path), trials)


LEFT = ["count_my_tasks", "delete_a_task", "task_for_a_stranger"]


def test_modify_tasks(ran: Ran) -> None:
    assert [record.task_id for record in ran.records] == [task for task in LEFT for _ in (1, 2)]


def test_make_agent(ran: Ran) -> None:
    ran.result.stdout.fnmatch_lines(["agent: conftest:MyAgent   *"])
    assert {record.simulation.agent for record in ran.records if record.simulation} == {"conftest:MyAgent"}


def test_make_user(ran: Ran) -> None:
    assert [record.simulation and record.simulation.user for record in ran.records] == ["conftest:Impatient"] * 6


def test_grade(ran: Ran) -> None:
    ran.result.stdout.fnmatch_lines(["  SHORT: MISSED"])
    for record in ran.records:
        assert record.reward is not None
        assert record.reward.basis is not None
        assert record.reward.basis[-1] == "SHORT"
        assert "DB" in record.reward.basis


def test_trial_finished(ran: Ran) -> None:
    assert ran.trials == [f"{task} {trial} missed" for task in LEFT for trial in (1, 2)]


def test_summary(ran: Ran) -> None:
    ran.result.stdout.fnmatch_lines(["6 trials went to the data warehouse"])


def test_make_agent_of_the_nearest_conftest_wins(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    make_shop(pytester.path)
    pytester.makeconftest("def pytest_tau_make_agent(item):\n    from agents import Completes\n    return Completes")
    (pytester.path / "tasks/shop/conftest.py").write_text(
        "def pytest_tau_make_agent(item):\n    from agents import Polite\n    return Polite"
    )
    result = play(pytester, "--tau-domain=mock,shop", "--tau-tasks=complete_a_task,sell_one")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*; agent from pytest_tau_make_agent; *"])
    assert {record.task_id: record.simulation and record.simulation.agent for record in journal(pytester.path)} == {
        "complete_a_task": "agents:Completes",
        "sell_one": "agents:Polite",
    }


def test_a_misspelt_hook_is_refused_by_pytest(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_tau_make_agnet(item): pass")
    with pytest.raises(PluginValidationError, match="unknown hook 'pytest_tau_make_agnet'"):
        pytester.parseconfigure().pluginmanager.check_pending()  # as every session does
