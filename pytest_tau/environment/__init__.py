"""The world of a task: tables over an immutable base, tools on them, and the environment that dispatches calls.

What a domain folder imports comes from here.
"""

from ..errors import DomainError
from ..schema.task import Task
from .database import Database, Record
from .delta import ABSENT, Change
from .documents import Document, Documents, Knowledge, KnowledgeBase
from .results import WithPictures, picture
from .spec import DomainSpec, Pace, Policy
from .sql import SqlDatabase
from .table import Table, listed_by, owned_by, with_notes
from .toolkit import Toolkit, tool

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
    "Toolkit",
    "WithPictures",
    "listed_by",
    "owned_by",
    "picture",
    "tool",
    "with_notes",
]
