"""A world as files: schema, tools, policy, database, tasks, conftest.py and a workflow.

Everything that came from a source stands in the files as a literal (``repr``, JSON) or in a docstring whose quotes and
backslashes are taken out, so no text of a source can become code.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator
from typing import Any

from .tables import finder, key_arguments, spoken_name
from .world import TYPES, Argument, Method, SourceTable, SourceWorld, Wish, camel

_WORKFLOW = """# On every push: the suite with the agent of conftest.py, or with the oracle, which knows the answers.
name: tau

on: [push, pull_request]

permissions:
  contents: read

jobs:
  tau:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: python -m pip install pytest-tau
      - run: pytest-tau check domains/{name}
      - run: pytest --tau-domain {name} --tau-html report.html
      - if: ${{{{ !cancelled() }}}}
        uses: actions/upload-artifact@v4
        with:
          name: report
          path: report.html
"""

_CONFTEST = '''"""Who is evaluated. Without an agent, the oracle plays, which knows the answers."""

# import pytest
# from my_agent import MyAgent  # an object with reply(messages); see docs/pytest.md of pytest-tau
#
#
# @pytest.fixture(scope="session")
# def tau_agent():
#     return MyAgent
'''

_POLICY = """# {title}

You help customers with {about}

- Look a record up before you speak of it. Do not guess.
- Say what you are going to change, and wait for a yes before you change it.
- Do one thing at a time. If the tools cannot do what the customer wants, say so, or hand over to a person.
"""


def files_of(world: SourceWorld) -> dict[str, str]:
    """The files of a new domain by their paths, relative to the project's root."""
    domain, tasks = f"domains/{world.name}", f"tasks/{world.name}"
    title = spoken_name(world.name).capitalize()
    files = {
        f"{domain}/schema.py": "\n".join(_schema(world)) + "\n",
        f"{domain}/tools.py": "\n".join(_tools(world)) + "\n",
        f"{domain}/domain.py": _domain(world),
        f"{domain}/policy.md": f"{world.policy.strip()}\n"
        if world.policy.strip()
        else _POLICY.format(title=title, about=f"{_sentence(world.about)}"),
        f"{domain}/db.json": _json({table.name: dict(table.rows) for table in world.tables}),
    }
    for wish in world.wishes:
        task = _task(world, wish)
        files[f"{tasks}/{task['id']}.json"] = _json(task)
    return files


def project_files(world: SourceWorld) -> dict[str, str]:
    """What a project needs beside its domains, once."""
    return {
        "conftest.py": _CONFTEST,
        "pytest.ini": f"[pytest]\ntau_domain = {world.name}\n",
        ".github/workflows/tau.yml": _WORKFLOW.format(name=world.name),
        "AGENTS.md": _RULES.format(name=world.name),
    }


_RULES = """# Rules for coding agents in this project

This project tests a customer-service agent with pytest-tau. `domains/{name}/` is its world (policy, tools, tables), and
`tasks/{name}/` holds its tasks, a JSON file each. The agent is the fixture `tau_agent` in `conftest.py`.

- Run it with `pytest --tau-domain {name} --tau-k 4`, and one trial with the command that its failure prints.
- After every change to a domain or a task, run `pytest-tau check domains/{name}`, and mend all that it names. Before
  you say that a suite is done, run `pytest-tau audit {name}`: no wrong agent may pass a task.
- A trial that misses is a fact about the agent. Never change a task, a gate or the policy to make it pass. A task is
  wrong only if the oracle misses it: `pytest --tau-domain {name} --tau-agent oracle`.
- Never write a baseline (`--tau-bless`) or weaken a gate unless you were asked to.
- A tool is a typed method with a docstring, which is all that a model reads about it; what cannot be done raises a
  ValueError with a sentence. No tool may depend on the clock, on chance or on the network.
- What a customer knows (`known_info`) and wants (`reason_for_call`) stands in the first person.
- Results lie in `.tau/`: read them with `pytest_tau.load_journal()`, and never edit them.
- Keys stand in the environment, never in a file.

What every option and key means: `pytest -h`, `pytest-tau --help`, and `pytest-tau schema`, the JSON schema of a task.
"""


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _sentence(text: str) -> str:
    flat = " ".join(text.split()).rstrip(".")
    return f"{flat}."


def _schema(world: SourceWorld) -> Iterator[str]:
    yield f'"""The records of {_plain(world.name)}."""'
    yield from ("", *_typing(column.type for table in world.tables for column in table.columns))
    yield from ("from pydantic import BaseModel", "", "from pytest_tau.environment import Database, Table", "")
    for table in world.tables:
        yield from ("", f"class {table.model}(BaseModel):", f'    """A {spoken_name(table.one)}."""', "")
        for column in table.columns:
            optional = " | None = None" if column.optional else ""
            yield f"    {column.name}: {column.type}{optional}"
        yield ""
    yield from ("", f"class {camel(world.name)}DB(Database):", '    """All tables."""', "")
    for table in world.tables:
        yield f"    {table.name}: Table[{table.model}]"


def _typing(types: Iterable[str]) -> Iterator[str]:
    """The import of what annotations use."""
    used = {name for kind in types for name in re.findall(r"Any|Literal", re.sub(r"'[^']*'|\"[^\"]*\"", "", kind))}
    if used:
        yield from (f"from typing import {', '.join(sorted(used))}", "")


def _domain(world: SourceWorld) -> str:
    tools = f"{camel(world.name)}Tools"
    return (
        f'"""{_plain(world.name)}: {_plain(_sentence(world.about))}"""\n\n'
        "from pytest_tau.environment import DomainSpec\n\n"
        f"from .tools import {tools}\n\ndomain = DomainSpec(tools={tools})\n"
    )


def _tools(world: SourceWorld) -> Iterator[str]:
    models = ", ".join(sorted({f"{camel(world.name)}DB", *(table.model for table in world.tables)}))
    yield f'"""What an agent can do in {_plain(world.name)}."""'
    if any(method.name in TYPES for method in world.methods):  # which hides the type from those after it
        yield from ("", "from __future__ import annotations")
    types = [argument.type for method in world.methods for argument in method.arguments]
    types += [line for line in (*world.helpers, *world.preamble) if "Any" in line]
    yield from ("", *_typing([*types, *(method.returns for method in world.methods)]))
    yield from ("from pytest_tau.environment import Toolkit, tool", "")
    if world.imports:
        yield from (*world.imports, "")
    yield from (f"from .schema import {models}", "", "")
    yield from (*world.preamble, "", "") if world.preamble else ()
    yield from (f"class {camel(world.name)}Tools(Toolkit):", '    """The agent\'s tools."""', "")
    yield f"    db: {camel(world.name)}DB"
    for method in world.methods:
        yield from ("", *_indent(_method(method)))
    if not any(method.name == "transfer_to_human_agents" for method in world.methods):
        yield from ("", *_indent(_HAND_OVER))
    if world.helpers:
        yield from ("", *_indent(world.helpers))
        return
    for table in world.tables:
        yield from ("", *_indent(_finder(table)))


_HAND_OVER = (
    "@tool",
    "def transfer_to_human_agents(self, summary: str) -> str:",
    '    """Hand the conversation over to a person: when the customer asks for one, or tools and policy cannot help.',
    "",
    "    Args:",
    "        summary: What the customer wants, and what has been done so far.",
    '    """',
    '    return "Transfer successful"',
)


def _method(method: Method) -> Iterator[str]:
    yield "@tool(writes=True)" if method.writes else "@tool(reads=True)"
    yield f"def {method.name}({', '.join(['self', *map(_argument, method.arguments)])}) -> {method.returns}:"
    about = _plain(method.about) or f"{spoken_name(method.name).capitalize()}."
    if not method.arguments:
        yield f'    """{about}"""'
    else:
        yield from (f'    """{about}', "", "    Args:")
        for argument in method.arguments:
            yield f"        {argument.name}: {_plain(argument.about) or spoken_name(argument.name).capitalize() + '.'}"
        yield '    """'
    yield from (f"    {line}" for line in method.body)


def _finder(table: SourceTable) -> Iterator[str]:
    arguments = ", ".join(f"{argument.name}: {argument.type}" for argument in key_arguments(table))
    key = " + '-' + ".join(f"str({name})" for name in table.key)
    yield f"def {finder(table)}(self, {arguments}) -> {table.model}:"
    yield f"    key = {key}"
    yield f"    if key not in self.db.{table.name}:"
    yield f'        raise ValueError(f"{spoken_name(table.one).capitalize()} {{key}} not found")'
    yield f"    return self.db.{table.name}[key]"


def _argument(argument: Argument) -> str:
    default = "" if argument.default is None else f" = {argument.default}"
    return f"{argument.name}: {argument.type}{default}"


def _indent(lines: Any) -> Iterator[str]:
    for line in lines:
        yield textwrap.indent(line, "    ") if line else line


def _plain(text: str) -> str:
    """A text of a source in one line, without what could end a docstring or mean something in it."""
    flat = re.sub(r"[^\x20-\x7e\u00a0-\u024f]+", " ", text)
    return " ".join(flat.replace("\\", "/").replace('"', "'").split())[:300]


def _task(world: SourceWorld, wish: Wish) -> dict[str, Any]:
    """A change of one field, with a question for what it is now where the wish has one."""
    table, one, column = wish.table, spoken_name(wish.table.one), spoken_name(wish.column)
    row = table.rows[wish.key]
    arguments = {name: row[name] for name in table.key}
    changed = {**arguments, **{name: row[name] for name in wish.also}, wish.column: wish.new}
    asks = f"What is the {column} of {one} {wish.key} at the moment? " if wish.asks else ""
    which = "it" if asks else f"the {column} of {one} {wish.key}"
    update = f"update_{table.one}"
    return {
        "id": f"{'ask_for_and_' if asks else ''}change_the_{wish.column}",
        "description": {"purpose": f"One field of one record is changed, after a yes{' and a question' * wish.asks}."},
        "user_scenario": {
            "instructions": {
                "domain": world.name,
                "reason_for_call": f'{asks}Please change {which} to "{wish.new}".',
                "known_info": f"It is about {one} {wish.key}.",
                "task_instructions": "Say yes when you are asked whether it is right. You want nothing else.",
            }
        },
        "evaluation_criteria": {
            "actions": [
                {"action_id": "look_up", "name": f"get_{table.one}", "arguments": arguments},
                {"action_id": "change", "name": update, "arguments": changed},
            ],
            **({"communicate_info": [str(row[wish.column]).strip()]} if asks else {}),
            "trajectory": [
                {"check": "confirmed"},
                {"check": "no_needless_writes"},
                {"check": "not_called", "name": "transfer_to_human_agents"},
            ],
            "reward_basis": ["DB", *(["COMMUNICATE"] if asks else []), "TRAJECTORY"],
        },
    }
