"""The calculator that domains offer as a tool: plain arithmetic, walked as a syntax tree and never evaluated as code.

The texts of its errors are Python's own, because they reach the model and stand in recorded conversations.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

_ALLOWED = frozenset("0123456789+-*/(). ")
_LONGEST = 4000  # characters; a sum of some hundred prices, and shallow enough for the parser
_LARGEST = 4096  # bits of a whole number; no float holds more than 1024

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}


def calculate(expression: str) -> str:
    """The value of an arithmetic expression, rounded to two places, as a float's text (``2 + 2`` is ``4.0``).

    Raises whatever is wrong with the expression; the message is meant for the caller of the tool.
    """
    if not all(character in _ALLOWED for character in expression):
        raise ValueError("Invalid characters in expression")
    if not isinstance(expression, str):
        raise TypeError("eval() arg 1 must be a string, bytes or code object")
    if len(expression) > _LONGEST:
        raise ValueError(f"The expression is longer than {_LONGEST} characters")
    try:
        tree = ast.parse(expression.lstrip(), "<string>", mode="eval")
        return str(round(float(_value(tree.body)), 2))
    except (RecursionError, MemoryError):
        raise ValueError("The expression is nested too deeply") from None


def _value(node: ast.expr) -> Any:
    # A sum is a tree that leans left, as deep as it is long: a loop goes down it, recursion only into parentheses.
    chain: list[ast.BinOp] = []
    while isinstance(node, ast.BinOp):
        chain.append(node)
        node = node.left
    value = _operand(node)
    for link in reversed(chain):
        value = _apply(link.op, value, _value(link.right))
    return value


def _operand(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.UnaryOp):
        return _UNARY[type(node.op)](_value(node.operand))
    if isinstance(node, ast.Call):
        raise TypeError(f"'{type(_value(node.func)).__name__}' object is not callable")
    return ()  # an empty pair of parentheses; the characters allow nothing else


def _apply(op: ast.operator, left: Any, right: Any) -> Any:
    if not isinstance(op, ast.Pow):
        return _BINARY[type(op)](left, right)
    both_whole = isinstance(left, int) and isinstance(right, int)
    if both_whole and abs(left) > 1 and left.bit_length() * right > _LARGEST:
        raise OverflowError("int too large to convert to float")
    return left**right
