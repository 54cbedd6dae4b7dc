"""What pydantic found wrong, in a clause of ours."""

from __future__ import annotations

from pydantic import ValidationError

from ..printable import one_line

_NO_OBJECT = {"dict_type", "model_type"}  # of which pydantic speaks in the words of Python
_LONGEST = 300  # characters of what a file or a model wrote, in a sentence of ours


def first_problem(error: ValidationError) -> str:
    """The first problem of a pydantic error as one clause, with the path where it is."""
    details = error.errors(include_url=False, include_context=False)
    first = details[0]
    path = ".".join(str(part) for part in first["loc"])
    told = "Input should be an object" if first["type"] in _NO_OBJECT else first["msg"][:_LONGEST]
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return one_line(f"{path[:_LONGEST] + ': ' if path else ''}{told}{more}")
