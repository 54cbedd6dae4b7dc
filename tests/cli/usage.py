"""What every option's tests share: the sentence for a value that cannot be used, on the command line and in an ini."""

import pytest


def assert_refused(pytester: pytest.Pytester, name: str, value: str, sentence: str) -> None:
    """A bad value ends the run with exit status 4 and a sentence that says which option, and what it must be."""
    result = pytester.runpytest("--tau-domain=mock", f"--tau-{name.replace('_', '-')}={value}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*--tau-{name.replace('_', '-')}: {sentence}"])
    pytester.makeini(f"[pytest]\ntau_{name} = {value}")
    result = pytester.runpytest("--tau-domain=mock")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: ini value tau_{name}: {sentence}"])
