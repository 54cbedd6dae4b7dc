"""For property tests, and for runs of pytest within a test, also when the test itself is run by a worker."""

import pytest
from hypothesis import HealthCheck, settings

# The same examples everywhere, and nothing that depends on how fast a machine is.
settings.register_profile(
    "tau", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tau")

ALLURE = "allure_pytest"


@pytest.fixture(autouse=True)
def _inner_runs(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "pytester" not in request.fixturenames:
        return
    request.getfixturevalue("pytester")  # first, because it clears a variable of these
    # An inner run has not the workers of the outer one: syrupy would take it for one, and report nothing.
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    # What these import, in each process, takes as long as all of ours. test_allure.py puts its own back.
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(f"-pno:{name}" for name in ("hypothesispytest", "anyio", ALLURE)))
    # A third of what a run in a process of its own takes is compiling what the one before it has compiled.
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
