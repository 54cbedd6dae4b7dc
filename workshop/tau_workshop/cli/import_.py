"""``pytest-tau import``: logged conversations of any program become tasks of a domain."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import add_output, progress_teller, say, whole
from pytest_tau.errors import SettingsError, TauError
from pytest_tau.files import write_whole
from pytest_tau.printable import count_of, one_line, printable

if TYPE_CHECKING:
    from pytest_tau.environment.domain import Domain
    from pytest_tau.recordings.logged import LoggedConversation
    from pytest_tau.recordings.reproducing import Reproduction
    from pytest_tau.schema.task import Task

    from ..import_.loading import Redaction
    from ..import_.making import Wanted

HELP = "make tasks out of logged conversations"

_SHOWN = 3
_EACH = 100  # conversations between two lines of progress


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("log", help="a log, or a folder of logs; log.jsonl#ID is one conversation of it")
    add_output(parser, "the folder for the tasks, such as tasks/shop")
    parser.add_argument("--domain", help="their domain (default: the name of the folder)")
    parser.add_argument("--data", metavar="DIR", help="root of the public data, for logs of its domains")
    parser.add_argument(
        "--expect",
        action="append",
        default=[],
        metavar="CHECK",
        help="what should have been: 'not TOOL', 'TOOL(argument=\"…\")', 'refuses', 'tells VALUE'; may be repeated",
    )
    parser.add_argument("--draft", action="store_true", help="leave the gold path of what went wrong open")
    parser.add_argument("--from-turn", type=whole, metavar="N", help="begin at this message (from 0) of the log")
    add_redaction(parser)
    parser.add_argument("--no-groups", action="store_true", help="a task for each call, also of those that are alike")
    parser.add_argument("--llm", metavar="MODEL", help="let this model word the customers; every value is checked")


def add_redaction(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments about what tells of people."""
    redact = "replace what a log tells of people (default: of logs of other programs)"
    parser.add_argument("--redact", action=argparse.BooleanOptionalAction, default=None, help=redact)
    key = "a secret from which replacements follow, so that they are the same in each run; made if it does not exist"
    parser.add_argument("--redaction-key", type=Path, metavar="FILE", help=key)
    parser.add_argument("--redaction-table", type=Path, metavar="FILE", help="write what was replaced by what")


def redaction_of(arguments: argparse.Namespace, keep: Collection[str] = (), *, shared: Path | None = None) -> Redaction:
    """What these arguments say of it."""
    from ..import_.loading import Redaction

    return Redaction(arguments.redact, arguments.redaction_key, arguments.redaction_table, keep, shared)


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status: 1 where something could not be read."""
    from pytest_tau.environment.domain import load_domain
    from pytest_tau.environment.tasks import read_tasks

    from ..import_.expect import read_expectation, refuse_unknown
    from ..import_.groups import group_alike, known_hashes, own_keys, without_duplicates
    from ..import_.loading import load_log
    from ..import_.making import Wanted

    expectations = [read_expectation(line) for line in arguments.expect]
    if arguments.draft and expectations:
        raise SettingsError("--draft leaves the gold path open, and --expect says what it is: give one of them")
    domain = load_domain(arguments.domain or arguments.output.resolve().name, data=arguments.data)
    refuse_unknown(expectations, domain)
    conversations, unread = load_log(arguments.log, redaction_of(arguments, own_keys(domain), shared=arguments.output))
    for option, given in (("--expect", expectations), ("--from-turn", arguments.from_turn is not None)):
        if given and len(conversations) > 1:
            raise SettingsError(f"{option} is about one conversation: name it, as in log.jsonl#ID")
    tasks_before = known_hashes(arguments.output)
    # Who says of one conversation what should have been knows that there is a task of it.
    is_about_one = bool(expectations) or arguments.from_turn is not None
    fresh, known = without_duplicates(conversations, () if is_about_one else tasks_before)
    groups = [[one] for one in fresh] if arguments.no_groups else [[g.first, *g.others] for g in group_alike(fresh)]
    wanted = Wanted(expectations, arguments.draft, arguments.from_turn)
    tasks = list(tasks_of(groups, domain, wanted))
    if arguments.llm:
        tasks = _reword(tasks, domain, arguments.llm)
    for task in tasks:
        before = tasks_before.get(fresh[0].hash) if is_about_one else None
        write_task(task, arguments.output, instead=before if before and len(read_tasks(before)) == 1 else None)
    if known:
        say(f"{count_of(known, 'conversations')} known already, and left out")
    say(f"{count_of(len(conversations), 'conversations')} read, {unread} not; {count_of(len(tasks), 'tasks')} written")
    return 1 if unread else 0


def tasks_of(groups: Iterable[list[LoggedConversation]], domain: Domain, wanted: Wanted) -> Iterator[Task]:
    """The tasks of groups of conversations, each of the first one; what of a conversation does not follow is said."""
    from pytest_tau.recordings.reproducing import refuse_unfit, reproduce

    from ..import_.gold import changes_made
    from ..import_.making import cases_of, is_trivial, make_task, went_wrong

    groups = list(groups)
    cases = cases_of((one for group in groups for one in group), domain)
    env = domain.environment()
    held = calls = unsaid = 0
    for number, group in enumerate(groups, start=1):
        first = group[0]
        if number % _EACH == 0:
            print(f"{number} of {len(groups)} …", file=sys.stderr)  # noqa: T201
        if went_wrong(first) and not (wanted.expectations or wanted.draft):
            say(f"{first.id}: it went wrong; say what should have been with --expect, or give --draft")
            continue
        try:
            found = reproduce(first.messages, domain, first.initial_state)
            refuse_unfit(domain, found, first.meta.get("domain"))
            again = [one for one in cases.get(changes_made(first.messages, env), ()) if one is not first]
            task = make_task(first, domain, found, wanted, hashes=[one.hash for one in group], again=again)
        except TauError as error:
            if wanted.expectations or wanted.turn is not None:
                raise  # about this one
            print(printable(f"{first.id}: {error}"), file=sys.stderr)  # noqa: T201
            continue
        if is_trivial(task, domain) and wanted.turn is None:
            if wanted.expectations:
                raise SettingsError(
                    f"{first.id}: an agent that does nothing would pass all the same; name a call or a fact as well: "
                    "--expect 'TOOL(argument=value)', or --expect 'tells VALUE'"
                )
            say(f"{first.id}: an agent that does nothing would pass; say what should have been with --expect")
            continue
        held += sum(check.holds for check in found.checks)
        calls += len(found.checks)
        unsaid += went_wrong(first) is None and not (wanted.expectations or wanted.draft)
        _tell(first, found)
        yield task
    if calls:
        say(f"{held} of {calls} calls reproduced ({held / calls:.1%})")
    if unsaid:
        say(
            f"{count_of(unsaid, 'tasks')} of conversations of which the log does not say how they ended: what was done "
            "is taken as right. Read them; of one that went wrong, import LOG#ID --expect … says what should have been"
        )


def _tell(conversation: LoggedConversation, found: Reproduction) -> None:
    """What of a conversation was left out, and what does not follow from the world."""
    from pytest_tau.recordings.reproducing import contradiction

    broken = [contradiction(check) for check in found.checks if not check.holds]
    left_out = conversation.meta.get("notes", [])
    for sentence in [*left_out[:_SHOWN], *found.problems[:_SHOWN], *broken[:_SHOWN]]:
        say(f"{conversation.id}: {sentence}")
    if len(broken) > _SHOWN:
        say(f"{conversation.id}: {len(broken) - _SHOWN} more calls do not follow")
    if len(left_out) > _SHOWN:
        say(f"{conversation.id}: {len(left_out) - _SHOWN} more are left out")


def _reword(tasks: list[Task], domain: Domain, model: str) -> list[Task]:
    """The tasks as a model words them, where it keeps every value; the others as they were."""
    from pytest_tau.llm.client import LiteLLMClient
    from pytest_tau.variants.reworded import with_words

    from ..perturb.paraphrase import paraphrase_all

    client = LiteLLMClient(model)
    made, told = [], progress_teller("customers worded")
    for task, one in zip(tasks, paraphrase_all(tasks, domain, client, client, number=1, told=told), strict=True):
        if one.taken:
            made.append(with_words(task, one.taken[0]))
            continue
        why = "; ".join([*one.refused, *([str(one.failed)] if one.failed else [])]) or "it gave none"
        say(one_line(f"{task.id}: the model's words are not taken: {why}"))
        made.append(task)
    return made


def write_task(task: Task, folder: Path, *, instead: Path | None = None) -> None:
    """A task's file; a number is put behind a name that is taken, unless by the task that it takes the place of."""
    from ..scaffold import write

    name, number = task.id, 2
    while (file := folder / f"{name}.json").exists() and file != instead:
        name, number = f"{task.id}_{number}", number + 1
    data = task.model_copy(update={"id": name}).model_dump(mode="json", exclude_none=True, exclude_defaults=True)
    if task.initial_state is not None and (history := task.initial_state.message_history):
        # The default of a role is what tells messages apart.
        whole = [message.model_dump(mode="json", exclude_none=True) for message in history]
        data["initial_state"]["message_history"] = whole
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    if file.exists():
        write_whole(file, text)
        say(f"written anew: {file}")
        return
    for path in write({f"{name}.json": text}, folder):
        say(f"written: {path}")
