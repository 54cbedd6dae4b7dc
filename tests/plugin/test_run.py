"""The Run: made when pytest is configured, from Python as well, and what it keeps."""

from pathlib import Path

import pytest

from pytest_tau.plugin.run import Run, begin, run_of
from pytest_tau.plugin.worker_messages import ToWorker


def test_it_is_the_same_for_a_whole_session(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    assert run_of(config) is run_of(config)
    assert not run_of(config).is_worker
    assert not run_of(config).is_asked


def test_what_it_makes_it_makes_once(pytester: pytest.Pytester) -> None:
    def numbers(run: Run) -> list[int]:
        return [run.settings.k]

    run = Run(pytester.parseconfig("--tau-k=3"))
    assert run.existing(numbers) is None
    assert run.one(numbers) == [3]
    assert run.one(numbers) is run.one(numbers)
    assert run.existing(numbers) == [3]


@pytest.mark.parametrize(
    ("args", "asked"),
    [((), False), (("--tau-k=2",), True), (("tau/mock/add_a_task.json",), True), (("tests",), False)],
)
def test_whether_anything_is_asked_of_it(pytester: pytest.Pytester, args: tuple[str, ...], asked: bool) -> None:
    assert Run(pytester.parseconfig(*args)).is_asked is asked


def test_results_are_kept_in_the_project(pytester: pytest.Pytester) -> None:
    run = begin(pytester.parseconfig("--tau-results=kept"))
    assert run.results == pytester.path / "kept"
    assert run.folder.parent == run.results
    assert run.folder == run.folder
    assert not run.folder.exists()


def test_results_of_files_elsewhere_are_kept_here(pytester: pytest.Pytester, tmp_path: Path) -> None:
    """pytest takes the folder of a file on another disk for its root, such as that of the public data."""
    elsewhere = tmp_path / "elsewhere"
    for args, kept in (((), pytester.path), ((f"--rootdir={pytester.path}",), elsewhere)):
        run = Run(pytester.parseconfig(*args))
        run.__dict__["root"] = elsewhere
        assert run.results == kept / ".tau"


def test_pytest_without_its_debugger_plays_as_ever(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-domain=mock", "--tau-tasks=1", "-p", "no:debugging")
    result.assert_outcomes(passed=1)


def test_the_folder_it_shares_is_there_as_long_as_it_is(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    shared = run_of(config).shared_folder
    assert shared.is_dir()
    config._ensure_unconfigure()
    assert not shared.exists()


def test_a_worker_keeps_to_what_it_was_told(pytester: pytest.Pytester, tmp_path: Path) -> None:
    told = ToWorker(run=str(tmp_path / "run"), shared=str(tmp_path / "limits"), done=("a.json::test_task[trial1]",))
    run = Run(pytester.parseconfig(), told)
    assert run.is_worker
    assert (run.folder, run.shared_folder) == (tmp_path / "run", tmp_path / "limits")
    assert run.done == {"a.json::test_task[trial1]"}
    assert not (tmp_path / "limits").exists()


def test_a_value_that_is_also_a_file_does_not_move_the_project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytester.makeini("[pytest]")
    below = pytester.mkdir("below")
    (below / "mock").mkdir()
    (below / "report.html").write_text("")
    monkeypatch.chdir(below)
    for args in (("--tau-domain", "mock"), ("--tau-html", "report.html")):
        assert Run(pytester.parseconfig(*args)).root == pytester.path


def test_a_folder_elsewhere_does_not_become_the_project(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "pytest.ini").write_text("[pytest]")
    monkeypatch.chdir(pytester.mkdir("mine"))
    config = pytester.parseconfig("--tau-data", str(tmp_path / "data"))
    assert config.rootpath == tmp_path / "data"
    assert Run(config).root == pytester.path / "mine"
