"""``pytest-tau demo``, from the command to the report in a browser."""

import sys
from pathlib import Path
from subprocess import run

import pytest

from pytest_tau.cli import main
from pytest_tau.cli.demo import _INI, _open
from tests.docs.markdown import ROOT
from tests.plugin.inner import write

BROWSER = "import pathlib, sys; pathlib.Path({!r}).write_text(sys.argv[1])"


@pytest.mark.slow
def test_a_red_gate_the_guilty_turn_and_the_report_in_the_browser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "browser.py", BROWSER.format(str(tmp_path / "opened")))
    monkeypatch.setenv("BROWSER", f"{sys.executable} {tmp_path / 'browser.py'} %s")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--no-such-option")  # what is set for other runs is not for these
    command = [sys.executable, "-m", "pytest_tau.cli", "demo"]
    done = run(command, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)
    lines = pytest.LineMatcher(done.stdout.splitlines())
    lines.fnmatch_lines(
        [
            "Both are scripted and know the answers, *one weakness, built in for this demo*",
            "  48 passed in *",
            "  | retail * 70.8 % *",
            "  gate no regression: FAILED: worse: pass^1 100.0 % → 70.8 %*",
            "One of the 14 that missed: retail/*, conversation *.",
            ">  * agent calls *",
            "      here it went wrong: * without a yes: *",
            "The report, opened in your browser: *report.html",
            "  pytest --tau-domain retail --tau-agent my_module:MyAgent *",
        ]
    )
    shown = [
        line for line in (ROOT / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| retail")
    ]
    assert {f"  {line}" for line in shown} <= {*done.stdout.splitlines()}
    report = tmp_path / "tau-demo" / "report.html"
    assert "no regression" in report.read_text(encoding="utf-8")
    assert (tmp_path / "opened").read_text() == report.as_uri()


def test_where_there_is_no_browser_none_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "CI"):
        monkeypatch.delenv(name, raising=False)
    assert not _open(tmp_path / "report.html")
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("DISPLAY", ":0")
    assert not _open(tmp_path / "report.html")


def test_a_folder_that_cannot_be_made_is_told_in_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "taken", "")
    assert main(["demo", str(tmp_path / "taken")]) == 2
    assert capsys.readouterr().err.endswith("name another folder: pytest-tau demo FOLDER\n")


@pytest.mark.parametrize("name", ["pytest.ini", "report.html", "baseline.json", "pyproject.toml"])
def test_nothing_is_written_into_a_folder_of_other_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    write(tmp_path, name, "[pytest]\ntau_k = 3\n")
    assert main(["demo", str(tmp_path), "--no-browser"]) == 2
    told = "is not empty, and no demo's folder; name another one: pytest-tau demo FOLDER\n"
    assert capsys.readouterr().err.endswith(told)
    assert [file.name for file in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "[pytest]\ntau_k = 3\n"


@pytest.mark.slow
def test_a_second_run_that_came_to_no_verdict_is_no_demo(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    breaks = """
        def pytest_runtest_setup(item):
            assert "oracle" in str(item.config.getoption("tau_agent")), "broken"
    """
    folder = tmp_path / "tau-demo"
    folder.mkdir()
    write(folder, "pytest.ini", _INI)  # of an earlier demo
    write(folder, "conftest.py", breaks)
    assert main(["demo", str(folder), "--no-browser"]) == 2
    told = capsys.readouterr()
    assert "the demo's second run came to no verdict: " in told.err
    assert "That is a red build" not in told.out
