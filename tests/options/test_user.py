"""``--tau-user``."""

import pytest

from tests.options.usage import refused
from tests.plugin.inner import AGENTS, journal, mock_run

ONE = "--tau-tasks=complete_a_task"


def test_a_factory_of_yours_gets_the_scenario(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(agents=AGENTS)
    result = mock_run(pytester, ONE, "--tau-user=agents:Leaves")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["agent: oracle   user: agents:Leaves"])
    [record] = journal(pytester.path)
    assert record.simulation is not None
    assert record.simulation.messages[-1].content == "Never mind. ###STOP###"


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("skripted", "there is no user 'skripted': use *scripted*module:factory for your own"),
        ("nosuch:User", "the user 'nosuch:User' cannot be imported: ModuleNotFoundError: *"),
    ],
)
def test_a_bad_value_is_a_usage_error(pytester: pytest.Pytester, value: str, sentence: str) -> None:
    refused(pytester, "--tau-domain=mock", f"--tau-user={value}").fnmatch_lines([f"ERROR: {sentence}"])
