"""The page about many trials: its commands for shards, followed to the letter."""

import shlex

import pytest

from pytest_tau.cli import main
from pytest_tau.llm.limits import LimitSettings
from tests.plugin.parts import play

from .markdown import ROOT, Session, blocks

PAGE = (ROOT / "docs" / "scaling.md").read_text(encoding="utf-8")


def test_shards_merged_and_judged_as_the_page_shows(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    [block] = [block for block in blocks(PAGE, "console") if "merge" in block and block.startswith("$ ")]
    commands = [Session(*part.split("\n", 1)) for part in block.removeprefix("$ ").split("\n$ ")]
    assert len(commands) == 4
    for session in commands:
        program, *arguments = shlex.split(session.command)
        capsys.readouterr()
        if program == "pytest-tau":
            assert main(arguments) == 0
            printed = capsys.readouterr().out
        else:
            result = play(pytester, *arguments)
            printed = "\n".join(result.outlines)
        assert session.missing(printed) is None
    assert result.ret == pytest.ExitCode.OK


def test_the_header_of_three_hosts() -> None:
    [shown] = [block for block in blocks(PAGE, "text") if "hosts, each" in block]
    part = LimitSettings(rpm=500, budget_usd=5).part(3)
    assert shown.strip().endswith(f"each: rpm {part.rpm}, budget ${part.budget_usd:.10g}")
