"""The pictures of an HTML report: each once, within the page or beside it, and their words where they are gone."""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from urllib.request import url2pathname

import pytest

from pytest_tau import Attachment
from pytest_tau.reports.conversation import conversation_html
from pytest_tau.reports.gallery import Gallery
from pytest_tau.reports.html import write_html
from pytest_tau.schema.messages import AnyMessage, ToolMessage, UserMessage
from pytest_tau.schema.record import TrialRecord
from tests.builders import a_call, says, task
from tests.pictures import strip
from tests.reports.blocks import readable
from tests.reports.chromium import Page, browser, executable
from tests.reports.runs import record, simulation

NOTE = Attachment.of(strip("NOTE"), "note", alt="A note. </script><img src=x onerror=alert(1)>")
LAMP = Attachment.of(strip("LAMP"), "lamp", alt="A lamp.")
GONE = Attachment.of(strip("GONE"), "gone", alt="A picture that is gone.")
LOOK = a_call("look")
KNOWN = {one.sha256: one.content for one in (NOTE, LAMP)}


def trials(number: int = 3) -> list[TrialRecord]:
    messages: list[AnyMessage] = [
        says("Hi!"),
        UserMessage(content="See.", attachments=[NOTE, GONE]),
        says(None, LOOK),
        ToolMessage(id=LOOK.id, content="{}", attachments=[LAMP]),
    ]
    return [record("t", trial, simulation=simulation("t", trial, messages=messages)) for trial in range(1, number + 1)]


def gallery(heavy: int = 10_000_000) -> Gallery:
    return Gallery(lambda one: KNOWN.get(one.sha256), heavy)


def written(folder: Path, made: Gallery | None, name: str = "report.html") -> str:
    page = folder / name
    write_html(trials(), page, gallery=made)
    return readable(page)


def test_each_picture_stands_in_the_page_once_however_many_trials_show_it(tmp_path: Path) -> None:
    text = written(tmp_path, gallery())
    assert text.count("data:image/png;base64,") == 2
    assert text.count(f'id="picture-{NOTE.sha256}"') == 1
    assert "onerror=alert(1)>" not in text  # what the words say is data
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_without_anybody_who_has_them_the_words_are_shown(tmp_path: Path) -> None:
    text = written(tmp_path, None)
    assert "data:image" not in text
    assert "A picture that is gone." in text


@pytest.mark.parametrize("pillow", [True, False])
def test_a_heavy_page_has_them_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pillow: bool) -> None:
    if pillow:
        pytest.importorskip("PIL.Image", reason="Pillow is not installed: pytest-tau[images]")
    else:
        monkeypatch.setitem(sys.modules, "PIL", None)
    text = written(tmp_path, gallery(heavy=100))
    assert "data:image/png" not in text
    assert text.count("data:image/jpeg;base64,") == (2 if pillow else 0)
    beside = {file.name: file.read_bytes() for file in (tmp_path / "report_pictures").iterdir()}
    assert beside == {f"{one.sha256}.png": one.content for one in (NOTE, LAMP)}
    assert len(re.findall(r"report_pictures/[0-9a-f]{64}\.png", text)) == (2 if pillow else 4)


def test_the_address_of_a_picture_leads_to_it_whatever_the_page_is_called(tmp_path: Path) -> None:
    text = written(tmp_path, gallery(heavy=100), "run #2 100%41.html")
    addresses = re.findall(r'"full":"([^"]+)"', text)
    assert len(addresses) == 2
    for address in addresses:
        assert url2pathname(urlsplit(urljoin((tmp_path / "x").as_uri(), address)).path) in map(str, tmp_path.rglob("*"))


def test_a_page_for_attachments_has_them_without_a_script() -> None:
    text = conversation_html(trials(1)[0], task())
    assert text.count("data:image/png;base64,") == 3  # in this process their bytes are at hand
    assert "<script" not in text
    assert "img-src data:" in text


CHROMIUM = executable()


@pytest.fixture(scope="module")
def window() -> Iterator[Page]:
    if CHROMIUM is None or os.name != "posix":
        pytest.skip("no Chromium found: install chromium or google-chrome")
    with browser(CHROMIUM) as page:
        yield page


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [1000, 10_000_000])
def test_a_browser_shows_and_enlarges_them_from_a_file(window: Page, tmp_path: Path, heavy: int) -> None:
    written(tmp_path, gallery(heavy))
    window.look()
    window.open(tmp_path / "report.html")
    window.run("for (const node of document.querySelectorAll('details.call')) node.open = true")
    every = "[...document.querySelectorAll('#trial img')]"
    loaded = f"Promise.all({every}.map((one) => one.decode().then(() => one.naturalWidth > 0)))"
    assert window.run(loaded) == [True, True]
    assert "A picture that is gone." in window.run("document.querySelector('#trial').innerText")
    window.run("document.querySelector('#trial .zoom').click()")
    assert window.run(
        "document.querySelector('#zoom').open && document.querySelector('#zoom img').decode().then(() => true)"
    )
    assert window.run("document.querySelector('#zoom img').naturalWidth") == 32
    window.run("document.querySelector('#zoom img').click()")
    assert window.run("document.querySelector('#zoom').open") is False
