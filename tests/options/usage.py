"""What every option's tests share: the sentence for a value that cannot be used, or not in this run."""

from fnmatch import fnmatchcase

import pytest

from pytest_tau.plugin.settings.options import add_options
from tests.plugin.parts import configure


def assert_refused(name: str, value: str, sentence: str) -> None:
    """A bad value on the command line is told in a sentence that says which option, and what it must be.

    Without a run of pytest; what becomes of the sentence there, and that an ini value is read in the same way, is
    tested in tests/plugin/settings/test_options.py and test_broken_inputs.py.
    """
    flag = f"--tau-{name.replace('_', '-')}"
    parser = pytest.Parser(_ispytest=True)
    add_options(parser)
    with pytest.raises(pytest.UsageError) as refused:
        parser.parse([f"{flag}={value}"])
    assert fnmatchcase(str(refused.value).replace("\n", " "), f"*{flag}: {sentence}*")


def refused(pytester: pytest.Pytester, *args: str) -> pytest.LineMatcher:
    """What pytest says of a run that is refused as it is configured; no session of pytest is needed for that."""
    with pytest.raises(pytest.UsageError) as error:
        configure(pytester, *args)
    return pytest.LineMatcher([f"ERROR: {error.value}"])
