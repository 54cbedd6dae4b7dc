"""What this suite will take of these models: the forecast of a run, put right by trials that were really played."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..llm.pricing import Price
from ..llm.protocol import ChatMessage, ModelClient, ModelReply
from ..reports.forecast import Experience, Load, round_guess
from ..reports.terminal import duration
from .findings import DoctorFinding, ok, warning

_FORECAST = "forecast"


@dataclass
class CountedClient:
    """A model whose calls are counted; a ModelClient."""

    client: ModelClient
    load: Load = field(default_factory=Load)
    seconds: float = 0.0
    counted: bool = True

    @property
    def model(self) -> str:
        """The model's name."""
        return self.client.model

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The parameters every call is made with."""
        return self.client.parameters

    async def complete(self, messages: Sequence[ChatMessage], **options: Any) -> ModelReply:
        """Ask the model, and count what it took; raises what the model raises."""
        reply = await self.client.complete(messages, **options)
        self.counted = self.counted and reply.usage is not None
        read, written = (reply.usage.prompt_tokens, reply.usage.completion_tokens) if reply.usage else (0, 0)
        self.load += Load(1, read, written)
        self.seconds += reply.seconds
        return reply


@dataclass(frozen=True)
class Rehearsal:
    """One trial that was played to learn what trials take: by side, what was expected of it and what it took.

    ``counted``: whether tokens were told; ``ended``: why it ended; ``failure``: what kept it from its end, or "";
    ``spoiled``: a run would play it again, as its customer broke the rules.
    """

    task_id: str
    ended: str
    expected: Mapping[str, Load]
    taken: Mapping[str, Load]
    seconds: Mapping[str, float]
    counted: bool = True
    failure: str = ""
    spoiled: bool = False


def rehearsal_findings(rehearsals: Sequence[Rehearsal]) -> list[DoctorFinding]:
    """How the trials went that were played."""
    found = []
    for one in rehearsals:
        calls = ", ".join(f"{side} {load.calls:.0f} calls" for side, load in one.taken.items())
        again = "; its customer broke the rules, so a run plays it again" if one.spoiled else ""
        text = f"{one.task_id} ended by {one.ended} ({calls}){again}"
        if one.failure:
            found.append(DoctorFinding("suite", "a trial", "failed", f"{text}: {one.failure}", "see to this first"))
        elif one.ended in ("max_steps", "stalled", "too_many_errors", "timeout"):
            advice = "if most trials end so, the run measures little; see the findings above"
            found.append(warning("suite", "a trial", text, advice))
        else:
            found.append(ok("suite", "a trial", text))
    return found


def forecast(
    trials: int, expected: Mapping[str, Load], prices: Mapping[str, Price | None], rehearsals: Sequence[Rehearsal]
) -> DoctorFinding:
    """What so many trials take.

    Args:
        trials: how many the run has.
        expected: what all of them take by the forecast of a run, by side.
        prices: what the model of each side costs.
        rehearsals: trials that were played.
    """
    taken = experience(rehearsals)
    loads = {side: taken[side].correct(load) if side in taken else load for side, load in expected.items()}
    whole = sum(loads.values(), Load())
    costs = [load.usd(prices.get(side)) for side, load in loads.items()]
    known = [cost for cost in costs if cost is not None]
    usd = sum(known) if len(known) == len(costs) else None
    seconds = _seconds(loads, rehearsals)
    told = [
        f"{trials:,} trial{'s' * (trials != 1)}: about {round_guess(whole.calls)} model calls and "
        f"{round_guess(whole.tokens)} tokens",
        "cost unknown" if usd is None else f"cost ${usd:.2f}",
    ]
    if seconds is not None:
        told.append(f"{duration(seconds)} with one call at a time")
    by = f"from {len(rehearsals)} played" if rehearsals else "a guess: no trial was played"
    figures = {"trials": trials, "calls": whole.calls, "tokens": whole.tokens, "usd": usd, "seconds": seconds}
    return DoctorFinding("suite", _FORECAST, "ok", f"{', '.join(told)} ({by})", figures=figures)


def experience(rehearsals: Sequence[Rehearsal]) -> dict[str, Experience]:
    """What the rehearsals took, by side, and what would be played again after them: at most twice."""
    found: dict[str, Experience] = {}
    share = sum(one.spoiled for one in rehearsals) / len(rehearsals) if rehearsals else 0.0
    for one in rehearsals:
        for side in one.taken:
            of_one = Experience(1, one.expected[side], one.taken[side] * (1 + share + share**2), one.counted)
            found[side] = found[side] + of_one if side in found else of_one
    return found


def _seconds(loads: Mapping[str, Load], rehearsals: Sequence[Rehearsal]) -> float | None:
    """How long all calls take one after the other; None where none was timed."""
    total = 0.0
    timed = False
    for side, load in loads.items():
        calls = sum(one.taken[side].calls for one in rehearsals if side in one.taken)
        if calls:
            timed = True
            total += load.calls * sum(one.seconds.get(side, 0.0) for one in rehearsals) / calls
    return total if timed else None
