"""Lines that reach the terminal while descriptors are captured, and one that rewrites itself."""

import os
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO, cast

import pytest

from pytest_tau.plugin.reporting.screen import Screen


class Terminal(StringIO):
    """A terminal of 80 columns, as far as it says."""


def test_what_is_written_while_the_descriptor_leads_elsewhere() -> None:
    read, write = os.pipe()
    with open(write, "w") as file, open(os.devnull, "w") as captured:
        print("before", file=file)
        screen = Screen(file, captured=True, rewrites=False)
        os.dup2(captured.fileno(), write)
        screen.write("kept ✓\n")
        print("captured", file=file, flush=True)
        screen.close()
    with open(read) as found:
        assert found.read() == "before\nkept ✓\n"


def test_a_status_is_taken_away_before_the_next_write_and_its_line_put_back() -> None:
    file = Terminal()
    screen = Screen(file, captured=False, rewrites=True)
    screen.write("a.json .\nb.json \x1b[32m.\x1b[0m")
    screen.show("tau: 2/6")
    screen.show("tau: 3/6")
    screen.write("F\n")
    line, erase = "b.json \x1b[32m.\x1b[0m", "\r\x1b[2K"
    shown = f"a.json .\n{line}{erase}tau: 2/6{erase}{line}{erase}tau: 3/6{erase}{line}F\n"
    assert file.getvalue() == shown


def test_a_line_of_more_than_a_row_is_left_as_it_is() -> None:
    file = Terminal()
    screen = Screen(file, captured=False, rewrites=True)
    screen.write("x" * 100)
    screen.show("y" * 200)
    screen.write("z")
    assert file.getvalue() == "x" * 100 + "\n\r\x1b[2K" + "y" * 79 + "\r\x1b[2Kz"


def test_closing_takes_the_status_away() -> None:
    file = Terminal()
    screen = Screen(file, captured=False, rewrites=True)
    screen.show("tau: 2/6")
    screen.close()
    assert file.getvalue().endswith("\r\x1b[2K")


def test_a_file_that_nobody_captures() -> None:
    file = StringIO()
    screen = Screen(file, captured=True, rewrites=False)
    screen.write("here")
    assert file.getvalue() == "here"


def test_a_stand_in_for_a_file_needs_to_write_and_no_more() -> None:
    class Channel:
        """What xdist prints to with --looponfail."""

        def __init__(self) -> None:
            self.told: list[str] = []

        def write(self, text: str) -> None:
            self.told.append(text)

        def flush(self) -> None: ...

    channel = Channel()
    screen = Screen(cast("TextIO", channel), captured=True, rewrites=False)
    screen.write("here")
    screen.close()
    assert "".join(channel.told) == "here"


def test_a_status_that_the_terminal_cannot_show() -> None:
    with TextIOWrapper(BytesIO(), encoding="ascii") as file:
        screen = Screen(file, captured=False, rewrites=True)
        screen.show("tau: 2/6 · 3 in play")
        file.flush()
        assert isinstance(file.buffer, BytesIO)
        assert file.buffer.getvalue() == b"\r\x1b[2Ktau: 2/6 ? 3 in play"


def test_a_stand_in_for_write_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (tmp_path / "out").open("w", encoding="utf-8") as file:
        screen = Screen(file, captured=True, rewrites=False)
        monkeypatch.setattr(os, "write", lambda descriptor, content: 0)
        screen.write("all of it")
        screen.close()
    assert (tmp_path / "out").read_text(encoding="utf-8") == "all of it"
