"""An episode as JSON: its task, how it is played, and where its trial stands."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from ..conversation.limits import Limits
from ..environment.attachments import carrying, with_attachments
from ..errors import RecordingError, TaskError, TauError, describe
from ..files import loads
from ..printable import one_line
from ..schema.problems import first_problem
from ..schema.task import Task

_FORMAT = 1


@dataclass(frozen=True)
class Stored:
    """A stored episode.

    ``user``: a name, or None where that was a factory. ``state``: what its trial gave, None before it has begun.
    """

    task: Task
    domain: str
    user: str | None
    seed: int
    trial: int
    solo: bool
    limits: Limits
    perturb: str
    faults: str
    state: Mapping[str, Any] | None

    def to_json(self) -> bytes:
        """As JSON; raises TauError where the agent keeps what is no JSON in its context's memory."""
        limits = asdict(self.limits)
        if self.limits.timeout == math.inf:  # the same as none, which JSON can hold
            limits["timeout"] = None
        told = {"task": carrying(self.task).model_dump(mode="json", exclude_unset=True), "limits": limits}
        made = {"episode": _FORMAT, **vars(self), **told}
        try:
            return json.dumps(made, ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise TauError(f"the agent's memory cannot be stored as JSON: {describe(error)}") from None

    @classmethod
    def from_json(cls, data: bytes) -> Stored:
        """What was stored; raises RecordingError where this is no stored episode."""
        try:
            made = loads(data.decode())
            Limits(**made["limits"])  # names those that there are not
            stored = TypeAdapter(cls).validate_python(made)
            return replace(stored, task=with_attachments(stored.task, Path(), "the saved episode"))
        except (ValueError, KeyError, TypeError, RecursionError, TaskError) as error:
            raise not_stored(error) from None


def not_stored(error: Exception) -> RecordingError:
    """Why a text is no stored episode."""
    why = first_problem(error) if isinstance(error, ValidationError) else describe(error)
    return RecordingError(f"this is no saved episode: {one_line(why)}")
