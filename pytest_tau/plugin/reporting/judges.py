"""What is known of the judge of a run: the passport in the project's folder, and whether it holds for this judge."""

from __future__ import annotations

import json
from dataclasses import dataclass

from ...errors import TauError
from ...metrics.judge_errors import JudgeErrors
from ...metrics.passport import FILE, load_passport, refusal, stale
from ...scrub import public
from ..run import Run


@dataclass(frozen=True)
class _KnownJudge:
    """``errors``: how often it is wrong, None if nobody knows. ``why_not``: why no gate can rest on it, in a clause.

    ``line``: what the header says of it; "" for nothing.
    """

    errors: JudgeErrors | None = None
    why_not: str | None = None
    line: str = ""


def reads(run: Run) -> bool:
    """Whether a judge reads conversations of the run, beside assertions."""
    chosen = run.settings
    public_data = chosen.data is not None or bool(chosen.parity)
    how = chosen.review or "unclear"
    return chosen.judge_llm is not None and how != "off" and (how == "all" or not public_data)


def known_judge(run: Run) -> _KnownJudge:
    """What the passport says, where a judge reads conversations."""
    if not reads(run):
        return _KnownJudge()
    from ...evaluation.judges.review import prompt_hash, rubric_hash

    chosen = run.settings
    try:
        passport = load_passport(run.root / FILE)
    except TauError as error:
        return _KnownJudge(None, str(error), f"judge: {error}")
    if passport is None:
        return _KnownJudge(None, refusal(None), "")
    given = public(json.loads(chosen.judge_llm_args)) if chosen.judge_llm_args else {}
    changed = stale(
        passport,
        model=str(chosen.judge_llm),
        parameters=given,
        votes=chosen.judge_votes,
        prompt=prompt_hash(),
        rubric=rubric_hash(),
    )
    why = refusal(passport, changed)
    if changed:
        return _KnownJudge(None, why, f"judge: its passport ({FILE}) is stale: {', '.join(changed)}")
    found, passed = passport.conversations.sensitivity, passport.conversations.specificity
    line = f"judge: by its passport of {passport.created} it finds {found} breaches and lets {passed} others pass"
    return _KnownJudge(passport.errors if why is None else None, why, line)
