"""The page for agent teams: its team plays by its command, and its table has every kind of fault."""

import pytest

from pytest_tau.agents.seams import NAMED_BY

from .markdown import ROOT, blocks, table

PAGE = ROOT / "docs" / "agent_teams.md"


def test_its_team_plays_by_its_command(pytester: pytest.Pytester) -> None:
    text = PAGE.read_text(encoding="utf-8")
    (code,) = blocks(text, "python")
    (command,) = [one for one in blocks(text, "console") if "my_module" in one]
    pytester.makepyfile(my_module=code)
    pytester.syspathinsert()
    result = pytester.runpytest(*command.split()[1:])
    result.assert_outcomes(failed=1)  # it does nothing for anybody
    result.stdout.fnmatch_lines("By author: orders: 0 calls*triage: 0 calls, 1 hand-over*")
    result.stdout.no_fnmatch_line("*Traceback*")


def test_its_table_has_each_kind_of_fault_with_what_names_it() -> None:
    rows = {row[0].strip("`"): row[5].strip("`") for row in table(PAGE, "planted")}
    assert rows == {**NAMED_BY, "all": ""}
