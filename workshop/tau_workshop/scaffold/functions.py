"""A domain around functions that exist: each becomes a tool with its signature and docstring, and is called."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable
from typing import Any

from pytest_tau.environment.toolkit import docstring
from pytest_tau.errors import SettingsError, describe

from . import blank
from .world import Argument, Method, SourceWorld, distinct, snake

_READS = ("get", "list", "find", "search", "look", "read", "fetch", "show", "check", "count", "is", "has", "calculate")
_SIMPLE = {str: "str", int: "int", float: "float", bool: "bool", list: "list[Any]", dict: "dict[str, Any]"}


def world(name: str, where: str) -> SourceWorld:
    """Read ``module:list``, a list (or tuple) of functions in a module that can be imported from here.

    Raises:
        SettingsError: it cannot be imported, or holds something else.
    """
    module_name, _, attribute = where.partition(":")
    if not module_name or not attribute:
        raise SettingsError(f"--from-functions: write module:list, not {where!r}")
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except Exception as error:  # whatever the module does
        raise SettingsError(f"--from-functions: {where}: {type(error).__name__}: {describe(error)}") from None
    functions = list(found) if isinstance(found, list | tuple) else []
    if not functions or not all(inspect.isfunction(function) for function in functions):
        raise SettingsError(f"--from-functions: {where} must be a list of functions")
    taken = {"transfer_to_human_agents", "get_ticket", "update_ticket", "close_ticket"}
    methods = [_method(function, taken) for function in functions]
    modules = sorted({function.__module__ for function in functions})
    return blank.world(
        name,
        *methods,
        imports=tuple(f"import {module}" for module in modules),
        todo=(
            "in tools.py, let the functions work on self.db: what they keep elsewhere is not undone between two trials",
            "see which tools write: a name that begins with get, list, find … was taken to read",
            "replace the tickets in schema.py, db.json and tools.py by your own records, and write policy.md",
        ),
    )


def _method(function: Callable[..., Any], taken: set[str]) -> Method:
    arguments, given = [], []
    about, described = docstring(function)
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        kind = _SIMPLE.get(parameter.annotation, "Any")
        needed = parameter.default is parameter.empty
        plain = parameter.default is None or isinstance(parameter.default, str | int | float | bool)
        default = None if needed else repr(parameter.default) if plain else "None"
        optional = kind if needed or kind == "Any" or default != "None" else f"{kind} | None"
        arguments.append(Argument(parameter.name, optional, described.get(parameter.name, ""), default))
        keyword = "" if parameter.kind is parameter.POSITIONAL_ONLY else f"{parameter.name}="
        given.append(f"{keyword}{parameter.name}")
    name = distinct(snake(function.__name__), taken)
    call = f"return {function.__module__}.{function.__name__}({', '.join(given)})"
    return Method(name, tuple(arguments), "Any", about.partition("\n\n")[0], name.split("_")[0] not in _READS, (call,))
