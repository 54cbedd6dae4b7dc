"""Hooks of mkdocs: the site also has the files beside ``docs/`` that its pages link to, and asks no other host.

mkdocs build --strict
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel

ROOT = Path(__file__).parent.parent
BESIDE = ("SECURITY.md", "CONTRIBUTING.md", "examples")
"""What stands in the site as well, at the same place as in the project. A page of ``docs/`` stands at the top."""
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)(#[^)\s]*)?\)")
# The theme has search without a server by a script of another host, which nobody without a network gets.
_SHIM = re.compile(r'<script src="https://[^"]*/iframe-worker/shim">')
WORKER = "javascripts/local_worker.js"


def on_files(files: Files, config: Any) -> Files:
    """Add the files beside ``docs/``."""
    for name in BESIDE:
        place = ROOT / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            way = path.relative_to(ROOT)
            if path.is_file() and not {"__pycache__", "node_modules"} & set(way.parts):
                files.append(
                    File(way.as_posix(), str(ROOT), config["site_dir"], False, inclusion=InclusionLevel.NOT_IN_NAV)
                )
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let links between ``docs/`` and what lies beside it lead to where that stands in the site."""
    return _LINK.sub(lambda link: f"]({moved(page.file.src_uri, link[1])}{link[2] or ''})", markdown)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Take the script that searches without a server from the site itself."""
    up = "../" * page.file.dest_uri.count("/")
    return _SHIM.sub(f'<script src="{up}{WORKER}">', output)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """The page for what a server does not have needs no such script."""
    return re.sub(_SHIM.pattern + "</script>", "", output) if template_name == "404.html" else output


def moved(page: str, target: str) -> str:
    """Where a link of a page leads in the site; both are given as paths, the page's in the site."""
    inside = page.startswith(BESIDE)
    place = posixpath.normpath(posixpath.join("" if inside else "docs", posixpath.dirname(page), target))
    if place == "README.md":
        place = "docs/index.md"
    return posixpath.relpath(place.removeprefix("docs/"), posixpath.dirname(page) or ".")
