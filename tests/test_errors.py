"""The tree of errors is the one its docstring draws."""

import re

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
