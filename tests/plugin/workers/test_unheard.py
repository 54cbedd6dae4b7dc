"""Hooks of the controlling process in a conftest.py that only workers load."""

import pytest

from tests.plugin.inner import workers, write

HOOKS = "def pytest_tau_trial_finished(trial): pass\n\ndef pytest_tau_summary(summary): print('heard')"
MARKED = "import pytest\n@pytest.mark.tau(domain='mock', tasks=1)\ndef test_it(tau_reward): pass"


def test_those_below_the_root_are_warned_of_and_those_of_the_root_are_called(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]")
    write(pytester.path, "conftest.py", HOOKS)
    write(pytester.path, "tests/below/conftest.py", HOOKS)
    write(pytester.path, "tests/below/test_it.py", MARKED)
    result = workers(pytester, "tests", "-s")
    result.assert_outcomes(passed=1, warnings=2)
    root = pytester.path / "conftest.py"
    result.stdout.fnmatch_lines(
        [
            f"*pytest_tau_trial_finished of tests/below/conftest.py is not called under -n: move it to {root}",
            f"*pytest_tau_summary of tests/below/conftest.py is not called under -n: move it to {root}",
        ]
    )
    assert result.outlines.count("heard") == 1
    named = workers(pytester, "tests/below")  # the controlling process has loaded it as well
    named.assert_outcomes(passed=1, warnings=0)
