"""``--tau-parity``."""

import pytest

from tests.cli.usage import assert_refused
from tests.plugin.inner import mock_run
from tests.shared import shared

SHOW = """
    import pytest

    @pytest.fixture(autouse=True)
    def show(tau_domain):
        print(f"parity {tau_domain.parity}")
"""


def shown(pytester: pytest.Pytester, *args: str) -> str:
    result = mock_run(pytester, "-s", "--tau-tasks=1", *args)
    return next(line.split("parity ")[1].rstrip(".F") for line in result.outlines if "parity " in line)


def test_off_for_our_own_world_and_on_at_will(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(SHOW)
    assert shown(pytester) == "False"
    assert shown(pytester, "--tau-parity=on") == "True"


def test_on_for_the_public_data_and_off_at_will(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(SHOW)
    data = f"--tau-data={shared('tau2')}"
    assert shown(pytester, data) == "True"
    assert shown(pytester, data, "--tau-parity=off") == "False"


def test_a_bad_value_is_a_usage_error() -> None:
    assert_refused("parity", "yes", "must be one of on, off, not 'yes'")
