"""What a new domain is made of, whatever it was read from; and names that Python takes."""

from __future__ import annotations

import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from pytest_tau.environment.database import Database
from pytest_tau.environment.toolkit import Toolkit


@dataclass(frozen=True)
class Column:
    """A field of a record; ``type`` is an annotation as source text, made by us."""

    name: str
    type: str
    optional: bool = False
    about: str = ""


@dataclass(frozen=True)
class SourceTable:
    """A table: records of one model by key.

    Attributes:
        name: the attribute of the database.
        model: the model's name.
        key: the columns whose values, joined by "-", are a record's key.
        columns: all fields.
        rows: the records by key, as JSON.
        parents: the table that a column refers to, by the column's name.
    """

    name: str
    model: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    rows: Mapping[str, Mapping[str, Any]]
    parents: Mapping[str, str] = field(default_factory=dict)

    @property
    def one(self) -> str:
        """What a single record is called."""
        name = snake(self.model)
        return name.rstrip("_") if name.rstrip("_") in TYPES else name

    def column(self, name: str) -> Column:
        """A column by its name."""
        return next(column for column in self.columns if column.name == name)


@dataclass(frozen=True)
class Argument:
    """An argument of a tool; ``type`` and ``default`` are source text, made by us; no default: it must be given."""

    name: str
    type: str
    about: str = ""
    default: str | None = None


@dataclass(frozen=True)
class Method:
    """A tool: its signature, what a model is told, and the lines of its body, made by us."""

    name: str
    arguments: tuple[Argument, ...]
    returns: str
    about: str
    writes: bool
    body: tuple[str, ...]

    @property
    def is_open(self) -> bool:
        """Whether its author has to write what it does."""
        return self.body[0].startswith("raise ")


def unwritten(name: str) -> tuple[str, ...]:
    """The body of a tool whose author has to write what it does."""
    return (f"raise ValueError({f'{name}: not written yet'!r})",)


def not_heeded(name: str, arguments: Iterable[str]) -> str:
    """What is left to write of a tool that takes more than it goes by."""
    return f"write into tools.py what is taken and not heeded: {name}({', '.join(arguments)})"


@dataclass(frozen=True)
class Wish:
    """What a task is about: the change of one field of one record; ``asks``: and the question for what it is.

    ``also``: the fields that the tool wants beside it, which stay as they are.
    """

    table: SourceTable
    key: str
    column: str
    new: str
    asks: bool = False
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceWorld:
    """A domain to be written.

    Attributes:
        name: of the domain.
        about: what it is, in a sentence.
        tables: its tables.
        methods: its tools, beside the one that hands over to a person.
        wishes: what its two tasks are about.
        imports: lines of import that the methods need.
        todo: what its author should write next, in sentences.
        helpers: lines of methods that are no tools, at the end of the class of the tools.
        preamble: lines of functions of the module, before the class.
        policy: the text of the policy; without it there is a form to fill.
    """

    name: str
    about: str
    tables: tuple[SourceTable, ...]
    methods: tuple[Method, ...]
    wishes: tuple[Wish, ...]
    imports: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()
    preamble: tuple[str, ...] = ()
    policy: str = ""


def snake(text: str) -> str:
    """A name for a field, an argument or a method: "Unit Price", "unitPrice" and "UnitPrice" are ``unit_price``."""
    text = re.sub(r"([a-z0-9])([A-Z])|([A-Z]+)([A-Z][a-z])", r"\1\3_\2\4", text)
    text = re.sub(r"[^0-9a-zA-Z]+", "_", text).strip("_").lower() or "value"
    if text[0].isdigit():
        text = f"n{text}"
    if text.startswith(_PROTECTED):
        text = f"the_{text}"
    return f"{text}_" if keyword.iskeyword(text) or text in _OTHERS else text


_PROTECTED = ("model_dump", "model_validate")  # no field's name may begin so
TYPES = ("str", "int", "float", "bool", "list", "dict")  # a field of such a name hides the type from those after it
# Names that mean something else in the written modules, such as what every model has.
_OTHERS = {"self", "match", "type", *TYPES, *(name for name in dir(BaseModel) if not name.startswith("_"))}


OWN_TOOLS = frozenset({"transfer_to_human_agents", "tool", *vars(Toolkit), *Toolkit.__annotations__})
"""Names that no tool of a source can have: of the tool which is always written, of what marks it as one, and what each
toolkit has."""


def table_name(text: str) -> str:
    """A name for a table: what each database has for itself is another."""
    name = snake(text)
    return f"{name}_" if name == "tables" or hasattr(Database, name) else name


def camel(text: str) -> str:
    """A name for a model."""
    made = "".join(part.capitalize() for part in snake(text).strip("_").split("_"))
    return f"{made}Record" if made in _TAKEN else made


# Names that the written modules use themselves.
_TAKEN = {"Any", "Literal", "Table", "Database", "Toolkit", "BaseModel", "None", "True", "False"}


def singular(name: str) -> str:
    """One of several: "categories" is ``category``. A rule of thumb, for names only."""
    for ending, one in (("ies", "y"), ("sses", "ss"), ("xes", "x")):
        if name.endswith(ending) and len(name) > len(ending) + 1:
            return name.removesuffix(ending) + one
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) and len(name) > 2 else name


def plural(name: str) -> str:
    """Several of one, where the name is not that already."""
    if singular(name) != name:
        return name
    return f"{name[:-1]}ies" if name.endswith("y") and name[-2:-1] not in "aeiou" else f"{name}s"


def distinct(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken; from then on it is."""
    made, number = name, 2
    while made in taken:
        made, number = f"{name}_{number}", number + 1
    taken.add(made)
    return made
