"""The tutorial, followed to the letter in an empty folder: its files, its commands, what it says of faults."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from pytest_tau.cli import main
from tests.plugin.parts import play

from .markdown import ROOT, Session, blocks, files, sessions, table

PAGE = ROOT / "docs" / "write_a_domain.md"
TASKS = "tasks/library"
EXTEND, REFUSE = f"{TASKS}/extend_a_loan.json", f"{TASKS}/refuse_reserved_book.json"


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    """An empty folder with the files of the page in it."""
    for path, body in files(PAGE).items():
        target = pytester.path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(body, encoding="utf-8")
    return pytester.path


def _session(part: str) -> Session:
    (found,) = [session for session in sessions(PAGE) if part in session.command]
    return found


def test_gives_every_file_that_the_domain_needs() -> None:
    domain = {f"domains/library/{name}" for name in ("schema.py", "tools.py", "domain.py", "policy.md", "db.json")}
    assert set(files(PAGE)) == {"pytest.ini", EXTEND, REFUSE, *domain}


def test_check_finds_no_fault(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = _session("check")
    assert main(shlex.split(session.command)[1:]) == 0
    assert session.missing(capsys.readouterr().out) is None


def test_audit_finds_no_fault_and_names_one_that_is_put_in(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    session = _session("audit")
    assert main(shlex.split(session.command)[1:]) == 0
    assert session.missing(capsys.readouterr().out) is None
    task = folder / EXTEND
    task.write_text(task.read_text(encoding="utf-8").replace('{"check": "confirmed"}', ""), encoding="utf-8")
    assert main(shlex.split(session.command)[1:]) == 1
    finding = "unconfirmed write: extend_loan passes; add the TRAJECTORY check confirmed"
    assert finding in capsys.readouterr().out
    assert finding in " ".join(PAGE.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("part", ["--tau-k 4", "--tau-agent noop"])
@pytest.mark.usefixtures("folder")
def test_a_run_prints_what_the_page_shows(pytester: pytest.Pytester, part: str) -> None:
    session = _session(part)
    program, *arguments = shlex.split(session.command)
    assert program == "pytest"
    assert session.missing(pytester.runpytest(*arguments).stdout.str()) is None


@pytest.mark.usefixtures("folder")
def test_the_tag_selects_the_refusal(pytester: pytest.Pytester) -> None:
    play(pytester, "--tau-domain", "library", "-m", "refusal").assert_outcomes(passed=1, deselected=1)


@pytest.mark.usefixtures("folder")
def test_the_node_id_runs_one_trial(pytester: pytest.Pytester) -> None:
    play(pytester, f"{EXTEND}::test_task[trial1]").assert_outcomes(passed=1)


def test_the_roles_are_played_by_a_team(folder: Path, pytester: pytest.Pytester) -> None:
    (code,) = [block for block in blocks(PAGE.read_text(encoding="utf-8"), "python") if "roles=" in block]
    (folder / "domains/library/domain.py").write_text(code, encoding="utf-8")
    result = play(pytester, "--tau-domain", "library", "--tau-agent", "oracle:team")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines("By author: desk: * calls*loans: * calls*")


def test_the_schema_is_one_of_task_files(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert set(json.loads((folder / REFUSE).read_text(encoding="utf-8"))) <= set(schema["$defs"]["Task"]["properties"])


Fault = tuple[str, Callable[[str], str]]


def _replace(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new, 1)


def _without_trajectory(text: str) -> str:
    task = json.loads(text)
    del task["evaluation_criteria"]["trajectory"]
    task["evaluation_criteria"]["reward_basis"].remove("TRAJECTORY")
    return json.dumps(task)


_CALL = '"extend_loan", "arguments": {"loan_id": "L1"}'
_NOT_CALLED = '"not_called", "name": "extend_loan"'
FAULTS: dict[str, Fault] = {
    "extend_loans": (EXTEND, _replace('"extend_loan"', '"extend_loans"')),
    '"loan": "L1"': (EXTEND, _replace(_CALL, _CALL.replace("loan_id", "loan"))),
    "L9": (EXTEND, _replace(_CALL, _CALL.replace("L1", "L9"))),
    "reward_bases": (EXTEND, _replace("reward_basis", "reward_bases")),
    "arguements": (REFUSE, _replace(_NOT_CALLED, f'{_NOT_CALLED}, "arguements": {{}}')),
    "a `not_called`": (REFUSE, _replace(_NOT_CALLED, f'{_NOT_CALLED}, "arguments": {{"loan": "L1"}}')),
    '"reserved": "M2"': ("domains/library/db.json", _replace('"reserved_by": "M2"', '"reserved": "M2"')),
    "two records": ("domains/library/db.json", _replace('"L3": {', '"L1": {')),
    "refusal without": (REFUSE, _without_trajectory),
    "never returns": (REFUSE, _replace("M2", "M9")),
    '"due": 6': ("domains/library/db.json", _replace('"due": "2026-03-06"', '"due": 6')),
    "without a line": ("domains/library/tools.py", _replace('            loan_id: The loan, such as "L1".\n', "")),
    "empty `policy.md`": ("domains/library/policy.md", lambda text: ""),
}


def test_every_fault_of_the_table_is_tried() -> None:
    rows = [row[0] for row in table(PAGE, "fault")]
    assert [sum(part in row for part in FAULTS) for row in rows] == [1] * len(FAULTS)


@pytest.mark.parametrize("part", FAULTS)
def test_check_says_of_a_fault_what_the_page_says(folder: Path, capsys: pytest.CaptureFixture[str], part: str) -> None:
    path, spoil = FAULTS[part]
    before = (folder / path).read_text(encoding="utf-8")
    after = spoil(before)
    assert after != before
    (folder / path).write_text(after, encoding="utf-8")
    (said,) = [row[1].strip("`") for row in table(PAGE, "fault") if part in row[0]]
    assert main(["check", "domains/library"]) == 1
    assert said in capsys.readouterr().out
