"""Recorded conversations: readers of other programs' files and of our journals, and grading them again.

Names are imported when they are first asked for.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .logged import LoggedConversation as Conversation
    from .logged import Unread
    from .reading import read_conversations, read_log
    from .rescored import rescore

__all__ = ["Conversation", "Unread", "read_conversations", "read_log", "rescore"]

_FROM = {
    "Conversation": (".logged", "LoggedConversation"),
    "Unread": (".logged", "Unread"),
    "read_conversations": (".reading", "read_conversations"),
    "read_log": (".reading", "read_log"),
    "rescore": (".rescored", "rescore"),
}


def __getattr__(name: str) -> Any:
    if name not in _FROM:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, attribute = _FROM[name]
    return getattr(import_module(module, __name__), attribute)
