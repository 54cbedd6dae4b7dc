"""What the customer's agreement to a call is: yes, no or unclear, with the reason and the turn."""

from __future__ import annotations

from typing import Literal, Self

Verdict = Literal["yes", "no", "unclear"]


class Agreement(str):
    """``"yes"``, ``"no"`` or ``"unclear"``.

    ``why`` says what it is for (nothing where it is a plain yes), ``turn`` where the customer said it.
    ``other_terms``: it is a no because other terms were agreed than the call has.
    """

    why: str
    turn: int | None
    other_terms: bool = False

    def __new__(cls, verdict: Verdict, why: str = "", turn: int | None = None) -> Self:
        """A verdict as a text."""
        self = super().__new__(cls, verdict)
        self.why = why
        self.turn = turn
        return self
