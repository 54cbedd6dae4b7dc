"""Arguments that several commands take."""

import argparse
from pathlib import Path
from types import SimpleNamespace

import pytest

from pytest_tau.cli.arguments import add_domain, add_output, add_project, progress_teller


def test_a_domain_is_named_by_its_place() -> None:
    parser = argparse.ArgumentParser()
    add_domain(parser)
    assert parser.parse_args(["domains/shop"]).domain == "domains/shop"


def test_where_to_write_must_be_said_unless_the_command_can_do_without(capsys: pytest.CaptureFixture[str]) -> None:
    for required in (True, False):
        parser = argparse.ArgumentParser()
        add_output(parser, "the file it writes", metavar="FILE", required=required)
        assert parser.parse_args(["-o", "out/run.json"]).output == Path("out/run.json")
        assert "-o FILE" in parser.format_help()
        if required:
            with pytest.raises(SystemExit):
                parser.parse_args([])
            assert "required: -o/--output" in capsys.readouterr().err
        else:
            assert parser.parse_args([]).output is None


def test_a_project_is_the_current_folder_unless_it_is_named() -> None:
    parser = argparse.ArgumentParser()
    add_project(parser)
    assert parser.parse_args([]).output == Path()
    assert parser.parse_args(["--output", "mine"]).output == Path("mine")


def test_how_far_a_command_is_told_at_first_at_last_and_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([100.0, 100.0, 101.0, 111.0, 111.0, 112.0])
    monkeypatch.setattr("pytest_tau.cli.arguments.time", SimpleNamespace(monotonic=lambda: next(clock)))
    tell = progress_teller("read")
    for done in range(3):
        tell(done, 4)
    tell(4, 4)
    assert capsys.readouterr().err.splitlines() == ["0 of 4 read", "2 of 4 read", "4 of 4 read"]
