"""Tools as typed methods: the signature and docstring are the schema, reads and writes are declared.

class ShopTools(Toolkit):
    db: ShopDatabase

    @tool(writes=True)
    def cancel_order(self, order_id: str) -> Order:
        '''Cancel an order.

        Args:
            order_id: The order, such as "O1".
        '''
"""

from __future__ import annotations

import inspect
import marshal
import random
import re
import warnings
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar, get_type_hints, overload

from pydantic import BaseModel, ConfigDict, Field, PydanticUserError, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, to_jsonable_python

from ..errors import DomainError, describe
from .database import Database
from .sharing import kinds
from .values import fill

Kind = Literal["read", "write", "generic"]
F = TypeVar("F", bound=Callable[..., Any])

_MARK = "__tau_tool__"


Documents = Literal["found", "read"] | None


@dataclass(frozen=True)
class _Mark:
    kind: Kind
    reads: bool
    writes: bool
    hidden: bool
    documents: Documents
    told_by: tuple[str, ...]
    sets: tuple[str, ...]
    seconds: float | None
    dual: bool


@overload
def tool(function: F, /) -> F: ...


@overload
def tool(
    *,
    reads: bool = False,
    writes: bool = False,
    generic: bool = False,
    hidden: bool = False,
    documents: Documents = None,
    told_by: tuple[str, ...] = (),
    sets: tuple[str, ...] = (),
    seconds: float | None = None,
    dual: bool = False,
) -> Callable[[F], F]: ...


def tool(
    function: F | None = None,
    /,
    *,
    reads: bool = False,
    writes: bool = False,
    generic: bool = False,
    hidden: bool = False,
    documents: Documents = None,
    told_by: tuple[str, ...] = (),
    sets: tuple[str, ...] = (),
    seconds: float | None = None,
    dual: bool = False,
) -> F | Callable[[F], F]:
    """Make a method of a :class:`Toolkit` a tool.

    Args:
        function: the method, for ``@tool`` without arguments: a tool that neither reads nor writes (a calculator).
        reads: the tool reads the database.
        writes: the tool may change the database. Grading a recorded conversation repeats only the calls of such tools.
        generic: with ``writes``: the tool changes no business record, only what other tools may do, such as an unlock.
        hidden: the tool is not listed for models, but a model that learns its name can call it.
        documents: the result shows documents of the knowledge base, each with a line ``ID: …``: "found" if it contains
            only names or parts of them, "read" if it contains their text.
        told_by: verbs, in their base form, that propose or report the tool's action, in addition to those in its name:
            a ``cancel_order`` that also pays back is told by ``("refund",)`` too.
        sets: arguments that are lists in any order.
        seconds: how long a call takes in virtual time, if not as long as the domain's ``pace`` says.
        dual: the agent has the tool only in tasks tagged ``dual``, where the customer acts as well.
    """
    kind: Kind = "generic" if generic else "write" if writes else "read" if reads else "generic"

    def mark(function: F) -> F:
        setattr(function, _MARK, _Mark(kind, reads, writes, hidden, documents, told_by, sets, seconds, dual))
        return function

    return mark if function is None else mark(function)


class Toolkit:
    """The tools of one side, agent or customer, over its database.

    ``db``: the live database. ``parity``: True on public data, where tools behave exactly like the reference. ``now``:
    the domain's clock. A tool must depend only on the database and its arguments. ``values``: the domain's values,
    which its policy and the descriptions of its tools name in braces.
    """

    values: ClassVar[Mapping[str, Any]] = MappingProxyType({})
    db: Any
    parity: bool
    now: datetime | None

    def __init__(self, db: Database, *, parity: bool = False, now: datetime | None = None, seed: int = 0) -> None:
        self.db = db
        self.parity = parity
        self.now = now
        self._seed = seed

    @cached_property
    def _ids(self) -> random.Random:
        return random.Random(self._seed)

    def copy(self, db: Database) -> Toolkit:
        """These tools over another database, a copy of theirs; what they remember beside it is copied."""
        twin: Toolkit = object.__new__(type(self))
        twin.__dict__.update((name, db if name == "db" else deepcopy(value)) for name, value in self.__dict__.items())
        return twin

    def sql(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        """Run a statement on an SQLite database; see :meth:`.sql.SqlDatabase.sql`."""
        if not hasattr(self.db, "sql"):
            raise DomainError(f"{type(self).__name__}: self.sql needs a database on SQLite, as in 'db: SqlDatabase'")
        found: list[dict[str, Any]] = self.db.sql(statement, *values)
        return found

    def new_id(self, prefix: str, digits: int = 7) -> str:
        """The next id of this environment's seeded sequence: ``prefix`` and ``digits`` digits. For writes only."""
        return f"{prefix}{self._ids.randrange(10 ** (digits - 1), 10**digits)}"


@dataclass(frozen=True)
class ToolSpec:
    """One tool of a toolkit class; :func:`tool` says what its marks mean."""

    name: str
    kind: Kind
    function: Callable[..., Any]
    reads: bool = False
    writes: bool = False
    hidden: bool = False
    documents: Documents = None
    told_by: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    seconds: float | None = None
    dual: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def signature(self) -> inspect.Signature:
        """The method's signature without ``self``."""
        full = inspect.signature(self.function)
        return full.replace(parameters=list(full.parameters.values())[1:])

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A model of the arguments; unknown ones are refused."""
        try:
            hints = get_type_hints(self.function, include_extras=True)
        except Exception as error:  # an annotation is any expression
            what = f"{self.function.__qualname__}: an annotation cannot be resolved"
            raise DomainError(f"{what}: {type(error).__name__}: {describe(error)}") from None
        described = {name: fill(text, self.values) for name, text in docstring(self.function)[1].items()}
        fields: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            where = f"{self.function.__qualname__}: argument '{name}'"
            if name not in hints:
                raise DomainError(f"{where} needs a type annotation")
            if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
                raise DomainError(f"{where} cannot be given by its name, as models do; write it without * and /")
            if isinstance(parameter.default, FieldInfo):
                raise DomainError(f"{where} has a Field in the place of its default; write Annotated[type, Field(...)]")
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            told = Field(default, description=described[name]) if name in described else Field(default)
            fields[name] = (hints[name], told)  # the annotation's own description stays where there is no other
        # A text such as "NaN" would be a number: no comparison refuses it, and it spoils every sum that it gets into.
        config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)
        try:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # of arguments such as copy and json
                model: type[BaseModel] = create_model("parameters", __config__=config, **fields)
        except (NameError, PydanticUserError) as error:
            raise self._uncallable(error) from None
        for name, one in model.model_fields.items():
            if one.alias or one.validation_alias:
                where = f"{self.function.__qualname__}: argument '{name}'"
                raise DomainError(f"{where} is called by its own name, not by an alias; remove alias= from its Field")
        return model

    def _uncallable(self, error: Exception) -> DomainError:
        return DomainError(f"{self.function.__qualname__}: models cannot call it: {describe(error)}")

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The chat-completions definition of the tool."""
        try:
            parameters = self.arguments.model_json_schema()
        except PydanticUserError as error:
            raise self._uncallable(error) from None
        parameters.pop("additionalProperties", None)
        for prop in parameters.get("properties", {}).values():
            _flatten_optional(prop)
        function = {"name": self.name, "description": fill(docstring(self.function)[0], self.values) or self.name}
        return {"type": "function", "function": {**function, "parameters": parameters}}

    @cached_property
    def _packed(self) -> bytes:
        return marshal.dumps(self.schema)

    def schema_copy(self) -> dict[str, Any]:
        """The definition as an object of its own, for whoever may change it; takes about a microsecond."""
        made: dict[str, Any] = marshal.loads(self._packed)  # noqa: S302 (our own bytes)
        return made

    def validate_arguments(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """The arguments as the annotations want them; raises ValueError with a sentence that names the argument."""
        try:
            values = vars(self.arguments.model_validate(arguments))
        except ValidationError as error:
            raise ValueError(self._complaint(error)) from None
        found = {name: values[name] for name in arguments}
        return _shortened(found) if self._has_decimals else found

    def arguments_for(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """As :meth:`validate_arguments`, with the defaults that a tool could change as objects of this call's own.

        What a tool keeps of them in a record would else be the same object in all worlds.
        """
        taken = self.validate_arguments(arguments)
        return {**{name: deepcopy(one) for name, one in self._changeable.items() if name not in taken}, **taken}

    @cached_property
    def _changeable(self) -> dict[str, Any]:
        """The defaults that are lists, dicts, sets or records."""
        given = {name: one.default for name, one in self.signature.parameters.items()}
        return {name: one for name, one in given.items() if isinstance(one, (list, dict, set, BaseModel))}

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """What arguments are if a call leaves them out, as JSON has it; none is like null."""
        given = {name: one.default for name, one in self.signature.parameters.items() if one.default is not one.empty}
        return {name: to_jsonable_python(value, fallback=repr) for name, value in given.items() if value is not None}

    def takes_as(self, arguments: dict[str, Any], name: str, wanted: Any) -> bool:
        """Whether a call's argument is this to the tool: the default where it was left out, a number also as a text."""
        try:
            meant = self.validate_arguments({**arguments, name: wanted})[name]
            taken = self.validate_arguments(arguments)
        except ValueError:
            return False
        return bool(meant == (taken[name] if name in taken else self.signature.parameters[name].default))

    @cached_property
    def _has_decimals(self) -> bool:
        return "decimal" in kinds(self.arguments.__pydantic_core_schema__)

    def wrong_value(self, arguments: Mapping[str, Any]) -> str | None:
        """What is wrong with some of the arguments, where others may be missing; None if nothing is."""
        try:
            self.arguments.model_validate(arguments)
        except ValidationError as error:
            given = [one for one in error.errors(include_url=False) if one["loc"][0] in arguments]
            return self._sentence(given[0]) if given else None
        return None

    def _complaint(self, error: ValidationError) -> str:
        return self._sentence(error.errors(include_url=False)[0])

    def _sentence(self, first: ErrorDetails) -> str:
        argument, *path = (str(part) for part in first["loc"])
        if first["type"] == "missing" and not path:
            return f"Argument '{argument}' of {self.name} is missing."
        if first["type"] == "extra_forbidden" and not path:
            takes = ", ".join(self.signature.parameters) or "no arguments"
            return f"{self.name} has no argument '{argument}'; it takes {takes}."
        where = f" at {'.'.join(path)}" if path else ""
        return f"Argument '{argument}' of {self.name} is not valid{where}: {first['msg']}."


def _shortened(value: Any) -> Any:
    """A value with each decimal in it as short as it can be: 25.00 and 25 are one amount, and two texts of a record."""
    if isinstance(value, Decimal):
        text = format(value, "f")
        return Decimal(text.rstrip("0").rstrip(".")) if "." in text else Decimal(text)
    if isinstance(value, BaseModel):
        value.__dict__.update(_shortened(vars(value)))
    elif isinstance(value, dict):
        return {name: _shortened(inner) for name, inner in value.items()}
    elif isinstance(value, list):
        return [_shortened(inner) for inner in value]
    return value


def _flatten_optional(prop: dict[str, Any]) -> None:
    """An argument that may be left out is described by its type alone: ``null`` is its default, not its second type."""
    branches = prop.get("anyOf", [])
    if "default" in prop and prop["default"] is None and {"type": "null"} in branches and len(branches) == 2:
        del prop["anyOf"]
        prop.update(next(branch for branch in branches if branch != {"type": "null"}))


_TOOLS: dict[type[Toolkit], dict[str, ToolSpec]] = {}


def tools_of(toolkit: type[Toolkit]) -> dict[str, ToolSpec]:
    """The tools of a toolkit class by name: in the order of declaration, inherited ones last."""
    if toolkit not in _TOOLS:
        found: dict[str, ToolSpec] = {}
        for cls in toolkit.__mro__:
            for name, member in vars(cls).items():
                _refuse_odd(cls, name, member)
                mark = getattr(member, _MARK, None)
                if mark is not None and name not in found:
                    found[name] = ToolSpec(name=name, function=member, values=toolkit.values, **vars(mark))
        _TOOLS[toolkit] = found
    return _TOOLS[toolkit]


def _refuse_odd(cls: type, name: str, member: Any) -> None:
    """Raise DomainError for a tool whose result would be no value, or that would not be seen."""
    inner = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
    if not (hasattr(member, _MARK) or hasattr(inner, _MARK)):
        return
    made = (inspect.iscoroutinefunction, inspect.isasyncgenfunction, inspect.isgeneratorfunction)
    bound = callable(member) and hasattr(member, "__get__")  # a functools.partial would not be given self
    if isinstance(member, (staticmethod, classmethod)) or not bound or any(odd(inner) for odd in made):
        what = "without async, yield, partial, @staticmethod, @classmethod and @property"
        raise DomainError(f"{cls.__name__}.{name}: a tool is a plain method that returns a value; write it {what}")
    first = next(iter(inspect.signature(member).parameters.values()), None)
    if first is None or (first.name != "self" and first.kind is not first.VAR_POSITIONAL):
        raise DomainError(f"{cls.__name__}.{name}: write self as its first argument, before what a model gives")


_SECTION = re.compile(r"^(Args|Arguments|Returns|Raises|Yields|Examples?|Notes?):\s*$")
_ARGUMENT = re.compile(r"^(\w+)\s*(?:\([^)]*\))?:\s*(.*)$")


def docstring(function: Callable[..., Any]) -> tuple[str, dict[str, str]]:
    """A docstring's description (up to its first section) and its arguments' descriptions."""
    text: list[str] = []
    arguments: dict[str, str] = {}
    section = current = ""
    for line in (inspect.getdoc(function) or "").splitlines():
        if heading := _SECTION.match(line):
            section = heading[1]
        elif not section:
            text.append(line)
        elif section in ("Args", "Arguments") and line.strip():
            found = _ARGUMENT.match(line.strip())
            if found and len(line) - len(line.lstrip()) <= 4:
                current = found[1]
                arguments[current] = found[2]
            elif current:
                arguments[current] = f"{arguments[current]} {line.strip()}".strip()
    return _unwrap("\n".join(text)), arguments


def _unwrap(text: str) -> str:
    """Paragraphs as single lines: the line breaks of a docstring are the author's editor's, not the model's."""
    paragraphs = re.split(r"\n\s*\n", text.strip())
    return "\n\n".join(" ".join(line.strip() for line in p.splitlines()) for p in paragraphs if p.strip())
