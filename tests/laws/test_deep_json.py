"""JSON that is nested too deeply for the parser is no JSON either: who expects the one, expects the other."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest_tau

ROOT = Path(pytest_tau.__file__).parent


def readers(file: Path) -> Iterator[tuple[str, set[str]]]:
    """Where JSON is read in a try, and the exceptions that are expected there."""
    text = file.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)) if "json.loads(" in text else ():
        if isinstance(node, ast.Try) and any("json.loads(" in ast.unparse(line) for line in node.body):
            expected = {
                name.id
                for handler in node.handlers
                if handler.type is not None
                for name in ast.walk(handler.type)
                if isinstance(name, ast.Name)
            }
            yield f"{file.relative_to(ROOT)}:{node.lineno}", expected


def test_who_expects_broken_json_expects_deep_json() -> None:
    found = {where: expected for file in ROOT.rglob("*.py") for where, expected in readers(file)}
    assert len(found) > 20
    deep = {"RecursionError", "Exception"}
    assert [where for where, expected in found.items() if "ValueError" in expected and not expected & deep] == []
