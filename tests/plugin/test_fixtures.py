"""The ``tau_*`` fixtures, and what an override of them may be; who plays without one: playing/test_requesting.py."""

import pytest

from pytest_tau.schema.record import TrialRecord
from tests.conftest import Shared
from tests.plugin.inner import AGENTS, Found, journal, mock_run, rows, task, write

MARKED = '@pytest.mark.tau(domain="mock", tasks="complete_a_task")\ndef test_{name}({fixture}):\n    {body}\n\n'
BASIS = ["DB", "ENV_ASSERTION", "TRAJECTORY"]
# What each fixture gives.
GIVEN = {
    "tau_task": "assert tau_task.id == 'complete_a_task'",
    "tau_domain": "assert tau_domain is load_domain('mock')",
    "tau_environment": "assert not tau_environment.call('get_users', {}).error",
    "tau_simulation": "assert tau_simulation.termination_reason == 'user_stop'",
    "tau_reward": f"assert tau_reward.passed and tau_reward.basis == {BASIS}",
    "tau_agent": "assert callable(tau_agent)",
    "tau_user": "assert callable(tau_user)",
    "tau_trial": "tau_trial.verify()",
}
ENVIRONMENT = """
@pytest.mark.tau(domain="mock", tasks="complete_a_task")
def test_at_the_tasks_start(tau_environment, tau_reward):
    assert tau_reward.passed
    assert tau_environment.changes() == []
    tau_environment.call("update_task_status", {"task_id": "task_3", "status": "completed"})
    assert len(tau_environment.changes()) == 1

@pytest.mark.tau(domain="mock", tasks="read_and_dismiss")
def test_initial_state(tau_environment):
    assert "notif_2" in tau_environment.call("check_notifications", {}, requestor="user").content
"""


@pytest.fixture(scope="module")
def given(shared_run: Shared) -> Found:
    """A run of tests that use the fixtures as they are, two trials each."""
    tests = [MARKED.format(name=name, fixture=name, body=body) for name, body in GIVEN.items()]
    found = Found()
    with shared_run() as pytester:
        write(pytester.path, "test_it.py", "\n".join(["import pytest\nfrom pytest_tau import load_domain\n", *tests]))
        write(pytester.path, "test_environment.py", f"import pytest\n{ENVIRONMENT}")
        pytester.runpytest("--tau-k=2", plugins=[found])
    return found


def became(found: Found, test: str) -> list[str]:
    """What became of the trials of a test, or of the tests of a folder."""
    return [outcome for nodeid, outcome in found.outcomes.items() if test in nodeid]


@pytest.mark.parametrize("fixture", GIVEN)
def test_each_fixture(given: Found, fixture: str) -> None:
    assert became(given, f"::test_{fixture}[") == ["passed"] * 2


def test_the_environment_is_at_the_tasks_start_and_not_the_trials(given: Found) -> None:
    assert became(given, "::test_at_the_tasks_start[") == ["passed"] * 2


def test_an_initial_state_shows_in_the_environment(given: Found) -> None:
    assert became(given, "::test_initial_state[") == ["passed"] * 2


# Overrides, by the folder whose conftest.py has them: their scope, name and value.
OVERRIDES = {
    "each": ("function", "tau_agent", "agents.Completes"),
    "all": ("session", "tau_agent", "agents.Completes"),
    "itself": ("function", "tau_agent", "agents.Completes(None)"),
    "same_agent": ("session", "tau_agent", "agents.Polite(None)"),
    "same_user": ("session", "tau_user", "agents.Polite(None)"),
    "customer": ("session", "tau_user", "agents.Leaves"),
    "none": ("function", "tau_agent", "None"),
    "number": ("function", "tau_agent", "3"),
    "name": ("function", "tau_agent", "'oracle'"),
}
OVERRIDE = """
    import agents
    import pytest

    @pytest.fixture(scope="{}")
    def {}():
        return {}
"""
OVERRIDDEN = """
    import pytest

    @pytest.mark.tau(domain="mock", tasks=["complete_a_task", "add_a_task"])
    def test_it(tau_reward):
        assert tau_reward.passed
"""
BY_PARAMETER = """
    import agents
    import pytest

    @pytest.mark.tau(domain="mock", tasks=["complete_a_task", "add_a_task"])
    @pytest.mark.parametrize("tau_agent", [agents.Completes, agents.Polite(None)], ids=["class", "object"])
    def test_it(tau_agent, tau_reward):
        assert tau_reward.passed
"""
PARAMETRIZED = """
    import agents
    import pytest

    @pytest.fixture(params=["Completes", "Polite"])
    def tau_agent(request):
        return getattr(agents, request.param)
"""


class Overridden(Found):
    """What a run with overrides found, kept and said."""

    result: pytest.RunResult
    records: list[TrialRecord]
    tables: dict[str, dict[str, str]]

    def players(self, folder: str) -> set[tuple[str, str]]:
        """Who played the trials of a folder."""
        own = [record.simulation for record in self.records if record.nodeid.startswith(f"{folder}/")]
        return {(played.agent, played.user) for played in own if played is not None}


@pytest.fixture(scope="module")
def overridden(shared_run: Shared) -> Overridden:
    """A run of two trials a task of tests with overrides, and of a suite with one."""
    found = Overridden()
    with shared_run() as pytester:
        pytester.syspathinsert()
        pytester.makepyfile(agents=AGENTS)
        for folder, override in OVERRIDES.items():
            write(pytester.path, f"{folder}/conftest.py", OVERRIDE.format(*override))
            write(pytester.path, f"{folder}/test_{folder}.py", OVERRIDDEN)
        write(pytester.path, "evals/conftest.py", PARAMETRIZED)
        write(pytester.path, "evals/two.json", [task("one"), task("two")])
        write(pytester.path, "parameter/test_parameter.py", BY_PARAMETER)
        found.result = pytester.runpytest(*OVERRIDES, "parameter", "evals/two.json", "--tau-k=2", "-v", plugins=[found])
        found.records, found.tables = journal(pytester.path), rows(found.result)
    return found


@pytest.mark.parametrize("folder", ["each", "all", "itself"])
def test_an_override_returns_a_factory_or_in_function_scope_the_agent_itself(
    overridden: Overridden, folder: str
) -> None:
    # That agent completes one of the two tasks.
    assert sorted(became(overridden, f"{folder}/")) == ["failed"] * 2 + ["passed"] * 2
    assert overridden.players(folder) == {("agents:Completes", "scripted")}


@pytest.mark.parametrize("side", ["agent", "user"])
def test_one_object_for_several_trials_is_refused(overridden: Overridden, side: str) -> None:
    assert became(overridden, f"same_{side}/") == ["failed"] * 4
    assert overridden.players(f"same_{side}") == set()
    overridden.result.stdout.fnmatch_lines(
        [f"the fixture tau_{side} has session scope and returns one object with reply(), *"]
    )


def test_a_parameter_of_the_test_may_be_a_factory_too_and_no_object(overridden: Overridden) -> None:
    assert sorted(became(overridden, "parameter/test_parameter.py::test_it[class-")) == ["failed"] * 2 + ["passed"] * 2
    assert became(overridden, "parameter/test_parameter.py::test_it[object-") == ["failed"] * 4
    assert overridden.players("parameter") == {("agents:Completes", "scripted")}
    overridden.result.stdout.fnmatch_lines(["a parameter tau_agent is one object with reply(), which would mix *"])


@pytest.mark.parametrize("folder", ["none", "number", "name"])
def test_an_override_that_returns_no_factory_says_what_it_must_be(overridden: Overridden, folder: str) -> None:
    assert became(overridden, f"{folder}/") == ["failed"] * 4
    value = OVERRIDES[folder][2]
    overridden.result.stdout.fnmatch_lines([f"the fixture tau_agent is {value}: it must be a callable that returns *"])
    overridden.result.stdout.no_fnmatch_line("*Traceback*")


def test_an_override_of_the_user(overridden: Overridden) -> None:
    assert became(overridden, "customer/") == ["failed"] * 4
    assert overridden.players("customer") == {("oracle", "agents:Leaves")}


def test_a_parametrized_agent_has_a_row_of_its_own_for_each_parameter(overridden: Overridden) -> None:
    table = overridden.tables
    assert {name: (table[name]["tasks"], table[name]["trials"], table[name]["pass^2"][:5]) for name in PARAMETERS} == {
        "mock, Completes": ("2", "4", "100.0"),
        "mock, Polite": ("2", "4", "0.0 %"),
    }
    assert overridden.outcomes["evals/two.json::test_task[Polite-two-trial2]"] == "failed"
    assert overridden.outcomes["evals/two.json::test_task[Completes-two-trial2]"] == "passed"


PARAMETERS = ("mock, Completes", "mock, Polite")


def test_an_override_holds_for_built_in_suites_and_comes_before_a_hook_and_an_ini_value(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeini("[pytest]\ntau_agent = noop")
    pytester.makeconftest("""
        import pytest
        from agents import Completes, Polite

        def pytest_tau_make_agent(item):
            return Polite

        @pytest.fixture
        def tau_agent():
            return Completes
    """)
    result = mock_run(pytester, "--tau-tasks=complete_a_task")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*; agent from the fixture tau_agent; *", "agent: agents:Completes   user: scripted"])


def test_a_fixture_of_a_trial_that_is_asked_for_too_late_is_told_in_a_sentence(pytester: pytest.Pytester) -> None:
    """getfixturevalue comes when the trials have been made, so there is none for such a test."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks=1)
        def test_late(request):
            request.getfixturevalue("tau_reward")
    """)

    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*getfixturevalue comes too late for a tau fixture:*"])
    result.stdout.no_fnmatch_line("*SubRequest*")


def test_a_test_that_pytest_gives_no_parameters_is_told_so(pytester: pytest.Pytester) -> None:
    """It is no trial: nothing counts it, and the trials beside it are played."""
    pytester.makepyfile("""
        import unittest

        import pytest

        pytestmark = pytest.mark.tau(domain="mock", tasks="complete_a_task")

        @pytest.mark.usefixtures("tau_reward")
        class TestOld(unittest.TestCase):
            def test_old(self):
                pass

        def test_new(tau_reward):
            assert tau_reward.passed
    """)

    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "unittest")

    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["pytest cannot run this test once for each trial, as it gives no parameters to *"])
    result.stdout.fnmatch_lines(["| mock, test_new |     1 |      1 | *"])
