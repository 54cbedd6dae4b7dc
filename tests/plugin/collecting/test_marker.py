"""``@pytest.mark.tau`` for tests written in Python."""

import pytest

from tests.plugin.inner import collected, make_shop, mock_run, rows


def marked(pytester: pytest.Pytester, marker: str, fixture: str = "tau_reward", *, file: str = "test_marked") -> None:
    pytester.makepyfile(
        **{
            file: f"""
        import pytest

        {marker}
        def test_it({fixture}):
            assert {fixture}
    """
        }
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("tasks='add_a_task'", ["add_a_task-trial1"]),
        ("tasks=['count_*', 'add_a_task']", ["add_a_task-trial1", "count_my_tasks-trial1"]),
        ("tasks=1, k=2", ["add_a_task-trial1", "add_a_task-trial2"]),
    ],
)
def test_ids_globs_numbers_and_k(pytester: pytest.Pytester, arguments: str, expected: list[str]) -> None:
    marked(pytester, f"@pytest.mark.tau(domain='mock', {arguments})")
    found = collected(pytester, "--strict-markers")
    assert [nodeid.partition("[")[2].removesuffix("]") for nodeid in found] == expected


def test_all_tasks_and_the_k_of_the_command_line_by_default(pytester: pytest.Pytester) -> None:
    marked(pytester, "@pytest.mark.tau(domain='mock')")
    result = pytester.runpytest("--tau-k=2")
    result.assert_outcomes(passed=12)
    assert rows(result)["mock, test_it"]["trials"] == "12"


def test_a_module_can_be_marked_and_a_class(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        pytestmark = pytest.mark.tau(domain="mock", tasks="add_a_task")

        def test_it(tau_reward):
            assert tau_reward.passed

        @pytest.mark.tau(domain="mock", tasks="count_my_tasks")
        class TestOther:
            def test_it(self, tau_task):
                assert tau_task.id == "count_my_tasks"

        def test_unrelated():
            pass
    """)
    result = pytester.runpytest()
    result.assert_outcomes(passed=3)
    assert rows(result)["mock, test_it"]["trials"] == "1"  # a test that plays no trial has none in the table


def test_the_projects_own_domain(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    marked(pytester, "@pytest.mark.tau(domain='shop')")
    pytester.runpytest().assert_outcomes(passed=1)


def test_tags_are_markers_here_too(pytester: pytest.Pytester) -> None:
    marked(pytester, "@pytest.mark.tau(domain='mock')")
    pytester.runpytest("-m", "refusal").assert_outcomes(passed=2, deselected=4)


def test_other_parameters_come_before_the_trial_and_have_rows_of_their_own(pytester: pytest.Pytester) -> None:
    marked(
        pytester,
        "@pytest.mark.parametrize('tone', ['calm', 'cross'])\n"
        "        @pytest.mark.tau(domain='mock', tasks='add_a_task')",
        "tau_reward, tone",
    )
    result = pytester.runpytest()
    result.assert_outcomes(passed=2)
    assert list(rows(result)) == ["mock, test_it, calm", "mock, test_it, cross", "all"]


WRONG = {
    "": "test_it uses tau fixtures: say of which tasks, as in @pytest.mark.tau(domain='retail')",
    "@pytest.mark.tau": "@pytest.mark.tau takes domain, and maybe tasks and k, by name, as in *",
    "@pytest.mark.tau('mock')": "@pytest.mark.tau takes domain, and maybe tasks and k, by name, as in *",
    "@pytest.mark.tau(domain='mock', task='x')": "@pytest.mark.tau takes domain, and maybe tasks and k, *",
    "@pytest.mark.tau(domain='mock', k=0)": "@pytest.mark.tau: k must be a whole number from 1 up, not 0",
    "@pytest.mark.tau(domain='mock', tasks=0)": "@pytest.mark.tau: tasks must be ids, globs or a number, not 0",
    "@pytest.mark.tau(domain='mock', tasks=[])": "@pytest.mark.tau: tasks must be ids, globs or a number, *",
    "@pytest.mark.tau(domain='mock', tasks='zzz*')": "@pytest.mark.tau: no task of 'mock' matches 'zzz[*]'",
    "@pytest.mark.tau(domain='nosuch')": "there is no domain 'nosuch': built in are *mock*",
}


def test_what_is_wrong_with_a_marker_is_said(pytester: pytest.Pytester) -> None:
    for number, marker in enumerate(WRONG):
        marked(pytester, marker, file=f"test_{number}")
    result = pytester.runpytest()
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.assert_outcomes(errors=len(WRONG))
    for number, sentence in enumerate(WRONG.values()):
        result.stdout.fnmatch_lines([f"*ERROR collecting test_{number}.py*", sentence])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_marked_tests_and_suites_are_rows_of_one_table(pytester: pytest.Pytester) -> None:
    marked(pytester, "@pytest.mark.tau(domain='mock', tasks='add_a_task')")
    result = mock_run(pytester, ".")
    result.assert_outcomes(passed=7)
    assert {name: row["trials"] for name, row in rows(result).items()} == {
        "mock, test_it": "1",
        "mock": "6",
        "all": "7",
    }


def test_an_async_test_that_nothing_runs_is_an_error_and_no_miss(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.mark.tau(domain="mock", tasks="add_a_task")
        async def test_it(tau_reward):
            assert tau_reward.passed
    """)
    result = pytester.runpytest("--tau-agent=noop", "--tau-gate=pass^1 >= 0", "-p", "no:anyio")
    result.assert_outcomes(failed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["*async def functions are not natively supported*", "gate *: FAILED: no gate holds: 0 of 1 *"]
    )
