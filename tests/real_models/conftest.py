"""The marker real_model: such tests run where ``-m`` names it, as .ci/run does, and are skipped where no server is."""

import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from . import serving
from .runs import Project

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and leave them out unless they are asked for by their marker."""
    ours = {item for item in items if str(item.path).startswith(f"{HERE}{os.sep}")}
    for item in ours:
        item.add_marker(pytest.mark.real_model)
    if ours and "real_model" not in (config.option.markexpr or ""):
        items[:] = [item for item in items if item not in ours]
        config.hook.pytest_deselected(items=[*ours])


# NAME@ADDRESS of a model that is served already, in place of the one that is fetched.
SERVED = os.environ.get("REAL_MODEL", "").partition("@")


@pytest.fixture(scope="session")
def model() -> str:
    """The model's name."""
    return SERVED[0] or serving.NAME


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """Where a small real model answers."""
    if SERVED[0]:
        yield SERVED[2]
        return
    if sys.platform == "win32":
        pytest.skip("no server is tried on Windows")
    serving.CACHE.mkdir(parents=True, exist_ok=True)
    with (serving.CACHE / "lock").open("w") as lock:  # two sessions must not fetch at the same time
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            with serving.server() as found:
                yield found
        except serving.NoServer as error:
            pytest.skip(f"no real model: {error}")


@pytest.fixture(scope="module")
def project(address: str, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project whose runs ask the model."""
    return Project(tmp_path_factory.mktemp("project"), address)
