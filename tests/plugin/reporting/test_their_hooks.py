"""Hooks of a project that fail: the run goes on, says so at its end, and is no success."""

import pytest

from tests.plugin.inner import journal
from tests.plugin.parts import mock_play, play


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (
            "def pytest_tau_trial_finished(trial): raise ValueError('full of sk-abcdefghijklmnopqrst')",
            "*_trial_finished failed (the first of 6 times): *conftest.py:1: ValueError: full of [[]key]",
        ),
        (
            "import pytest\ndef pytest_tau_trial_finished(trial): pytest.fail('too slow')",
            "*_trial_finished failed (the first of 6 times): *: Failed: too slow",
        ),
        (
            "def pytest_tau_trial_finished(trial): raise SystemExit(3)",
            "*_trial_finished failed (the first of 6 times): *conftest.py:1: SystemExit: 3",
        ),
        (
            "def pytest_tau_summary(summary):\n    1 / 0",
            "The hook pytest_tau_summary failed: *conftest.py:2: ZeroDivisionError: division by zero",
        ),
    ],
)
def test_a_hook_that_fails_costs_no_trial(pytester: pytest.Pytester, hook: str, said: str) -> None:
    pytester.makeconftest(hook)
    result = mock_play(pytester)
    assert len(journal(pytester.path)) == 6
    result.stdout.fnmatch_lines([said])
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_hook_may_end_the_run(pytester: pytest.Pytester) -> None:
    pytester.makeconftest("import pytest\n\ndef pytest_tau_trial_finished(trial):\n    pytest.exit('enough')")
    with pytest.raises(pytest.exit.Exception, match="enough"):
        mock_play(pytester)


@pytest.mark.parametrize(
    ("hook", "option"),
    [("register_domains(registry)", "--tau-domain=mine"), ("perturbations(kinds)", "--tau-perturb=typos")],
)
def test_a_hook_that_fails_before_the_run_is_one_sentence(pytester: pytest.Pytester, hook: str, option: str) -> None:
    pytester.makeconftest(f"def pytest_tau_{hook}:\n    1 / 0")
    name = hook.partition("(")[0]
    with pytest.raises(
        pytest.UsageError, match=f"the hook pytest_tau_{name} failed: .*conftest.py:2: ZeroDivisionError"
    ):
        play(pytester, "--tau-domain=mock", option)
