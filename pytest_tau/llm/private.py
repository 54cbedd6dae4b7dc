"""Every touch of a private name of litellm: one small function each.

Each says what it needs and what happens in a release that no longer has it; tests/llm/test_private.py holds every one
of them against the installed litellm. litellm itself comes in as an argument.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Any


def silence(litellm: Any) -> None:
    """Keep litellm from printing advice and from sending usage statistics.

    Needs ``litellm.suppress_debug_info`` and ``litellm.telemetry``. Without: setting them does nothing.
    """
    litellm.suppress_debug_info = True
    litellm.telemetry = False


@cache
def without_mcp() -> dict[str, bool]:
    """What keeps a call from looking for MCP servers among its tools, with a package that litellm does not require.

    Needs ``_skip_mcp_handler`` of ``litellm.acompletion``, which is there since the module
    ``litellm.responses.mcp.chat_completions_handler``. Without that module: nothing, as the switch would be sent to the
    provider.
    """
    known = importlib.util.find_spec("litellm.responses.mcp.chat_completions_handler") is not None
    return {"_skip_mcp_handler": True} if known else {}


class _Never(int):
    """A 0 that is not false."""

    def __bool__(self) -> bool:
        return True


def without_retries() -> dict[str, int]:
    """What keeps a call for vectors from being sent again below us, where nobody counts it.

    Needs ``max_retries`` of ``litellm.aembedding``, which takes a false number for none that was given. Without: the
    client below sends a refused call up to three times.
    """
    return {"num_retries": 0, "max_retries": _Never()}


def parameter_names(litellm: Any) -> frozenset[str]:
    """The names of the parameters that a chat completion can have.

    Needs ``litellm.OPENAI_CHAT_COMPLETION_PARAMS``. Without: none, and no parameter is said to be left out.
    """
    return frozenset(getattr(litellm, "OPENAI_CHAT_COMPLETION_PARAMS", ()))


def takes(litellm: Any, model: str, api_base: str | None, parameters: Mapping[str, Any]) -> bool:
    """Whether a model takes these parameters with these values.

    Needs ``litellm.get_llm_provider``, ``litellm.utils.get_optional_params`` and ``litellm.UnsupportedParamsError``.
    Without: True, and the call itself says what is wrong.
    """
    refused: Any = getattr(litellm, "UnsupportedParamsError", ())
    try:
        name, provider, _, _ = litellm.get_llm_provider(model, api_base=api_base)
        litellm.utils.get_optional_params(model=name, custom_llm_provider=provider, drop_params=False, **parameters)
    except refused:
        return False
    except Exception:
        return True
    return True


def as_sent(litellm: Any, model: str, provider: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as litellm would send them to this provider; raises whatever it raises.

    Needs ``litellm.utils.get_optional_params``. Without: AttributeError, and litellm makes the calls itself.
    """
    sent = litellm.utils.get_optional_params(model=model, custom_llm_provider=provider, **parameters)
    # It says "stream": False and an empty "extra_body" with every call.
    return {name: value for name, value in sent.items() if value or name in parameters}


_heard: ContextVar[list[Any] | None] = ContextVar("tau_heard", default=None)


@contextmanager
def listening() -> Iterator[list[Any]]:
    """What comes back from a provider within, and let none send a call on to another address.

    Each is a response of the HTTP client below litellm, or what it raised in place of one. Needs ``send`` of httpx's
    clients, with ``follow_redirects``. Without: nothing is heard.
    """
    _watch_httpx()
    heard: list[Any] = []
    before = _heard.set(heard)
    try:
        yield heard
    finally:
        _heard.reset(before)


@cache
def _watch_httpx() -> None:
    httpx: Any = importlib.import_module("httpx")
    send, asend = httpx.Client.send, httpx.AsyncClient.send

    def send_and_listen(self: Any, request: Any, **options: Any) -> Any:
        heard = _heard.get()
        if heard is None:
            return send(self, request, **options)
        try:
            heard.append(send(self, request, **{**options, "follow_redirects": False}))
        except Exception as error:
            heard.append(error)
            raise
        return heard[-1]

    async def asend_and_listen(self: Any, request: Any, **options: Any) -> Any:
        heard = _heard.get()
        if heard is None:
            return await asend(self, request, **options)
        try:
            heard.append(await asend(self, request, **{**options, "follow_redirects": False}))
        except Exception as error:
            heard.append(error)
            raise
        return heard[-1]

    httpx.Client.send, httpx.AsyncClient.send = send_and_listen, asend_and_listen


_CALLBACKS = ("callbacks", "input_callback", "success_callback", "failure_callback")
_CONNECTION = ("aclient_session", "client_session", "ssl_certificate", "organization", "headers", "custom_provider_map")


def is_configured(litellm: Any) -> bool:
    """Whether a user has told litellm something about calls that only litellm knows how to keep to.

    Needs its module-level settings: callbacks, sessions, certificates, headers. Without one: it cannot have been set.
    """
    told = any(getattr(litellm, name, None) for name in (*_CALLBACKS, *_CONNECTION))
    return told or getattr(litellm, "ssl_verify", True) is not True
