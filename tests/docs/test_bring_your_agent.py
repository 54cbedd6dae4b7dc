"""The page that leads to the way of an agent: its agent plays as the page says."""

import pytest

from .markdown import ROOT, blocks

PAGE = (ROOT / "docs" / "bring_your_agent.md").read_text(encoding="utf-8")


def test_its_agent_plays_by_its_command(pytester: pytest.Pytester) -> None:
    (code,) = blocks(PAGE, "python")
    (command,) = blocks(PAGE, "console")
    pytester.makepyfile(my_module=code)
    pytester.syspathinsert()
    result = pytester.runpytest(*command.split()[1:], "--tau-tasks=count_my_tasks")
    result.assert_outcomes(failed=1)  # it tells all tasks where their number was asked for
    result.stdout.no_fnmatch_line("*Traceback*")
