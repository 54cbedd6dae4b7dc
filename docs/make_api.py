"""Makes ``docs/api.md`` from the public names of the package and their docstrings.

python docs/make_api.py
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest_tau

PAGE = Path(__file__).parent / "api.md"
HEAD = """# The Python API

What `import pytest_tau` has. This page is made from the docstrings by `python docs/make_api.py`.

A trial from Python, graded:

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
    for name, member in vars(value).items():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if name.startswith("_") or not inspect.isfunction(function) or not inspect.getdoc(function):
            continue
        signature = "" if isinstance(member, property) else _plain(str(inspect.signature(function)))
        said = inspect.getdoc(function) or ""
        found.append(f"- `{name}{signature}`: {' '.join(_prose(said).split())}")
    return "\n" + "\n".join(found) + "\n" if found else ""


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
