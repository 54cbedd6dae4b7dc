"""The task file described: its JSON Schema with a sentence for each key, and the same as a page.

The sentences are the docstrings under the fields. They are read from the source when somebody asks, because pydantic's
own way to read them would cost every run that reads a task.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from typing import Any

from pydantic import BaseModel, TypeAdapter

from . import calls, checks, messages, milestones, scenario, task

_PAGE = """# Task files, key by key

This page lists every key of a task file, for authors of tasks. A task file is a JSON object (one task) or an array of
them. To learn how to write one, start with [write_a_domain.md](write_a_domain.md).

`pytest-tau schema` prints the same information as a JSON Schema for your editor, and `pytest-tau check` reports keys
that are not listed here. This page is generated from the code by `pytest-tau schema --markdown`.
"""


def described_schema() -> dict[str, Any]:
    """The JSON Schema of a task file, each property with a description."""
    schema = TypeAdapter(task.Task | list[task.Task]).json_schema()
    for name, model in schema["$defs"].items():
        described = _field_docs(_model(name))
        for field, prop in model["properties"].items():
            if field in described:
                prop["description"] = described[field]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "pytest-tau task file", **schema}


def markdown() -> str:
    """The page ``docs/task_file.md``: a section for each kind of object, those of a task first."""
    models = described_schema()["$defs"]
    return "\n".join([_PAGE, *(_section(name, models[name]) for name in _order("Task", models))])


def _order(first: str, models: dict[str, Any]) -> list[str]:
    """The models in the order in which a reader meets them."""
    found = [first]
    for name in found:
        found += [ref for ref in _refs(models[name]["properties"]) if ref not in found]
    return found


def _refs(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [node["$ref"].rpartition("/")[2]] if "$ref" in node else []
        return own + [ref for key, value in node.items() if key != "mapping" for ref in _refs(value)]
    return [ref for one in node for ref in _refs(one)] if isinstance(node, list) else []


def _section(name: str, model: dict[str, Any]) -> str:
    required = model.get("required", [])
    rows = [
        f"| `{field}`{' (required)' if field in required else ''} | {_kind(prop)} | {prop.get('description', '')} |"
        for field, prop in model["properties"].items()
    ]
    about = " ".join(model.get("description", "").replace("``", "`").split())
    return "\n".join([f"## {name}", "", about, "", "| key | value | meaning |", "|---|---|---|", *rows, ""])


def _kind(prop: dict[str, Any]) -> str:
    """The type of a value in words."""
    if "const" in prop:
        return f'`"{prop["const"]}"`'
    if "enum" in prop:
        return " or ".join(f'`"{value}"`' for value in prop["enum"])
    if "$ref" in prop:
        name = prop["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    for several in ("anyOf", "oneOf"):
        if several in prop:
            kinds = [_kind(one) for one in prop[several] if one.get("type") != "null"]
            return " or ".join(dict.fromkeys(kinds))
    if prop.get("type") == "array":
        return f"list of {_kind(prop.get('items', {}))}"
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    return words.get(prop.get("type", ""), "object" if prop.get("type") == "object" else "any value")


def _model(name: str) -> type[BaseModel]:
    found = (getattr(module, name, None) for module in (task, scenario, calls, checks, milestones, messages))
    model: type[BaseModel] = next(model for model in found if model is not None)
    return model


def _field_docs(model: type[BaseModel]) -> dict[str, str]:
    """The docstrings under the fields of a model and of those it is made from."""
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if issubclass(base, BaseModel) and base.__module__.startswith(__name__.rpartition(".")[0]):
            found |= _docs_in(_classes(base.__module__)[base.__name__])
    return found


@cache
def _classes(module: str) -> dict[str, ast.ClassDef]:
    """The source of the classes of a module, read once for all of them."""
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}


def _docs_in(body: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, below in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(below, ast.Expr):
            value = below.value
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                found[field.target.id] = " ".join(value.value.split())
    return found
