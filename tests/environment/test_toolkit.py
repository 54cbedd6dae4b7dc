"""Tools from methods: what a model is told of them, and what it is told when it calls them wrongly."""

import functools
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from pytest_tau.environment import Toolkit, tool
from pytest_tau.environment.toolkit import ToolSpec, tools_of
from pytest_tau.errors import DomainError


class Bare:
    """A class of which pydantic knows nothing."""


class Item(BaseModel):
    sku: str
    count: int = 1


class Basic(Toolkit):
    @tool
    def last(self) -> str:
        return "last"

    @tool(reads=True)
    def look(self, what: str = "all") -> str:
        """Overridden below."""
        return what


class Shop(Basic):
    @tool(writes=True)
    def order(
        self, user_id: str, items: list[Item], how: Literal["air", "road"] = "road", note: str | None = None
    ) -> str:
        """Order some things
        for a user.

        The price is taken
        at once.

        Args:
            user_id: Who orders,
                in the form "u1".
            items (list): What is ordered.
            how: By air: faster.

        Returns:
            Not told to the model.
        """
        return user_id

    @tool(reads=True)
    def look(self, what: str = "all") -> str:
        """Look.

        Arguments:
            what: Where.
        """
        return what

    @tool()
    def plain(self, x: Any, y: int | str = 1, z: str = None) -> None:  # type: ignore[assignment]  # noqa: RUF013
        pass

    def helper(self) -> None: ...


def spec(name: str) -> ToolSpec:
    return tools_of(Shop)[name]


def parameters(name: str) -> dict[str, Any]:
    found: dict[str, Any] = spec(name).schema["function"]["parameters"]
    return found


class TestSchemas:
    def test_the_order_is_that_of_declaration_inherited_last(self) -> None:
        assert list(tools_of(Shop)) == ["order", "look", "plain", "last"]
        assert list(tools_of(Basic)) == ["last", "look"]

    def test_kinds(self) -> None:
        assert [(s.name, s.kind, s.writes) for s in tools_of(Shop).values()] == [
            ("order", "write", True),
            ("look", "read", False),
            ("plain", "generic", False),
            ("last", "generic", False),
        ]

    def test_the_description_is_the_docstring_up_to_its_sections(self) -> None:
        function = spec("order").schema["function"]
        assert function["description"] == "Order some things for a user.\n\nThe price is taken at once."
        assert spec("plain").schema["function"]["description"] == "plain"

    def test_parameters(self) -> None:
        schema = parameters("order")
        assert (schema["title"], schema["type"], schema["required"]) == ("parameters", "object", ["user_id", "items"])
        assert "additionalProperties" not in schema
        assert list(schema["properties"]) == ["user_id", "items", "how", "note"]
        assert schema["properties"]["user_id"] == {
            "title": "User Id",
            "type": "string",
            "description": 'Who orders, in the form "u1".',
        }
        assert schema["properties"]["items"] == {
            "title": "Items",
            "type": "array",
            "items": {"$ref": "#/$defs/Item"},
            "description": "What is ordered.",
        }
        assert schema["properties"]["how"] == {
            "title": "How",
            "type": "string",
            "enum": ["air", "road"],
            "default": "road",
            "description": "By air: faster.",
        }
        assert schema["properties"]["note"] == {"title": "Note", "type": "string", "default": None}
        assert schema["$defs"]["Item"]["properties"]["count"] == {"default": 1, "title": "Count", "type": "integer"}

    def test_an_annotation_describes_what_the_docstring_does_not(self) -> None:
        class Counting(Toolkit):
            @tool()
            def count(
                self,
                how_many: Annotated[int, Field(gt=0, description="A number.")],
                until: Annotated[int, Field(description="Another.")] = 1,
            ) -> int:
                """Count.

                Args:
                    until: The last one.
                """
                return how_many

        properties = tools_of(Counting)["count"].schema["function"]["parameters"]["properties"]
        assert (properties["how_many"]["description"], properties["how_many"]["exclusiveMinimum"]) == ("A number.", 0)
        assert properties["until"]["description"] == "The last one."

    def test_an_argument_has_no_second_name(self) -> None:
        class Sending(Toolkit):
            @tool()
            def send(self, from_: Annotated[str, Field(alias="from")]) -> str:
                """Send."""
                return from_

        with pytest.raises(DomainError, match=r"send: argument 'from_' is called by its own name, .*; remove alias="):
            _ = tools_of(Sending)["send"].schema

    def test_a_field_is_no_default(self) -> None:
        class Counting(Toolkit):
            @tool()
            def count(self, until: int = Field(3, ge=1)) -> int:
                """Count."""
                return until

        with pytest.raises(DomainError, match="count: argument 'until' has a Field in the place of its default; write"):
            _ = tools_of(Counting)["count"].schema

    def test_odd_annotations(self) -> None:
        properties = parameters("plain")["properties"]
        assert properties["x"] == {"title": "X"}
        assert properties["y"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
        assert properties["z"] == {"title": "Z", "type": "string", "default": None}

    def test_other_sections_names(self) -> None:
        assert parameters("look")["properties"]["what"]["description"] == "Where."

    def test_an_annotation_that_means_nothing(self) -> None:
        class Bad(Toolkit):
            @tool()
            def broken(self, x: "Nope") -> None: ...  # type: ignore[name-defined]  # noqa: F821

        with pytest.raises(DomainError, match=r"Bad\.broken: an annotation cannot be resolved: NameError: .*'Nope'"):
            tools_of(Bad)["broken"].schema  # noqa: B018

    def test_an_argument_without_annotation(self) -> None:
        class Bad(Toolkit):
            @tool()
            def broken(self, x) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001

        with pytest.raises(DomainError, match=r"Bad\.broken: argument 'x' needs a type annotation"):
            _ = tools_of(Bad)["broken"].schema

    def test_arguments_that_a_model_cannot_give(self) -> None:
        class Bad(Toolkit):
            @tool()
            def many(self, *x: int) -> None: ...

            @tool()
            def named(self, **x: int) -> None: ...

            @tool()
            def placed(self, x: int, /) -> None: ...

            @tool()
            def hidden(self, _x: int) -> None: ...

            @tool()
            def odd(self, x: Bare) -> None: ...

            @tool()
            def calls(self, x: Callable[[], int]) -> None: ...

        for name in ("many", "named", "placed"):
            with pytest.raises(DomainError, match=rf"Bad\.{name}: argument 'x' cannot be given by its name"):
                _ = tools_of(Bad)[name].schema
        for name in ("hidden", "odd", "calls"):
            with pytest.raises(DomainError, match=rf"Bad\.{name}: models cannot call it: "):
                _ = tools_of(Bad)[name].schema

    def test_methods_that_are_no_tools(self) -> None:
        class Bad(Toolkit):
            @tool()
            async def later(self) -> str: ...  # type: ignore[empty-body]

        class Static(Toolkit):
            @tool()
            @staticmethod
            def fixed(x: int) -> str: ...  # type: ignore[empty-body]

        class Partial(Toolkit):
            made = tool(reads=True)(functools.partial(str))

        class Hidden(Toolkit):
            @property
            @tool()
            def named(self) -> str: ...  # type: ignore[empty-body]

        class Yields(Toolkit):
            @tool()
            def one_by_one(self) -> Iterator[str]:
                yield "a"

        for kit, name in (
            (Bad, "later"),
            (Static, "fixed"),
            (Hidden, "named"),
            (Yields, "one_by_one"),
            (Partial, "made"),
        ):
            with pytest.raises(DomainError, match=rf"{kit.__name__}\.{name}: a tool is a plain method that returns"):
                tools_of(kit)

    def test_methods_without_self(self) -> None:
        class Bare(Toolkit):
            @tool()
            def bare() -> str: ...  # type: ignore[empty-body, misc]

        class Eats(Toolkit):
            @tool()
            def eats(order_id: str) -> str: ...  # type: ignore[empty-body, misc]

        for kit in (Bare, Eats):
            with pytest.raises(DomainError, match=rf"{kit.__name__}\.\w+: write self as its first argument"):
                tools_of(kit)

    def test_arguments_named_as_what_a_pydantic_model_has(self) -> None:
        class Copier(Toolkit):
            @tool()
            def give(self, copy: int, json: str, schema: str) -> None: ...

        made = tools_of(Copier)["give"]
        assert [*made.schema["function"]["parameters"]["properties"]] == ["copy", "json", "schema"]
        assert made.validate_arguments({"copy": "2", "json": "", "schema": "x"}) == {
            "copy": 2,
            "json": "",
            "schema": "x",
        }


class TestValidation:
    def test_values_become_what_the_annotations_say(self) -> None:
        valid = spec("order").validate_arguments({"user_id": "u1", "items": [{"sku": "a"}]})
        assert valid == {"user_id": "u1", "items": [Item(sku="a")]}

    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            ({"items": []}, "Argument 'user_id' of order is missing."),
            ({"user_id": "u", "items": [], "x": 1}, "order has no argument 'x'; it takes user_id, items, how, note."),
            ({"user_id": 7, "items": []}, "Argument 'user_id' of order is not valid: Input should be a valid string."),
            (
                {"user_id": "u", "items": [{"sku": "a"}, {}]},
                "Argument 'items' of order is not valid at 1.sku: Field required.",
            ),
            (
                {"user_id": "u", "items": [], "how": "sea"},
                "Argument 'how' of order is not valid: Input should be 'air' or 'road'.",
            ),
        ],
    )
    def test_the_sentence_names_the_argument(self, arguments: dict[str, Any], sentence: str) -> None:
        with pytest.raises(ValueError, match=r".") as raised:
            spec("order").validate_arguments(arguments)
        assert str(raised.value) == sentence

    def test_no_arguments_at_all(self) -> None:
        with pytest.raises(ValueError, match="last has no argument 'self'; it takes no arguments"):
            spec("last").validate_arguments({"self": 1})


class Amount(BaseModel):
    sum: Decimal


class Bank(Toolkit):
    @tool(writes=True)
    def pay(self, sum: Decimal | None, parts: list[Amount] = [], note: str = "") -> None: ...  # noqa: B006


@pytest.mark.parametrize("sum", [25, 25.0, "25", "25.00", "2.5e1"])
def test_an_amount_is_one_value_however_it_is_written(sum: Any) -> None:
    """A world in which 25.0 was paid differs by no text from one in which it was 25."""
    read = tools_of(Bank)["pay"].validate_arguments({"sum": sum, "parts": [{"sum": sum}], "note": "25.00"})
    assert str(read["sum"]) == str(read["parts"][0].sum) == "25"
    assert read["note"] == "25.00"
    assert tools_of(Bank)["pay"].validate_arguments({"sum": None}) == {"sum": None}
    assert str(tools_of(Bank)["pay"].validate_arguments({"sum": "100"})["sum"]) == "100"


class Scales(Toolkit):
    @tool(writes=True)
    def weigh(self, grams: float, parts: list[float] | None = None) -> None: ...


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-inf", "1e999"])
def test_a_text_that_is_no_finite_number_is_refused_for_one(text: str) -> None:
    weigh = tools_of(Scales)["weigh"]
    with pytest.raises(
        ValueError, match=r"^Argument 'grams' of weigh is not valid: Input should be a finite number\.$"
    ):
        weigh.validate_arguments({"grams": text})
    with pytest.raises(ValueError, match=r"^Argument 'parts' of weigh is not valid at 1: Input should be a finite"):
        weigh.validate_arguments({"grams": 1, "parts": [2, text]})
    assert weigh.validate_arguments({"grams": "2.5"}) == {"grams": 2.5}


def test_ids_come_from_the_seed() -> None:
    db: Any = None
    first, again, other = (Shop(db, seed=seed) for seed in (1, 1, 2))
    ids = [first.new_id("R") for _ in range(3)]
    assert ids == [again.new_id("R") for _ in range(3)]
    assert ids != [other.new_id("R") for _ in range(3)]
    assert len(set(ids)) == 3
    assert [len(first.new_id("X", digits)) for digits in (1, 4)] == [2, 5]


class Locked(Toolkit):
    @tool(writes=True, generic=True)
    def unlock(self) -> str:
        """Unlock."""
        return "unlocked"

    @tool(writes=True, hidden=True)
    def secret(self) -> str:
        """Do what only those can who know of it."""
        return "done"

    @tool(reads=True, documents="read")
    def read(self) -> str:
        """Read."""
        return "ID: x"


def test_what_a_tool_declares_besides() -> None:
    unlock, secret, read = tools_of(Locked).values()
    assert (unlock.kind, unlock.writes, unlock.hidden) == ("generic", True, False)
    assert (secret.kind, secret.writes, secret.hidden) == ("write", True, True)
    assert (read.kind, read.writes, read.documents) == ("read", False, "read")
