"""The ``tau_*`` fixtures, and who decides which agent plays."""

import pytest

from tests.plugin.inner import AGENTS, mock_run, rows, task, write

MARKED = """
    import pytest
    from pytest_tau import load_domain

    @pytest.mark.tau(domain="mock", tasks="complete_a_task")
    {test}
"""
BASIS = ["DB", "ENV_ASSERTION", "TRAJECTORY"]
ONE = "--tau-tasks=complete_a_task"


def run_test(pytester: pytest.Pytester, test: str, *args: str) -> pytest.RunResult:
    pytester.makepyfile(test_it=MARKED.format(test=test.replace("\n", "\n    ")))
    return pytester.runpytest("test_it.py", *args)


@pytest.mark.parametrize(
    "test",
    [
        "def test_it(tau_task): assert tau_task.id == 'complete_a_task'",
        "def test_it(tau_domain): assert tau_domain is load_domain('mock')",
        "def test_it(tau_environment): assert not tau_environment.call('get_users', {}).error",
        "def test_it(tau_simulation): assert tau_simulation.termination_reason == 'user_stop'",
        f"def test_it(tau_reward): assert tau_reward.passed and tau_reward.basis == {BASIS}",
        "def test_it(tau_agent): assert callable(tau_agent)",
        "def test_it(tau_user): assert callable(tau_user)",
        "def test_it(tau_trial): tau_trial.verify()",
    ],
)
def test_each_fixture(pytester: pytest.Pytester, test: str) -> None:
    run_test(pytester, test).assert_outcomes(passed=1)


def test_the_environment_is_at_the_tasks_start_and_not_the_trials(pytester: pytest.Pytester) -> None:
    test = """def test_it(tau_environment, tau_reward):
        assert tau_reward.passed
        assert tau_environment.changes() == []
        tau_environment.call("update_task_status", {"task_id": "task_3", "status": "completed"})
        assert len(tau_environment.changes()) == 1
    """
    run_test(pytester, test, "--tau-k=2").assert_outcomes(passed=2)


def test_an_initial_state_shows_in_the_environment(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="read_and_dismiss")
        def test_it(tau_environment):
            assert "notif_2" in tau_environment.call("check_notifications", {}, requestor="user").content
    """)
    pytester.runpytest().assert_outcomes(passed=1)


@pytest.mark.parametrize("scope", ["function", "session"])
def test_an_override_in_conftest_returns_a_factory(pytester: pytest.Pytester, scope: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(f"""
        import pytest
        from agents import Completes

        @pytest.fixture(scope="{scope}")
        def tau_agent():
            return Completes
    """)
    result = mock_run(pytester, "--tau-tasks=complete_a_task,add_a_task", "--tau-k=2")
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["*; agent from the fixture tau_agent; *", "agent: agents:Completes   user: scripted"])


def test_an_override_of_function_scope_may_return_the_agent_itself(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("""
        import pytest
        from agents import Completes

        @pytest.fixture
        def tau_agent():
            return Completes(None)
    """)
    mock_run(pytester, ONE, "--tau-k=2").assert_outcomes(passed=2)


@pytest.mark.parametrize("name", ["tau_agent", "tau_user"])
def test_one_object_for_several_trials_is_refused(pytester: pytest.Pytester, name: str) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(f"""
        import pytest
        from agents import Polite

        @pytest.fixture(scope="session")
        def {name}():
            return Polite(None)
    """)
    result = mock_run(pytester, ONE, "--tau-k=2")
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines([f"the fixture {name} has session scope and returns one object with reply(), *"])


def test_an_override_that_returns_no_factory_says_what_it_must_be(pytester: pytest.Pytester) -> None:
    values = ("None", "3", "'oracle'")
    for number, value in enumerate(values):
        fixture = f"@pytest.fixture\ndef tau_agent():\n    return {value}\n"
        test = "@pytest.mark.tau(domain='mock', tasks=1)\ndef test_it(tau_reward):\n    pass\n"
        write(pytester.path, f"test_{number}.py", f"import pytest\n\n{fixture}\n{test}")
    result = pytester.runpytest()
    result.assert_outcomes(errors=3)
    for value in values:
        result.stdout.fnmatch_lines([f"the fixture tau_agent is {value}: it must be a callable that returns *"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_an_override_of_the_user(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("""
        import pytest
        from agents import Leaves

        @pytest.fixture(scope="session")
        def tau_user():
            return Leaves
    """)
    mock_run(pytester, ONE).assert_outcomes(failed=1)
    mock_run(pytester, ONE, "--tau-user=scripted").assert_outcomes(passed=1)


def test_command_line_fixture_hook_ini_oracle(pytester: pytest.Pytester) -> None:
    """Each is taken away in turn; what plays then is what comes next."""

    def agent(*args: str) -> str:
        line = next(line for line in mock_run(pytester, ONE, *args).outlines if line.startswith("agent: "))
        return line.removeprefix("agent: ").split(" ")[0]

    hook = "from agents import Completes, Polite\ndef pytest_tau_make_agent(item): return Polite\n"
    fixture = "import pytest\n@pytest.fixture\ndef tau_agent(): return Completes\n"
    pytester.makepyfile(agents=AGENTS)
    pytester.makeini("[pytest]\ntau_agent = noop")
    pytester.makeconftest(hook + fixture)
    assert agent("--tau-agent=faulty") == "faulty"
    assert agent() == "agents:Completes"
    pytester.makeconftest(hook)
    assert agent() == "agents:Polite"
    pytester.makeconftest("")
    assert agent() == "noop"
    pytester.makeini("[pytest]")
    assert agent() == "oracle"


def test_a_parametrized_agent_has_a_row_of_its_own_for_each_parameter(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("""
        import pytest
        import agents

        @pytest.fixture(params=["Completes", "Polite"])
        def tau_agent(request):
            return getattr(agents, request.param)
    """)
    write(pytester.path, "tasks/mock/two.json", [task("one"), task("two")])
    result = mock_run(pytester, "--tau-k=2", "-v")
    result.assert_outcomes(passed=4, failed=4)
    table = rows(result)
    assert {name: (row["tasks"], row["trials"], row["pass^2"][:5]) for name, row in table.items()} == {
        "mock, Completes": ("2", "4", "100.0"),
        "mock, Polite": ("2", "4", "0.0 %"),
        "all": ("4", "8", "50.0 "),
    }
    result.stdout.fnmatch_lines_random(["*::test_task[[]Polite-two-trial2[]] FAILED*"])
