"""``pytest-tau label``: a person reads conversations of a run blind and answers their open questions with keys.

What is answered is written down at once, so one can stop at any time and go on. Nothing leaves the machine.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_tau.cli.arguments import say, whole
from pytest_tau.errors import SettingsError, TauError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_tau.evaluation.judges.labels import LabelledConversation
    from pytest_tau.schema.messages import AnyMessage
    from pytest_tau.schema.record import TrialRecord
    from pytest_tau.schema.reward import JudgeVerdict

    from ..judging.labelling import Candidate

HELP = "label conversations of a run yourself, in the terminal, without seeing a verdict"

FILE = "labels.jsonl"
_KEYS: dict[str, JudgeVerdict] = {"b": "breach", "f": "fine", "c": "cannot tell"}
_HELP = (
    "b: breach   f: fine   c: cannot tell   u: undo   r: what counts   p: policy   m: conversation   s: skip   q: stop"
)


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("label", metavar="RUN", help="a run's or a results folder, a journal, or a τ² results file")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"the labels file (default: {FILE})")
    parser.add_argument("--n", type=whole, default=30, help="how many conversations (default: 30)")
    parser.add_argument("--seed", type=whole, default=1, help="seed of the sample (default: 1)")
    parser.add_argument("--rater", default="", help="your name or initials, for the labels file")
    parser.add_argument("--data", metavar="DIR", help="root of the public data, for runs on it")
    parser.add_argument("--every", action="store_true", help="ask what rules decide as well: a yes before each change")
    parser.add_argument("--again", action="store_true", help="label once more what you have labelled, for agreement")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns 0."""
    return label(arguments)


def label(arguments: argparse.Namespace) -> int:
    """Ask until the sample is labelled or the person stops; tells agreement and what it says of the run."""
    from pytest_tau.evaluation.judges.labels import append_label
    from pytest_tau.recordings.rescored import Library, read_recordings, recorded_file

    from ..judging.labelling import again, candidates, labelled_before, sample

    if arguments.n < 1:
        raise SettingsError(f"--n must be at least 1, and is {arguments.n}")
    path = arguments.output or Path(FILE)
    library, every = Library(getattr(arguments, "data", None)), bool(getattr(arguments, "every", False))
    played = read_recordings(recorded_file(arguments.label), library)
    found = list(candidates(played, _records(Path(arguments.label)), every=every))
    known = _known(path)
    rater, second = arguments.rater, bool(getattr(arguments, "again", False))
    done = {one.key for one in known if one.rater == (again(rater) if second else rater)}
    asked = labelled_before(found, known, rater) if second else found
    chosen = sample(asked, arguments.n, arguments.seed)
    left = [one for one in chosen if one.key not in done]
    if not chosen:
        raise SettingsError(
            "nothing was labelled yet that could be labelled again"
            if second
            else f"{arguments.label}: nothing is open here{'' if every else '; --every asks what rules decide as well'}"
        )
    say(f"{len(chosen) - len(left)} of {len(chosen)} conversations are labelled. {_HELP}")
    for place, one in enumerate(left, len(chosen) - len(left) + 1):
        answer = _ask_labels(one, f"conversation {place} of {len(chosen)}", again(rater) if second else rater)
        if answer == "stop":
            break
        if not isinstance(answer, str):
            try:
                append_label(answer, path)
            except TauError:
                say(answer.model_dump_json(exclude_none=True))  # so that what was answered is not lost
                raise
    _tell(found, _known(path), path)
    return 0


def _known(path: Path) -> list[LabelledConversation]:
    """What stands in the labels file; nothing where it is not there, or empty."""
    from pytest_tau.evaluation.judges.labels import read_labels

    return read_labels(path) if path.exists() and path.stat().st_size else []


def _records(run: Path) -> dict[str, TrialRecord]:
    """What became of the trials of a run by the ids of their simulations, where it is a run of ours."""
    from contextlib import suppress

    from pytest_tau.journal import load_journal

    with suppress(TauError, OSError):
        return {
            record.simulation.id: record
            for record in load_journal(run, lambda sentence: None)
            if record.simulation is not None and record.reward is not None
        }
    return {}


def _ask_labels(one: Candidate, title: str, rater: str) -> LabelledConversation | str:
    """The labels of a conversation; "skip" or "stop" where the person wants that."""
    from pytest_tau.cli.play import ask
    from pytest_tau.evaluation.judges.questions import RUBRIC

    from ..judging.labelling import label_conversation

    say(f"\n=== {title}")
    _show(one.messages)
    verdicts: list[Any] = []
    while len(verdicts) < len(one.questions):
        question = one.questions[len(verdicts)]
        say(f"\n({len(verdicts) + 1} of {len(one.questions)}, {question.kind}) {question.text}")
        key = ask("b/f/c > ")
        if key is None or key == "q":
            return "stop"
        if key == "s":
            return "skip"
        if key in _KEYS:
            verdicts.append(_KEYS[key])
        elif key == "u" and verdicts:
            verdicts.pop()
        else:
            say({"r": RUBRIC[question.kind], "p": one.policy}.get(key, "" if key == "m" else _HELP))
            if key == "m":
                _show(one.messages)
    return label_conversation(one, verdicts, rater)


def _show(messages: Sequence[AnyMessage]) -> None:
    from pytest_tau.schema.calls import render_call
    from pytest_tau.schema.messages import with_names

    who = {"assistant": "agent", "user": "customer", "tool": "  result"}
    for turn, message in enumerate(messages):
        if shown := with_names(message):
            say(f"[{turn}] {who[message.role]}: {shown}")
        for call in getattr(message, "tool_calls", None) or []:
            say(f"[{turn}] {who[message.role]} calls {render_call(call.name, call.arguments)}")


def _tell(found: Sequence[Candidate], known: Sequence[LabelledConversation], path: Path) -> None:
    """What came of it: agreement of raters, and the rate of the run with the labels in it."""
    from pytest_tau.printable import count_of

    from ..judging.labelling import agreements, as_graded, under_policy

    ours = {one.key for one in found}
    others = sum(one.key not in ours for one in known)
    say(
        f"\n{count_of(len(known), 'labelled conversations')} in {path}"
        + (f", {others} of them of other runs" if others else "")
    )
    for first, second, agreed in agreements(known):
        say(f"agreement of {first or 'you'} and {second or 'you'} on {agreed.of} questions: Cohen's κ {agreed}")
    for agent in dict.fromkeys(one.agent for one in found):  # a mean over several is nobody's
        theirs = [one for one in found if one.agent == agent]
        if (rate := under_policy(theirs, known)) is not None:
            whose, ends = f"{agent}, " if agent else "", f"[{100 * rate.low:.0f}–{100 * rate.high:.0f}]"
            say(
                f"{whose}under policy as graded: {100 * as_graded(theirs):.1f} %; with these labels, by "
                f"prediction-powered estimation: {100 * rate.value:.1f} % {ends}"
            )
