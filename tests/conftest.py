"""For runs of pytest within a test, also when the test itself is run by a worker."""

import pytest


@pytest.fixture(autouse=True)
def _no_worker(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide from an inner run that the outer one has workers: syrupy would take it for one, and report nothing."""
    if "pytester" in request.fixturenames:
        for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
            monkeypatch.delenv(name, raising=False)
        # A third of what a run in a process of its own takes is compiling what the one before it has compiled.
        monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
