"""The customer's yes before each change."""

from __future__ import annotations

from ...schema.calls import render_call
from ...schema.checks import Confirmed
from ...schema.reward import Check
from ...schema.transcript import calls_made
from ..language.consent import agreement
from .judged import explanation
from .scene import Scene


def check_confirmed(check: Confirmed, scene: Scene) -> Check:
    """Whether the customer agreed to each change before it was made; what is unclear is counted, and no miss."""
    name = "confirmed: " + (", ".join(check.names) if check.names else "every write")
    if scene.solo:
        return Check(name=name, met=True, explanation="solo mode has no customer to ask", dormant=True)
    writes = set(scene.tools("write"))
    remarks, unclear, dormant = [], 0, True
    for turn, call, _ in calls_made(scene.messages):
        if call.requestor != "assistant" or call.name not in (check.names or writes):
            continue
        dormant = False
        given = agreement(scene.messages, turn, call, env=scene.env)
        read = None
        if scene.review is not None and given == "unclear":
            read = scene.review.of("consent", render_call(call.name, call.arguments), turn)
        if given == "no" or (read is not None and read.verdict == "breach"):
            said = given.why if read is None else explanation(read)
            return Check(
                name=name, met=False, explanation=f"{call.name} in turn {turn} without a yes: {said}", turn=turn
            )
        if read is not None:
            remarks.append(f"{call.name} in turn {turn} was agreed: {explanation(read)}")
        elif given == "unclear":
            unclear += 1
            remarks.append(f"agreement unclear: {call.name} in turn {turn} ({given.why})")
    return Check(name=name, met=True, explanation="; ".join(remarks), unclear=unclear, dormant=dormant)
