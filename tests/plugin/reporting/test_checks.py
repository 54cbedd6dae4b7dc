"""What is refused before any trial is played, of what no module of its own refuses."""

import pytest

from pytest_tau.plugin.reporting.checks import check
from pytest_tau.plugin.run import Run


@pytest.mark.parametrize("k", ["3", "4", "10"])
def test_the_trials_must_divide_among_the_customers(pytester: pytest.Pytester, k: str) -> None:
    with pytest.raises(pytest.UsageError) as refused:
        check(Run(pytester.parseconfig(f"--tau-k={k}", "--tau-user-seeds=4")))
    assert str(refused.value) == (
        "--tau-user-seeds 4: each customer must meet two trials or more, and as many: run with --tau-k 8 or 12"
    )


def test_a_run_that_can_be_is_not_refused(pytester: pytest.Pytester) -> None:
    check(Run(pytester.parseconfig("--tau-k=8", "--tau-user-seeds=4")))
