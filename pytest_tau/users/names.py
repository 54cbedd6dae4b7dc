"""Turns what a user names, a simulator's name or ``module:factory``, into a factory of simulated customers."""

from __future__ import annotations

from ..conversation.factories import imported
from ..conversation.protocols import UserFactory
from ..errors import SettingsError
from .scripted import Scripted

_BUILTIN: dict[str, UserFactory] = {"scripted": Scripted}


def named_user(name: str) -> UserFactory:
    """The factory that ``name`` stands for; raises SettingsError with the names there are."""
    if name in _BUILTIN:
        return _BUILTIN[name]
    if ":" not in name:
        raise SettingsError(f"there is no user '{name}': use {', '.join(_BUILTIN)}, or module:factory for your own")
    return imported(name, "user")
