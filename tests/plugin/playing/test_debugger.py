"""``--pdb``: a debugger stops in the test, with the conversation at hand."""

from __future__ import annotations

import sys

import pytest

pytestmark = pytest.mark.slow

OWN = """
import pytest

@pytest.mark.tau(domain="mock", tasks=["add_a_task"])
def test_own(tau_reward):
    assert tau_reward.passed
"""


@pytest.mark.parametrize(
    ("args", "where", "asked", "told"),
    [
        (
            ("--tau-domain=mock", "--tau-tasks=add_a_task"),
            "*trial_function.py(*)test_task()",
            "p len(tau_trial.finished.simulation.messages) // 2",
            "*In the debugger: tau_trial.finished.simulation.messages, tau_trial.finished.reward",
        ),
        (("test_own.py",), "*test_own.py(*)test_own()", "p 2 + len([tau_reward]) + 1", "*entering PDB*"),
    ],
)
def test_stops_in_the_test(pytester: pytest.Pytester, args: tuple[str, ...], where: str, asked: str, told: str) -> None:
    pytester.makepyfile(test_own=OWN)
    pytester.makeini("[pytest]")
    command = [sys.executable, "-m", "pytest", "--tau-agent=noop", "--pdb", *args]
    result = pytester.run(*command, stdin=f"{asked}\nq\n".encode())
    result.stdout.fnmatch_lines([told, where, "(Pdb) 4*"])
