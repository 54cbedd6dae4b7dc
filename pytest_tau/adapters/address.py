"""What an agent's address says of it: where it is, in which protocol it speaks, and the header that lets us in."""

from __future__ import annotations

import ipaddress
import os
import re
from urllib.parse import SplitResult, urlsplit

from ..errors import SettingsError
from ..scrub import remember

PROTOCOLS = ("simple", "openai", "responses", "a2a")
_HEADER = re.compile(r"(?P<name>[A-Za-z0-9-]+): *(?P<value>.+)")


def parts_of(address: str) -> SplitResult:
    """The parts of an address; raises SettingsError where it is none, or holds what would appear in every report."""
    try:
        parts = urlsplit(address)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known:
        raise SettingsError(
            f"the agent's address {address.partition('?')[0]!r} is not an address: write http://host:port/path"
        )
    if parts.username is not None or parts.password is not None:
        raise SettingsError(
            "the agent's address has a name or password in it, which would appear in every report: "
            "put the value of the Authorization header into the environment instead"
        )
    if not address.isascii() or not address.isprintable() or " " in address:
        raise SettingsError(
            f"the agent's address {address.partition('?')[0]!r} has characters in it that no address may have: write "
            "%20 for a space, and others alike"
        )
    return parts


def protocol_of(named: str | None, path: str) -> str:
    """The protocol that was named, else the one that the path of the address is of; raises SettingsError."""
    if named is not None:
        if named not in PROTOCOLS:
            raise SettingsError(f"there is no agent protocol '{named}': use {', '.join(PROTOCOLS)}")
        return named
    if path.endswith("/chat/completions") or path.rstrip("/").endswith("/v1"):
        return "openai"
    if path.endswith("/responses"):
        return "responses"
    return "a2a" if "/.well-known/" in path else "simple"


def authorization(variable: str) -> dict[str, str]:
    """The header that an environment variable holds: its value alone, or ``Name: value``; raises SettingsError."""
    given = os.environ.get(variable, "").strip()
    if not given:
        return {}
    if not given.isprintable() or not given.isascii():
        raise SettingsError(f"{variable}: holds characters that no header may have")
    found = _HEADER.fullmatch(given)
    name, value = (found["name"], found["value"]) if found else ("Authorization", given)
    remember({value, value.partition(" ")[2]})
    return {name: value}


def is_loopback(host: str) -> bool:
    """Whether a host is this machine."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
