"""Every touch of a private name of litellm: one small function each.

Each says what it needs and what happens in a release that no longer has it; tests/llm/test_private.py holds every one
of them against the installed litellm. litellm itself comes in as an argument.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping
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


refusing_redirects: ContextVar[Callable[[str, str], str] | None] = ContextVar("tau_redirects", default=None)
"""Within a call of a model: what to say of an address that redirects to another one."""


@cache
def watch_redirects() -> None:
    """Let no call of a model be sent on to another address by the HTTP client below litellm.

    Needs ``_build_redirect_request`` of httpx's clients. Without: such a call is sent on.
    """
    client: Any = getattr(importlib.import_module("httpx"), "_client", None)
    base: Any = getattr(client, "BaseClient", None)
    build = getattr(base, "_build_redirect_request", None)
    if build is None:
        return

    def refuse(self: Any, request: Any, response: Any) -> Any:
        sentence = refusing_redirects.get()
        if sentence is None:
            return build(self, request, response)
        raise ConnectionError(sentence(str(request.url), str(response.headers.get("Location", ""))))

    base._build_redirect_request = refuse


_CALLBACKS = ("callbacks", "input_callback", "success_callback", "failure_callback")
_CONNECTION = ("aclient_session", "client_session", "ssl_certificate", "organization", "headers", "custom_provider_map")


def is_configured(litellm: Any) -> bool:
    """Whether a user has told litellm something about calls that only litellm knows how to keep to.

    Needs its module-level settings: callbacks, sessions, certificates, headers. Without one: it cannot have been set.
    """
    told = any(getattr(litellm, name, None) for name in (*_CALLBACKS, *_CONNECTION))
    return told or getattr(litellm, "ssl_verify", True) is not True
