"""Harbor: a task as a folder that an agent in a container works on with the command ``tau``.

    pytest-tau export harbor retail -o tasks-for-harbor/

In the container the episode lies where only the user ``tau`` can read it; the agent, who is another, reaches it by
``tau say TEXT`` and ``tau call NAME JSON``. After it has stopped, ``tests/test.sh`` grades what lies there.
``solution/solve.sh`` is what the oracle does. This module is the command: ``python -m pytest_tau.adapters.harbor``.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from ..agents.names import named_agent
from ..environment.domain import Domain, load_domain
from ..environment.folders import domain_name
from ..environment.tasks import read_json, read_task
from ..episode import Episode
from ..errors import RecordingError, SettingsError, TauError
from ..files import replacing
from ..locking import Lock
from ..schema.messages import AssistantMessage, ToolCall, ToolMessage
from ..schema.task import Task

HOME, REWARD = Path("/var/lib/tau"), Path("/logs/verifier/reward.json")
TASK, EPISODE = "task.json", "episode.json"
_LONGEST_NAME = 100
_LOCK, _LOOK = ".lock", 0.02  # seconds

_DOCKERFILE = """\
FROM python:3.12-slim
RUN apt-get update && apt-get install -y --no-install-recommends sudo && rm -rf /var/lib/apt/lists/*
RUN pip install --no-cache-dir "pytest-tau=={version}"
RUN useradd --system --create-home tau && useradd --create-home agent
COPY task.json /var/lib/tau/task.json
COPY tau /usr/local/bin/tau
COPY sudoers /etc/sudoers.d/tau
RUN chmod 755 /usr/local/bin/tau && chmod 440 /etc/sudoers.d/tau \\
 && chown -R tau:tau /var/lib/tau && chmod 700 /var/lib/tau
USER tau
RUN python -I -m pytest_tau.adapters.harbor start
USER agent
WORKDIR /home/agent
"""
_TAU = """\
#!/bin/sh
# The episode is another user's, so that its task cannot be read.
exec sudo -u tau /usr/local/bin/python -I -m pytest_tau.adapters.harbor "$@"
"""
_SUDOERS = "agent ALL=(tau) NOPASSWD: /usr/local/bin/python -I -m pytest_tau.adapters.harbor *\n"
_TEST = """\
#!/bin/sh
mkdir -p "$(dirname "${TAU_REWARD:-/logs/verifier/reward.json}")"
exec python -I -m pytest_tau.adapters.harbor grade
"""
_TOML = """\
version = "1.0"

[metadata]
author_name = "pytest-tau"
category = "customer-service"
tags = {tags}
domain = "{domain}"
task_id = {task}

[agent]
timeout_sec = 1800.0
user = "agent"

[verifier]
timeout_sec = 120.0
user = "root"

[environment]
build_timeout_sec = 600.0
cpus = 1
memory_mb = 2048
storage_mb = 4096
"""
_INSTRUCTION = """\
You are the customer service agent of this policy. A customer is waiting; you reach them and your tools with the command
`tau`, and with nothing else:

    tau show                        what has been said and done so far
    tau tools                       your tools, as JSON
    tau say "Hello, …"              say something to the customer; their answer is printed
    tau call NAME '{{"key": 1}}'      call a tool with its arguments as JSON; its result is printed

It is over when the customer has ended the conversation, which the command says. Nothing can be taken back.

{policy}
"""


def export(tasks: Iterable[Task], domain: Domain, folder: Path, *, version: str) -> list[Path]:
    """Write a folder for each task; returns them.

    Args:
        tasks: tasks of a built-in domain.
        domain: the domain.
        folder: where to write them.
        version: of pytest-tau, which the container installs.

    Raises:
        SettingsError: a task's folder is there already, or cannot be written.
    """
    made: list[Path] = []
    tasks = list(tasks)
    for task, name in zip(tasks, _folder_names(tasks, domain), strict=True):
        target = folder / name
        if target.exists():
            raise SettingsError(f"{target} already exists; give another folder")
        try:
            _write(target, task, domain, version)
        except OSError as error:
            raise SettingsError(f"{target}: cannot be written: {error.strerror}") from None
        made.append(target)
    return made


def _folder_names(tasks: Sequence[Task], domain: Domain) -> Iterator[str]:
    names = [re.sub(r"[^a-z0-9]+", "-", f"{domain.name}-{one.id}".lower()).strip("-")[:_LONGEST_NAME] for one in tasks]
    alike = Counter(names)
    for task, name in zip(tasks, names, strict=True):
        # Ids may differ only in what is cut off, or in letters that are left out.
        mark = f"-{sha256(task.id.encode()).hexdigest()[:8]}" if alike[name] > 1 else ""
        yield name[: _LONGEST_NAME - len(mark)] + mark


def _write(target: Path, task: Task, domain: Domain, version: str) -> None:
    told = {"domain": domain.name, "task": task.model_dump(mode="json", exclude_unset=True)}
    # TOML has JSON's strings, but for the pairs of escapes that JSON writes for one character.
    tags, name = (json.dumps(one, ensure_ascii=False) for one in (task.tags, task.id))
    files = {
        "task.toml": _TOML.format(tags=tags, domain=domain.name, task=name),
        "instruction.md": _INSTRUCTION.format(policy=domain.policy_for(task=task)),
        "environment/Dockerfile": _DOCKERFILE.format(version=version),
        "environment/task.json": json.dumps(told, ensure_ascii=False, indent=1),
        "environment/tau": _TAU,
        "environment/sudoers": _SUDOERS,
        "solution/solve.sh": "\n".join(["#!/bin/sh", "set -e", *_solution(task, domain), ""]),
        "tests/test.sh": _TEST,
    }
    for name, text in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
        if path.name == "tau" or path.suffix == ".sh":
            path.chmod(0o755)


def _solution(task: Task, domain: Domain) -> list[str]:
    """What the oracle does, as commands."""
    episode = Episode(task, domain)
    observation, lines = episode.reset(), []
    oracle = named_agent("oracle")(task, domain)(episode.context)
    while not episode.done:
        move = oracle.reply(observation.messages)
        for call in move.tool_calls or []:
            lines.append(shlex.join(["tau", "call", call.name, json.dumps(call.arguments, ensure_ascii=False)]))
        if not move.tool_calls:
            lines.append(shlex.join(["tau", "say", move.text]))
        observation, *_ = episode.step(move)
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """The command in the container; returns the exit status."""
    parser = argparse.ArgumentParser(prog="tau", description="An episode with a customer, step by step.")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (("start", "begin"), ("show", "what has been said"), ("tools", "your tools"), ("grade", "grade")):
        commands.add_parser(name, help=what)
    # No text begins with this sign, so that none is an option: "-h" or "--express, please" may be what there is to say.
    commands.add_parser("say", help="to the customer", prefix_chars="\0", add_help=False).add_argument("text")
    call = commands.add_parser("call", help="a tool")
    call.add_argument("name")
    call.add_argument("arguments", nargs="?", default="{}")
    try:
        return _run(parser.parse_args(argv))
    except TauError as error:
        print(f"tau: {error}", file=sys.stderr)  # noqa: T201
        return 2


def _run(arguments: argparse.Namespace) -> int:
    home = Path(os.environ.get("TAU_HOME", HOME))
    made = read_json(home / TASK)
    domain = load_domain(domain_name(str(made["domain"])))
    if arguments.command in ("say", "call"):
        with _alone(home):
            episode = _load_episode(home, domain)
            begin = len(episode.observation.messages)
            episode.step(_action(arguments))
            _keep(episode, home)
        _print(episode, begin + 1)
        return 0
    if arguments.command == "start":
        if (home / EPISODE).exists():  # the agent may give this command as well
            raise RecordingError("the episode has begun, and nothing can be taken back; see what was said: tau show")
        episode = Episode(read_task(made["task"], str(home / TASK)), domain)
        episode.reset()
        _keep(episode, home)
        return 0
    episode = _load_episode(home, domain)
    if arguments.command == "grade":
        _grade(episode, Path(os.environ.get("TAU_REWARD", REWARD)))
    elif arguments.command == "tools":
        print(json.dumps(episode.observation.tools, indent=1, ensure_ascii=False))  # noqa: T201
    elif arguments.command == "show":
        _print(episode, 0)
    return 0


@contextmanager
def _alone(home: Path) -> Iterator[None]:
    """Wait until no other command changes the episode: an agent may give several at once, and none is to be lost."""
    lock = Lock(home / _LOCK)
    while lock.take() is not None:
        time.sleep(_LOOK)
    try:
        yield
    finally:
        lock.release()


def _action(arguments: argparse.Namespace) -> str | ToolCall:
    if arguments.command == "say":
        return str(arguments.text)
    try:
        return ToolCall(name=arguments.name, arguments=json.loads(arguments.arguments))
    except (ValueError, RecursionError):
        must = f"the arguments of {arguments.name} must be a JSON object, and are {arguments.arguments}"
        raise SettingsError(must) from None


def _load_episode(home: Path, domain: Domain) -> Episode:
    try:
        return Episode.load((home / EPISODE).read_bytes(), domain)
    except OSError as error:
        raise RecordingError(f"{home / EPISODE}: {error.strerror}; begin with: tau start") from None


def _keep(episode: Episode, home: Path) -> None:
    with replacing(home / EPISODE) as file:
        file.write(episode.save().decode())


def _print(episode: Episode, begin: int) -> None:
    for message in episode.observation.messages[begin:]:
        if isinstance(message, ToolMessage):
            print(message.content)  # noqa: T201
        elif isinstance(message, AssistantMessage):
            calls = [
                f"{call.name}({json.dumps(call.arguments, ensure_ascii=False)})" for call in message.tool_calls or []
            ]
            print(f"you: {', '.join(calls) or message.text}")  # noqa: T201
        else:
            print(f"customer: {message.text}")  # noqa: T201
    if episode.done:
        print("The conversation is over.")  # noqa: T201


def _grade(episode: Episode, path: Path) -> None:
    """Write the reward of what was played, 0 where it has not come to an end."""
    info = episode.info
    reward = info["reward"]
    value = 0.0 if reward is None or reward.value is None else reward.value
    path.write_text(json.dumps({"reward": value, "progress": info["progress"] or 0.0}) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
