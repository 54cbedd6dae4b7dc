"""Runs of settings without a session; and the server of the options about models, for what is not about one option."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.plugin.run import Run
from pytest_tau.plugin.settings.reading import Settings
from tests.conftest import Shared
from tests.options.conftest import _litellm, serve  # noqa: F401 (fixtures)

MakeRun = Callable[..., Run]


@pytest.fixture(scope="module")
def config(shared_run: Shared) -> Iterator[pytest.Config]:
    """That of a plain run: to read it takes longer than most tests of a unit."""
    with shared_run() as pytester:
        made = pytester.parseconfig()
    yield made
    made._ensure_unconfigure()  # which takes back what runs have changed of this process


@pytest.fixture
def make_run(config: pytest.Config, tmp_path: Path) -> MakeRun:
    """Makes a run with these settings, in a project of its own."""

    def made(**chosen: Any) -> Run:
        run = Run(config)
        run.here = run.__dict__["root"] = tmp_path
        run.settings = Settings(**chosen)
        return run

    return made
