"""Calls that must succeed one after the other."""

from __future__ import annotations

from ...schema.calls import render_call
from ...schema.checks import CallPattern, Order
from ...schema.reward import Check
from ...schema.transcript import calls_done
from .scene import Scene, pattern_matches


def check_order(check: Order, scene: Scene) -> Check:
    """Whether the first success of each call comes after that of the one before it."""
    names = [render_call(call.name, call.arguments) for call in check.calls]
    firsts = [_first_success(call, scene) for call in check.calls]
    why, broken = "", None
    for position, (first, turn) in enumerate(firsts):
        before = firsts[position - 1] if position else (-1, -1)
        if first is None:
            why = f"no call of {names[position]} succeeded"
        elif before[0] is not None and first <= before[0]:
            why = f"{names[position]} in turn {turn} came before {names[position - 1]} in turn {before[1]}"
            broken = turn
        if why:
            break
    return Check(name="order: " + " → ".join(names), met=not why, explanation=why, turn=broken)


def _first_success(wanted: CallPattern, scene: Scene) -> tuple[int | None, int]:
    """The position of the first of them among all calls that succeeded, and its turn."""
    for position, (turn, call, _) in enumerate(calls_done(scene.messages)):
        if pattern_matches(wanted, call, scene.solo, scene.messages, turn, scene.env):
            return position, turn
    return None, -1
