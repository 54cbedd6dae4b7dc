"""Factories of players as users give them: ``module:attribute`` on the command line, or an object from Python."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import SettingsError


def import_factory(name: str, role: str) -> Callable[[Any], Any]:
    """Import ``module:attribute``, also from the current folder; raises SettingsError."""
    module_name, _, attribute = name.partition(":")
    with suppress(OSError):  # an agent that was played before may have removed it
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
    try:
        value: Any = importlib.import_module(module_name)
        for part in attribute.split("."):
            value = getattr(value, part)
    except Exception as error:
        raise SettingsError(f"the {role} '{name}' cannot be imported: {type(error).__name__}: {error}") from error
    return checked_factory(value, f"the {role} '{name}'")


def checked_factory(value: Any, what: str) -> Callable[[Any], Any]:
    """``value`` as a factory; raises SettingsError for what is none, such as one agent object for all trials."""
    if isinstance(value, type) or (callable(value) and not hasattr(value, "reply")):
        return value  # type: ignore[no-any-return]
    if hasattr(value, "reply"):
        raise SettingsError(
            f"{what} is one object for all trials, which would mix their conversations: "
            "give a factory, called with the trial's context, that returns a fresh object with reply(messages)"
        )
    raise SettingsError(f"{what} is {value!r}: it must be a callable that returns an object with reply(messages)")
