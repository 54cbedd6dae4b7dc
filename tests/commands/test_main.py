"""``python -m pytest_tau.cli`` is the command ``pytest-tau``."""

import os
import re
import runpy
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest
from pydantic_core import SchemaValidator

import pytest_tau
from pytest_tau.cli import FIRST, main, schema
from pytest_tau.files import write_whole
from tests.plugin.inner import make_shop

NAME = "pytest_tau.cli.__main__"


@pytest.fixture(autouse=True)
def _not_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, NAME, raising=False)


@pytest.mark.parametrize(("arguments", "status"), [(["check", "mock"], 0), (["check", "retial"], 2)])
def test_it_runs_the_command_and_ends_with_its_status(
    arguments: list[str], status: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest-tau", *arguments])
    with pytest.raises(SystemExit) as ended:
        runpy.run_module(NAME, run_name="__main__")
    assert ended.value.code == status
    told = capsys.readouterr()
    assert ("no faults" in told.out, "no domain 'retial'" in told.err) == (status == 0, status == 2)


def test_importing_it_runs_nothing() -> None:
    assert runpy.run_module(NAME, run_name="imported")["main"]


class _Interrupted:
    """Somebody interrupts while pydantic builds a model."""

    def __repr__(self) -> str:
        raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["add", "run"])
@pytest.mark.parametrize(
    "how",
    [
        lambda: os.kill(os.getpid(), signal.SIGINT),
        lambda: SchemaValidator({"type": "nullable", "schema": {"type": "literal", "expected": [_Interrupted()]}}),
    ],
)
def test_an_interrupt_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], where: str, how: Callable[[], object]
) -> None:
    monkeypatch.setattr(schema, where, lambda of_the_command: how())
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
    try:
        assert main(["schema"]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "pytest-tau: interrupted\n"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a system whose file names are bytes")
def test_a_folder_whose_name_is_no_utf_8_is_like_any_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/out\xff")
    assert main(["rebrand", "mock", "-o", folder]) in (0, 1)
    assert capsys.readouterr().out.splitlines()[0].endswith("each of which the oracle passes")


RUN = ("-c", "import sys; from pytest_tau.cli import main; sys.exit(main(['schema', '--markdown']))")


def command(stdout: int | None, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The command in a process of its own, which alone has a standard output of another kind."""
    home = str(Path(pytest_tau.__file__).parents[1])
    env = {**os.environ, "PYTHONPATH": home, **environment}
    return subprocess.run([sys.executable, *RUN], stdout=stdout, stderr=subprocess.PIPE, env=env, check=False)


def test_a_terminal_without_our_characters_shows_their_names() -> None:
    done = command(subprocess.PIPE, PYTHONIOENCODING="ascii:strict")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a system with a device that is always full")
def test_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = command(full.fileno())
    assert done.returncode == 2
    assert done.stderr.decode().splitlines() == [
        "pytest-tau: No space left on device; make sure that this can be written, and start again"
    ]


def test_a_file_that_cannot_be_replaced_is_named_as_it_was_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And not by the name that it has while it is written."""
    (tmp_path / "taken.html").mkdir()
    monkeypatch.setattr(schema, "run", lambda arguments: write_whole(tmp_path / "taken.html", "<html>"))
    assert main(["schema"]) == 2
    assert capsys.readouterr().err.startswith(f"pytest-tau: {tmp_path / 'taken.html'}: ")


@pytest.mark.filterwarnings("default")
def test_a_warning_is_its_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And no line of our source, which says nothing to who types a command."""
    journal = tmp_path / "journal.jsonl"
    journal.write_text("not\nours\n", encoding="utf-8")
    assert main(["plan", "--like", str(journal)]) == 2
    told, _ = capsys.readouterr().err.splitlines()
    assert told == f"pytest-tau: {journal}:1: this line is not valid JSON and was left out; the others were read"


@pytest.mark.filterwarnings("default")
def test_a_warning_is_no_part_of_the_answer_where_stderr_is_closed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schema, "run", lambda arguments: warnings.warn("old", UserWarning, stacklevel=1) or 0)
    monkeypatch.setattr("sys.stderr", None)
    assert main(["schema"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.filterwarnings("default")
def test_a_warning_to_authors_names_its_place(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schema, "run", lambda arguments: warnings.warn("old", DeprecationWarning, stacklevel=1))
    main(["schema"])
    assert re.search(r"test_main\.py:\d+: DeprecationWarning: old", capsys.readouterr().err)


def test_a_domain_that_would_end_the_process_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    make_shop(tmp_path)
    file = tmp_path / "domains/shop/domain.py"
    before = "    db: ShopDB\n"
    assert before in file.read_text()
    broken = f"{before}\n    def __init__(self, *given, **options):\n        raise SystemExit(3)\n"
    file.write_text(file.read_text().replace(before, broken))
    monkeypatch.chdir(tmp_path)
    assert main(["audit", "domains/shop"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"pytest-tau: .*domain\.py:\d+: SystemExit: 3", line)


def test_a_fault_of_ours_is_not_called_the_authors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "run", lambda arguments: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main(["schema"])


def test_alone_it_says_what_to_begin_with(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    said = capsys.readouterr().err
    assert all(
        f"  {first} " in said for first in ("pytest-tau demo", "pytest-tau new domain NAME", "pytest-tau doctor")
    )
    assert len(said.splitlines()) <= 6


def test_help_shows_what_one_meets_first_and_then_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    first, _, later = capsys.readouterr().out.partition("for experts:")
    verb = re.compile(r"^ +([a-z]+) {2,}\S", re.MULTILINE)
    named = {"first": {*verb.findall(first)}, "later": {*verb.findall(later)}}
    assert named["first"] >= FIRST
    assert named["later"] >= {"blame", "merge", "stats"}
    assert not named["first"] & named["later"]
