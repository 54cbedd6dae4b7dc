"""Calls that were made or not made, and facts that were looked up."""

from __future__ import annotations

from ...schema.calls import render_call
from ...schema.checks import Called, Evidence, NotCalled
from ...schema.reward import Check
from ...schema.transcript import shows
from .said import reason_given
from .scene import Scene


def check_called(check: Called, scene: Scene) -> Check:
    """Whether such a call succeeded."""
    made = scene.matching_calls(check)
    succeeded = any(result is not None for _, result in made)
    return Check(name=_name(check), met=succeeded, explanation="" if succeeded else _never(bool(made)))


def check_not_called(check: NotCalled, scene: Scene) -> Check:
    """Whether no such call was made, whatever came of it."""
    made = scene.matching_calls(check)
    why = f"called in turn {made[0][0]}" if made else ""
    return Check(name=_name(check), met=not made, explanation=why, turn=made[0][0] if made else None)


def check_evidence(check: Evidence, scene: Scene) -> Check:
    """Whether a fact was looked up before the reason was given; of several ways to look, the first that showed it."""
    names, showing, missed = [], list[int](), list[str]()
    for shown in (check, *check.alternatives):
        what = render_call(shown.name, shown.arguments)
        names.append(what if shown.shows is None else f"{what} shows {shown.shows!r}")
        made = scene.matching_calls(shown)
        succeeded = [(turn, result) for turn, result in made if result is not None]
        showing += [turn for turn, result in succeeded if shows(result, shown.shows)]
        missed.append(f"turn {succeeded[0][0]} did not show it" if succeeded else _never(bool(made)))
    name = f"{check.check}: {' or '.join(names)}"
    if not showing:
        why = next((why for why in missed if why.startswith("turn")), missed[0])
        return Check(name=name, met=False, explanation=why)
    reason_at = reason_given(check, scene.checks, scene.messages)
    if reason_at is not None and min(showing) > reason_at:
        why = f"looked up in turn {min(showing)}, after the reason was given in turn {reason_at}"
        return Check(name=name, met=False, explanation=why, turn=reason_at)
    return Check(name=name, met=True)


def _name(check: Called | NotCalled) -> str:
    by = f" by {check.author.replace('!', 'another than ', 1)}" if check.author else ""
    return f"{check.check}: {render_call(check.name, check.arguments)}{by}"


def _never(tried: bool) -> str:
    return "no such call succeeded" if tried else "no such call was made"
