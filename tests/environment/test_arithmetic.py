"""The calculator: what it gives, what it says when it cannot, and that nothing makes it hang."""

import random

import pytest

from pytest_tau.environment.arithmetic import calculate


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 2", "4.0"),
        ("  2 + 2", "4.0"),
        ("1/3", "0.33"),
        ("7//2", "3.0"),
        ("2**3**2", "512.0"),
        ("2**-1", "0.5"),
        ("1**99999999999", "1.0"),
        ("-(3 - 5) * +4", "8.0"),
        ("10 - 4 - 3", "3.0"),
        (".5 + 5.", "5.5"),
        ("2.675", "2.67"),
        ("0.125", "0.12"),
        ("-0.001", "-0.0"),
        ("10**20", "1e+20"),
        ("10**400 // 10**399", "10.0"),
    ],
)
def test_value_is_rounded_to_two_places(expression: str, value: str) -> None:
    assert calculate(expression) == value


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("__import__('os')", "Invalid characters in expression"),
        ("1e3", "Invalid characters in expression"),
        ("5 % 2", "Invalid characters in expression"),
        ("1,000", "Invalid characters in expression"),
        ("", "invalid syntax (<string>, line 0)"),
        ("1+", "invalid syntax (<string>, line 1)"),
        ("(1", "'(' was never closed (<string>, line 1)"),
        ("1/0", "division by zero"),
        ("()", "float() argument must be a string or a real number, not 'tuple'"),
        ("1+()", "unsupported operand type(s) for +: 'int' and 'tuple'"),
        ("2(3)", "'int' object is not callable"),
        ("...", "float() argument must be a string or a real number, not 'ellipsis'"),
        ("10**400", "int too large to convert to float"),
        ("(-8)**.5", "float() argument must be a string or a real number, not 'complex'"),
    ],
)
def test_errors_are_pythons_own(expression: str, message: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011 (the class is not part of what the caller sees)
        calculate(expression)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("9**9**9**9", "int too large"),
        ("9**999999999", "int too large"),
        ("1+" * 5000 + "1", "longer than 4000"),
        ("-" * 3000 + "1", "nested too deeply"),
        ("(" * 1000 + "1" + ")" * 1000, "too many nested parentheses"),
    ],
)
def test_hostile_expressions_are_refused_at_once(expression: str, message: str) -> None:
    with pytest.raises(Exception, match=message):
        calculate(expression)


def test_long_sums_are_no_problem() -> None:
    assert calculate("1.25" + " + 1.25" * 500) == "626.25"


def test_agrees_with_python_on_random_expressions() -> None:
    rng = random.Random(7)
    for _ in range(300):
        a, b, c, d, e = (f"{rng.uniform(0, 99):.2f}" if rng.random() < 0.5 else rng.randrange(1, 99) for _ in range(5))
        o, p, q, r = (rng.choice("+-*/") for _ in range(4))
        expression = f"{a} {o} ({b} {p} -{c}) {q} {d} {r} {e}"
        assert calculate(expression) == str(round(float(eval(expression)), 2))  # noqa: S307 (our own digits)
