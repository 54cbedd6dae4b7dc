"""``--tau-split``."""

import json

import pytest

from tests.plugin.inner import collected, mock_run
from tests.shared import shared


def count(pytester: pytest.Pytester, *args: str) -> int:
    return len(collected(pytester, "--tau-domain=retail", f"--tau-data={shared('tau2')}", *args))


def test_a_split_of_the_public_data(pytester: pytest.Pytester) -> None:
    splits = json.loads(shared("tau2", "domains", "retail", "split_tasks.json").read_text(encoding="utf-8"))
    assert count(pytester, "--tau-split=test") == len(splits["test"])
    assert count(pytester) == len(splits["base"])


def test_a_split_that_is_not_there_names_those_that_are(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, f"--tau-data={shared('tau2')}", "--tau-split=nosuch")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*split_tasks.json: there is no split 'nosuch'; it has *base*"])


def test_a_split_without_public_data_is_a_usage_error(pytester: pytest.Pytester) -> None:
    result = mock_run(pytester, "--tau-split=test")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["ERROR: --tau-split: splits belong to the public data; give its folder with --tau-data"]
    )
