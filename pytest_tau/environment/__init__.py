"""The world of a task: tables over an immutable base, tools on them, and the environment that dispatches calls.

What a domain folder imports comes from here. What few domains have, documents and SQLite, is imported on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..errors import DomainError
from ..schema.task import Task
from .database import Database, Record
from .delta import ABSENT, Change
from .results import WithPictures, picture
from .spec import DomainSpec, Pace, Policy, TeamRole
from .table import Table
from .table_base import listed_by, owned_by, with_notes
from .toolkit import Toolkit, tool
from .values import values_of

if TYPE_CHECKING:
    from .documents import Document, Documents, Knowledge, KnowledgeBase
    from .sql import SqlDatabase

__all__ = [
    "ABSENT",
    "Change",
    "Database",
    "Document",
    "Documents",
    "DomainError",
    "DomainSpec",
    "Knowledge",
    "KnowledgeBase",
    "Pace",
    "Policy",
    "Record",
    "SqlDatabase",
    "Table",
    "Task",
    "TeamRole",
    "Toolkit",
    "WithPictures",
    "listed_by",
    "owned_by",
    "picture",
    "tool",
    "values_of",
    "with_notes",
]

_HOME = {"SqlDatabase": "sql", **dict.fromkeys(("Document", "Documents", "Knowledge", "KnowledgeBase"), "documents")}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
