"""The tree of errors is the one its docstring draws."""

import json
import re

import pytest

from pytest_tau import errors


def test_the_docstring_draws_the_tree() -> None:
    drawn = set(re.findall(r"^[├└]── (\w+) ", errors.__doc__ or "", re.MULTILINE))
    real = {name for name, cls in vars(errors).items() if isinstance(cls, type) and cls is not errors.TauError}
    assert drawn == real
    assert all(issubclass(vars(errors)[name], errors.TauError) for name in real)


def test_an_error_is_its_sentence() -> None:
    assert str(errors.TaskError("a.json: wrong")) == "a.json: wrong"


def test_a_quotation_has_one_line_and_an_end() -> None:
    assert str(errors.TaskError(f"task '{'x' * 10**6}': has no id")) == f"task '{'x' * 200}…': has no id"
    assert str(errors.TaskError("task 'a\nb': has no id")) == "task 'a b': has no id"
    assert len(str(errors.TaskError("y" * 10**6))) == 201
    assert str(errors.TaskError("the agent's tasks\nare the user's")) == "the agent's tasks\nare the user's"


def test_where_an_exception_comes_from_is_the_code_that_called_a_library() -> None:
    with pytest.raises(TypeError) as raised:
        json.dumps(object())
    line = test_where_an_exception_comes_from_is_the_code_that_called_a_library.__code__.co_firstlineno + 2
    said = errors.from_where(raised.value)
    assert said == f"{__file__}:{line}: TypeError: Object of type object is not JSON serializable"
    assert errors.from_where(ValueError("never raised")) == "ValueError: never raised"
    with pytest.raises(errors.RecordingError) as ours:
        raise errors.RecordingError("b")
    assert errors.from_where(ours.value).endswith(": RecordingError: b")
