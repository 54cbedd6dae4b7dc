"""Models of one's own server, of which litellm knows nothing: what it would say of them, without importing it.

``openai/NAME`` with an address is how llama.cpp, vLLM, Ollama and the like are reached. litellm sends what it is given
to such a model and knows no price, no window and no ability of it. To import it for that answer takes every process of
a run three seconds of processor time and 160 MB. tests/llm/test_own_models.py holds this module against the litellm
that is installed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PREFIX = "openai/"
_PRICES = "model_prices_and_context_window_backup.json"  # of litellm
# litellm looks into such names, whoever serves them: parameters have other names or meanings there.
_LOOKED_INTO = re.compile(r"gpt|o\d|codex|audio|search|davinci|babbage|[/:]ft:|^ft:", re.IGNORECASE)

PLAIN = frozenset(
    {
        *("frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "n"),
        *("parallel_tool_calls", "presence_penalty", "response_format", "seed", "stop", "temperature"),
        *("tool_choice", "tools", "top_logprobs", "top_p"),
    }
)
"""The parameters that are sent as they are, whatever the model."""


ABOUT_THE_CALL = frozenset({"model", "messages", "timeout", "api_base", "base_url", "api_key"})
"""What a request has besides: whom to ask, where and what."""


def imported_litellm() -> Any:
    """litellm, where somebody has imported it and may have told it something; None elsewhere."""
    return sys.modules.get("litellm")


def address_of(parameters: Mapping[str, Any], provider: str = "openai") -> str | None:
    """Where a provider's models are asked, as parameters, litellm or the environment say; None where nobody says."""
    told = parameters.get("api_base") or parameters.get("base_url") or getattr(imported_litellm(), "api_base", None)
    environment, name = os.environ.get, provider.upper()
    return told or environment(f"{name}_BASE_URL") or environment(f"{name}_API_BASE") or None


def provider_of(model: str) -> str:
    """Whose model a name means: what it begins with; OpenAI's without that."""
    return model.partition("/")[0] if "/" in model else "openai"


def key_of(parameters: Mapping[str, Any], provider: str = "openai") -> str:
    """The key that a provider's models are asked with, as parameters or the environment say; "" where nobody says."""
    return str(parameters.get("api_key") or os.environ.get(key_name(provider)) or "")


def key_name(provider: str) -> str:
    """The variable of the environment that holds a provider's key."""
    return f"{provider.upper().replace('-', '_')}_API_KEY"


def is_own(model: str) -> bool:
    """Whether litellm knows nothing of a model but how it is reached."""
    name = model.removeprefix(PREFIX)
    if name == model or _LOOKED_INTO.search(name) or _is_listed(name):
        return False
    registered: Any = getattr(imported_litellm(), "model_cost", None) or {}
    return name not in registered and model not in registered


def is_sent_as_given(model: str, parameters: Iterable[str]) -> bool:
    """Whether a model is one's own, and these parameters of its calls are such as litellm sends as they are."""
    return (PLAIN | ABOUT_THE_CALL).issuperset(parameters) and is_own(model)


@cache
def _is_listed(name: str) -> bool:
    """Whether litellm's list of prices has a model, with any provider; True where it has no such list to look at."""
    package = importlib.util.find_spec("litellm")
    if package is None:
        return False  # nobody is there to be asked
    try:
        listed = (Path((package.submodule_search_locations or [""])[0]) / _PRICES).read_bytes()
    except OSError:
        return True  # litellm has changed, and is asked
    return any(f'{before}{name}": {{'.encode() in listed for before in ('"', "/"))
