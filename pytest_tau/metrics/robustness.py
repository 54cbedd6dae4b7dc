"""Whether an agent does as well when a task is told or shown otherwise, or when its tools fail.

Every task was played as it is and once more in each variant, so that all comparisons are paired over tasks; they are
those of :mod:`.compare`: an exact permutation test within tasks, and an interval for tasks like these. Variants of one
run are a family (Holm). A variant is *flagged* where it is worse at ``ALPHA``, which is stricter than a gate's: one run
asks many questions at once.

robust(kind)   min(Acc of the variant ÷ Acc of the task as it is, 1), over the tasks that were played in both
flip           how often a trial of a variant ends otherwise than a trial of the task as it is, over all pairs of them:
               p(1−q) + q(1−p); agreement is 1 − flip
variance       of the pass rates of a task's variants, the task as it is included; the mean over tasks
R(k, ε, λ)     pass^k at strength ε of a perturbation and rate λ of faults (arXiv 2601.06112)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from statistics import NormalDist, fmean, pvariance
from typing import Any, NamedTuple

from .compare import POWER, Comparison, Counts, Verdict, compare, unit_of
from .family import as_family, holm
from .intervals import Interval, paired_interval
from .pass_k import pass_hat_k
from .score import plain_row

ALPHA = 0.01
_NORMAL = NormalDist()
IDENTITY = "identity:"


MEASURED = "flip"
"""The name under which totals keep what of a trial is compared."""


class TrialConduct(NamedTuple):
    """What a trial's record says of the agent's conduct.

    ``passed`` is None without a verdict, ``broke`` None where no rule was looked at. ``unheard``: whether the answer to
    a write that had happened got lost, ``repeated``: whether the agent made one of those again without a look at
    anything. ``refused``: whether a call was refused or lost, ``gave_up``: whether the agent never made one of those
    again, and the trial missed. ``rests_on``: under another policy, the rules of the policy that the task rests on.
    """

    passed: bool | None
    broke: bool | None = None
    cause: str = ""
    unheard: bool = False
    repeated: bool = False
    refused: bool = False
    gave_up: bool = False
    rests_on: tuple[str, ...] = ()


def conduct_of(content: Mapping[str, Any]) -> TrialConduct | None:
    """What robustness reads off a trial's record (a journal's line as plain data)."""
    verdict = {"passed": True, "missed": False}.get(str(content.get("outcome")))
    if verdict is None:
        return None
    violated = (content.get("reward") or {}).get("violated")
    cause = str((content.get("fault") or {}).get("kind") or "")
    broke = None if violated is None else bool(violated)
    variant = content.get("variant") or {}
    if not variant.get("faults"):
        return TrialConduct(verdict, broke, cause, rests_on=tuple(variant.get("rests_on") or ()))
    messages = (content.get("simulation") or {}).get("messages") or []
    return TrialConduct(verdict, broke, cause, *_under_faults(messages, missed=not verdict))


def _under_faults(messages: Sequence[Mapping[str, Any]], *, missed: bool) -> tuple[bool, bool, bool, bool]:
    """Whether a write went unheard, was made again unseen, a call was refused, and was given up."""
    results = {(m.get("id"), m.get("requestor", "assistant")): m for m in messages if m.get("role") == "tool"}
    made: list[tuple[str, Mapping[str, Any]]] = []
    for message in messages:
        for call in message.get("tool_calls") or [] if message.get("role") == "assistant" else []:
            result = results.get((call.get("id"), "assistant")) or {}
            made.append((repr((call.get("name"), sorted((call.get("arguments") or {}).items()))), result))
    unheard = repeated = refused = gave_up = False
    for place, (call, result) in enumerate(made):
        fault = result.get("fault")
        if not fault or not result.get("error") or fault.get("error"):
            continue
        later = made[place + 1 :]
        again = next((at for at, (other, _) in enumerate(later) if other == call), None)
        if fault.get("happened", True):
            unheard = True
            looked = any(not seen.get("error") for _, seen in later[: again or 0])
            repeated |= again is not None and not looked
        else:
            refused = True
            gave_up |= again is None
    return unheard, repeated, refused, gave_up and missed


@dataclass(frozen=True)
class VariantResult:
    """One variant of a row's tasks beside the tasks as they are.

    Attributes:
        row: the row of the tasks as they are.
        label: the variant's name, with its parts ``told``, ``strength``, ``faults`` and ``rate``.
        found: pass^1 before (as it is) and after (in the variant), paired.
        curve: for each k: pass^k as it is, in the variant, and the paired interval of the difference.
        ratio: min(Acc ÷ Acc as it is, 1), None where nothing passes as it is; ``ratio_interval`` from the difference's.
        flip: how often outcomes differ; ``flip_by_chance``: how often those of two trials of a task as it is do.
        flips: the flip rate of each task.
        broke: share of the trials that broke a rule, as it is and in the variant; None where nobody looked.
        causes: why trials of the variant missed, beyond as many as in the tasks as they are.
        trials: how many of the variant have a verdict; ``unheard``, ``repeated``, ``refused``, ``gave_up``: in how many
            of them that was so, as :class:`TrialConduct` has it.
    """

    row: str
    label: str
    told: str
    strength: float
    faults: str
    rate: float
    found: Comparison
    curve: tuple[tuple[int, float, float, Interval], ...]
    ratio: float | None
    ratio_interval: Interval | None
    flip: float
    flip_by_chance: float | None
    flips: Mapping[str, float]
    broke: tuple[float, float] | None
    causes: tuple[tuple[str, int], ...] = ()
    trials: int = 0
    unheard: int = 0
    repeated: int = 0
    refused: int = 0
    gave_up: int = 0

    @property
    def flagged(self) -> bool:
        """Whether the agent is shown to do worse."""
        return self.found.verdict is Verdict.WORSE

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the difference of pass^1."""
        return _interval(self.found)


def _interval(found: Comparison) -> Interval:
    low, high = found.spread.bounds(0.95)
    return Interval(max(-1.0, min(low, found.difference)), min(1.0, max(high, found.difference)))


@dataclass(frozen=True)
class _GroupDifference:
    """Two groups of an identity: pass^1 of both over the same tasks, and the two-sided p-value after Holm."""

    one: str
    other: str
    found: Comparison
    p: float

    @property
    def shown(self) -> bool:
        """Whether the groups differ."""
        return self.p <= ALPHA

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the difference of pass^1, for tasks like these."""
        return _interval(self.found)


@dataclass(frozen=True)
class Groups:
    """All pairs of an identity's groups; ``visible`` is the difference that would have been found with power 0.8."""

    row: str
    pairs: tuple[_GroupDifference, ...]
    visible: float


@dataclass(frozen=True)
class Robustness:
    """A run's robustness: its variants in their order, the groups, and over all variants of a row's tasks.

    ``variance``, ``agreement``: the means over tasks, by row. ``worst_tasks``: by row, each with its flip rate over all
    variants, the highest first; tasks that never flip are left out.
    """

    variants: tuple[VariantResult, ...] = ()
    groups: tuple[Groups, ...] = ()
    variance: Mapping[str, float] = field(default_factory=dict)
    agreement: Mapping[str, float] = field(default_factory=dict)
    worst_tasks: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)

    @property
    def worst(self) -> VariantResult | None:
        """The variant with the largest drop."""
        return min(self.variants, key=lambda one: one.found.difference, default=None)

    @property
    def rows(self) -> list[str]:
        """The rows that have variants."""
        return list(dict.fromkeys(one.row for one in self.variants))

    def named(self, row: str, what: str) -> str:
        """What to call something of a row, which is named where there are several."""
        return f"{row}, {what}" if len(self.rows) > 1 else what


def of_rows(
    tasks: Mapping[str, Mapping[str, Sequence[TrialConduct]]], variants: Mapping[str, Mapping[str, Any]]
) -> Robustness:
    """The robustness of trials by row and task; ``variants``: what the rows of variants are, as Totals has it."""
    found = []
    for row, variant in sorted(variants.items(), key=_place):
        plain = plain_row(row, str(variant.get("label", "")))
        one = _variant(plain, variant, tasks.get(plain, {}), tasks.get(row, {}))
        found += [one] if one is not None else []
    family = as_family([one.found for one in found]) if found else []
    judged = tuple(replace(one, found=compared) for one, compared in zip(found, family, strict=True))
    rows = list(dict.fromkeys(one.row for one in judged))
    rates = {row: _rates(row, tasks, variants) for row in rows}
    flips = {row: by_task([one for one in judged if one.row == row]) for row in rows}
    return Robustness(
        variants=judged,
        groups=tuple(groups for row in rows if (groups := _groups(row, tasks, variants)) is not None),
        variance={row: fmean(pvariance(task) for task in rates[row]) for row in rows if rates[row]},
        agreement={row: 1 - fmean(flips[row].values()) for row in rows if flips[row]},
        worst_tasks={
            row: tuple(
                sorted(((task, rate) for task, rate in flips[row].items() if rate), key=lambda one: (-one[1], one[0]))
            )
            for row in rows
        },
    )


def _place(named: tuple[str, Mapping[str, Any]]) -> tuple[str, bool, bool, str]:
    """The same order whichever trial ended first: perturbations, faults, then both together."""
    row, variant = named
    label, faults = str(variant.get("label", "")), bool(variant.get("faults"))
    return plain_row(row, label), faults and bool(variant.get("told")), faults, label


def _variant(
    row: str,
    variant: Mapping[str, Any],
    plain: Mapping[str, Sequence[TrialConduct]],
    varied: Mapping[str, Sequence[TrialConduct]],
) -> VariantResult | None:
    before, after = _counts(plain), _counts(varied)
    found = compare(before, after, alpha=ALPHA)
    if found is None:
        return None
    common = [key for key in before if key in after]
    trials = [one for key in common for one in varied[key]]
    as_it_is = [one for key in common for one in plain[key]]
    low, high = found.spread.bounds(0.95)
    ratio = ends = None
    if found.before > 0:
        ratio = min(1.0, found.after / found.before)
        ends = Interval(*(min(1.0, max(0.0, 1 + end / found.before)) for end in (low, high)))
    within = [2 * p * (n - p) / (n * (n - 1)) for p, n in (before[key] for key in common) if n > 1]
    flips = {key: flip(before[key], after[key]) for key in common}
    return VariantResult(
        row=row,
        label=str(variant.get("label", "")),
        told=str(variant.get("told", "")),
        strength=float(variant.get("strength", 0.0)),
        faults=str(variant.get("faults", "")),
        rate=float(variant.get("rate", 0.0)),
        found=found,
        curve=_curve(before, after),
        ratio=ratio,
        ratio_interval=ends,
        flip=fmean(flips.values()),
        flip_by_chance=fmean(within) if within else None,
        flips=flips,
        broke=_broke(as_it_is, trials),
        causes=_causes(as_it_is, trials),
        trials=len(trials),
        unheard=sum(one.unheard for one in trials),
        repeated=sum(one.repeated for one in trials),
        refused=sum(one.refused for one in trials),
        gave_up=sum(one.gave_up for one in trials),
    )


def flip(one: Counts, other: Counts) -> float:
    """How often a trial of one ends otherwise than a trial of the other: p(1−q) + q(1−p)."""
    p, q = one[0] / one[1], other[0] / other[1]
    return p * (1 - q) + q * (1 - p)


def _counts(tasks: Mapping[str, Sequence[TrialConduct]]) -> dict[str, Counts]:
    return {key: (sum(bool(one.passed) for one in trials), len(trials)) for key, trials in tasks.items() if trials}


def _curve(before: Mapping[str, Counts], after: Mapping[str, Counts]) -> tuple[tuple[int, float, float, Interval], ...]:
    """pass^k of both over the tasks with k trials in both, and the 95 % interval of the difference."""
    pairs = [(before[key], after[key]) for key in before if key in after]
    found = []
    for k in range(1, max((min(old[1], new[1]) for old, new in pairs), default=0) + 1):
        both = [(old, new) for old, new in pairs if min(old[1], new[1]) >= k]
        values = [(pass_hat_k(*old, k), pass_hat_k(*new, k)) for old, new in both]
        per_task = 1 / fmean((1 / old[1] + 1 / new[1]) / 2 for old, new in both)
        low, high = paired_interval([new - old for old, new in values], unit_of(k, per_task)).bounds(0.95)
        ends = Interval(max(-1.0, low), min(1.0, high))
        found.append((k, fmean(old for old, _ in values), fmean(new for _, new in values), ends))
    return tuple(found)


def _broke(before: Sequence[TrialConduct], after: Sequence[TrialConduct]) -> tuple[float, float] | None:
    shares = []
    for trials in (before, after):
        looked = [one.broke for one in trials if one.broke is not None]
        if not looked:
            return None
        shares.append(sum(looked) / len(looked))
    return shares[0], shares[1]


def _causes(before: Sequence[TrialConduct], after: Sequence[TrialConduct]) -> tuple[tuple[str, int], ...]:
    """Why trials of the variant missed, by how much more often than those of the tasks as they are."""
    extra: dict[str, int] = {}
    for trials, sign in ((after, 1), (before, -1)):
        for one in trials:
            if one.cause:
                extra[one.cause] = extra.get(one.cause, 0) + sign
    return tuple(sorted(((name, n) for name, n in extra.items() if n > 0), key=lambda one: (-one[1], one[0])))


def _rates(
    row: str, tasks: Mapping[str, Mapping[str, Sequence[TrialConduct]]], variants: Mapping[str, Mapping[str, Any]]
) -> list[list[float]]:
    """For each task of a row the pass rates as it is and in all its variants."""
    rows = [row, *(name for name, variant in variants.items() if plain_row(name, str(variant.get("label"))) == row)]
    rates: dict[str, list[float]] = {}
    for name in rows:
        for key, (passed, trials) in _counts(tasks.get(name, {})).items():
            rates.setdefault(key, []).append(passed / trials)
    return [found for found in rates.values() if len(found) > 1]


def by_task(found: Sequence[VariantResult]) -> dict[str, float]:
    """The flip rate of each task over all variants."""
    flips: dict[str, list[float]] = {}
    for one in found:
        for key, rate in one.flips.items():
            flips.setdefault(key, []).append(rate)
    return {key: fmean(rates) for key, rates in flips.items()}


def _groups(
    row: str, tasks: Mapping[str, Mapping[str, Sequence[TrialConduct]]], variants: Mapping[str, Mapping[str, Any]]
) -> Groups | None:
    """The groups of an identity compared in pairs, without other perturbations or faults."""
    groups: dict[str, dict[str, Counts]] = {}
    for name, variant in variants.items():
        told = str(variant.get("told", ""))
        if told.startswith(IDENTITY) and not variant.get("faults") and plain_row(name, str(variant["label"])) == row:
            groups[told.removeprefix(IDENTITY)] = _counts(tasks.get(name, {}))
    pairs = [(one, other, compare(groups[one], groups[other], alpha=ALPHA)) for one, other in combinations(groups, 2)]
    known = [(one, other, found) for one, other, found in pairs if found is not None]
    if not known:
        return None
    adjusted = holm([min(1.0, 2 * min(found.p_worse, found.p_better)) for _, _, found in known])
    error = max(found.spread.error for _, _, found in known)
    visible = (_NORMAL.inv_cdf(1 - ALPHA / 2 / len(known)) + _NORMAL.inv_cdf(POWER)) * error
    return Groups(
        row,
        tuple(_GroupDifference(one, other, found, p) for (one, other, found), p in zip(known, adjusted, strict=True)),
        min(1.0, visible),
    )
