"""Agents that are not Python: which adapter an address or a command is for."""

from __future__ import annotations

from ..errors import SettingsError
from .command import CommandService
from .http import HttpService
from .service import Service, ServiceSettings

COMMAND = "command:"


def service(name: str, settings: ServiceSettings | None = None) -> Service:
    """What stands behind an address or a ``command:…``; raises SettingsError for one that cannot be."""
    if name.startswith(COMMAND):
        if settings is not None and settings.protocol is not None:
            raise SettingsError("--tau-agent-protocol: is for an agent behind an address; leave it out")
        return CommandService(name.removeprefix(COMMAND), settings or ServiceSettings())
    return HttpService(name, settings or ServiceSettings())
