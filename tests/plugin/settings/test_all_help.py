"""``--tau-help``: every option; ``pytest -h``: those that one meets first, and how many more there are."""

import re

import pytest

from pytest_tau.plugin.settings.all_help import all_help
from pytest_tau.plugin.settings.options import ACTIONS, FIRST, OPTIONS

FLAG = re.compile(r"^  (--tau-[a-z-]+)", re.MULTILINE)


def test_all_help_has_every_option_once() -> None:
    assert sorted(FLAG.findall(all_help())) == sorted(option.flag for option in (*OPTIONS, *ACTIONS))


def test_help_has_those_that_one_meets_first_and_all_are_taken(pytester: pytest.Pytester) -> None:
    text = pytester.runpytest("-h").stdout.str()
    first = {option.flag for option in (*OPTIONS, *ACTIONS) if option.name in FIRST}
    assert len(first) == len(FIRST)
    assert set(FLAG.findall(text)) == first | {"--tau-help"}
    assert re.search(r"^tau: calls of models \(\d+ more: --tau-help\):$", text, re.MULTILINE)
    ours = re.findall(r"^  (tau_\w+) \(", text, re.MULTILINE)
    assert ours == ["tau_task_dirs"], "ini twins fill two screens, and say nothing"
    assert "\n  markers (" in text
    assert pytester.parseconfig("--tau-max-inflight=3").getoption("--tau-max-inflight") == 3


def test_it_is_shown_and_nothing_else_is_done(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--tau-help", "--tau-domain=mock")
    assert result.ret == pytest.ExitCode.OK
    assert result.stdout.str().rstrip() == all_help().rstrip()
    assert list(pytester.path.iterdir()) == []


def test_ini_values_stay_readable_while_help_is_shown(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_k = 3")
    pytester.makeconftest(
        "def pytest_unconfigure(config):\n    if config.option.help: print('k is', config.getini('tau_k'))"
    )
    pytester.runpytest("-h").stdout.fnmatch_lines(["k is 3"])
