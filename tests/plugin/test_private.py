"""Canaries: a test that fails here names what of pytest, xdist or syrupy a release has moved.

What is lost until it is found again stands in the docstring of the function in ``pytest_tau.plugin.private``; the
second test of each pair shows that nothing worse happens.
"""

import logging
import os
import sys
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from types import SimpleNamespace
from typing import Any

import execnet
import pytest
from _pytest.assertion.rewrite import assertstate_key
from _pytest.terminal import TerminalReporter
from execnet.gateway_base import get_execmodel
from xdist import remote, workermanage  # type: ignore[import-untyped]
from xdist.dsession import DSession  # type: ignore[import-untyped]
from xdist.scheduler import LoadScheduling  # type: ignore[import-untyped]

from pytest_tau.errors import TauError
from pytest_tau.plugin import private

NOBODY: Any = SimpleNamespace(iter_markers=lambda name: [])


# pytest: how our own modules are imported


def test_python_imports_our_modules_itself(pytester: pytest.Pytester) -> None:
    hook: Any = pytester.parseconfig().pluginmanager.rewrite_hook
    state = hook.config.stash[assertstate_key]
    hook.mark_rewrite("pytest_tau")
    assert hook._is_marked_for_rewrite("pytest_tau.seeds", state)
    private.import_unchanged(hook.config.pluginmanager)
    assert not hook._is_marked_for_rewrite("pytest_tau.seeds", state), "AssertionRewritingHook has changed"


def test_without_the_hook_nothing_raises() -> None:
    private.import_unchanged(NOBODY)


# pytest: what help says of the ini file


def test_help_goes_through_the_ini_values_that_are_left(pytester: pytest.Pytester) -> None:
    config: Any = pytester.parseconfigure()
    private.leave_out_of_help(config, ["tau_k"])
    parser = config._parser
    listed = list(getattr(parser, "_ininames", None) or parser._inidict)
    assert "tau_k" not in listed, "what help lists of the ini file is elsewhere"
    assert "tau_domain" in listed
    assert config.getini("tau_k") is None


def test_without_the_parser_nothing_raises() -> None:
    private.leave_out_of_help(NOBODY, ["tau_k"])


# pytest: properties of a run in its JUnit file


def test_pytest_takes_properties_of_a_whole_run(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("--junitxml=j.xml")
    private.tell_junit(config, [("tau_k", "4")])
    plugin: Any = config.pluginmanager.get_plugin("junitxml")
    assert config.stash[plugin.xml_key].global_properties == [("tau_k", "4")], "LogXML.add_global_property has changed"
    private.tell_junit(pytester.parseconfigure(), [("tau_k", "4")])  # nothing was asked for


def test_without_its_key_nothing_raises(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    config = pytester.parseconfigure("--junitxml=j.xml")
    with monkeypatch.context() as without:
        without.delattr("_pytest.junitxml.xml_key")
        private.tell_junit(config, [("tau_k", "4")])


# pytest: what stands in the ini file


def test_pytest_says_what_stands_in_the_ini_file(pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntau_k = 3")
    config = pytester.parseconfig()
    old: Any = SimpleNamespace(getini=config.getini)
    assert private.ini_value(config, "tau_k") == private.ini_value(old, "tau_k") == "3"
    assert private.ini_value(config, "tau_nothing") is private.ini_value(old, "tau_nothing") is None


# pytest: what a failure shows


def test_pytest_makes_a_failure_of_a_text() -> None:
    shown = private.failure_text(["the whole text\n"], "tasks/a.json", 3, "the first line")
    assert str(shown).startswith("the whole text"), "ReprExceptionInfo and its parts have changed"
    assert shown.reprcrash.message == "the first line"


def test_without_its_classes_the_text_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("_pytest._code.code.ReprEntryNative")
    assert private.failure_text(["the whole text\n"], "a.json", 3, "the first line") == "the whole text\n"
    assert private.failure_text([], "a.json", 3, "the first line") == "the first line"


def test_pytest_lets_a_traceback_be_cut() -> None:
    try:
        raise ValueError
    except ValueError:
        excinfo = pytest.ExceptionInfo.from_current()
    private.cut_traceback(excinfo, [])
    assert list(excinfo.traceback) == [], "ExceptionInfo.traceback cannot be set"


def test_a_traceback_that_cannot_be_cut_raises_nothing() -> None:
    excinfo: Any = SimpleNamespace(traceback=(1, 2))
    private.cut_traceback(excinfo, [])
    whole: Any = object()
    private.cut_traceback(whole, [])


def test_pytest_says_what_it_consists_of(monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"pytest", "_pytest.fixtures", "_pytest.python"} <= {*private.pytest_modules()}
    monkeypatch.delattr("_pytest.config.default_plugins")
    assert private.pytest_modules() == ["pytest"]


def test_what_pytest_prints_goes_through_a_stream_of_ours(config: pytest.Config) -> None:
    printed, ours = StringIO(), StringIO()
    reporter = TerminalReporter(config, printed)
    plugins: Any = SimpleNamespace(getplugin=lambda name: reporter)
    undo = private.print_through(SimpleNamespace(pluginmanager=plugins), lambda file: ours)  # type: ignore[arg-type]
    reporter.write_line("through ours")
    undo()
    reporter.write_line("as before")
    assert (ours.getvalue(), printed.getvalue()) == ("through ours\n", "as before\n"), "TerminalWriter._file"
    nobody: Any = SimpleNamespace(pluginmanager=SimpleNamespace(getplugin=lambda name: None))
    private.print_through(nobody, lambda file: ours)()


def test_pytest_is_where_its_items_are() -> None:
    assert (private.PYTEST_FOLDER / "runner.py").is_file()


# pytest: which fixtures and parameters a test has


# These tests look at themselves.


@pytest.fixture
def asked() -> None: ...


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.usefixtures("asked")
def test_pytest_says_which_parameters_a_test_has(request: pytest.FixtureRequest, number: int) -> None:
    assert private.parameters_of(request.node) == {"number": number}, "Function.callspec"
    assert private.parameters_of(NOBODY) == {}


def test_pytest_says_what_defines_a_fixture(request: pytest.FixtureRequest, asked: None) -> None:
    found = private.fixture_of(request.node, "asked")
    assert found is not None, "Function._fixtureinfo"
    assert (found.scope, found.func.__name__) == ("function", "asked")
    assert private.fixture_of(request.node, "nothing") is None
    assert private.fixture_of(NOBODY, "asked") is None


@pytest.mark.parametrize("number", [1])
def test_pytest_says_what_is_a_parameter(request: pytest.FixtureRequest, asked: None, number: int) -> None:
    assert private.is_parameter(private.fixture_of(request.node, "number")), "FixtureDef.func"
    assert not private.is_parameter(private.fixture_of(request.node, "asked"))


@pytest.fixture(scope="module", params=["first", "second"])
def shared(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_pytest_says_whether_a_fixture_is_set_up(request: pytest.FixtureRequest, shared: str) -> None:
    fixture, item = private.fixture_of(request.node, "shared"), request.node
    assert private.is_set_up(fixture, item), "FixtureDef.cached_result"
    others = [each for each in request.session.items if each is not item and "shared" in private.parameters_of(each)]
    assert not any(private.is_set_up(fixture, each) for each in others)
    assert not private.is_set_up(object(), item)


def test_of_a_fixture_that_is_not_set_up_pytest_says_so(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("""
        import pytest

        @pytest.fixture(scope="session")
        def broken():
            raise ValueError

        @pytest.fixture(scope="session")
        def late():
            pass

        def test_first(broken):
            pass

        def test_second(request):
            from pytest_tau.plugin.private import fixture_of, is_set_up

            broken, late = request.session.items[0], request.session.items[2]
            assert not is_set_up(fixture_of(broken, "broken"), broken)
            assert not is_set_up(fixture_of(late, "late"), late)

        def test_third(late):
            pass
    """)
    pytester.runpytest().assert_outcomes(errors=1, passed=2)


@pytest.mark.parametrize("number", [1, 2])
def test_tests_of_one_function_have_the_same_fixtures(request: pytest.FixtureRequest, number: int) -> None:
    tests = [item for item in request.session.items if item.name.startswith(request.node.originalname)]
    assert len(private.one_of_each_function(tests)) == 1, "Function._fixtureinfo: more tests are looked at"
    assert len(private.one_of_each_function([NOBODY, NOBODY])) == 1


def test_pytest_has_a_request_for_a_test(request: pytest.FixtureRequest) -> None:
    assert private.request_of(request.node).node is request.node, "Function._request"
    with pytest.raises(TauError, match="use the fixture tau_snapshot"):
        private.request_of(NOBODY)


# pytest: what is logged and printed


def test_pytest_says_what_keeps_a_log(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> None:
    handlers = private.log_handlers(request.config)
    assert caplog.handler in handlers, "caplog_handler of the logging plugin"
    assert len(handlers) == 2, "report_handler of the logging plugin"


def test_pytest_says_what_shows_a_log(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("--log-file=run.log")
    handlers = private.log_handlers(config, shown=True)
    assert len(handlers) == 2, "log_file_handler and log_cli_handler of the logging plugin"
    for handler in handlers:
        handler.close()


def test_pytest_says_at_which_level_it_logs(pytester: pytest.Pytester) -> None:
    assert private.log_level(pytester.parseconfigure("--log-level=INFO")) == logging.INFO, "log_level"


def test_without_the_logging_plugin_nothing_is_known(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure("-p", "no:logging")
    assert private.log_handlers(config) == private.log_handlers(config, shown=True) == []
    assert private.log_level(config) is None


def test_lines_begin_at_the_left() -> None:
    written: list[str] = []
    terminal = SimpleNamespace(ensure_newline=lambda: written.append(""), write_line=written.append)
    config: Any = SimpleNamespace(pluginmanager=SimpleNamespace(getplugin=lambda name: terminal))
    private.say(config, ["one"])
    assert written == ["", "one"]
    del terminal.ensure_newline
    private.say(config, ["two"])
    assert written == ["", "one", "two"]


def test_pytests_terminal_begins_a_line_where_it_is_asked(request: pytest.FixtureRequest) -> None:
    terminal = request.config.pluginmanager.getplugin("terminalreporter")
    assert terminal is None or callable(terminal.ensure_newline)


# xdist


def test_xdist_says_what_waits_in_a_worker() -> None:
    """A contract: where xdist moves these, this fails, and look-ahead knows of one test ahead, or of none."""
    queue = remote.TestQueue(get_execmodel("thread"))
    for place in (4, 5, 6):
        queue.put(place)
    queue.put(remote.Marker.SHUTDOWN)
    worker = object.__new__(remote.WorkerInteractor)
    worker.torun, worker.nextitem_index = queue, 3
    assert private.queued_tests(worker) == [3, 4, 5, 6]
    assert queue.get() == 4  # looking takes nothing away
    worker.nextitem_index = remote.Marker.SHUTDOWN
    assert private.queued_tests(worker) == [5, 6]


@contextmanager
def _moved(lock: threading.Lock) -> Iterator[deque[int]]:
    with lock:
        yield deque([1])


@pytest.mark.parametrize(
    ("worker", "places"),
    [
        (SimpleNamespace(nextitem_index=2), [2]),
        (SimpleNamespace(nextitem_index=2, torun=[3]), [2]),
        (SimpleNamespace(nextitem_index=2, torun=SimpleNamespace(lock=lambda: None)), [2]),
        (SimpleNamespace(torun=SimpleNamespace(lock=lambda: _moved(threading.Lock()))), [1]),
        (SimpleNamespace(), []),
        (None, []),
    ],
)
def test_of_another_xdist_one_test_ahead_is_known(worker: Any, places: list[int]) -> None:
    assert private.queued_tests(worker) == places


def test_xdists_worker_is_known_by_its_queue(pytester: pytest.Pytester) -> None:
    config = pytester.parseconfigure()
    assert private.worker_plugin(config) is None
    plugin = object.__new__(remote.WorkerInteractor)
    plugin.torun = None
    config.pluginmanager.register(plugin)
    assert private.worker_plugin(config) is plugin
    assert "torun" in remote.WorkerInteractor.__init__.__code__.co_names, "WorkerInteractor.torun"


def test_xdist_sends_commands_to_workers_in_one_place() -> None:
    assert callable(workermanage.WorkerController.sendcommand), "WorkerController.sendcommand"


def test_nothing_is_sent_to_a_dead_worker() -> None:
    def send(name: str, **kwargs: object) -> None:
        sent.append(name)
        raise OSError("the connection is closed")

    sent: list[str] = []
    node = SimpleNamespace(sendcommand=send)
    private.outlive(node)
    node.sendcommand("runtests", indices=[1])
    assert sent == ["runtests"]
    private.outlive(object())


@pytest.mark.skipif(sys.platform == "win32", reason="nobody keeps a process there that has ended")
def test_a_worker_that_was_killed_is_gone() -> None:
    gateway = execnet.makegateway()
    try:
        connection: Any = gateway._io
        pid = connection.popen.pid
        os.kill(pid, 9)
        private.reap(SimpleNamespace(gateway=gateway))
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
        private.reap(object())
    finally:
        gateway.exit()


def test_xdists_scheduling_lets_queues_be_filled() -> None:
    assert private.can_fill_queues(LoadScheduling), "methods of LoadScheduling"
    names = LoadScheduling.schedule.__code__.co_names + LoadScheduling.check_schedule.__code__.co_names
    assert {"pending", "node2pending", "maxschedchunk", "collection", "nodes"} <= {*names, *dir(LoadScheduling)}
    assert not private.can_fill_queues(object)


def test_xdists_session_has_its_name(pytester: pytest.Pytester) -> None:
    assert not private.has_workers(pytester.parseconfigure())
    config = pytester.parseconfigure("--dist=load", "--tx=popen")
    assert private.has_workers(config), "the plugin dsession"
    assert isinstance(config.pluginmanager.getplugin("dsession"), DSession)


def test_xdists_report_of_a_crash_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "???" in DSession.handle_crashitem.__code__.co_consts, "when of the report of a crash"
    assert "node" in DSession.handle_crashitem.__code__.co_names, "where the report of a crash keeps its worker"
    crashed: Any = SimpleNamespace(when="???", node="gw0")
    assert private.is_crash(crashed)
    of_a_fork: Any = SimpleNamespace(when="???")
    assert not private.is_crash(of_a_fork)


# syrupy


def test_syrupy_counts_what_no_test_has_used(pytester: pytest.Pytester) -> None:
    pytest.importorskip("syrupy")
    pytester.makepyfile("def test_it(snapshot): assert snapshot == 1\ndef test_gone(snapshot): assert snapshot == 2")
    pytester.runpytest("-psyrupy", "--snapshot-update")
    pytester.makepyfile("def test_it(snapshot): assert snapshot == 1")
    counts: list[int] = []

    class Last:
        @pytest.hookimpl(trylast=True)
        def pytest_sessionfinish(self, session: pytest.Session) -> None:
            counts.append(private.unused_snapshots(session.config))

    pytester.inline_run("-psyrupy", plugins=[Last()])
    assert counts == [1], "Config._syrupy.report.num_unused"


def test_without_syrupy_nothing_is_unused() -> None:
    other: Any = SimpleNamespace()
    assert private.unused_snapshots(other) == 0


def test_syrupy_says_what_a_snapshot_held(snapshot: Any) -> None:
    assertion = snapshot.with_defaults() if hasattr(snapshot, "with_defaults") else snapshot
    assert private.failed_snapshot(
        SimpleNamespace(executions={0: SimpleNamespace(recalled_data="1", exception=None)})
    ) == (
        "1",
        None,
    )
    assert isinstance(assertion.executions, dict), "SnapshotAssertion.executions"
    assert private.failed_snapshot(object()) == (None, None)
