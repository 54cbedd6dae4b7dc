"""A law: no text of a file that a domain is made from becomes code, wherever it stands and however it ends."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau.cli import main
from tests.workshop.import_.logs import call, cancelling, log
from tests.workshop.scaffold.sources import KENNEL

NAME = "tau_became_code"
# They end a comment in a function, a docstring of either kind, a line of code and what is filled in.
CODE = f"{NAME} = 1"
TEXTS = [
    f"x\n        {CODE}\n        #",
    f'x"""\n{CODE}\n"""',
    f"x'''\n{CODE}\n'''",
    f'x\\"\r{CODE}  # ',
    f"x{{{NAME}}}",
]


def poisoned(value: Any, text: str) -> Iterator[Any]:
    """The value with the text behind one of its texts or names, wherever that stands, for each of them."""
    for word in sorted(words_of(value)):
        yield replaced(value, word, word + text)


def words_of(value: Any) -> set[str]:
    """The texts and names of a JSON value."""
    if isinstance(value, dict):
        return {*value}.union(*map(words_of, value.values()))
    if isinstance(value, list):
        return set[str]().union(*map(words_of, value))
    return {value} if isinstance(value, str) else set()


def replaced(value: Any, word: str, other: str) -> Any:
    """The value with another text or name in the place of one."""
    if isinstance(value, dict):
        return {other if name == word else name: replaced(each, word, other) for name, each in value.items()}
    if isinstance(value, list):
        return [replaced(each, word, other) for each in value]
    return other if value == word else value


def names_in_code(folder: Path) -> set[str]:
    """The names that the code of a folder has, where texts and comments are none; a file that is no code raises."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in folder.rglob("*.py")]
    return {node.id for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name)}


def made(tmp_path: Path, values: Iterable[Any], option: str, *more: str) -> int:
    """Make a domain of each; how many could be made, none with the name in its code."""
    found = []
    for number, value in enumerate(values):
        source, folder = log(tmp_path / "source.json", value), tmp_path / f"{number}"
        found.append(main(["new", "domain", f"odd_{number}", option, str(source), *more, "-o", str(folder)]) == 0)
        assert NAME not in names_in_code(folder), value
    return sum(found)


@pytest.mark.parametrize("text", [TEXTS[0], *(pytest.param(text, marks=pytest.mark.slow) for text in TEXTS[1:])])
def test_of_a_log(tmp_path: Path, text: str) -> None:
    conversation = cancelling("O5", opening="I want to cancel it.")
    cancelled = conversation["conversation"][7]["result"]
    conversation["conversation"].insert(8, call("get_order", {"order_id": "O5"}, cancelled))
    assert made(tmp_path, poisoned(conversation, text), "--from-conversations", "--no-redact") > 20


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_of_an_openapi_file(tmp_path: Path, text: str) -> None:
    assert made(tmp_path, poisoned(KENNEL, text), "--from-openapi") > 20
