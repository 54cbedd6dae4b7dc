"""What stands under the table: three plain lines, what would mislead if it were left out, and the rest with -v."""

import pytest

from tests.plugin.inner import mock_run


def below(result: pytest.RunResult) -> list[str]:
    """The lines from the table to pytest's last one that are no table and not empty."""
    start = next(number for number, line in enumerate(result.outlines) if "tau: pass^k" in line)
    return [line for line in result.outlines[start + 1 : -1] if line and not line.startswith("|")]


def test_three_plain_lines_and_the_rest_with_v(pytester: pytest.Pytester) -> None:
    plain = below(mock_run(pytester, "--tau-k=2"))
    assert [line.partition(" ")[0] for line in plain] == ["[", "agent:", "journal:"]
    assert plain[1] == "agent: oracle   user: scripted"
    told = below(mock_run(pytester, "--tau-k=2", "-v"))
    assert [line for line in plain if not line.startswith("journal: ")] == [line for line in told if line in plain]
    assert any(line.startswith("command: ") for line in told)
    assert any(line.startswith("Effort, ") for line in told)


def test_what_the_table_leaves_out_is_always_said(pytester: pytest.Pytester) -> None:
    lines = below(mock_run(pytester, "--tau-agent=noop", "-x"))
    assert any("(!) The table leaves out 5 not run" in line for line in lines)
