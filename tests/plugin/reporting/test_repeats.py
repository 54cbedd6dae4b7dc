"""Other plugins that play a trial again."""

from types import SimpleNamespace
from typing import Any

import pytest

from pytest_tau.plugin.reporting.repeats import refuse_repeats

UNKNOWN = ValueError("unknown configuration value")


def config(ini: Any = UNKNOWN, **options: Any) -> Any:
    """What is looked at of a session's configuration."""

    def getini(name: str) -> Any:
        if isinstance(ini, Exception):
            raise ini
        return ini

    return SimpleNamespace(option=SimpleNamespace(**options), getini=getini)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        (config(reruns=2), "--reruns plays missed trials again"),
        (config(force_reruns=2), "--reruns plays missed trials again"),
        (config(ini="2"), "--reruns plays missed trials again"),
        (config(forked=True), "--forked plays each trial in a process of its own"),
    ],
)
def test_whoever_would_play_again_is_refused(asked: Any, sentence: str) -> None:
    with pytest.raises(pytest.UsageError, match=sentence):
        refuse_repeats(asked)


def test_the_same_trial_under_another_number_is_refused() -> None:
    with pytest.raises(pytest.UsageError, match="use --tau-k"):
        refuse_repeats(config(), ["tau/mock/a.json::test_task[trial1-1-4]"])


@pytest.mark.parametrize("asked", [config(), config(ini=None), config(ini="0", reruns=0, forked=False)])
def test_others_are_not_refused(asked: Any) -> None:
    refuse_repeats(asked, ["test_a.py::test_it[trial1-x]", "tau/mock/a.json::test_task[trial11]"])


AGAIN = """
    import pytest
    from _pytest.runner import runtestprotocol

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        runtestprotocol(item, nextitem=nextitem)
        runtestprotocol(item, nextitem=nextitem)
        return True
"""


def test_a_trial_that_is_played_again_counts_once(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(AGAIN)
    result = pytester.runpytest_inprocess("--tau-domain=mock", "--tau-tasks=2")
    result.stdout.fnmatch_lines(["| mock *|     2 |      2 |*", "*Another plugin played 2 trials more than once*"])
