"""``--tau-split``."""

import json
import shutil

import pytest

from pytest_tau.environment.folders import builtin_folder
from tests.options.usage import refused
from tests.plugin.inner import mock_run
from tests.plugin.parts import mock_play, nodeids
from tests.shared import shared


def count(pytester: pytest.Pytester, *args: str) -> int:
    return len(nodeids(pytester, "--tau-domain=retail", f"--tau-data={shared('tau2')}", *args))


def test_a_split_of_the_public_data(pytester: pytest.Pytester) -> None:
    splits = json.loads(shared("tau2", "domains", "retail", "split_tasks.json").read_text(encoding="utf-8"))
    assert count(pytester, "--tau-split=test") == len(splits["test"])
    assert count(pytester) == len(splits["base"])


def test_a_split_that_is_not_there_names_those_that_are(pytester: pytest.Pytester) -> None:
    result = mock_play(pytester, f"--tau-data={shared('tau2')}", "--tau-split=nosuch")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*split_tasks.json: there is no split 'nosuch'; it has *base*"])


def own_suite(pytester: pytest.Pytester, **splits: list[str]) -> None:
    """A project whose suite is the built-in to-do list's, with splits."""
    folder = pytester.mkdir("tasks") / "mock"
    shutil.copytree(builtin_folder("tasks", "mock"), folder)
    (folder / "split_tasks.json").write_text(json.dumps(splits), encoding="utf-8")


def ids(pytester: pytest.Pytester, *args: str) -> list[str]:
    return sorted(name.rpartition("/")[2].partition(".json")[0] for name in nodeids(pytester, *args))


def test_of_an_own_suite_the_core_is_played_and_the_rest_when_it_is_asked_for(pytester: pytest.Pytester) -> None:
    own_suite(pytester, core=["add_a_task"], base=["add_a_task", "count_my_tasks", "delete_a_task"])
    assert ids(pytester, "--tau-domain=mock") == ["add_a_task"]
    assert ids(pytester, "--tau-domain=mock", "--tau-split=base") == ["add_a_task", "count_my_tasks", "delete_a_task"]
    # What is named itself is played, whatever split it is in.
    assert ids(pytester, "--tau-domain=mock", "--tau-tasks=read_and_dismiss") == ["read_and_dismiss"]
    assert ids(pytester, "tasks/mock/read_and_dismiss.json") == ["read_and_dismiss"]


def test_the_header_says_which_split(pytester: pytest.Pytester) -> None:
    own_suite(pytester, core=["add_a_task"], base=["add_a_task", "count_my_tasks"])
    result = mock_run(pytester)
    result.stdout.fnmatch_lines(["tau: mock (of this project, split core: 1 task; --tau-split base plays all 2); *"])


def test_the_header_names_tasks_of_the_split_that_are_not_there(pytester: pytest.Pytester) -> None:
    own_suite(pytester, core=["add_a_task", "gone"], base=["add_a_task", *(f"gone{number}" for number in range(7))])
    core, base = (mock_run(pytester, *args) for args in ((), ("--tau-split=base",)))
    assert "tau: (!) mock: the split core names a task that is not there: gone" in core.outlines
    few = "gone0, gone1, gone2, gone3, gone4 and 2 more"
    assert f"tau: (!) mock: the split base names tasks that are not there: {few}" in base.outlines


@pytest.mark.slow
def test_workers_play_the_same_split_where_the_ini_file_names_the_domain(pytester: pytest.Pytester) -> None:
    own_suite(pytester, core=["add_a_task", "count_my_tasks"])
    pytester.makeini("[pytest]\ntau_domain = mock")
    result = pytester.runpytest_inprocess("-n1")
    result.assert_outcomes(passed=2)


def test_a_split_that_an_own_suite_does_not_have_is_a_usage_error(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-split=test").fnmatch_lines(
        ["ERROR: *mock: there is no split 'test', because there is no split_tasks.json *"]
    )
