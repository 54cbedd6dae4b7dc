"""``--tau-data``."""

import pytest

from pytest_tau.plugin.collecting.domains import data_root
from pytest_tau.plugin.run import Run
from tests.options.usage import assert_refused, refused
from tests.plugin.inner import rows
from tests.plugin.parts import mock_play, nodeids, play
from tests.shared import shared


@pytest.mark.parametrize("below", ["", "domains"])
def test_runs_the_public_data_from_any_folder_down_to_domains(pytester: pytest.Pytester, below: str) -> None:
    result = mock_play(pytester, f"--tau-data={shared('tau2', below)}")
    assert rows(result)["mock"]["tasks"] == "10"
    result.stdout.fnmatch_lines(["tau: public data in *, split base; *"])


def test_node_ids_name_the_public_data_and_can_be_given_back(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=mock", f"--tau-data={shared('tau2')}")
    first, *_ = nodeids(pytester, *args)
    assert first.startswith("tau2/mock/tasks.json::test_task[")
    assert nodeids(pytester, first, args[1]) == [first]


def test_a_public_id_without_the_data_says_what_is_missing(pytester: pytest.Pytester) -> None:
    refused(pytester, "tau2/mock/tasks.json").fnmatch_lines(
        ["ERROR: tau2/mock/tasks.json: give the folder of the public data with --tau-data"]
    )


def test_a_value_of_its_own_moves_neither_journal_nor_cache_into_the_data(pytester: pytest.Pytester) -> None:
    data = pytester.mkdir("data")
    (data / "domains").symlink_to(shared("tau2", "domains"))
    result = pytester.runpytest("--tau-domain", "mock", "--tau-data", str(data), "--tau-tasks=1")
    result.assert_outcomes(passed=1)
    assert (pytester.path / ".tau" / "latest").is_dir()
    assert (pytester.path / ".pytest_cache").is_dir()
    assert [one.name for one in data.iterdir()] == ["domains"]


def test_a_folder_without_domains_is_a_usage_error(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", "--tau-data=nowhere").fnmatch_lines(
        ["ERROR: *nowhere: no public data for 'mock' there; give the folder that holds 'domains/mock'"]
    )


@pytest.mark.parametrize(
    ("given", "folder"), [("d", "d"), ("../d", "d"), ("own", "sub/own"), ("both", "both"), ("nowhere", "nowhere")]
)
def test_a_folder_is_relative_to_the_root_or_else_to_where_pytest_was_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, given: str, folder: str
) -> None:
    pytester.makeini(f"[pytest]\ntau_data = {given}")
    for name in ("d", "both", "sub/own", "sub/both"):
        (pytester.path / name).mkdir(parents=True)
    monkeypatch.chdir(pytester.path / "sub")
    assert data_root(Run(pytester.parseconfig())) == pytester.path / folder


def test_an_empty_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    assert_refused("data", " ", "must not be empty")


def test_where_the_oracle_breaks_a_policy_it_stands_there_why(pytester: pytest.Pytester) -> None:
    args = ("--tau-domain=telecom", f"--tau-data={shared('tau2')}")
    result = play(pytester, *args, "--tau-tasks=20")
    assert rows(result)["telecom"]["under policy"] != "100.0 %"
    result.stdout.fnmatch_lines(["Under policy: the oracle makes the tasks' recorded calls and no others. *"])
    mock_play(pytester).stdout.no_fnmatch_line("Under policy: *")
