"""For runs within a test run: without hypothesis, which each of them would import anew."""

import pytest


@pytest.fixture(autouse=True)
def _without_hypothesis(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pytester" in request.fixturenames:
        request.getfixturevalue("pytester")  # first, because it clears the variable
        monkeypatch.setenv("PYTEST_ADDOPTS", "-p no:hypothesispytest")
