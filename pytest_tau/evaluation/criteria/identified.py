"""Who the customer is, before it matters."""

from __future__ import annotations

from collections.abc import Sequence

from ...schema.checks import Identified
from ...schema.messages import AnyMessage
from ...schema.reward import Check
from ...schema.transcript import calls_made, shows
from .records import customer_of
from .scene import Scene

_NEVER_IDENTIFIED = "the customer was never identified"


def check_identified(check: Identified, scene: Scene) -> Check:
    """Whether the customer was known before anything was called that needs it."""
    messages, env = scene.messages, scene.env
    how = " or ".join(check.by) if check.by else "the customer says their id"
    name = f"identified: {how}" + (f" shows {check.shows!r}" if check.shows is not None else "")
    by = check.by or []
    needed_for = check.needed_for or [tool for tool in scene.tools("read", "write") if tool not in by]
    said = customer_of(messages, env) if env is not None and not by else None
    reads = scene.tools("read")
    slipped = False  # who gave another's address by mistake is looked up as that person
    for turn, call, result in calls_made(messages):
        if said is not None and turn > said[1]:
            return Check(name=name, met=True)
        if call.name in needed_for and not (slipped and call.name in reads):
            why = f"{call.name} was called in turn {turn}, before the customer was identified"
            return Check(name=name, met=False, explanation=why, turn=turn)
        if call.name in by and result is not None and not result.error:
            if shows(result, check.shows):
                return Check(name=name, met=True)
            slipped = True
    met = said is not None or not by
    return Check(name=name, met=met, explanation="" if met else _NEVER_IDENTIFIED, dormant=met)


def never_needed(check: Identified, messages: Sequence[AnyMessage]) -> bool:
    """Whether nothing was called that the customer has to be known for: then the domain's own check is idle."""
    return not any(call.name in (check.needed_for or [call.name]) for _, call, _ in calls_made(messages))
