"""The site: links lead somewhere, nothing comes from another host, and search works from a folder, in both colours."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.reports.chromium import browser, executable

from .markdown import ROOT

CHROMIUM = executable()
pytestmark = pytest.mark.slow
_FOUND = """(async () => {
    const found = () => document.querySelectorAll(".md-search-result__item").length;
    while (!found()) await new Promise((go) => setTimeout(go, 20));
    return found();
})()"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    nowhere = {"https_proxy": "http://127.0.0.1:9", "http_proxy": "http://127.0.0.1:9", "NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)]
    built = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **nowhere}, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def _pages(site: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(site.rglob("*.html")):
        yield path, path.read_text(encoding="utf-8")


def test_links_lead_to_files_and_anchors_of_the_site(site: Path) -> None:
    named = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in _pages(site)}
    lost = []
    for path, text in _pages(site):
        if path.name == "404.html":  # its links begin at the host
            continue
        for link in re.findall(r'(?:href|src)="(?!https?:|data:|mailto:)([^"]+)"', text):
            way, _, anchor = unquote(unescape(link)).partition("#")
            target = (path.parent / way).resolve() if way else path
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (anchor and target.suffix == ".html" and anchor not in named[target]):
                lost.append(f"{path.relative_to(site)}: {link}")
    assert lost == []


def test_nothing_is_fetched_from_another_host(site: Path) -> None:
    fetched = r'<(?:script|img|iframe|source)[^>]*src="?https?:[^>]*>|<link(?![^>]*canonical)[^>]*href="https?:[^>]*>'
    assert [(path.name, found) for path, text in _pages(site) for found in re.findall(fetched, text)] == []


def test_what_coding_agents_read_stands_beside_it(site: Path) -> None:
    assert (site / "llms.txt").read_text(encoding="utf-8") == (ROOT / "llms.txt").read_text(encoding="utf-8")
    assert "# The Python API" in (site / "llms-full.txt").read_text(encoding="utf-8")


@pytest.mark.skipif(CHROMIUM is None or os.name != "posix", reason="no Chromium found: install chromium")
def test_it_is_searched_from_a_folder_and_follows_the_colours_of_the_system(site: Path) -> None:
    assert CHROMIUM is not None
    with browser(CHROMIUM) as page:
        for dark, scheme in ((False, "default"), (True, "slate")):
            page.look(dark=dark)
            page.open(site / "index.html", "?q=baseline")
            assert page.run("document.body.dataset.mdColorScheme") == scheme
            shown = page.run("[...document.images].filter((one) => one.offsetWidth).map((one) => one.src)")
            assert [re.findall(r"report-\w+", one) for one in shown] == [["report-dark" if dark else "report-light"]]
            assert page.run(_FOUND) > 0
