"""The report of a run while it is played: the page of :mod:`.html`, made anew when trials have ended since.

Read-only, and for this machine: it listens on loopback and answers only requests that name loopback as their host, so
that no page of another site can read it through a name that points here.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from html import escape
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from ..errors import RecordingError, SettingsError, TauError, describe
from ..journal import FILE_NAME, is_graded, journal_file, last_run, load_journal, read_trials
from ..loopback import LoopbackServer
from ..manifest import DECIDED, JUDGE, Manifest, early_decisions, load_manifest, plan_of
from ..metrics.judge_errors import JudgeErrors
from ..metrics.tally import tally
from ..pictures import Pictures
from ..printable import count_of, printable
from .gallery import Gallery
from .history import history
from .html import write_html
from .in_play import InPlay, read_in_play
from .run_facts import run_facts
from .suite_order import in_order

# A page of many trials takes seconds to make: at most this share of the time is spent on making it.
_SHARE = 0.2
_WAITING = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="1">
<meta name="color-scheme" content="light dark"><title>waiting for a run</title>
<body style="font:16px sans-serif;margin:3em"><p>No trial has ended yet. This page looks again every second.</p></html>
"""
_UNREADABLE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="5">
<meta name="color-scheme" content="light dark"><title>a run that cannot be read</title>
<p style="font:16px sans-serif;margin:3em">This run cannot be read: {}</p></html>
"""
_LONGEST = 1000


def _now(playing: Sequence[InPlay]) -> str:
    """What is being played, for the page that waits for the first trial to end."""
    boxes = [
        f"<h3>{escape(one.name)}, trial {one.trial}: {count_of(one.turns, 'messages')}</h3>"
        + "".join(f"<p>{escape(printable(line))}</p>" for line in one.lines)
        for one in playing
    ]
    return "".join(boxes)


class LiveReport:
    """The report of the latest run of a results folder, or of one run.

    Args:
        path: a results folder, a run's folder or a journal file; it need not be there yet.
        clock: seconds; replaced in tests.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._path = path
        self._clock = clock
        self._lock = Lock()
        self._state = ""
        self._page = _WAITING.encode()
        self._next = 0.0

    def state(self) -> str:
        """Changes when the page would; "" before there is a run."""
        with self._lock:
            return self._current_state()

    def page(self) -> bytes:
        """The page as it is now, in UTF-8."""
        with self._lock:
            self._current_state()
            waits = self._page == _WAITING.encode()
        if not waits:
            return self._page
        return _WAITING.replace("</html>", f"{_now(self.playing())}</html>").encode()

    def playing(self) -> list[InPlay]:
        """The conversations that are being played."""
        run = self._folder()
        return [] if run is None else read_in_play(run)

    def _folder(self) -> Path | None:
        """The folder of the run, also before its first trial has ended."""
        if (journal := self._journal()) is not None:
            return journal.parent
        last = last_run(self._path) if self._path.is_dir() else None
        return last or (self._path if self._path.is_dir() else None)

    def _current_state(self) -> str:
        """The state of the page at hand, after it was made anew if that was due."""
        began = self._clock()
        if began < self._next:
            return self._state
        journal = self._journal()
        state = "" if journal is None else _fingerprint(journal)
        if journal is not None and state != self._state:
            try:
                self._page, self._state = _make_page(journal, state), state
            except (TauError, OSError) as error:  # what is broken may be mended, or still be written
                sentence = escape(printable(describe(error)[:_LONGEST]))
                self._page, self._state = _UNREADABLE.format(sentence).encode("utf-8", "replace"), state
            ended = self._clock()
            self._next = ended + (ended - began) / _SHARE
        return self._state

    def _journal(self) -> Path | None:
        try:
            return journal_file(self._path)
        except RecordingError:
            return None


def _fingerprint(journal: Path) -> str:
    run, sizes = journal.parent, []
    for file in dict.fromkeys((*sorted(run.glob("*.jsonl")), run / DECIDED, journal)):
        with suppress(OSError):
            sizes.append((file.name, file.stat().st_size))
    return f"{run.name} " + " ".join(f"{name}:{size}" for name, size in sizes)


def _make_page(journal: Path, state: str) -> bytes:
    run = journal.parent
    source = run if journal.name == FILE_NAME else journal  # of a run with what is in its spools
    try:
        records = load_journal(source, lambda sentence: None)
        if not records:
            return _WAITING.encode()
        manifest: Manifest | None = load_manifest(run)
    except TauError:
        source, manifest = journal, None
        records = load_journal(source, lambda sentence: None)
    # A conversation that is over and not graded yet is shown, and counts for nothing: it waits for no judge.
    known = {record.nodeid for record in records if record.graded}
    # Each time that a trial was played: what is counted, and paid, is what the run itself will tell.
    trials = (one for one in read_trials(source, lambda sentence: None) if is_graded(one) and one["nodeid"] in known)
    if tests := plan_of(run):
        records = in_order(records, tests)
    k, judge = (manifest.k, JudgeErrors.of_text(manifest.about.get(JUDGE, ""))) if manifest else (1, None)
    totals = tally(trials, k, plan=tests, decided=bool(early_decisions(run)), judge=judge)
    with TemporaryDirectory() as folder:
        file = Path(folder, "report.html")
        facts = run_facts(manifest, totals) if manifest else []
        title = f"{', '.join(totals.domains()) or 'tau'}: {', '.join(sorted(totals.agents))}, as it is played"
        write_html(
            records,
            file,
            title=title,
            totals=totals,
            facts=facts,
            live=state,
            history=() if not totals.is_whole else history(run),
            gallery=Gallery(Pictures(run).find, heavy=sys.maxsize),
        )
        return file.read_bytes()


def serve(path: Path, port: int) -> LoopbackServer:
    """A server of the live report on loopback; ``serve_forever`` is the caller's.

    Args:
        path: as for :class:`LiveReport`.
        port: where to listen; 0 for any free port.

    Raises:
        SettingsError: the port is taken.
    """
    report = LiveReport(path)

    class Handler(_PageHandler):
        live = report

    try:
        return LoopbackServer(port, Handler)
    except (OSError, OverflowError) as error:
        raise SettingsError(f"port {port} cannot be used: {describe(error)}; choose another with --port") from None


class _PageHandler(BaseHTTPRequestHandler):
    live: LiveReport

    def do_GET(self) -> None:
        """The page, or its state."""
        path = self.path.partition("?")[0]
        host = (self.headers.get("Host") or "").partition(":")[0]  # clients leave out port 80
        if host not in ("127.0.0.1", "localhost"):
            self.send_error(403, "this page is for this machine")
        elif path == "/":
            self._send("text/html; charset=utf-8", self.live.page())
        elif path == "/now":
            playing = [asdict(one) for one in self.live.playing()]
            self._send("application/json; charset=utf-8", json.dumps(playing).encode())
        elif path == "/state":
            self._send("text/plain; charset=utf-8", self.live.state().encode())
        else:
            self.send_error(404)

    def _send(self, kind: str, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("X-Frame-Options", "DENY")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet: a request is no news."""
