"""A domain around functions that exist: each becomes a tool with its signature and docstring, and is called."""

from __future__ import annotations

import importlib
import inspect
import math
import sys
from collections.abc import Callable
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pytest_tau.environment.toolkit import docstring
from pytest_tau.errors import SettingsError, describe

from . import blank
from .world import OWN_TOOLS, Argument, Method, SourceWorld, distinct, snake

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
    if odd := next((function.__name__ for function in functions if _is_odd(function)), None):
        raise SettingsError(
            f"--from-functions: {where}: {odd} is async or yields; give a function that returns a value"
        )
    if any(not function.__name__.isidentifier() for function in functions):
        raise SettingsError(f"--from-functions: {where} has a lambda in it; write a function with a name instead")
    if odd := next((function.__qualname__ for function in functions if not _can_be_called(function)), None):
        raise SettingsError(
            f"--from-functions: {where}: {odd} cannot be called by its name in its module, without a self; write a "
            "function there that calls it"
        )
    for function in functions:
        for each in inspect.signature(function).parameters.values():
            if each.kind is each.VAR_POSITIONAL:
                raise SettingsError(
                    f"--from-functions: {where}: {function.__name__} takes {each.replace(annotation=each.empty)}, "
                    "which has no name for each value; write a function that takes a list"
                )
    taken = {*OWN_TOOLS, "get_ticket", "update_ticket", "close_ticket"}
    # A module may be called as an argument is, or as what the written module imports.
    hidden = {"tool", *(name for function in functions for name in inspect.signature(function).parameters)}
    modules = sorted({function.__module__ for function in functions})
    names = {
        one: one if one.partition(".")[0] not in hidden else distinct(f"the_{snake(one)}", hidden) for one in modules
    }
    methods = [_method(function, names[function.__module__], taken) for function in functions]
    lost = _untyped(functions)
    return blank.world(
        name,
        *methods,
        imports=tuple(f"import {one}" if name == one else f"import {one} as {name}" for one, name in names.items()),
        todo=(
            "in tools.py, let the functions work on self.db: what they keep elsewhere is not undone between two trials",
            *([f"in tools.py, write the types of {', '.join(lost)}: they get what JSON has"] if lost else []),
            "see which tools write: a name that begins with get, list, find … was taken to read",
            "replace the tickets in schema.py, db.json and tools.py by your own records, and write policy.md",
        ),
    )


def _is_odd(function: Callable[..., Any]) -> bool:
    return (
        inspect.iscoroutinefunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    )


def _can_be_called(function: Callable[..., Any]) -> bool:
    """Whether the written tool reaches it: methods and functions within functions have no name in the module."""
    named = getattr(sys.modules.get(function.__module__), function.__name__, None)
    return named is function and "self" not in inspect.signature(function).parameters


def _is_plain(default: Any) -> bool:
    """Whether its repr is Python that gives it again, unlike that of an infinite number or an enumeration's member."""
    kind = type(default)
    return kind in (str, int, bool, type(None)) or (kind is float and math.isfinite(default))


def _signature(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function, eval_str=True)
    except Exception:  # an annotation is any expression
        return inspect.signature(function)


def _written(kind: Any) -> str | None:
    """A type as Python that needs no import but that of typing; None for one that is of classes of its own."""
    if kind in (inspect.Parameter.empty, Any):
        return "Any"
    if kind is NoneType:
        return "None"
    if isinstance(kind, type):
        return _SIMPLE.get(kind)
    inner, origin = get_args(kind), get_origin(kind)
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, inner))}]" if all(map(_is_plain, inner)) else None
    parts = [part for one in inner if (part := _written(one))]
    if len(parts) < len(inner) or not parts:
        return None
    if origin in (Union, UnionType):
        return " | ".join(parts)
    return f"{origin.__name__}[{', '.join(parts)}]" if origin in (list, dict) else None


def _untyped(functions: list[Callable[..., Any]]) -> list[str]:
    """The functions with arguments of types that the tools do not have."""
    found = {one.__name__: _signature(one).parameters.values() for one in functions}
    lost = {name: [one.name for one in each if _written(one.annotation) is None] for name, each in found.items()}
    return [f"{name}({', '.join(arguments)})" for name, arguments in lost.items() if arguments]


def _method(function: Callable[..., Any], module: str, taken: set[str]) -> Method:
    arguments, given, kept = [], [], []
    about, described = docstring(function)
    for parameter in _signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        kind = _written(parameter.annotation) or "Any"
        needed = parameter.default is parameter.empty
        plain = _is_plain(parameter.default)
        placed = parameter.kind is parameter.POSITIONAL_ONLY
        # What no model can name stays at its default, and so does what stands before others and has one of its own.
        if not needed and (parameter.name.startswith("_") or (placed and not plain)):
            continue
        default = None if needed else repr(parameter.default) if plain else "None"
        optional = kind if needed or kind == "Any" or default != "None" or kind.endswith("| None") else f"{kind} | None"
        arguments.append(Argument(parameter.name, optional, described.get(parameter.name, ""), default))
        if needed or plain:
            given.append(parameter.name if placed else f"{parameter.name}={parameter.name}")
        else:
            kept.append(parameter.name)
    name = distinct(snake(function.__name__), taken)
    body = []
    if kept:
        more = distinct("given", {argument.name for argument in arguments})
        values = ", ".join(f'"{one}": {one}' for one in kept)
        body.append(f"{more} = {{name: value for name, value in {{{values}}}.items() if value is not None}}")
        given.append(f"**{more}")
    body.append(f"return {module}.{function.__name__}({', '.join(given)})")
    writes = name.split("_")[0] not in _READS
    return Method(name, tuple(arguments), "Any", about.partition("\n\n")[0], writes, tuple(body))
