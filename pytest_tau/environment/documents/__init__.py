"""The documents of a domain: read and indexed, the tools over them, and the ways in which an agent gets at them."""

from .knowledge import Knowledge, KnowledgeBase
from .store import Document, Documents

__all__ = ["Document", "Documents", "Knowledge", "KnowledgeBase"]
