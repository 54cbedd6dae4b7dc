"""What a check found: good, doubtful or wrong, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["ok", "warning", "failed"]


@dataclass(frozen=True)
class DoctorFinding:
    """The result of one check.

    Attributes:
        side: whose model it is about: agent, user, judge, several of them, or "suite".
        check: what was looked at, in a few words.
        status: ``failed`` is what makes a run worthless; ``warning`` costs money, time or certainty.
        text: what was found, in a sentence.
        advice: what to do, in a sentence; "" where there is nothing to do.
        figures: the numbers of the text, for programs.
    """

    side: str
    check: str
    status: Status
    text: str
    advice: str = ""
    figures: dict[str, float | None] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """The finding as JSON data."""
        return asdict(self)


def ok(side: str, check: str, text: str) -> DoctorFinding:
    """All is well."""
    return DoctorFinding(side, check, "ok", text)


def warning(side: str, check: str, text: str, advice: str = "") -> DoctorFinding:
    """A run is possible, with less than it could have."""
    return DoctorFinding(side, check, "warning", text, advice)


def failure(side: str, check: str, text: str, advice: str) -> DoctorFinding:
    """A run would be worthless."""
    return DoctorFinding(side, check, "failed", text, advice)


def worst(findings: Iterable[DoctorFinding]) -> Status:
    """The status of all findings together."""
    found = {one.status for one in findings}
    return "failed" if "failed" in found else "warning" if "warning" in found else "ok"
