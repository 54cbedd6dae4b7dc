"""A judge's passport: how often it is right, measured on labelled conversations, in a file one commits.

It holds for one model with its parameters, number of votes, prompt and rubric. Whatever of these is another in a run
makes it stale, and the run says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import Field, ValidationError

from ..errors import RecordingError
from ..files import read_json, write_whole
from ..schema.problems import first_problem
from ..schema.values import Frozen
from .agreement import AgreementShare, Kappa, kappa, share
from .judge_errors import JudgeErrors, labels_needed
from .wording import setting

FILE = "judge.json"
"""Where a run looks for it: in the project's folder."""
FORMAT: Literal["pytest-tau judge"] = "pytest-tau judge"
VERSION: Literal[1] = 1
_HOW = "; write a new one with pytest-tau judge"


class Judged(NamedTuple):
    """One question: the label, the judge's verdict, its verdicts when it was asked again, and its task."""

    label: str
    verdict: str
    again: tuple[str, ...] = ()
    task: str = ""


class _Measurements(Frozen):
    """How often a judge was right.

    ``sensitivity``: of the labelled breaches that it decided, those it called a breach; ``specificity``: of what is
    labelled fine and it decided, what it called fine; ``cannot_tell``: of all; ``kappa``: of those it decided;
    ``consistency``: of all, those on which it said the same each time it was asked; None if it was asked once.
    """

    sensitivity: AgreementShare
    specificity: AgreementShare
    kappa: Kappa
    cannot_tell: AgreementShare
    consistency: AgreementShare | None = None


class Passport(Frozen):
    """What was measured of a judge, and for which judge it holds.

    Attributes:
        created: the day it was written, ISO 8601.
        model: the judge.
        parameters: what its calls are made with, without keys.
        votes: how often it is asked for a verdict.
        prompt: the hash of its instructions; ``rubric``: that of what the verdicts mean.
        sources: how many labelled conversations came from where.
        repeats: how often each was judged.
        conversations: of whole conversations: did it call one a breach of the agent's that is one?
        kinds: by kind of question.
    """

    format: Literal["pytest-tau judge"] = FORMAT
    version: Literal[1] = VERSION
    created: str
    model: str
    parameters: dict[str, Any] = Field(default_factory=dict)
    votes: int = 1
    prompt: str
    rubric: str
    sources: dict[str, int] = Field(default_factory=dict)
    repeats: int = 1
    conversations: _Measurements
    kinds: dict[str, _Measurements] = Field(default_factory=dict)

    @property
    def errors(self) -> JudgeErrors:
        """What rates are corrected by: how it does on whole conversations."""
        return JudgeErrors(*_counts(self.conversations.sensitivity), *_counts(self.conversations.specificity))


def _counts(known: AgreementShare) -> tuple[float, float]:
    """So many of so many, as far as they are independent."""
    if known.worth is None:
        return known.hits, known.of
    return known.hits / known.of * known.worth, known.worth


def measurements(found: Sequence[Judged]) -> _Measurements:
    """What labelled questions say of a judge; those that people could not tell either are left out."""
    known = [one for one in found if one.label in ("breach", "fine")]
    decided = [one for one in known if one.verdict in ("breach", "fine")]
    breaches, fines = ([one for one in decided if one.label == label] for label in ("breach", "fine"))
    repeated = [one for one in known if one.again]
    return _Measurements(
        sensitivity=share([(one.task, one.verdict == "breach") for one in breaches]),
        specificity=share([(one.task, one.verdict == "fine") for one in fines]),
        kappa=kappa([(one.label, one.verdict) for one in decided], [one.task for one in decided]),
        cannot_tell=share([(one.task, one.verdict not in ("breach", "fine")) for one in known]),
        consistency=share([(one.task, {one.verdict} == set(one.again)) for one in repeated]) if repeated else None,
    )


def stale(
    passport: Passport, *, model: str, parameters: Mapping[str, Any], votes: int, prompt: str, rubric: str
) -> list[str]:
    """What is another than in the passport, one clause each; empty when it holds for this judge."""
    changed = [] if passport.model == model else [f"it is of {passport.model}, and the judge is {model}"]
    for name in sorted(passport.parameters.keys() | parameters.keys()):
        then, now = passport.parameters.get(name), parameters.get(name)
        if then != now:
            changed.append(f"the parameter {name} was {setting(then)} and is {setting(now)}")
    changed += [] if passport.votes == votes else [f"it had {passport.votes} votes and has {votes}"]
    changed += [] if passport.prompt == prompt else ["the prompt has changed"]
    return changed + ([] if passport.rubric == rubric else ["the rubric has changed"])


def refusal(passport: Passport | None, changed: Sequence[str] = ()) -> str | None:
    """Why a gate cannot rest on a judge, in a clause, with how many labels would be enough; None if it can."""
    if passport is None:
        return f"the judge has no passport ({FILE}); {_labels(labels_needed(None))}{_make}"
    if changed:
        return f"the judge's passport ({FILE}) is stale: {', '.join(changed)}; {_labels(labels_needed(None))}{_make}"
    errors = passport.errors
    if not errors.breaches or not errors.fines:
        missing = "breach" if not errors.breaches else "fine conversation"
        return f"the judge has decided no labelled {missing}: its passport has none, or it could not tell"
    if errors.tells_apart:
        return None
    needed, have = labels_needed(errors), errors.breaches + errors.fines
    found, passed = passport.conversations.sensitivity, passport.conversations.specificity
    said = f"the judge is not known to tell a breach from none: it finds {found} and lets {passed} of the rest pass"
    if needed is None or needed <= have:
        return f"{said}; no number of labels helps as long as it does no better, so take another judge"
    worth = f", which say as much as {have:.0f} of as many tasks" if round(have) < found.of + passed.of else ""
    return f"{said}; {_labels(needed)}, and it has {found.of + passed.of}{worth}"


_make = ": pytest-tau judge makes one"


def _labels(number: int | None) -> str:
    return f"about {number} labelled conversations, half of them breaches, would be enough"


def save_passport(passport: Passport, path: Path) -> None:
    """Write it; the old file stays if that fails. Raises RecordingError."""
    text = json.dumps(passport.model_dump(mode="json"), indent=2, ensure_ascii=False) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)
    except OSError as error:
        raise RecordingError(f"{path}: the passport cannot be written there: {error.strerror}") from None


def load_passport(path: Path) -> Passport | None:
    """Read it; None where there is none. Raises RecordingError for a file that is none that this version reads."""
    if not path.exists():
        return None
    content = read_json(path, RecordingError, "the judge's passport", then=_HOW)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise RecordingError(f"{path}: this is not a judge's passport{_HOW}")
    if content.get("version") != VERSION:
        raise RecordingError(f"{path}: written in version {content.get('version')!r}, and this reads {VERSION}{_HOW}")
    try:
        return Passport.model_validate(content)
    except ValidationError as error:
        raise RecordingError(f"{path}: {first_problem(error)}{_HOW}") from None


def passport_lines(passport: Passport) -> list[list[str]]:
    """A table of it: whole conversations, then each kind of question."""
    heads = ["question", "sensitivity", "specificity", "κ", "cannot tell", "says the same again"]
    rows: Iterable[tuple[str, _Measurements]] = [("conversation", passport.conversations), *passport.kinds.items()]
    return [
        heads,
        *(
            [name, str(m.sensitivity), str(m.specificity), str(m.kappa), str(m.cannot_tell), str(m.consistency or "–")]
            for name, m in rows
        ),
    ]
