"""``pytest-tau new``: begins a domain, from nothing or from what there is already, or a task of one."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_tau.cli.arguments import add_project, say
from pytest_tau.errors import SettingsError
from pytest_tau.printable import one_line

from .import_ import add_redaction, redaction_of

if TYPE_CHECKING:
    from ..scaffold.world import SourceWorld


HELP = "create a domain, from scratch or from what you have, or a task"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("what", choices=("domain", "task"), help="what to create")
    parser.add_argument("name", help="the new domain's name, or the domain that the task is for")
    parser.add_argument("task", nargs="?", default="new_task", help="the new task's id (default: new_task)")
    add_project(parser)
    sources = parser.add_mutually_exclusive_group()
    sources.add_argument(
        "--from-sqlite", type=Path, metavar="FILE", help="take tables, keys and rows from this database"
    )
    sources.add_argument(
        "--from-openapi", type=Path, metavar="FILE", help="take operations and resources from this OpenAPI file (JSON)"
    )
    sources.add_argument("--from-functions", metavar="MODULE:LIST", help="Python functions; the new tools call them")
    sources.add_argument(
        "--from-mcp", metavar="URL", help="take tools, and the records they return, from this MCP server"
    )
    sources.add_argument(
        "--from-conversations", metavar="LOG", help="infer tools, tables and tasks from logged conversations"
    )
    add_redaction(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write it; returns 0."""
    if not re.fullmatch(r"[a-z][a-z0-9_]*", arguments.name):
        raise SettingsError(
            f"{arguments.name!r} is not a domain name: use lower-case letters, digits and _, as in shop"
        )
    return _domain(arguments) if arguments.what == "domain" else _task(arguments)


def _domain(arguments: argparse.Namespace) -> int:
    from ..scaffold import refuse_builtin
    from ..scaffold.code import files_of, project_files

    refuse_builtin(arguments.name)
    world, tasks = _from_log(arguments) if arguments.from_conversations else (_world(arguments), None)
    more = {path: text for path, text in project_files(world).items() if not (arguments.output / path).exists()}
    if any((arguments.output / name).exists() for name in ("pyproject.toml", "tox.ini", "setup.cfg")):
        more.pop("pytest.ini", None)
    _write_files({**files_of(world), **more}, arguments.output)
    if tasks() if tasks is not None else world.wishes:
        print("\nIt runs already:\n")  # noqa: T201
        for command in (f"pytest-tau check domains/{world.name}", f"pytest --tau-domain {world.name} --tau-k 4"):
            print(f"  {command}")  # noqa: T201
    else:
        how, command = "Write one", f"pytest-tau new task {world.name} first_task"
        if tasks is not None:
            how = "Say of a conversation what should have been, and it is one"
            command = f"pytest-tau import LOG#ID -o tasks/{world.name} --expect …"
        print(f"\nIt has no task yet. {how}:\n\n  {command}")  # noqa: T201
    print("\nWhat to write next:\n")  # noqa: T201
    for sentence in world.todo:
        say(one_line(f"  - {sentence}"))
    return 0


def _from_log(arguments: argparse.Namespace) -> tuple[SourceWorld, Callable[[], int]]:
    """The world behind a log, and what writes its tasks once the domain is there."""
    from ..import_.domains import world_of
    from ..import_.groups import group_alike, without_duplicates
    from ..import_.loading import load_log
    from ..import_.making import Wanted, went_wrong
    from .import_ import tasks_of, write_task

    found, _ = load_log(arguments.from_conversations, redaction_of(arguments))
    good = [one for one in found if not went_wrong(one)] or found
    world = world_of(arguments.name, good)

    def write_tasks() -> int:
        from pytest_tau.environment.domain import load_domain

        domain = load_domain(arguments.output / "domains" / arguments.name)
        fresh, _ = without_duplicates(good, set())
        made = [*tasks_of([[g.first, *g.others] for g in group_alike(fresh)], domain, Wanted())]
        for task in made:
            write_task(task, arguments.output / "tasks" / arguments.name)
        return len(made)

    return world, write_tasks


def _world(arguments: argparse.Namespace) -> SourceWorld:
    name = arguments.name
    if arguments.from_sqlite:
        from ..scaffold import sqlite

        return sqlite.world(name, arguments.from_sqlite)
    if arguments.from_openapi:
        from ..scaffold import openapi

        return openapi.world(name, arguments.from_openapi)
    if arguments.from_functions:
        from ..scaffold import functions

        return functions.world(name, arguments.from_functions)
    if arguments.from_mcp:
        from pytest_tau.adapters.mcp_client import tools_and_answers

        from ..scaffold import mcp

        return mcp.world(name, *tools_and_answers(arguments.from_mcp))
    from ..scaffold import blank

    return blank.world(name)


def _task(arguments: argparse.Namespace) -> int:
    from pytest_tau.environment.domain import find_domain, load_domain

    if not re.fullmatch(r"[\w.-]+", arguments.task):
        raise SettingsError(f"{arguments.task!r} is not a task id: it becomes the name of a file")
    folder = arguments.output / "domains" / arguments.name
    domain = load_domain(folder if folder.is_dir() else find_domain(arguments.name))
    known = domain.environment().tool_specs()
    tools = [tool for tool in known if tool.kind != "generic" and tool.documents is None]
    gold = [next((t for t in tools if t.writes == writes), None) for writes in (False, True)]
    task = {
        "id": arguments.task,
        "description": {"purpose": "What this task shows, in a sentence."},
        "user_scenario": {
            "instructions": {
                "domain": domain.name,
                "reason_for_call": "What the customer says first.",
                "known_info": "Who they are, and what they can tell when they are asked.",
                "task_instructions": "How they behave, what they agree to, when they are content.",
            }
        },
        "evaluation_criteria": {
            "actions": [_action(tool) for tool in gold if tool is not None],
            "trajectory": [{"check": "confirmed"}],
            "reward_basis": ["DB", "TRAJECTORY"],
        },
    }
    path = f"tasks/{domain.name}/{arguments.task}.json"
    _write_files({path: json.dumps(task, indent=2, ensure_ascii=False) + "\n"}, arguments.output)
    suite = arguments.output / "tasks" / domain.name
    what = folder if folder.is_dir() else f"{domain.name} --tasks {suite}"
    print(f"\nReplace every … and every sentence; then: pytest-tau check {what}")  # noqa: T201
    return 0


def _action(tool: Any) -> dict[str, Any]:
    wanted = tool.schema["function"]["parameters"]
    required = wanted.get("required") or list(wanted.get("properties", {}))
    return {"action_id": tool.name, "name": tool.name, "arguments": dict.fromkeys(required, "…")}


def _write_files(files: dict[str, str], root: Path) -> None:
    from pytest_tau.printable import printable

    from ..scaffold import write

    for path in write(files, root):
        print(printable(f"written: {path}"))  # noqa: T201
