"""Keeps keys out of everything that is shown or written: texts of providers and parameters of models.

Providers repeat keys ("Incorrect API key provided: sk-…"), and parameters may hold them (``api_key``, headers).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

HIDDEN = "[key]"
# "token" but not "max_tokens".
_SECRET_NAME = re.compile(r"key|token(?!s)|secret|password|credential|authorization", re.IGNORECASE)
_KEY = re.compile(
    r"(?i:(?<=bearer )|(?<=basic ))\S{4,}"
    r"|(?P<name>(?i:(?:authorization|api[-_ ]?key)['\"]?\s*[:=]\s*['\"]?(?!bearer |basic )))[^\s'\",}&]+"
    r"|\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi)[-_][A-Za-z0-9*_-]{6,}"
    r"|\bAIza[A-Za-z0-9_-]{10,}"
    r"|(?<=[?&]key=)[^&\s'\"]+"
    r"|(?<=://)[^/\s@]+(?=@)"
)
# Shorter values are words ("none", "true"), and taking those out of texts would garble them.
_SECRET_LENGTH = 8


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without the given secrets, those of the environment, and all that looks like a key."""
    text = conceal(text, known_secrets(secrets))
    return _KEY.sub(lambda match: f"{match['name'] or ''}{HIDDEN}", text)


def known_secrets(secrets: Iterable[str] = ()) -> list[str]:
    """The given secrets and those of the environment, the longest first: one may be part of another."""
    environment = (value for name, value in os.environ.items() if _SECRET_NAME.search(name))
    return sorted(
        {secret for secret in (*secrets, *environment) if len(secret) >= _SECRET_LENGTH}, key=len, reverse=True
    )


def conceal(text: str, secrets: Iterable[str]) -> str:
    """The text without these very secrets, for texts in which only looking like a key is no crime."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def secrets_in(parameters: Mapping[str, Any]) -> set[str]:
    """The strings that parameters keep under secret names, however deep."""
    return {text for name, value in parameters.items() for text in _strings(value, secret=_is_secret(name))}


def public(value: Any) -> Any:
    """Parameters as anybody may see them: without the secret ones, texts scrubbed."""
    if isinstance(value, Mapping):
        return {name: public(inner) for name, inner in value.items() if not _is_secret(str(name))}
    if isinstance(value, list | tuple):
        return [public(inner) for inner in value]
    return scrub(value) if isinstance(value, str) else value


def _is_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) or name.lower().endswith("headers")


def _strings(value: Any, *, secret: bool) -> Iterable[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(inner, secret=secret or _is_secret(str(name)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, secret=secret)
    elif secret and isinstance(value, str):
        yield value
