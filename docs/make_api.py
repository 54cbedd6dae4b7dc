"""Makes ``docs/api.md`` from the public names of the package and their docstrings.

python docs/make_api.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import pytest_tau

PAGE = Path(__file__).parent / "api.md"
HEAD = """# The Python API

The public names of `import pytest_tau`, for scripts and tests that play or grade trials themselves. This page is
generated from the docstrings by `python docs/make_api.py`.

Play one trial and grade it:

```python
from pytest_tau import grade, load_domain, load_tasks, simulate

domain = load_domain("retail")
task = load_tasks("retail")[0]
simulation = simulate(task, domain, agent="oracle")
assert grade(task, simulation, domain).passed
```
"""


def page() -> str:
    """The text of the page."""
    return HEAD + "".join(f"\n## {name}\n\n{_section(name)}" for name in pytest_tau.__all__)


def _section(name: str) -> str:
    value = getattr(pytest_tau, name)
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return f"```python\n{name} = {_plain(str(value))}\n```\n"
    signature = _signature(name, value)
    text = _prose(inspect.getdoc(value) or "")
    return f"```python\n{signature}\n```\n\n{text}\n" + _methods(value)


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value):
        bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object and base.__name__[0] != "_")
        return f"class {name}({bases})" if bases else f"class {name}"
    prefix = "async def" if inspect.iscoroutinefunction(value) else "def"
    return f"{prefix} {name}{_plain(str(inspect.signature(value)))}"


def _methods(value: Any) -> str:
    """The public methods and properties that a class of ours has a docstring for."""
    if not inspect.isclass(value):
        return ""
    found = []
    for name, member in list(vars(value).items()):
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        ours = inspect.isfunction(function) and not name.startswith("_") and not hasattr(BaseModel, name)
        if not ours or not inspect.getdoc(function):
            continue
        signature = "" if isinstance(member, property) else _plain(str(inspect.signature(function)))
        signature = re.sub(r"\bSelf\b", value.__name__, signature)  # a reader looks for the class
        found.append(_bullet(f"`{name}{signature}`", inspect.getdoc(function) or ""))
    return "\n**Methods and properties**\n\n" + "\n".join(found) + "\n" if found else ""


def _bullet(name: str, docstring: str) -> str:
    """A method as an item of a list, with the sections of its docstring as lists within."""
    said, *sections = re.split(r"^(Args|Returns|Raises):$", docstring, flags=re.MULTILINE)
    lines = [f"- {name}: {_flat(said)}"]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        lines.append(f"  - {title}:")
        entries = re.findall(r"^    (\w+): (.*?)(?=^    \w+: |\Z)", body, flags=re.MULTILINE | re.DOTALL)
        lines += [f"    - `{entry}`: {_flat(text)}" for entry, text in entries]
    return "\n".join(lines)


def _flat(docstring: str) -> str:
    return " ".join(_prose(docstring).split())


def _plain(signature: str) -> str:
    """A signature without quotes around types and without the modules that types are from."""
    shown = re.sub(r"<function \S+ at 0x[0-9a-f]+>", "…", signature)  # whose address is another each time
    shown = re.sub(r"(: |-> )'([^']*)'", r"\1\2", shown)
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", shown)


def _prose(docstring: str) -> str:
    """A docstring as Markdown: its sections as lists, its roles and literals as code."""
    text = re.sub(r":\w+:`[~.]?([^`]+)`", r"`\1`", docstring).replace("``", "`")
    text = re.sub(r"^(Args|Returns|Raises|Attributes):$", r"**\1**\n", text, flags=re.MULTILINE)
    text = re.sub(r"^    (\w+): ", r"- `\1`: ", text, flags=re.MULTILINE)
    return re.sub(r"^        ", "  ", text, flags=re.MULTILINE)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
