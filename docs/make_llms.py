"""Makes ``llms.txt``, which tells coding agents what there is to read, and ``llms-full.txt``, which is all of it.

python docs/make_llms.py [FOLDER]

The first is kept at the root of the project. The second is written beside the site when that is built, or into FOLDER:
a copy of every page, which nobody needs to keep.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
ROOT = DOCS.parent
INDEX = ROOT / "llms.txt"
_HEAD = """# pytest-tau

> A pytest plugin that plays and grades conversations between customer-service agents and simulated customers, after
> τ-bench and τ²-bench: trials as test items, pass^k with intervals, gates against a baseline.

- Try it: `pytest-tau demo`. Run a suite: `pytest --tau-domain retail --tau-k 4 -n 8`. Options: `pytest -h`.
- An agent is an object with `reply(messages)`; its factory is the session-scoped fixture `tau_agent` in the root
  `conftest.py`, or `--tau-agent module:factory`. It returns a text, or `AssistantMessage(tool_calls=[ToolCall(…)])`.
- After every change to a domain or a task: `pytest-tau check domains/NAME`, then `pytest-tau audit NAME`.
- Results lie in `.tau/`, one JSON line per trial: `pytest_tau.load_journal()`. Never edit them.

## Pages

"""


def pages() -> list[Path]:
    """The pages in the order of their names, after the README."""
    return [ROOT / "README.md", *sorted(path for path in DOCS.glob("*.md") if path.name != "index.md")]


def index() -> str:
    """The text of ``llms.txt``: a line for each page, with its title and its first sentence."""
    return _HEAD + "".join(f"- [{_title(page)}]({_way(page)}): {_sentence(page)}\n" for page in pages())


def full() -> str:
    """The text of ``llms-full.txt``: each page under its path."""
    return "\n".join(f"<!-- {_way(page)} -->\n\n{page.read_text(encoding='utf-8')}" for page in pages())


def _way(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").replace("`", "")


def _sentence(page: Path) -> str:
    """The first sentence below the title, without markup."""
    body = page.read_text(encoding="utf-8").partition("\n")[2]
    body = re.sub(r"^```.*?^```$", "", body, flags=re.MULTILINE | re.DOTALL)
    first = next(part for part in body.split("\n\n") if re.match(r"[\w`*]", part.strip()))
    plain = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(first.split())).replace("*", "")
    found = re.match(r".+?[.!?](?=\s|$)", plain)
    return found[0] if found else plain


def write(folder: Path) -> None:
    """Write both files into a folder."""
    (folder / "llms.txt").write_text(index(), encoding="utf-8")
    (folder / "llms-full.txt").write_text(full(), encoding="utf-8")


def on_post_build(config: Any) -> None:
    """Hook of mkdocs: both files beside the site."""
    write(Path(config["site_dir"]))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(Path(sys.argv[1]))
    else:
        INDEX.write_text(index(), encoding="utf-8")
