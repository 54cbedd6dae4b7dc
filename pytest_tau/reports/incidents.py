"""What went wrong with players' replies without ending a trial, in sentences that say what helps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from ..metrics.authors import AuthorShare
from ..metrics.totals import Totals
from ..printable import count_of
from ..schema.incidents import (
    ASKED_AGAIN,
    BROKEN_CALL,
    CUT,
    EMPTY,
    END_MARK,
    FILTERED,
    FOREIGN_ID,
    REFUSAL,
    ROLE_LOST,
    SPARED,
    TEXT_CALL,
    TEXT_CALL_RUN,
    THOUGHTS,
)
from .terminal import most_first

_SIDES = {"agent": "agent", "user": "customer"}
_PARSER = "start the server with its tool-call parser (llama.cpp --jinja, vLLM --enable-auto-tool-choice)"
_OR_RUN = "or run them with --tau-text-calls run"
_INSTEAD = {"agent": "use --tau-agent act, ", "user": ""}  # a customer has no other form for its calls
_HELPS = {
    CUT: "raise max_tokens in --tau-{side}-llm-args, or the server's context window",
    REFUSAL: "the model's own: another one, or another prompt",
    FILTERED: "the provider's own: its filter settings",
    EMPTY: "",
    BROKEN_CALL: "",
    THOUGHTS: "taken out; the server's reasoning parser is off",
}
_SAID = {THOUGHTS: f"with {THOUGHTS}"}
_STALLED = "stalled"
NOT_COUNTED = ("Time-outs", "Context overflow", "Tool call as text: the agent")
"""What lines begin with that tell what the score leaves out, or why it is nothing at all."""


def incidents_told(incidents: Mapping[str, int]) -> list[str]:
    """What one trial's record counts, or all of a run's together, as sentences."""
    return [line for side in _SIDES for line in _of_side(side, incidents)]


def by_author(authors: Mapping[str, AuthorShare]) -> str:
    """What each of several agents inside the agent has called, cost and lost."""
    return "; ".join(f"{author}: {share}" for author, share in sorted(authors.items()))


def incident_lines(totals: Totals) -> list[str]:
    """The same of a run, with the trials that went round in circles or outgrew a context window, and its authors."""
    lines = incidents_told(totals.incidents)
    if totals.authors:
        lines.append(f"By author: {by_author(totals.authors)}.")
    if stalled := totals.endings[_STALLED]:
        spared = totals.incidents[SPARED]
        lines.append(
            f"Stalled: {count_of(stalled, 'trials')} went round in circles and ended as at --tau-max-steps; up to "
            f"{spared:,} steps were not played (--tau-stall)."
        )
    if late := totals.endings["timeout"]:
        lines.append(
            f"Time-outs: {count_of(late, 'trials')} took longer than --tau-timeout allows; --tau-timeout-as says "
            "whether that is an infra error (by default) or a miss. If a server of yours is slow, set "
            "--tau-max-inflight, or lower it: waiting for that takes none of a trial's time."
        )
    if overflown := totals.overflown.total():
        lines.append(
            f"Context overflow: {count_of(overflown, 'trials')} outgrew a model's context window, {_as(totals)}."
        )
    return lines


def _as(totals: Totals) -> str:
    """What trials that outgrew a context window are counted as."""
    left_out = totals.overflown["infra_error"]
    missed = totals.overflown.total() - left_out
    if not missed:
        return "counted as infra errors, which a score leaves out (--tau-overflow-as miss counts the agent's as misses)"
    if not left_out:
        return "counted as misses of the agent (--tau-overflow-as miss)"
    misses = "a miss" if missed == 1 else "misses"
    others = "an infra error" if left_out == 1 else "infra errors"
    return (
        f"{missed} counted as {misses} of the agent (--tau-overflow-as miss) and {left_out} as {others}, which a score "
        "leaves out"
    )


def _of_side(side: str, incidents: Mapping[str, int]) -> Iterator[str]:
    of = Counter({name.removeprefix(f"{side}: "): n for name, n in incidents.items() if name.startswith(f"{side}: ")})
    who = f"the {_SIDES[side]}"
    if number := of[TEXT_CALL]:
        calls, helps = count_of(number, "calls"), f"{_PARSER}, {_INSTEAD[side]}{_OR_RUN}"
        yield f"Tool call as text: {who} wrote {calls} as text, not run: {helps}."
    if number := of[TEXT_CALL_RUN]:
        calls = count_of(number, "calls")
        yield f"Tool call as text: {who} wrote {calls} as text, run (--tau-text-calls run)."
    told = [
        f"{of[name]} {_SAID.get(name, name)}" + (f" ({helps.format(side=side)})" if helps else "")
        for name, helps in _HELPS.items()
        if of[name]
    ]
    if told:
        yield f"Replies of {who}: {', '.join(told)}."
    again, lost = _reasons(of, ASKED_AGAIN), _reasons(of, ROLE_LOST)
    if again:
        yield f"Asked again: {who} {_times(again.total())}, as it {_reasons_text(again)}."
    if lost:
        yield f"Out of its role: {who} {_times(lost.total())} all the same; it {_reasons_text(lost)}."
    if number := of[FOREIGN_ID]:
        yield (
            f"Of another trial: {who} began with {count_of(number, 'ids')} of records that nobody had told it. If it "
            "keeps sessions, begin a new one for each context.session_id (X-Session-Id)."
        )
    if number := of[END_MARK]:
        yield f"End marks in another form: {number}, understood."


def _reasons(of: Mapping[str, int], name: str) -> Counter[str]:
    """How often each reason came, of an incident that has its reason in brackets."""
    begin = f"{name} ("
    return Counter({key.removeprefix(begin).removesuffix(")"): n for key, n in of.items() if key.startswith(begin)})


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _reasons_text(reasons: Counter[str]) -> str:
    return ", ".join(f"{reason} ({number})" for reason, number in most_first(reasons))
