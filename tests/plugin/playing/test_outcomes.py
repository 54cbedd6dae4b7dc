"""What becomes of a trial, and what a reader is shown of it."""

import pytest

from tests.plugin.inner import AGENTS, journal, mock_run, outcomes, rows, task, write

ONE = "--tau-tasks=complete_a_task"


AGENT = [
    ("Completes", "passed", "*9 failed, 1 passed*"),
    ("Polite", "missed", "missed DB, ENV_ASSERTION (reward 0, ended by user_stop)"),
    ("Faults", "missed", "*the agent gave up*"),
    ("Provider", "infra_error", "InfraError: the provider is down"),
    ("Raises", "error", "agents.py:*: ValueError"),
    ("Asserts", "error", "agents.py:*: AssertionError"),
    ("Broken", "error", "agents.py:*: ValueError"),
    ("Numbers", "error", "Numbers.reply() returned int; return AssistantMessage or str"),
    ("nothing", "error", "the agent factory *nothing returned 3; it must return an object with reply*"),
    ("Strange", "missed", '*get_users(x="<object object at *>")*'),
]


def test_of_an_agent(pytester: pytest.Pytester) -> None:
    """A trial for each of the agents."""
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest(f"""
        import agents

        def pytest_tau_make_agent(item):
            trial = int(item.name.rpartition("trial")[2].removesuffix("]"))
            return getattr(agents, {[name for name, *_ in AGENT]!r}[trial - 1])
    """)
    result = mock_run(pytester, ONE, f"--tau-k={len(AGENT)}")
    assert [record.outcome.value for record in journal(pytester.path)] == [outcome for _, outcome, _ in AGENT]
    for trial, (_, outcome, shown) in enumerate(AGENT, 1):
        heading = [f"*_ mock/complete_a_task, trial {trial} _*"] if outcome != "passed" else []
        result.stdout.fnmatch_lines([*heading, shown])
    assert "pytest_tau/" not in result.stdout.str().replace("\\", "/")  # no frame of ours


def test_an_async_agents_traceback_is_of_its_code_too(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        agents=AGENTS.replace(
            "def reply(self, messages):\n        raise ValueError",
            "async def reply(self, messages):\n        raise ValueError",
        )
    )
    result = mock_run(pytester, ONE, "--tau-agent=agents:Raises")
    result.stdout.fnmatch_lines([">       raise ValueError(*", "agents.py:*: ValueError"])
    result.stdout.no_fnmatch_line("*asyncio*")


def test_invalid_when_the_customer_breaks_the_rules(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, ONE, "--tau-user=agents:Silent")
    result.assert_outcomes(failed=1)
    assert outcomes(pytester.path) == {"complete_a_task": "invalid"}
    assert rows(result)["mock"]["invalid"] == "1"


def test_ungraded_is_neither_passed_nor_missed(pytester: pytest.Pytester) -> None:
    criteria = {**task()["evaluation_criteria"], "nl_assertions": ["It was kind."]}
    criteria["reward_basis"] = ["DB", "NL_ASSERTION"]
    write(pytester.path, "tasks/mock/one.json", task(evaluation_criteria=criteria))
    result = mock_run(pytester, "-v")
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["*UNGRADED*", "*1 trial waits for a judge (NL_ASSERTION)*", "*1 ungraded*"])
    assert outcomes(pytester.path) == {"one": "ungraded"}
    mock_run(pytester, "--tau-agent=noop").assert_outcomes(failed=1)
    assert outcomes(pytester.path) == {"one": "missed"}  # what is missed needs no judge


BODIES = {
    "assert tau_simulation.steps == 0": "missed",
    "pytest.fail('not like this') if tau_simulation.steps else None": "missed",
    "tau_simulation.nosuch": "error",
    "assert tau_simulation.steps > 0": "passed",
}


def test_of_a_test_of_yours(pytester: pytest.Pytester) -> None:
    tests = [
        f"@pytest.mark.tau(domain='mock', tasks='add_a_task')\ndef test_{number}(tau_simulation):\n    {body}\n"
        for number, body in enumerate(BODIES)
    ]
    pytester.makepyfile(test_it="import pytest\n\n" + "\n".join(tests))
    result = pytester.runpytest()
    assert [record.outcome.value for record in journal(pytester.path)] == list(BODIES.values())
    assert all(rows(result)[f"mock, test_{number}"]["trials"][0] == "1" for number in range(len(BODIES)))


@pytest.mark.parametrize(
    ("argument", "body", "played"),
    [("tau_simulation", "pytest.skip('not today')", 1), ("tau_trial, tau_task", "pass", 0)],
)
def test_a_test_without_verdict_on_a_trial_counts_for_none(
    pytester: pytest.Pytester, argument: str, body: str, played: int
) -> None:
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        def test_it({argument}):
            {body}
    """)
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.OK
    assert rows(result) == {}
    # What was played and perhaps paid for is kept all the same.
    assert (pytester.path / ".tau").exists() == (played > 0)
    assert played == 0 or len(journal(pytester.path)) == played


def test_an_assertion_that_fails_in_a_fixture_is_an_error_not_a_miss(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def strict(tau_trial):
            assert tau_trial.simulation.steps == 0

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        def test_it(strict):
            pass
    """)
    pytester.runpytest().assert_outcomes(errors=1)
    assert outcomes(pytester.path) == {"add_a_task": "error"}


def test_what_could_not_be_put_into_json_is_kept_as_text(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    mock_run(pytester, ONE, "--tau-agent=agents:Strange")
    [record] = journal(pytester.path)
    assert record.simulation is not None
    calls = [call for message in record.simulation.messages for call in getattr(message, "tool_calls", None) or []]
    assert calls[0].arguments["x"].startswith("<object object")


def test_the_denominator_is_told(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("""
        import agents

        def pytest_tau_make_agent(item):
            return agents.Provider if "trial2" in item.name else agents.Completes
    """)
    result = mock_run(pytester, ONE, "--tau-k=2")
    result.assert_outcomes(passed=1, failed=1)
    assert rows(result)["mock"]["infra"] == "1"
    result.stdout.fnmatch_lines(
        ["(!) The table leaves out 1 infra*; had they all missed … passed: pass^1 50.0 … 100.0 %*"]
    )
