"""``--tau-inconclusive``, with a gate on a cost that is not known."""

import pytest

from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, mock_run
from tests.plugin.parts import mock_play

DOUBT = ("--tau-tasks=1", "--tau-agent=agents:Polite", "--tau-gate=cost <= 5")


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)


@pytest.mark.parametrize(("value", "status"), [(None, 1), ("pass", 0)], ids=["by default", "pass"])
def test_decides_what_a_gate_in_doubt_does(pytester: pytest.Pytester, value: str | None, status: int) -> None:
    run, option = (mock_run, [f"--tau-inconclusive={value}"]) if value else (mock_play, [])
    result = run(pytester, *DOUBT, *option)
    assert result.ret == status
    result.stdout.fnmatch_lines(
        ["gate cost <= 5: INCONCLUSIVE: the cost is unknown: a model has no price (--tau-prices)*"]
    )


def test_without_a_gate_nothing_is_in_doubt(pytester: pytest.Pytester) -> None:
    refused(pytester, "--tau-domain=mock", *DOUBT[:2], "--tau-inconclusive=pass").fnmatch_lines(
        ["ERROR: --tau-inconclusive: decides only whether gates hold, and there is none: give one with --tau-gate"]
    )


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("inconclusive", "perhaps", "must be one of fail, pass, not 'perhaps'")
