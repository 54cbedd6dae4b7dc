"""Whether a validated record may hold parts of the JSON that it was made of."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, TypeAdapter

from pytest_tau.environment.sharing import shares


class Plain(BaseModel):
    """All its types say what is inside."""

    name: str
    number: int | None = None
    kind: Literal["a", "b"] = "a"
    inner: dict[str, list[float]] = {}


class Open(BaseModel):
    """Keeps what it does not know."""

    model_config = ConfigDict(extra="allow")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Plain, False),
        (list[Plain], False),
        (dict[str, list[int]], False),
        (Any, True),
        (list[Any], True),
        (list, True),  # which does not say of what
        (dict, True),
        (dict[str, Any], True),
        (Open, True),
        (dict[str, Open], True),
        (Annotated[str, AfterValidator(str.strip)], True),  # it may give back anything
    ],
)
def test_what_is_typed_any_is_shared(kind: Any, expected: bool) -> None:
    adapter: TypeAdapter[Any] = TypeAdapter(kind)
    assert shares(adapter.core_schema) == expected


def test_it_is_so_that_pydantic_shares_it() -> None:
    """As far as that can be seen: what is said not to be shared must not be."""
    given: dict[str, Any] = {"name": "a", "inner": {"x": [1.0]}}
    made = Plain.model_validate(given)
    made.inner["x"].append(2.0)
    assert given["inner"] == {"x": [1.0]}
    deep: list[Any] = [[1]]
    TypeAdapter(list[Any]).validate_python(deep)[0].append(2)
    assert deep == [[1, 2]]
