"""The ``pytest_tau_*`` hooks, each by its effect; the examples in their docstrings are what is run."""

import textwrap

import pytest

from tests.plugin.inner import AGENTS, collected, example, journal, make_shop, mock_run, outcomes

ONE = "--tau-tasks=complete_a_task"


def test_register_domains(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path / "elsewhere")
    code = example("pytest_tau_register_domains").replace("/srv/eval", str(pytester.path / "elsewhere"))
    pytester.makeconftest(code)
    result = pytester.runpytest("--tau-domain=shop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: shop (registered); *"])


def test_register_domains_that_are_not_there(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_register_domains"))
    result = pytester.runpytest("--tau-domain=shop")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: there is no suite of tasks 'shop': *"])


def test_modify_tasks(pytester: pytest.Pytester) -> None:
    code = example("pytest_tau_modify_tasks").replace('"slow"', '"write"')
    pytester.makeconftest(code)
    found = collected(pytester, "--tau-domain=mock")
    assert [nodeid.split("/")[2].split(".")[0] for nodeid in found] == [
        "count_my_tasks",
        "delete_a_task",
        "task_for_a_stranger",
    ]


def test_make_agent(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_make_agent"))
    result = mock_run(pytester, ONE)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*; agent from pytest_tau_make_agent; *", "agent: conftest:MyAgent   *"])


def test_make_agent_of_the_nearest_conftest_wins(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    make_shop(pytester.path)
    pytester.makeconftest("def pytest_tau_make_agent(item):\n    from agents import Completes\n    return Completes")
    (pytester.path / "tasks/shop/conftest.py").write_text(
        "def pytest_tau_make_agent(item):\n    from agents import Polite\n    return Polite"
    )
    mock_run(pytester, ONE).assert_outcomes(passed=1)
    result = pytester.runpytest("--tau-domain=shop")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["agent: agents:Polite *"])


def test_make_user(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_make_user"))
    mock_run(pytester, ONE).assert_outcomes(failed=1)
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.user == "conftest:Impatient"


@pytest.mark.parametrize("hook", ["make_agent", "make_user"])
def test_what_is_no_factory_is_refused(pytester: pytest.Pytester, hook: str) -> None:
    pytester.makeconftest(f"def pytest_tau_{hook}(item): return 3")
    result = mock_run(pytester, ONE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*from pytest_tau_{hook} is 3: it must be a callable that returns an object*"])


def test_grade(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_grade").replace("<= 40", "<= 4"))
    result = mock_run(pytester, ONE)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  SHORT: MISSED"])
    [record] = journal(pytester.path)
    assert record.reward is not None
    assert record.reward.basis == ["DB", "ENV_ASSERTION", "TRAJECTORY", "SHORT"]


def test_classify_error(pytester: pytest.Pytester) -> None:
    agent = """
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
    pytester.makeconftest(agent)
    mock_run(pytester, ONE)
    assert outcomes(pytester.path) == {"complete_a_task": "error"}
    pytester.makeconftest(textwrap.dedent(agent) + example("pytest_tau_classify_error"))
    mock_run(pytester, ONE)
    assert outcomes(pytester.path) == {"complete_a_task": "infra_error"}


def test_classify_error_may_call_a_providers_fault_a_bug(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("def pytest_tau_classify_error(exception): return False")
    mock_run(pytester, ONE, "--tau-agent=agents:Provider")
    assert outcomes(pytester.path) == {"complete_a_task": "error"}


def test_trial_finished(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_trial_finished"))
    mock_run(pytester, "--tau-tasks=add_*,count_*", "--tau-k=2")
    assert (pytester.path / "trials.txt").read_text(encoding="utf-8").splitlines() == [
        "add_a_task 1 passed",
        "add_a_task 2 passed",
        "count_my_tasks 1 passed",
        "count_my_tasks 2 passed",
    ]


def test_summary(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(example("pytest_tau_summary"))
    mock_run(pytester, "-q").stdout.fnmatch_lines(["6 trials went to the data warehouse"])


def test_a_misspelt_hook_is_refused_by_pytest(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("def pytest_tau_make_agnet(item): pass")
    assert "unknown hook 'pytest_tau_make_agnet'" in str(mock_run(pytester).errlines + mock_run(pytester).outlines)
