"""For runs within a test run: without hypothesis, which each of them would import anew; and a server for models."""

import pytest

from tests.cli.conftest import _litellm, serve  # noqa: F401 (fixtures)


@pytest.fixture(autouse=True)
def _without_hypothesis(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # first, because it clears the variable
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")
