"""Where the tests find the reference material: the public data and the recorded calls, not part of the repo."""

import os
from pathlib import Path

import pytest


def _find() -> Path | None:
    root = os.environ.get("PYTEST_TAU_SHARED") or Path(__file__).resolve().parent.parent.parent / "shared"
    return Path(root) if Path(root).is_dir() else None


SHARED = _find()


def shared(*parts: str) -> Path:
    """A file or folder of the reference material; skips the test (or the module that asks) where it is not there."""
    if SHARED is None:
        pytest.skip("no reference material: set PYTEST_TAU_SHARED to its folder", allow_module_level=True)
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"the reference material has no {'/'.join(parts)}", allow_module_level=True)
    return path
