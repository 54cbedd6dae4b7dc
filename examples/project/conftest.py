"""Who is evaluated in this project."""

import pytest
from agent import DeskAgent


@pytest.fixture(scope="session")
def tau_agent() -> type[DeskAgent]:
    """The project's agent; each trial gets a fresh one."""
    return DeskAgent
