"""Which files become tests, and under which node IDs."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import pytest_tau
from pytest_tau.environment.folders import builtin_root
from tests.plugin.inner import AGENTS, collected, make_shop, mock_run, shop_task, task, write

BUILT_IN = [
    "tau/mock/add_a_task.json::test_task[trial1]",
    "tau/mock/complete_a_task.json::test_task[trial1]",
    "tau/mock/count_my_tasks.json::test_task[trial1]",
    "tau/mock/delete_a_task.json::test_task[trial1]",
    "tau/mock/read_and_dismiss.json::test_task[trial1]",
    "tau/mock/task_for_a_stranger.json::test_task[trial1]",
]


def test_built_in_ids_are_equal_from_every_directory(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert collected(pytester, "--tau-domain=mock") == BUILT_IN
    monkeypatch.chdir(pytester.mkdir("deep"))
    assert collected(pytester, "--tau-domain=mock", f"--rootdir={pytester.path}") == BUILT_IN


def test_own_ids_are_equal_from_every_directory(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]")
    expected = ["tasks/shop/sell_one.json::test_task[trial1]"]
    assert collected(pytester, "--tau-domain=shop") == expected
    monkeypatch.chdir(pytester.path / "domains")
    assert collected(pytester, "--tau-domain=shop") == expected
    assert collected(pytester, "../tasks/shop") == expected
    monkeypatch.chdir("/")
    assert collected(pytester, str(pytester.path / "tasks" / "shop")) == expected


def test_a_root_directory_behind_a_link(pytester: pytest.Pytester) -> None:
    project = pytester.mkdir("project")
    make_shop(project)
    (pytester.path / "link").symlink_to(project, target_is_directory=True)
    result = pytester.runpytest("link/tasks/shop", "--rootdir=link")
    result.assert_outcomes(passed=1)


@pytest.mark.slow
def test_an_installed_package_inside_the_root_directory(pytester: pytest.Pytester) -> None:
    """A wheel holds domains and tasks inside the package, and most virtualenvs lie inside the project."""
    packages = pytester.path / ".venv" / "lib" / "site-packages"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(pytest_tau.__file__).parent, packages / "pytest_tau", ignore=ignore)
    for kind in ("domains", "tasks"):
        shutil.copytree(builtin_root(kind) / "mock", packages / "pytest_tau" / kind / "mock", ignore=ignore)
    write(pytester.path, ".venv/pyvenv.cfg", "home = here\n")
    probe = "import pytest_tau, sys; sys.stderr.write(pytest_tau.__file__)"
    path = os.pathsep.join([str(packages), os.environ.get("PYTHONPATH", "")])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", path)
        assert str(packages) in pytester.run(sys.executable, "-c", probe).stderr.str()
        result = pytester.run(sys.executable, "-m", "pytest", "--tau-domain=mock", "-v", "-n1")
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines_random([f"*PASSED*{nodeid.replace('[', '[[]')}*" for nodeid in BUILT_IN])


def test_a_built_in_id_can_be_given_back(pytester: pytest.Pytester) -> None:
    assert collected(pytester, BUILT_IN[2]) == [BUILT_IN[2]]
    assert collected(pytester, "tau/mock") == BUILT_IN
    assert collected(pytester, "--tau-k=3", "tau/mock/add_a_task.json::test_task[trial3]") == [
        "tau/mock/add_a_task.json::test_task[trial3]"
    ]


def test_a_built_in_path_that_is_not_there(pytester: pytest.Pytester) -> None:
    arg = "tau/mock/nosuch.json"
    result = pytester.runpytest(arg)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: file or directory not found: {arg}"])


def test_k_and_m_select(pytester: pytest.Pytester) -> None:
    assert collected(pytester, "--tau-domain=mock", "-k", "stranger or count") == [BUILT_IN[2], BUILT_IN[5]]
    assert collected(pytester, "--tau-domain=mock", "-m", "refusal and not transfer") == [BUILT_IN[5]]
    assert collected(pytester, "--tau-domain=mock", "--strict-markers", "-m", "information") == [BUILT_IN[2]]


def test_last_failed_runs_exactly_the_trials_that_failed(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    two = ("--tau-tasks=complete_a_task,count_my_tasks", "--tau-k=2")
    agent = "--tau-agent=agents:Completes"
    mock_run(pytester, *two, agent).assert_outcomes(passed=2, failed=2)
    mock_run(pytester, *two, agent, "--lf").assert_outcomes(failed=2)
    mock_run(pytester, *two, "--lf").assert_outcomes(passed=2)
    mock_run(pytester, *two, "--lf").assert_outcomes(passed=4)


def test_collect_only_runs_and_keeps_nothing(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--collect-only")
    result.stdout.fnmatch_lines(
        ["*TaskFile*add_a_task.json*", "*Function test_task[[]trial1[]]*", "*6 tests collected *"]
    )
    result.stdout.no_fnmatch_line("*pass^k*")
    assert not (pytester.path / ".tau").exists()


def test_an_array_puts_the_task_into_the_brackets(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock.json", [task("plain"), task("a[b]|c"), task("d::e/f")])
    expected = [f"tasks/mock.json::test_task[{name}-trial1]" for name in ("plain", "a[b]|c", "d::e/f")]
    assert collected(pytester, "--tau-domain=mock") == expected
    pytester.runpytest(*expected[1:]).assert_outcomes(passed=2)


def test_last_failed_knows_ids_with_brackets(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock.json", [task("plain"), task("a[b]|c")])
    mock_run(pytester, "--tau-agent=noop", "--tau-tasks=a*").assert_outcomes(failed=1)
    mock_run(pytester, "--lf").assert_outcomes(passed=1)


def test_other_peoples_json_is_left_alone(pytester: pytest.Pytester) -> None:
    write(pytester.path, "package.json", {"name": "web"})
    write(pytester.path, "tests/data/broken.json", "{")
    write(pytester.path, "tasks/mock/one.json", task())
    pytester.makepyfile(test_other="def test_other(): pass")
    assert collected(pytester) == ["test_other.py::test_other"]
    assert collected(pytester, "tests") == []
    mock_run(pytester).assert_outcomes(passed=1)


def test_an_explicit_path_is_asked_for_wherever_it_lies(pytester: pytest.Pytester) -> None:
    write(pytester.path, "evals/one.json", task())
    assert collected(pytester, "evals/one.json") == ["evals/one.json::test_task[trial1]"]
    assert collected(pytester, "evals/one.json::test_task[trial1]") == ["evals/one.json::test_task[trial1]"]


def test_a_folder_of_tasks_is_asked_for_by_its_path(pytester: pytest.Pytester) -> None:
    write(pytester.path, "tasks/mock/deep/one.json", task())
    assert collected(pytester, "tasks/mock") == ["tasks/mock/deep/one.json::test_task[trial1]"]


def test_task_dirs_are_collected_in_every_run(pytester: pytest.Pytester) -> None:
    write(pytester.path, "evals/mock/one.json", task())
    write(pytester.path, "others/two.json", {"no": "task"})
    pytester.makeini("[pytest]\ntau_task_dirs = evals")
    assert collected(pytester) == ["evals/mock/one.json::test_task[trial1]"]


def test_the_folder_names_the_domain_where_the_task_does_not(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    nameless = {**shop_task("nameless"), "domain": None, "user_scenario": {"instructions": "A kettle, please."}}
    write(pytester.path, "tasks/shop/sell_one.json", nameless)
    pytester.runpytest("--tau-domain=shop").assert_outcomes(passed=1)


def test_two_domains_may_use_the_same_id(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    write(pytester.path, "tasks/shop.json", [shop_task("same")])
    write(pytester.path, "tasks/mock.json", [task("same")])
    pytester.runpytest("tasks/shop.json", "tasks/mock.json").assert_outcomes(passed=2)


def test_a_tag_that_is_called_as_a_marker_with_arguments_does_nothing_of_its_own(pytester: pytest.Pytester) -> None:
    tags = ["skip", "_x", "usefixtures", "parametrize", "xfail", "tau", "smoke"]
    write(pytester.path, "tasks/mock/one.json", task(tags=tags))
    result = pytester.runpytest("--strict-markers", "-W", "error", "tasks")
    result.assert_outcomes(passed=1)
    assert collected(pytester, "-m", "tag_skip and tag__x and tag_tau and smoke", "tasks")
    assert not collected(pytester, "-m", "skip", "tasks")
