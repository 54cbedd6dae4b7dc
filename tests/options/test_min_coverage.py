"""``--tau-min-coverage``, with a provider that fails in one trial of two."""

import textwrap

import pytest

from tests.options.usage import assert_refused, refused
from tests.plugin.inner import AGENTS, mock_run, workers
from tests.plugin.parts import mock_play

HALF_DOWN = """

class HalfDown(Completes):
    def reply(self, messages):
        if self.context.trial == 2:
            raise InfraError("the provider is down")
        return super().reply(messages)
"""
RUN = ("--tau-tasks=complete_a_task", "--tau-k=2", "--tau-agent=agents:HalfDown", "--tau-gate=pass^1 >= 0.5")
MISSING = "gate *: FAILED: no gate holds: 1 of 2 planned trials have a verdict (50.0 %), and * is asked for *"


@pytest.fixture(autouse=True)
def _agents(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=textwrap.dedent(AGENTS) + HALF_DOWN)


@pytest.mark.parametrize(("share", "holds"), [(None, False), ("0.5", True)])
def test_says_how_many_trials_must_have_a_verdict(pytester: pytest.Pytester, share: str | None, holds: bool) -> None:
    result = mock_play(pytester, *RUN, *([f"--tau-min-coverage={share}"] if share else []))
    assert result.ret == (0 if holds else 1)
    result.stdout.fnmatch_lines(["gate pass^1 >= 0.5: HELD: pass^1 is 50.0 %*" if holds else MISSING])
    result.assert_outcomes(passed=1, failed=1)  # an infra error is shown as the failure it is


def test_without_a_gate_nothing_is_allowed_to_be_missing(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_min_coverage = 0")
    assert mock_run(pytester, *RUN[:3]).ret == 1
    refused(pytester, "--tau-domain=mock", *RUN[:3], "--tau-min-coverage=0").fnmatch_lines(
        ["ERROR: --tau-min-coverage: decides only whether gates hold, and there is none: give one with --tau-gate"]
    )


@pytest.mark.parametrize("value", ["1.1", "-0.1", "nan", "80 %"])
def test_a_bad_value_is_a_usage_error(value: str) -> None:
    assert_refused("min_coverage", value, f"must be a number from 0 to 1, not '{value}'")


@pytest.mark.slow
def test_a_trial_that_took_its_worker_down_is_missing_too(pytester: pytest.Pytester) -> None:
    result = workers(pytester, "--tau-domain=mock", "--tau-k=2", "--tau-agent=agents:Dies", "--tau-gate=pass^1 >= 0")
    result.stdout.fnmatch_lines(["gate pass^1 >= 0: FAILED: no gate holds: 11 of 12 planned trials have a verdict *"])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
