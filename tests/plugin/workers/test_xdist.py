"""Workers: the same results as in one process, and what is kept when one of them dies."""

from collections import Counter

import pytest

from tests.plugin.inner import AGENTS, apart, journal, rows, workers

FAULTY = ("--tau-domain=mock", "--tau-agent=faulty:rate=0.5", "--tau-k=3", "-v")


@pytest.mark.slow
def test_the_same_tables_as_without_workers(pytester: pytest.Pytester) -> None:
    one, two = pytester.runpytest(*FAULTY), apart(pytester, *FAULTY, "-n2")
    assert rows(two) == rows(one) != {}
    assert sorted(rows(two, "task").items()) == sorted(rows(one, "task").items())
    assert len(journal(pytester.path)) == 18
    assert two.ret == one.ret == pytest.ExitCode.TESTS_FAILED


def test_gates_tables_and_hooks_of_the_controller_see_every_trial_once(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    pytester.makeconftest("""
        def pytest_tau_trial_finished(config, trial):
            assert not hasattr(config, "workerinput")
            with open("trials.txt", "a") as file:
                file.write(f"{trial.task_id}\\n")

        def pytest_tau_summary(summary, terminalreporter):
            terminalreporter.write_line(f"{summary.done()} trials in all")
    """)
    tasks = "--tau-tasks=complete_a_task,count_my_tasks"  # the first is passed and the second missed
    result = workers(
        pytester, "--tau-domain=mock", tasks, "--tau-agent=agents:Completes", "--tau-k=2", "--tau-gate=pass^1 >= 50 %"
    )
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines_random(
        [
            "4 trials in all",
            "*MISSED tau/mock/count_my_tasks.json*",
            "gate pass^1 >= 50 %: HELD: *",
            "*2 passed, 2 missed*",
        ]
    )
    assert rows(result)["mock"]["missed"] == "2"
    assert len((pytester.path / "trials.txt").read_text(encoding="utf-8").splitlines()) == 4


@pytest.mark.slow
def test_trials_of_a_marker_are_not_played_by_every_worker(pytester: pytest.Pytester) -> None:
    """Which tests have one, nobody knows before they are collected."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks=1)
        def test_it(tau_reward): assert tau_reward.passed
    """)
    result = apart(pytester, "-n2", "--dist=each")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: --dist each plays every trial on every worker: *"])
    assert journal(pytester.path) == []


@pytest.mark.slow
def test_a_worker_that_dies_costs_one_trial(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = workers(pytester, "--tau-domain=mock", "--tau-agent=agents:Dies", "--tau-k=2", "-v")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.no_fnmatch_line("*INTERNALERROR*")
    row = rows(result)["mock"]
    assert (row["tasks"], row["trials"], row["missed"], row["infra"]) == ("6", "12 (!)", "11", "1")
    outcomes = Counter(record.outcome.value for record in journal(pytester.path))
    assert outcomes == {"missed": 11, "infra_error": 1}


@pytest.mark.slow
def test_other_peoples_parameters_called_trial_are_not_ours(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        test_other="""
            import pytest

            @pytest.mark.parametrize("n", ["a-trial1", "trial2"])
            def test_other(n):
                assert n == "trial2"
        """
    )
    result = workers(pytester, "--tau-domain=mock", ".")
    result.assert_outcomes(passed=7, failed=1)
    assert {name: row["trials"] for name, row in rows(result).items()} == {"mock": "6"}
    result.stdout.no_fnmatch_line("*not run*")
