"""``--tau-domain``."""

import pytest

from tests.options.usage import assert_refused, refused
from tests.plugin.inner import make_shop, mock_run, rows, shop_task, write
from tests.plugin.parts import mock_play, nodeids, play


def test_runs_a_built_in_suite_from_an_empty_folder(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester)
    result.assert_outcomes(passed=6)
    result.stdout.fnmatch_lines(["tau: mock (built in); k 1; agent oracle; user scripted; mode default; seed 300"])
    assert rows(result)["mock"]["tasks"] == "6"


def test_runs_the_projects_own_suite(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    result = play(pytester, "--tau-domain=shop")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["tau: shop (of this project); *"])


def test_takes_several_in_their_order(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    result = play(pytester, "--tau-domain=shop, mock")
    result.assert_outcomes(passed=7)
    assert list(rows(result)) == ["shop", "mock", "all"]
    assert rows(result)["all"]["trials"] == "7"


def test_one_file_can_hold_a_suite(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    (pytester.path / "tasks/shop").rename(pytester.path / "elsewhere")
    write(pytester.path, "tasks/shop.json", [shop_task("a"), shop_task("b")])
    assert nodeids(pytester, "--tau-domain=shop") == [
        "tasks/shop.json::test_task[a-trial1]",
        "tasks/shop.json::test_task[b-trial1]",
    ]


def test_replaces_the_current_folder_and_adds_to_named_ones(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_other="def test_other(): pass")
    mock_play(pytester).assert_outcomes(passed=6)
    mock_run(pytester, "test_other.py").assert_outcomes(passed=7)


def test_ini_twin(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    pytester.makeini("[pytest]\ntau_domain = shop")
    play(pytester).assert_outcomes(passed=1)
    mock_play(pytester).assert_outcomes(passed=6)


def test_paths_on_the_command_line_come_before_the_ini_twin(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_domain = mock")
    pytester.makepyfile(test_other="def test_other(): pass")
    pytester.runpytest("test_other.py").assert_outcomes(passed=1)
    play(pytester, "tau/mock/add_a_task.json").assert_outcomes(passed=1)


def test_bad_values_are_usage_errors(pytester: pytest.Pytester) -> None:
    assert_refused("domain", " , ", "must name at least one")
    refused(pytester, "--tau-domain=nosuch").fnmatch_lines(
        ["*there is no suite of tasks 'nosuch': built in are * mock, *; your own lives in tasks/nosuch"]
    )


def test_a_domain_without_tasks_says_where_they_go(pytester: pytest.Pytester) -> None:
    make_shop(pytester.path)
    (pytester.path / "tasks/shop/sell_one.json").unlink()
    (pytester.path / "tasks/shop").rmdir()
    refused(pytester, "--tau-domain=shop").fnmatch_lines(
        ["ERROR: the domain 'shop' has no tasks: put task files (*.json) into *tasks*shop"]
    )
