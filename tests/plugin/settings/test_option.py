"""One option: its names, and what its text stands for."""

from argparse import ArgumentTypeError

import pytest

from pytest_tau.plugin.settings.option import Option, switch_option


def test_the_names_of_an_option() -> None:
    option = Option("suite", "min_coverage", "SHARE", "share", "how many must count")
    assert (option.flag, option.dest, option.switch) == ("--tau-min-coverage", "tau_min_coverage", False)
    assert switch_option("run", "resume", "go on").switch


def test_a_text_is_what_its_kind_says() -> None:
    option = Option("suite", "k", "N", "whole 1", "how many trials")
    assert option.parse("4") == 4
    with pytest.raises(ArgumentTypeError):
        option.parse("none")
