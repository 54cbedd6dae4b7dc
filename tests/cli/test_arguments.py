"""Arguments that several commands take."""

import argparse
from pathlib import Path

import pytest

from pytest_tau.cli.arguments import add_domain, add_output, add_project


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
