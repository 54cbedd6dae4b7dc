"""What others bring: agents behind an address or a command, frameworks, protocols; each imported when it is named.

``langchain_tools(context)``, ``openai_agents_tools(context)``, ``pydantic_ai_tools(context)``,
``smolagents_tools(context)`` and ``llama_index_tools(context)`` give a trial's tools in the type that a framework
wants. ``langchain_callback(context)`` and ``openai_agents_hooks(context)`` tell which of several agents speaks.
"""

from __future__ import annotations

import importlib
from typing import Any

_TOOLS = ("langchain", "openai_agents", "pydantic_ai", "smolagents", "llama_index")
_AUTHORS = {"langchain_callback": "langchain", "openai_agents_hooks": "openai_agents"}
__all__ = [*(f"{name}_tools" for name in _TOOLS), *_AUTHORS]


def __getattr__(name: str) -> Any:
    """The function of a framework, whose module is imported now."""
    framework = _AUTHORS.get(name) or name.removesuffix("_tools")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f".{framework}", __name__), name)
