"""Keeps keys out of everything that leaves the process: journals, reports, terminals, cassettes, texts of providers.

Three measures, from the certain to the suspected. :func:`conceal` takes out strings that are known to be secret: those
that model parameters hold under secret names (:func:`remember`), and the environment's. It is for what a model or an
agent said, where only looking like a key is no crime. :func:`scrub` takes out what looks like a key, too, and is for
texts of providers, exceptions and command lines. :func:`public` shows parameters without their secret ones.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import quote, quote_plus

HIDDEN = "[key]"
# "token" but not "max_tokens"; the short ones as whole words of a name: "sig", "x-auth", but not "design", "author".
_SECRET_NAME = re.compile(
    r"key|token(?!s)|secret|password|passphrase|credential|authorization|bearer|cookie|signature"
    r"|(?<![a-z])(?:auth|sig|code|pwd|pass|jwt|sas)(?![a-z])",
    re.IGNORECASE,
)
_FORMS = (
    r"\b(?:sk|pk|rk|gsk|xai|hf|r8|nvapi)[-_][A-Za-z0-9*_-]{6,}"
    r"|\bAIza[A-Za-z0-9_-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"
    r"|\b(?:gh[oprsu]|github_pat|glpat|xox[abeprs]|npm|pypi|shpat)[-_][A-Za-z0-9_-]{16,}"
    r"|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+"
)
_OF_A_FORM = re.compile(_FORMS)
_KEY = re.compile(
    r"(?i:(?<=bearer )|(?<=basic ))\S{4,}"
    r"|(?P<name>(?i:(?:authorization|api[-_ ]?key)['\"]?\s*[:=]\s*['\"]?(?!bearer |basic )))[^\s'\",}&]+"
    rf"|{_FORMS}"
    r"|(?<=://)[^/\s@]+(?=@)"
)
# A parameter of a URL's query: ?access_token=… . What ends a sentence does not end a key.
_QUERY = re.compile(r"(?P<name>(?<=[?&])[\w.%-]{1,60}=)(?P<value>[^&\s'\"#]*[^&\s'\"#;:,.])")
# Shorter values are words ("none", "true"), and taking those out of texts would garble them.
_SECRET_LENGTH = 8
# Under a name that looks secret, and none: where a shell stands.
_NOT_SECRET = frozenset({"PWD", "OLDPWD"})
# How deep JSON within JSON is looked into: arguments of a call, in a log of a request, in a message, in a record.
_LEVELS = 3
_CUT = "…"  # where a text was cut short
_WORD = re.compile(r"[a-z]{,12}|[A-Z]{,12}|[\d.]{,9}")

_remembered: set[str] = set()
_of_the_environment: set[str] = set()


@lru_cache(maxsize=4096)
def _names_a_secret(name: str) -> bool:
    """Whether what stands in the environment under this name is a secret."""
    return _SECRET_NAME.search(name) is not None and name not in _NOT_SECRET


def remember(secrets: Iterable[str]) -> None:
    """Keep these strings out of everything from now on, as long as they are long enough to be no words."""
    _remembered.update(secret for secret in secrets if len(secret) >= _SECRET_LENGTH)


def known_secrets(secrets: Iterable[str] = ()) -> list[str]:
    """The given secrets, the remembered and those of the environment, the longest first: one may be part of another.

    What once stood in the environment stays a secret: an agent may read its key and take it out of there.
    """
    # Names first: pytest changes the environment between two tests, while trials run in threads. A word that happens
    # to stand under a secret name (KEYBOARD=standard) is no secret.
    names = [name for name in list(os.environ) if _names_a_secret(name)]
    values = [os.environ.get(name, "") for name in names]
    # Of "Bearer …" what follows is the secret, by itself as well.
    parts = (part for value in values for part in {value, value.rpartition(" ")[2]})
    _of_the_environment.update(part for part in parts if len(part) >= _SECRET_LENGTH and not _WORD.fullmatch(part))
    found = {one for one in (*secrets, *_remembered, *list(_of_the_environment)) if len(one) >= _SECRET_LENGTH}
    return sorted(found, key=len, reverse=True)


@lru_cache(maxsize=256)
def _spellings(secret: str) -> tuple[str, ...]:
    """A secret as texts write it: as it is, as Python or JSON quote it, in an address, and each of its lines."""
    found = {secret, *_in_python(secret)}
    for _ in range(_LEVELS):  # texts of JSON within texts of JSON
        found |= {written for one in found for written in _in_json(one)}
    found |= {written for one in list(found) for written in _in_python(one)}  # as a KeyError tells of its text
    found |= {quote(secret, safe=""), quote(secret), quote_plus(secret)}
    found |= {line.strip() for line in secret.splitlines() if not _WORD.fullmatch(line.strip())}
    return tuple(sorted({one for one in found if len(one) >= _SECRET_LENGTH}, key=len, reverse=True))


@lru_cache(maxsize=256)
def _spellings_in_json(secret: str) -> tuple[str, ...]:
    """What these texts become within the strings of JSON, the longest first: one may be part of another."""
    found = {written for spelled in _spellings(secret) for written in (spelled, *_in_json(spelled))}
    return tuple(sorted(found, key=len, reverse=True))


def _in_json(text: str) -> tuple[str, str]:
    return json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def _in_python(text: str) -> set[str]:
    both = repr(f'"{text}')[2:-1]  # as it is quoted beside quotes of the other kind
    return {repr(text)[1:-1], ascii(text)[1:-1], both}


def scrub(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without known secrets and without all that looks like a key."""
    text = conceal(text, known_secrets(secrets))
    text = _KEY.sub(lambda match: f"{match['name'] or ''}{HIDDEN}", text)
    return _QUERY.sub(lambda match: f"{match['name']}{HIDDEN}" if _is_secret(match["name"][:-1]) else match[0], text)


def keys_in(text: str) -> Iterator[str]:
    """The keys in a text that are known by their form alone, as those of large providers are."""
    return (found[0] for found in _OF_A_FORM.finditer(text))


def conceal(text: str, secrets: Iterable[str] | None = None) -> str:
    """The text without these very secrets, by default all that are known."""
    for secret in known_secrets() if secrets is None else secrets:
        for spelled in _spellings(secret):
            text = _without(spelled, text)
    return text


def conceal_json(line: str) -> str:
    """The text of a JSON value without all known secrets, as they stand within its strings."""
    for secret in known_secrets():
        for spelled in _spellings_in_json(secret):
            line = _without(spelled, line)
    return line


def _without(spelled: str, text: str) -> str:
    """The text without a secret, and without the beginning of one where the text was cut short."""
    if spelled[:_SECRET_LENGTH] not in text:
        return text
    text = text.replace(spelled, HIDDEN)
    for end in range(len(spelled) - 1, _SECRET_LENGTH - 1, -1) if _CUT in text else ():
        text = re.sub(f"{re.escape(spelled[:end])}(?= ?{_CUT})", HIDDEN, text)
    return text


def secrets_in(parameters: Mapping[str, Any]) -> set[str]:
    """The strings that parameters keep under secret names, however deep, and those in the queries of addresses."""
    return {text for name, value in parameters.items() for text in _strings(value, secret=_is_secret(name))}


def public(value: Any) -> Any:
    """Parameters as anybody may see them: without the secret ones, texts scrubbed."""
    if isinstance(value, Mapping):
        return {name: public(inner) for name, inner in value.items() if not _is_secret(str(name))}
    if isinstance(value, list | tuple):
        return [public(inner) for inner in value]
    return scrub(value) if isinstance(value, str) else value


def mark_secrets(value: Any, *, secret: bool = False) -> Any:
    """Parameters as anybody may see them, with a mark where a secret has to be put back; ``secret``: all of it is."""
    if isinstance(value, Mapping):
        return {name: mark_secrets(inner, secret=secret or _is_secret(str(name))) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mark_secrets(inner, secret=secret) for inner in value]
    if not isinstance(value, str):
        return value
    return HIDDEN if secret and len(value) >= _SECRET_LENGTH else scrub(value)  # "none" is a word


def _is_secret(name: str) -> bool:
    return bool(_SECRET_NAME.search(name)) or name.lower().endswith("headers")


def _strings(value: Any, *, secret: bool) -> Iterable[str]:
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _strings(inner, secret=secret or _is_secret(str(name)))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _strings(inner, secret=secret)
    elif isinstance(value, str) and secret:
        yield value
    elif isinstance(value, str) and "://" in value:
        yield from (match["value"] for match in _QUERY.finditer(value) if _is_secret(match["name"][:-1]))
