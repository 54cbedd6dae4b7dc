"""pytest-tau: τ-bench / τ²-bench evaluations as pytest items.

The public names below are imported on first use (PEP 562): pytest loads this package in every session
that has it installed, and an idle session must not pay for pydantic.

PYTEST_DONT_REWRITE: nothing here asserts on a test's behalf.
"""

from __future__ import annotations

import atexit
import importlib
import sys
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tau_workshop.compose import generate

    from .conversation.protocols import Agent, AgentContext, AgentFactory, User, UserContext, UserFactory
    from .environment.domain import Domain, load_domain
    from .environment.environment import Environment
    from .environment.tasks import load_tasks
    from .episode import Episode
    from .errors import AgentFault, InfraError, TauError
    from .evaluation.grade import grade
    from .journal import load_journal
    from .recordings.rescored import rescore
    from .schema.messages import AssistantMessage, Attachment, ToolCall, UserMessage
    from .schema.reward import Reward
    from .schema.simulation import Simulation
    from .schema.task import Task
    from .simulating import asimulate, simulate

__version__ = "0.1.0"

_HOME = {
    "Agent": "conversation.protocols",
    "AgentContext": "conversation.protocols",
    "AgentFactory": "conversation.protocols",
    "AgentFault": "errors",
    "AssistantMessage": "schema.messages",
    "Attachment": "schema.messages",
    "Domain": "environment.domain",
    "Environment": "environment.environment",
    "Episode": "episode",
    "InfraError": "errors",
    "Reward": "schema.reward",
    "Simulation": "schema.simulation",
    "Task": "schema.task",
    "TauError": "errors",
    "ToolCall": "schema.messages",
    "User": "conversation.protocols",
    "UserContext": "conversation.protocols",
    "UserFactory": "conversation.protocols",
    "UserMessage": "schema.messages",
    "asimulate": "simulating",
    "grade": "evaluation.grade",
    "generate": "tau_workshop.compose",  # the workshop's, under the name that programs know; imported when asked for
    "load_domain": "environment.domain",
    "load_journal": "journal",
    "load_tasks": "environment.tasks",
    "rescore": "recordings.rescored",
    "simulate": "simulating",
}

__all__ = [
    "Agent",
    "AgentContext",
    "AgentFactory",
    "AgentFault",
    "AssistantMessage",
    "Attachment",
    "Domain",
    "Environment",
    "Episode",
    "InfraError",
    "Reward",
    "Simulation",
    "Task",
    "TauError",
    "ToolCall",
    "User",
    "UserContext",
    "UserFactory",
    "UserMessage",
    "asimulate",
    "generate",
    "grade",
    "load_domain",
    "load_journal",
    "load_tasks",
    "rescore",
    "simulate",
]


class _OldNames:
    """Finds modules by the names that they had before they moved.

    It comes first: an old name may lie below a package that moved, where Python would load the same file again.
    """

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """The spec of an old name; None for any other."""
        if not name.startswith(_ROOMS_OF_OLD):
            return None
        from .moved import spec_of

        return spec_of(name)


_ROOMS_OF_OLD = tuple(f"pytest_tau.{room}" for room in ("generation", "dataset", "evaluation.", "metrics.", "reports."))
sys.meta_path.insert(0, _OldNames)


def _let_go() -> None:
    if _OldNames in sys.meta_path:
        sys.meta_path.remove(_OldNames)


# A finder that is still there when Python ends keeps alive all that was imported, which costs milliseconds.
atexit.register(_let_go)


def __getattr__(name: str) -> Any:
    """Import a public name from its module the first time it is asked for."""
    if name not in _HOME:
        raise AttributeError(f"module 'pytest_tau' has no attribute {name!r}")
    home = _HOME[name]
    value = getattr(importlib.import_module(home if home.startswith("tau_workshop") else f"pytest_tau.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
