"""Who of the project names the players, and which tests that reaches."""

import re
from collections.abc import Callable

import pytest

from pytest_tau.plugin.playing.sources import from_project, out_of_reach, source_of, suites
from pytest_tau.plugin.reporting.header import player_told
from pytest_tau.plugin.run import Run, run_of
from tests.plugin.inner import mock_run, task, workers, write
from tests.plugin.parts import configure

FIXTURE = "import pytest\n\n@pytest.fixture\ndef tau_{}():\n    pass"
HOOK = "def pytest_tau_make_{}(item):\n    pass"
NOOP = """
import pytest
from pytest_tau.agents.noop import Noop

@pytest.fixture(scope="session")
def tau_agent():
    return Noop
"""
MARKED = "import pytest\n\n@pytest.mark.tau(domain='mock', tasks=1)\ndef test_mine(tau_simulation):\n    pass"


def a_run(pytester: pytest.Pytester, *args: str) -> Run:
    return Run(pytester.parseconfig(*args))


@pytest.mark.parametrize("side", ["agent", "user"])
def test_a_project_gives_its_players_unless_the_command_line_names_them(pytester: pytest.Pytester, side: str) -> None:
    assert from_project(a_run(pytester), side) is None
    pytester.makeconftest(HOOK.format(side))
    assert from_project(a_run(pytester), side) == f"pytest_tau_make_{side}"
    pytester.makeini(f"[pytest]\ntau_{side} = named")
    assert from_project(a_run(pytester), side) == f"pytest_tau_make_{side}"  # comes before an ini value
    assert from_project(a_run(pytester, f"--tau-{side}=named"), side) is None
    assert from_project(a_run(pytester, f"--tau-{side}-llm=openai/x"), side) is None


def test_a_fixture_is_named_as_such(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(FIXTURE.format("agent"))
    run = a_run(pytester)
    assert from_project(run, "agent") == "the fixture tau_agent"
    assert from_project(run, "user") is None


def test_a_fixture_below_the_root_holds_for_the_suites_below_it_also_before_pytest_has_read_it(
    pytester: pytest.Pytester,
) -> None:
    write(pytester.path, "tasks/mine/conftest.py", FIXTURE.format("agent"))
    write(pytester.path, "tasks/mine/one.json", task())
    run = run_of(configure(pytester, "--tau-domain=mine,mock"))
    files = suites(run)
    assert [*files] == ["mine", "mock"]
    assert str(source_of(run, "agent", files["mine"])) == "the fixture tau_agent of tasks/mine/conftest.py"
    assert source_of(run, "agent", files["mock"]) is None
    assert from_project(run, "agent") == "the fixture tau_agent of tasks/mine/conftest.py"
    assert out_of_reach(run) == []


def test_a_file_beside_a_domain_is_a_suite_of_its_own(pytester: pytest.Pytester) -> None:
    write(pytester.path, "evals/conftest.py", FIXTURE.format("agent"))
    write(pytester.path, "evals/one.json", task())
    run = run_of(configure(pytester, "evals/one.json", "--tau-domain=mock"))
    assert player_told(run, "agent") == "from the fixture tau_agent of evals/conftest.py (evals), oracle (mock)"


def test_who_plays_each_suite_stands_in_the_header(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mine/conftest.py", NOOP)
    write(pytester.path, "tasks/mine/one.json", task())
    mixed = mock_run(pytester, "--tau-domain=mine,mock", "--tau-tasks=one,add_a_task")
    player = "from the fixture tau_agent of tasks/mine/conftest.py (mine), oracle (mock)"
    mixed.stdout.fnmatch_lines(
        [
            f"tau: *; agent {player}; user scripted; *",
            "(!) The row mock mixes trials of several agents: oracle, pytest_tau.agents.noop:Noop.",
        ]
    )
    mixed = mock_run(pytester, "--tau-domain=mine,retail", "--tau-tasks=1")
    mixed.stdout.fnmatch_lines(["Different agents, so no row for all: *Noop played mock; oracle played retail."])
    mixed.stdout.no_fnmatch_line("| all *")


def test_who_plays_what_arguments_name_stands_in_the_header_too(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mine/conftest.py", NOOP)
    write(pytester.path, "tasks/mine/one.json", task())
    write(pytester.path, "tests/test_other.py", "def test_other(): pass")
    named = pytester.runpytest("tau/mock/add_a_task.json", "tasks/mine", "tests")
    player = "oracle (tau/mock), from the fixture tau_agent of tasks/mine/conftest.py (tasks/mine)"
    named.stdout.re_match_lines([rf"tau: .*; k 1; agent {re.escape(player)}; user scripted; .*", "rootdir: .*"])
    own = pytester.runpytest("tasks/mine")  # which only its file makes a run of this plugin
    own.stdout.fnmatch_lines(["collected 1 item", "tau: tasks/mine; k 1; agent from the fixture tau_agent of *"])
    other = pytester.runpytest("tests", "-otau_domain=mock")
    other.stdout.no_fnmatch_line("tau: *")


def test_a_fixture_that_no_test_of_the_run_can_see_is_warned_of_and_does_not_stand_for_an_agent(
    pytester: pytest.Pytester,
) -> None:
    write(pytester.path, "tests/conftest.py", NOOP)
    result = mock_run(pytester, "--tau-tasks=1")
    result.stdout.fnmatch_lines(
        [
            "tau: *; agent oracle; *",
            "tau: (!) the fixture tau_agent of tests/conftest.py plays no trial of this run: it holds for tests in *",
            "| mock *",
            "(!) the fixture tau_agent of tests/conftest.py plays no trial of this run: *",
        ]
    )
    refused = mock_run(pytester, "--tau-tasks=1", "--tau-gate=pass^1 >= 0.5")
    assert refused.ret == pytest.ExitCode.USAGE_ERROR
    refused.stderr.fnmatch_lines(["ERROR: gates and baselines need an agent*; (!) the fixture tau_agent of tests/*"])


def test_a_fixture_whose_tests_are_no_trials_is_warned_of_at_collection(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tests/conftest.py", NOOP)
    write(pytester.path, "tests/test_other.py", "def test_other(): pass")
    told = "tau: (!) the fixture tau_agent of tests/conftest.py plays no trial of this run*"
    args = ("tests/test_other.py", "--tau-tasks=1")
    mock_run(pytester, *args).stdout.fnmatch_lines(["collected *", told])
    write(pytester.path, "tests/test_mine.py", MARKED)
    mock_run(pytester, "tests", "--tau-tasks=1").stdout.no_fnmatch_line(told)


@pytest.mark.parametrize("run", [pytest.Pytester.runpytest, workers])
def test_a_fixture_of_another_project_beside_the_root_plays_no_trial(
    pytester: pytest.Pytester, run: Callable[..., pytest.RunResult]
) -> None:
    for name in ("left", "right"):
        write(pytester.path, f"{name}/pytest.ini", "[pytest]\ntau_task_dirs = tasks")
        write(pytester.path, f"{name}/conftest.py", NOOP)
        write(pytester.path, f"{name}/tasks/mine/one.json", task())
    result = run(pytester, "left", "right", "--tau-k=1")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*the fixture tau_agent of */right/conftest.py would play this trial of another*"])
