"""examples/project, as somebody who copies it would use it: from its own folder, with one command, offline."""

import shutil
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.docs.markdown import ROOT
from tests.plugin.inner import apart

PROJECT = ROOT / "examples" / "project"
MADE = shutil.ignore_patterns(".tau", "__pycache__", ".pytest_cache")


@pytest.fixture
def project(pytester: pytest.Pytester) -> Path:
    shutil.copytree(PROJECT, pytester.path, dirs_exist_ok=True, ignore=MADE)
    return pytester.path


def test_one_command_replays_the_recordings_and_the_gate_holds(pytester: pytest.Pytester, project: Path) -> None:
    result = apart(pytester, "--tau-html=report.html")
    result.assert_outcomes(passed=8)
    result.stdout.fnmatch_lines(
        [
            "tau: cassettes: model calls are answered from cassettes/, no model is called",
            "gate pass^1 >= 0.7: HELD: pass^1 is 100.0 %: 8 of 8 conversations succeeded (4 tasks); 70.0 % required",
        ]
    )
    assert (project / "report.html").stat().st_size > 10_000


@pytest.mark.slow
def test_another_policy_is_not_the_one_that_was_recorded(pytester: pytest.Pytester, project: Path) -> None:
    policy = project / "domains" / "bikes" / "policy.md"
    policy.write_text(policy.read_text(encoding="utf-8").replace("and is free", ""), encoding="utf-8")
    result = apart(pytester)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*is not the recorded one in cassettes/bikes/*"])


def test_its_domain_has_no_faults_and_its_tasks_no_findings(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(project / "domains" / "bikes")]) == 0
    assert main(["audit", str(project / "domains" / "bikes")]) == 0
    assert "bikes: no findings" in capsys.readouterr().out


def test_its_page_shows_every_folder() -> None:
    page = (PROJECT / "README.md").read_text(encoding="utf-8")
    names = {path.name for path in PROJECT.iterdir()} - {"README.md", "__pycache__", ".tau", ".pytest_cache", ".github"}
    assert [name for name in names if name not in page] == []
