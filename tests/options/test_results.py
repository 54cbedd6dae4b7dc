"""``--tau-results``."""

import pytest

from pytest_tau import load_journal
from tests.options.usage import assert_refused
from tests.plugin.inner import mock_run
from tests.plugin.parts import mock_play

ONE = "--tau-tasks=add_a_task"


def test_names_the_folder_of_the_journals(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, ONE, "--tau-results=out/evals")
    assert len(load_journal(pytester.path / "out" / "evals")) == 1
    assert not (pytester.path / ".tau").exists()
    result.stdout.fnmatch_lines([f"journal: {pytester.path}*out*evals*journal.jsonl"])


def test_lies_in_the_root_directory_wherever_pytest_is_started(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    monkeypatch.chdir(pytester.mkdir("below"))
    mock_play(pytester, ONE)
    assert (pytester.path / ".tau" / "latest").is_dir()


def test_a_folder_that_cannot_be_is_refused_before_any_trial(pytester: pytest.Pytester) -> None:
    pytester.makefile(".txt", file="not a folder")
    result = mock_run(pytester, ONE, "--tau-results=file.txt/below")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["ERROR: *below: results cannot be kept there (*); see --tau-results"])
    assert "passed" not in result.stdout.str()


def test_of_a_run_in_which_no_test_began_nothing_is_kept(pytester: pytest.Pytester) -> None:
    """``latest`` names the one before it, which can be looked at and gone on with."""
    mock_play(pytester, ONE)
    before = load_journal(pytester.path / ".tau")
    pytester.makepyfile("1 / 0")
    result = mock_run(pytester, ONE, "test_of_a_run_in_which_no_test_began_nothing_is_kept.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert load_journal(pytester.path / ".tau") == before
    assert len([*(pytester.path / ".tau").glob("2*")]) == 1


def test_an_empty_value_is_a_usage_error(pytester: pytest.Pytester) -> None:
    assert_refused("results", "", "must not be empty")
