"""``pytest-tau perturb``: paraphrases of a suite's customers by a model, checked and kept in a file."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_tau.cli.arguments import add_output, progress_teller, say, whole
from pytest_tau.errors import SettingsError
from pytest_tau.printable import count_of, one_line

if TYPE_CHECKING:
    from ..perturb.paraphrase import Paraphrased

HELP = "let a model paraphrase a suite's customers, check the result and keep it in a file"


_FROZEN = "reworded"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("suite", help="a suite, such as tasks/retail, or the name of a built-in one")
    parser.add_argument("--domain", help="its domain, where the folder's name does not say (default: the suite's name)")
    parser.add_argument("--kinds", default=_FROZEN, help=f"what to write (default: {_FROZEN})")
    parser.add_argument("--n", type=whole, default=3, metavar="N", help="paraphrases per task (default: 3)")
    parser.add_argument("--tasks", metavar="IDS", help="only these tasks: ids, with commas")
    parser.add_argument("--llm", required=True, metavar="MODEL", help="the model that writes (litellm name)")
    parser.add_argument("--reader", metavar="MODEL", help="another model that reads them back (default: the same)")
    add_output(parser, "the file to write, such as tasks/retail/reworded.json", metavar="FILE")


def run(arguments: argparse.Namespace) -> int:
    """Do it; returns the exit status: 1 where some task has fewer paraphrases than were asked for."""
    from pytest_tau.environment.domain import load_domain
    from pytest_tau.environment.folders import domain_name
    from pytest_tau.environment.tasks import find_suite, load_tasks, paraphrases
    from pytest_tau.files import write_whole
    from pytest_tau.llm.client import LiteLLMClient

    from ..perturb.paraphrase import as_json, paraphrase_all

    if arguments.kinds != _FROZEN:
        raise SettingsError(
            f"--kinds {arguments.kinds}: only {_FROZEN} is made before a run; the other kinds need no model"
        )
    if arguments.n < 1:
        raise SettingsError(f"--n must be 1 or more, and is {arguments.n}")
    suite = find_suite(arguments.suite)
    wanted = None if arguments.tasks is None else {one.strip() for one in arguments.tasks.split(",")}
    tasks = [task for task in load_tasks(arguments.suite) if wanted is None or task.id in wanted]
    if missing := sorted((wanted or set()) - {task.id for task in tasks}):
        raise SettingsError(f"--tasks: {suite} has no task '{missing[0]}'")
    if not tasks:
        raise SettingsError(f"{suite}: there is no task to paraphrase")
    named = tasks[0].domain_name  # in data: a name, and never a path
    domain = load_domain(arguments.domain or (domain_name(named) if named else suite.name))
    writer = LiteLLMClient(arguments.llm)
    reader = writer if arguments.reader is None else LiteLLMClient(arguments.reader)
    before = paraphrases(arguments.output)  # whatever is wrong with it is said before anything is paid for
    worded: list[Paraphrased] = []

    def write(made: Sequence[Paraphrased]) -> None:
        try:
            arguments.output.parent.mkdir(parents=True, exist_ok=True)
            write_whole(arguments.output, as_json(made, before))
        except OSError as error:
            raise SettingsError(f"{arguments.output}: cannot be written: {error.strerror}") from None

    def keep(one: Paraphrased) -> None:
        if one.taken:
            worded.append(one)
            write(worded)

    tell = progress_teller("customers worded")
    found = paraphrase_all(tasks, domain, writer, reader, number=arguments.n, told=tell, keep=keep)
    write(found)  # in the order of the suite
    for one in found:
        for reason in one.refused:
            say(f"{one.task_id}: refused: {reason}")
        if one.failed is not None:
            say(one_line(f"{one.task_id}: the model did not answer: {one.failed}"))
    taken = sum(len(one.taken) for one in found)
    short = [one.task_id for one in found if len(one.taken) < arguments.n]
    say(
        f"{arguments.output}: {count_of(taken, 'paraphrases')} of {count_of(len(found), 'tasks')}; "
        "read them before you commit them"
    )
    if short:
        say(f"fewer than {arguments.n}: {', '.join(short)}")
    return 1 if short else 0
