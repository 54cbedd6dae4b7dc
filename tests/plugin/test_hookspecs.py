"""The ``pytest_tau_*`` hooks, each by its effect; the examples in their docstrings are what is run."""

from dataclasses import dataclass

import pytest
from pluggy import PluginValidationError

from pytest_tau.plugin import hookspecs
from pytest_tau.plugin.collecting.task_files import resolve_arguments
from pytest_tau.plugin.run import Run
from pytest_tau.schema.record import TrialRecord
from tests.conftest import Shared
from tests.plugin.inner import AGENTS, example, journal, make_shop, mock_run, outcomes
from tests.plugin.parts import mock_play, play


def test_every_hook_has_an_example_that_is_run_here() -> None:
    specs = {name for name in vars(hookspecs) if name.startswith("pytest_tau_")}
    assert {f"pytest_tau_{name.removeprefix('test_')}" for name in globals() if name.startswith("test_")} >= specs


def test_register_domains(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path / "elsewhere")
    code = example("pytest_tau_register_domains").replace("/srv/eval", str(pytester.path / "elsewhere"))
    pytester.makeconftest(code)
    parts = play(pytester, "--tau-domain=shop")
    assert parts.run.config.args == [str(pytester.path / "elsewhere/tasks/shop/sell_one.json")]
    parts.assert_outcomes(passed=1)
    parts.stdout.fnmatch_lines(["tau: shop (registered); *"])


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
    assert {record.simulation.steps for record in ran.records if record.simulation} == {1}


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
    hook = "\n\ndef pytest_tau_make_agent(item):\n    from agents import {0}\n    return {0}"
    pytester.makeconftest(example("pytest_tau_grade") + hook.format("Completes"))
    (pytester.path / "tasks/shop/conftest.py").write_text(hook.format("Polite"))
    result = play(pytester, "--tau-domain=mock,shop", "--tau-tasks=complete_a_task,sell_one")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*; agent from pytest_tau_make_agent; *"])
    assert {record.task_id: record.simulation and record.simulation.agent for record in journal(pytester.path)} == {
        "complete_a_task": "agents:Completes",
        "sell_one": "agents:Polite",
    }
    # A criterion of the project's own that is met costs nothing.
    results = [record.reward.result("SHORT") for record in journal(pytester.path) if record.reward]
    assert [result and result.value for result in results] == [1.0, 1.0]


QUOTA = """
class QuotaExceeded(Exception):
    pass

class Agent:
    def __init__(self, context):
        pass

    def reply(self, messages):
        raise QuotaExceeded("none left")

def pytest_tau_make_agent(item):
    return Agent
"""


@pytest.mark.parametrize(("hook", "outcome"), [("", "error"), ("pytest_tau_classify_error", "infra_error")])
def test_classify_error(pytester: pytest.Pytester, hook: str, outcome: str) -> None:
    pytester.makeconftest(QUOTA + (example(hook) if hook else ""))
    mock_play(pytester, "--tau-tasks=complete_a_task")
    assert outcomes(pytester.path) == {"complete_a_task": outcome}


def test_find_personal(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_find_personal"))
    hook = pytester.parseconfigure("--tau-domain=mock").hook
    assert hook.pytest_tau_find_personal(text="From Vienna, to Rome") == [("town", "Vienna")]


def test_read_conversations(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_read_conversations"))
    file = pytester.path / "own.chat"
    file.write_text("Hello\nWhat is it?\n", encoding="utf-8")
    hook = pytester.parseconfigure("--tau-domain=mock").hook
    [read] = hook.pytest_tau_read_conversations(path=file)
    assert [message.role for message in read.messages] == ["user", "assistant"]
    assert hook.pytest_tau_read_conversations(path=file.with_suffix(".json")) is None


def test_perturbations(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_perturbations"))
    mock_play(pytester, "--tau-tasks=complete_a_task", "--tau-perturb=shouted")
    assert [record.variant and record.variant.label for record in journal(pytester.path)] == [None, "shouted"]


def test_a_misspelt_hook_is_refused_by_pytest(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_tau_make_agnet(item): pass")
    with pytest.raises(PluginValidationError, match="unknown hook 'pytest_tau_make_agnet'"):
        pytester.parseconfigure().pluginmanager.check_pending()  # as every session does
