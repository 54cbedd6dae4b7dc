"""``pytest-tau judge``: how often a judge is right, measured on labelled conversations; and labels by people."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_tau.cli.arguments import progress_teller, say, whole
from pytest_tau.errors import SettingsError
from pytest_tau.metrics.passport import FILE

if TYPE_CHECKING:
    from pytest_tau.environment.domain import Domain
    from pytest_tau.evaluation.judges.labels import LabelledConversation
    from pytest_tau.schema.task import Task

HELP = "measure how often a judge is right (its passport), or label conversations yourself"

_DOMAINS = "retail,airline,telecom"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", nargs="?", help="the judge's model, as for --tau-judge-llm")
    parser.add_argument("--args", metavar="JSON", default="{}", help="parameters of its calls, as --tau-judge-llm-args")
    parser.add_argument("--votes", type=whole, default=1, help="votes for a verdict, an odd number (default: 1)")
    parser.add_argument(
        "--labels",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="labelled conversations; may be repeated",
    )
    parser.add_argument(
        "--planted", type=whole, metavar="N", help="so many planted conversations (default: 100, with --labels none)"
    )
    parser.add_argument("--domains", default=_DOMAINS, help=f"domains of the planted ones (default: {_DOMAINS})")
    parser.add_argument("--seed", type=whole, default=1, help="seed of the planted ones and of samples (default: 1)")
    parser.add_argument("--repeats", type=whole, default=2, help="how often each one is judged (default: 2)")
    parser.add_argument("--at-once", type=whole, default=4, help="conversations at the same time (default: 4)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=f"the file to write (default: {FILE})")
    parser.add_argument(
        "--label", metavar="RUN", help="label conversations of this run in the terminal, as pytest-tau label"
    )
    parser.add_argument("--n", type=whole, default=30, help="with --label: how many conversations (default: 30)")
    parser.add_argument("--rater", default="", help="with --label: your name or initials, for the labels file")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns 1 where the judge is too weak for gates."""
    if arguments.label:
        if arguments.model or arguments.labels or arguments.planted is not None:
            raise SettingsError("--label RUN asks a person and no model: leave out MODEL, --labels and --planted")
        from .label import label

        return label(arguments)
    if not arguments.model:
        raise SettingsError("name the judge's model, as for --tau-judge-llm, or a run to label with --label RUN")
    from pytest_tau.llm.client import MAX_TOKENS, LiteLLMClient
    from pytest_tau.metrics.passport import passport_lines, refusal, save_passport
    from pytest_tau.reports.terminal import align_table

    from ..judging.measuring import make_passport

    for name in ("planted", "repeats", "at_once"):
        if (given := getattr(arguments, name)) is not None and given < (name != "planted"):
            raise SettingsError(f"--{name.replace('_', '-')} must be at least {int(name != 'planted')}, and is {given}")
    parameters = _parameters(arguments.args)
    path = arguments.output or Path(FILE)
    if not path.name:
        raise SettingsError(f"-o {path}: this is a folder; name a file in it, such as {path / FILE}")
    conversations = _conversations(arguments)
    readings = path.with_name(f"{path.name}.readings")
    passport = make_passport(
        LiteLLMClient(arguments.model, parameters, max_tokens=MAX_TOKENS),  # as a run asks it
        conversations,
        parameters=parameters,
        votes=arguments.votes,
        repeats=arguments.repeats,
        at_once=arguments.at_once,
        told=progress_teller("read"),
        keep=readings,
    )
    save_passport(passport, path)
    readings.unlink(missing_ok=True)
    for line in align_table(passport_lines(passport)):
        say(line)
    say(f"written: {path}")
    if (why := refusal(passport)) is not None:
        say(f"Gates refuse this judge: {why}.")
    return 1 if why is not None else 0


def _parameters(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"--args must be a JSON object: {error}") from None
    if not isinstance(found, dict):
        raise SettingsError(f"--args must be a JSON object, not {text[:40]}")
    return found


def _conversations(arguments: argparse.Namespace) -> list[LabelledConversation]:
    from pytest_tau.evaluation.judges.labels import read_labels

    from ..judging.planted import planted_conversations, source_of

    found = [one for path in arguments.labels for one in read_labels(path)]
    wanted = arguments.planted if arguments.planted is not None else 0 if found else 100
    if wanted:
        made = list(planted_conversations(_tasks(arguments.domains), wanted, arguments.seed))
        say(f"{source_of(made)} (of {arguments.domains})")
        found += made
    return found


def _tasks(names: str) -> list[tuple[Task, Domain]]:
    from pytest_tau.environment.domain import load_domain
    from pytest_tau.environment.tasks import load_tasks

    found: list[tuple[Task, Domain]] = []
    for name in filter(None, map(str.strip, names.split(","))):
        domain = load_domain(name)
        found += [(task, domain) for task in load_tasks(name)]
    return found
