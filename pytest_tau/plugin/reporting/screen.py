"""The terminal while tests run: lines that reach it though pytest captures, and one line that rewrites itself.

While a test runs, pytest leads descriptor 1 into a file, and what another thread prints then would stand in "Captured
stdout" of that test. :class:`Screen` takes the place of the file that pytest's terminal writer prints to. It writes to
a duplicate of the descriptor, made while nothing was captured, one write after the other. In a terminal it also shows a
status below what pytest has printed: it is taken away before the next write, and the line it stood on is put back.
"""

from __future__ import annotations

import os
import re
import threading
from contextlib import suppress
from typing import Any, TextIO

_MARKUP = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_WIDTH = 80  # of a terminal that does not say
_ERASE = "\r\x1b[2K"
_write = os.write  # held here: with a stand-in that writes nothing, printing would never end


class Screen:
    """A text stream on a terminal, a pipe or a file.

    Args:
        file: what pytest prints to.
        captured: whether pytest captures descriptors while a test runs.
        rewrites: whether a status may be shown: the file is a terminal, and nobody else prints to it.
    """

    def __init__(self, file: TextIO, *, captured: bool, rewrites: bool) -> None:
        self._file = file
        self._lock = threading.RLock()
        self._main = threading.main_thread()
        self._descriptor = _duplicate(file) if captured else None
        self.rewrites = rewrites
        self._line = ""  # what stands on the present line, with its colours
        self._status = ""

    def write(self, text: str) -> int:
        """Print, as a text stream does."""
        with self._lock:
            before = self._taken_away()
            self._put(before + text)
            self._line = text.rpartition("\n")[2] if "\n" in text else self._line + text
        return len(text)

    def show(self, status: str) -> None:
        """Show this line as the last one until something else is printed; "" takes it away."""
        with self._lock:
            shown = self._taken_away()
            if status:  # what shows none may be a stand-in for a file, without a width or an encoding
                width = self._width() - 1
                encoding = self._file.encoding or "utf-8"
                self._status = status[:width].encode(encoding, "replace").decode(encoding)
                if self._status and len(_MARKUP.sub("", self._line)) > width:  # it fills more than one row
                    shown += "\n"
                    self._line = ""
            self._put(shown + (f"{_ERASE}{self._status}" if self._status else ""))
            self.flush()

    def flush(self) -> None:
        """Have it printed now."""
        with self._lock:
            if self._descriptor is None:
                self._file.flush()

    def close(self) -> None:
        """Take the status away, and let go of the descriptor."""
        self.show("")
        with self._lock:  # what another thread prints now must not go where the number is used again
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None

    def _taken_away(self) -> str:
        """What takes the status away and puts the line back that it stood on."""
        if not self._status:
            return ""
        self._status = ""
        return _ERASE + self._line

    def _width(self) -> int:
        """Columns of the terminal as it is now."""
        try:
            descriptor = self._file.fileno() if self._descriptor is None else self._descriptor
            return os.get_terminal_size(descriptor).columns or _WIDTH
        except (OSError, ValueError):
            return _WIDTH

    def _put(self, text: str) -> None:
        if self._descriptor is None:
            self._file.write(text)
            return
        if threading.current_thread() is self._main:
            with suppress(OSError, ValueError):
                self._file.flush()  # what others have printed to it stands before
        content = text.encode(self._file.encoding or "utf-8", self._file.errors or "strict")
        while content:
            content = content[_write(self._descriptor, content) :]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def _duplicate(file: TextIO) -> int | None:
    try:
        file.flush()
        return os.dup(file.fileno())
    except (OSError, ValueError, AttributeError):  # no file of the system: nobody captures it
        return None
