"""The report while a run is played: when it changes, who may read it, and that a browser follows it."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from pytest_tau.errors import SettingsError
from pytest_tau.journal import JournalWriter, last_run, new_run
from pytest_tau.manifest import Manifest
from pytest_tau.reports.in_play import FILE, InPlay, in_play, write_in_play
from pytest_tau.reports.live import LiveReport, serve
from pytest_tau.schema.record import Outcome
from tests.builders import a_call, says
from tests.plugin.parts import mock_play
from tests.reports.chromium import browser, executable
from tests.reports.runs import record, simulation

CHROMIUM = executable()


class Run:
    """A run whose trials end one after the other."""

    def __init__(self, folder: Path) -> None:
        self.results = folder / ".tau"
        self._writer: JournalWriter | None = None

    def ends(self, *records: object) -> None:
        self._writer = self._writer or JournalWriter(new_run(self.results))
        for each in records:
            self._writer.append(each.model_dump_json(exclude_none=True))  # type: ignore[attr-defined]
        self._writer.flush()

    def plays(self, *conversations: InPlay) -> None:
        folder = last_run(self.results)
        assert folder is not None
        write_in_play(folder / f"{FILE}main", conversations)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path)
    yield made
    made.close()


@pytest.fixture
def server(run: Run) -> Iterator[ThreadingHTTPServer]:
    made = serve(run.results, 0)
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def get(server: ThreadingHTTPServer, path: str, host: str | None = None) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1])
    connection.request("GET", path, headers={} if host is None else {"Host": host})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


class Clock:
    """Time as the test wants it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_waits_for_a_run_and_follows_it(run: Run) -> None:
    clock = Clock()
    report = LiveReport(run.results, clock=clock)
    assert (report.state(), b"No trial has ended yet" in report.page()) == ("", True)
    assert b'<body style="font:' in report.page()  # what is being played looks like the rest
    run.ends(record("first"))
    first = report.state()
    assert b"mock/first" in report.page()
    assert first in report.page().decode()  # as the page's script compares it
    run.ends(record("second", outcome=Outcome.MISSED))
    assert report.state() != first
    assert b"mock/second" in report.page()


def test_a_conversation_that_is_not_graded_yet_is_shown_and_waits_for_no_judge(run: Run) -> None:
    report = LiveReport(run.results, clock=Clock())
    run.ends(record("first", outcome=Outcome.UNGRADED, graded=False))
    assert b"mock/first" in report.page()
    run.ends(record("second"))
    page = report.page()
    assert b"mock/first" in page
    assert b"mock/second" in page
    assert b"for a judge" not in page
    assert b"1 of 1 task solved." in page


def test_the_order_is_that_of_the_suite_and_earlier_runs_make_a_trend(pytester: pytest.Pytester) -> None:
    for _ in range(2):
        mock_play(pytester, "--tau-agent=noop")
    folder = pytester.path / ".tau/latest"
    journal = folder / "journal.jsonl"
    lines = journal.read_text(encoding="utf-8").splitlines()
    journal.write_text("\n".join(reversed(lines)) + "\n", encoding="utf-8")
    page = LiveReport(pytester.path / ".tau", clock=Clock()).page().decode()
    _, _, index = page.partition('<script type="application/json" id="index">')
    shown = [trial["id"] for trial in json.loads(index.partition("</script>")[0])["trials"]]
    assert shown == [json.loads(line)["nodeid"] for line in lines]
    assert "pass^1 of the last 2 runs with the same tasks, agent and settings" in page


def test_what_was_spared_is_not_left_out(pytester: pytest.Pytester) -> None:
    mock_play(pytester, "--tau-agent=noop", "--tau-k=2", "--tau-stop", "--tau-gate=pass^1 >= 0.9")
    page = LiveReport(pytester.path / ".tau", clock=Clock()).page().decode()
    assert "pass^1" in page
    assert "not run" not in page


def test_what_was_played_again_and_its_cost_is_told(run: Run) -> None:
    report = LiveReport(run.results, clock=Clock())
    run.ends(record("first", outcome=Outcome.INFRA_ERROR, simulation=simulation("first", agent_cost=1.0)))
    run.ends(record("first", simulation=simulation("first", agent_cost=2.0)))
    page = report.page().decode()
    assert "cost $3.00" in page
    assert "1 replay: trials without a verdict that were played again" in page


def test_a_page_that_takes_long_is_not_made_all_the_time(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    report = LiveReport(run.results, clock=clock)
    made = []

    def slowly(folder: Path, state: str) -> bytes:
        clock.now += 2.0
        made.append(state)
        return b"page"

    monkeypatch.setattr("pytest_tau.reports.live._make_page", slowly)
    run.ends(record("first"))
    report.page()
    run.ends(record("second"))
    clock.now += 9.0
    report.page()
    assert len(made) == 1
    clock.now += 1.5
    report.page()
    assert len(made) == 2


def test_the_newest_run_is_shown(run: Run, tmp_path: Path) -> None:
    run.ends(record("old"))
    report = LiveReport(run.results, clock=Clock())
    assert b"mock/old" in report.page()
    later = Run(tmp_path)
    later.ends(record("new"))
    assert b"mock/new" in report.page()
    assert b"mock/old" not in report.page()
    later.close()


def test_a_journal_of_another_name_is_shown_and_followed(run: Run) -> None:
    """As every command reads it, and not what lies beside it."""
    run.ends(record("beside"))
    folder = last_run(run.results)
    assert folder is not None
    Manifest().save(folder)
    copy, clock = folder / "kept.txt", Clock()
    copy.write_text(f"{record('one').model_dump_json(exclude_none=True)}\n", encoding="utf-8")
    report = LiveReport(copy, clock=clock)
    page = report.page().decode()
    assert "mock/one" in page
    assert "mock/beside" not in page
    before = report.state()
    with copy.open("a", encoding="utf-8") as file:
        file.write(f"{record('two').model_dump_json(exclude_none=True)}\n")
    clock.now += 1000
    assert report.state() != before


def test_serves_the_page_its_state_and_nothing_else(run: Run, server: ThreadingHTTPServer) -> None:
    run.ends(record("first"))
    status, page = get(server, "/")
    assert (status, "mock/first" in page) == (200, True)
    assert get(server, "/state")[1] in page
    assert get(server, "/?from=mail") == (200, page)
    assert get(server, "/../journal.jsonl")[0] == 404
    assert get(server, "/journal.jsonl")[0] == 404


@pytest.mark.parametrize(("host", "status"), [("evil.example", 403), ("evil.example:1", 403), ("", 403)])
def test_a_name_that_only_points_here_reads_nothing(server: ThreadingHTTPServer, host: str, status: int) -> None:
    assert get(server, "/", host)[0] == status
    assert get(server, "/", f"localhost:{server.server_address[1]}")[0] == 200


def test_this_machine_may_be_named_without_a_port(server: ThreadingHTTPServer) -> None:
    """As clients name it where the port is 80."""
    assert [get(server, "/", host)[0] for host in ("127.0.0.1", "localhost")] == [200, 200]


def test_a_port_that_is_taken(server: ThreadingHTTPServer, run: Run) -> None:
    port = server.server_address[1]
    with pytest.raises(SettingsError, match=f"port {port} cannot be used: .*; choose another with --port"):
        serve(run.results, int(port))


def test_what_is_being_played_is_shown_before_the_first_trial_ends_and_after(
    run: Run, server: ThreadingHTTPServer
) -> None:
    assert json.loads(get(server, "/now")[1]) == []  # no run yet
    run.ends()
    run.plays(in_play("mock/<one>", 2, [says("<b>One moment.</b>")]))
    waiting = LiveReport(run.results).page().decode()
    assert "mock/&lt;one&gt;, trial 2: 1 message</h3><p>agent: &lt;b&gt;One moment.&lt;/b&gt;</p></html>" in waiting
    run.ends(record())
    assert '<section id="now"' in LiveReport(run.results).page().decode()
    ((one,), status) = json.loads(get(server, "/now")[1]), get(server, "/now")[0]
    assert (status, one["name"], one["trial"], one["turns"]) == (200, "mock/<one>", 2, 1)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None or os.name != "posix", reason="no Chromium found: install chromium")
def test_a_browser_follows_the_run_and_keeps_what_is_open(run: Run, server: ThreadingHTTPServer) -> None:
    assert CHROMIUM is not None
    run.ends(record("first"), record("second", outcome=Outcome.MISSED))
    address = f"http://127.0.0.1:{server.server_address[1]}/"
    with browser(CHROMIUM) as page:
        page.do("Page.navigate", url=address)
        _until(page.run, "!!document.querySelector('h1') && document.body.textContent.includes('2 trials')")
        page.press("j")
        opened = page.run("location.hash")
        run.ends(record("third"))
        _until(page.run, "document.readyState === 'complete' && document.body.textContent.includes('3 trials')")
        assert page.run("location.hash") == opened
        run.plays(in_play("mock/<one>", 2, [says("<b>One moment.</b>")]))
        _until(page.run, "!!document.querySelector('#now summary')?.textContent.includes('<b>One moment.</b>')")
        errors = [event for event in page.events if event["method"] in ("Log.entryAdded", "Runtime.exceptionThrown")]
        assert errors == []


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None or os.name != "posix", reason="no Chromium found: install chromium")
def test_who_reads_or_types_while_trials_end_goes_on_where_they_were(run: Run, server: ThreadingHTTPServer) -> None:
    assert CHROMIUM is not None
    messages = [says(f"{number}", a_call("look")) for number in range(200)]
    run.ends(record("first", simulation=simulation("first", messages=messages)))
    shown = "document.readyState === 'complete' && !!document.querySelector('#trial .chat')"
    with browser(CHROMIUM) as page:
        page.look()
        page.do("Page.navigate", url=f"http://127.0.0.1:{server.server_address[1]}/")
        _until(page.run, shown)
        page.run("document.querySelector('#trial .call').open = true")
        page.run("document.querySelectorAll('#trial li')[150].scrollIntoView()")
        run.ends(record("second", outcome=Outcome.MISSED))
        _until(page.run, f"{shown} && document.body.textContent.includes('2 trials')")
        place = "document.querySelectorAll('#trial li')[150].getBoundingClientRect().top"
        _until(page.run, f"Math.abs({place}) < 50")
        assert page.run("document.querySelector('#trial .call').open")
        page.run("document.querySelector('#q').focus()")
        run.ends(record("third"))
        page.run("new Promise((go) => setTimeout(go, 2000))")
        assert page.run("document.activeElement.id") == "q"
        page.run("document.activeElement.blur()")
        _until(page.run, f"{shown} && document.body.textContent.includes('3 trials')")


def _until(evaluate: object, condition: str) -> None:
    """Wait for the page, which looks every second and a half."""
    for _ in range(600):
        if evaluate(condition):  # type: ignore[operator]
            return
        time.sleep(0.1)
    raise AssertionError(f"never came true: {condition}")
