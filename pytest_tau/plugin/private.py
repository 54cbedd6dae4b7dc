"""Every touch of a private name of pytest, xdist or syrupy: one small function each; those of Python are beside it.

Each says what it needs and what happens in a release that no longer has it. tests/plugin/test_private.py holds every
one of them against the installed versions, so that a test's name says what a release broke. xdist and syrupy are not
imported here; their objects come in as arguments.
"""

from __future__ import annotations

import inspect
import logging
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import pluggy
import pytest

PYTEST_FOLDER = Path(inspect.getfile(pytest.Item)).parent
"""Where pytest's own frames are from."""


# What stands in the ini file


def ini_value(config: pytest.Config, name: str) -> Any:
    """A value of the ini file as it was written: a text, in TOML maybe a list, number, switch or table; None for none.

    Needs ``Config._inicfg`` with ``.value`` for what TOML has besides texts. Without: what ``Config.getini`` makes of
    it, as in pytest 8, where TOML has texts and lists only; None for a name that nobody has added.
    """
    written = getattr(config, "_inicfg", None)
    if written is not None:
        found = written.get(name)
        return getattr(found, "value", found)
    try:
        return config.getini(name)
    except ValueError:
        return None


def leave_out_of_help(config: pytest.Config, names: Iterable[str]) -> None:
    """Let ``pytest --help`` say nothing of these values of the ini file, which can be read as before.

    Needs ``Config._parser._inidict``, which help goes through, or ``_ininames`` of pytest 8. Without: they are listed.
    """
    parser: Any = getattr(config, "_parser", None)
    left_out = frozenset(names)
    if hasattr(parser, "_ininames"):
        parser._ininames = [name for name in parser._ininames if name not in left_out]
    elif hasattr(parser, "_inidict"):
        shown = {"__iter__": lambda self: (one for one in self.keys() if one not in left_out)}
        parser._inidict = type("Shown", (dict,), shown)(parser._inidict)


def choose_hooks(session: pytest.Session, chosen: Callable[[Path], Any]) -> None:
    """Let ``chosen`` say whose hooks hold for a path, or None for what pytest says.

    Needs ``Session.gethookproxy``, which every node asks for its hooks. Without: the hooks of a conftest.py are not
    called for tests whose files lie outside the project. In pytest 8 ``config.hook`` wraps a relay, for hooks that take
    the ``path`` of old.
    """
    theirs = getattr(session, "gethookproxy", None)
    if theirs is None:
        return
    wrapper = type(session.config.hook)

    def hooks_for(fspath: Any) -> Any:
        ours = chosen(fspath if isinstance(fspath, Path) else Path(fspath))
        if ours is None:
            return theirs(fspath)
        return ours if wrapper is pluggy.HookRelay else wrapper(ours)

    session.gethookproxy = hooks_for  # type: ignore[method-assign]


def move_cache(config: pytest.Config, folder: Path) -> None:
    """Keep pytest's cache below a folder, if it would lie below the root directory that pytest has found.

    Needs ``Cache._cachedir``. Without: the cache stays where it is.
    """
    cache: Any = getattr(config, "cache", None)
    lies: Path | None = getattr(cache, "_cachedir", None)
    if lies is not None and config.rootpath in lies.parents:
        cache._cachedir = folder / lies.relative_to(config.rootpath)


# What a failure shows


def cut_traceback(excinfo: pytest.ExceptionInfo[BaseException], entries: Sequence[Any]) -> None:
    """Leave only these entries in a traceback.

    Needs ``ExceptionInfo.traceback`` to be of a class that is made of a list, and to be settable. Without: the whole
    traceback is shown.
    """
    with suppress(AttributeError, TypeError):
        excinfo.traceback = type(excinfo.traceback)(list(entries))


def failure_text(shown: list[str], path: str, line: int, message: str) -> Any:
    """A failure as text, with the one line that pytest's summary and JUnit have for it.

    Needs the ``Repr*`` classes of ``_pytest._code.code``. Without: the text alone, and no line in the summary.
    """
    try:
        from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

        return ReprExceptionInfo(
            reprtraceback=ReprTraceback([ReprEntryNative(shown)], extraline=None, style="native"),
            reprcrash=ReprFileLocation(path, line, message),
        )
    except (ImportError, TypeError, AttributeError):
        return "".join(shown) or message


# Which fixtures and parameters a test has


def parameters_of(item: pytest.Item) -> dict[str, Any]:
    """The parameters of a test.

    Needs ``Function.callspec.params``. Without: none, so that no test is known to be a trial.
    """
    return dict(getattr(getattr(item, "callspec", None), "params", None) or {})


def fixture_of(item: pytest.Item, name: str) -> Any:
    """What defines a fixture for a test.

    Needs ``Function._fixtureinfo.name2fixturedefs``. Without: None, and no trial is played ahead.
    """
    info = getattr(item, "_fixtureinfo", None)
    found = getattr(info, "name2fixturedefs", {}).get(name)
    return found[-1] if found else None


def is_parameter(fixture: Any) -> bool:
    """Whether what defines a fixture is a ``parametrize`` of the test, which gives its value itself.

    Needs the function behind it to be pytest's. Without: it is taken for a fixture of the project.
    """
    return str(fixture.func.__module__).startswith("_pytest.")


def is_set_up(fixture: Any, item: pytest.Item) -> bool:
    """Whether a fixture has the value now that it is to have for a test.

    Needs ``FixtureDef.cached_result``. Without: no, and fewer trials are played ahead.
    """
    value, parameters = getattr(fixture, "cached_result", None), parameters_of(item)
    if value is None or value[2] is not None:
        return False
    return fixture.argname not in parameters or value[1] is parameters[fixture.argname]


def one_of_each_function(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    """One test of those that have the same fixtures, because they are of one function.

    Needs ``Function._fixtureinfo`` to be one object for them. Without: all tests.
    """
    return list({id(getattr(item, "_fixtureinfo", item)): item for item in items}.values())


def request_of(item: pytest.Function) -> Any:
    """The fixture request of a test that is being called.

    Needs ``Function._request``. Without: raises TauError.
    """
    request = getattr(item, "_request", None)
    if request is None:
        from ..errors import TauError

        raise TauError(
            f"pytest {pytest.__version__} does not let --tau-snapshot ask for fixtures; "
            "use the fixture tau_snapshot, or another version of pytest"
        )
    return request


# What is logged and printed


def log_handlers(config: pytest.Config, *, shown: bool = False) -> list[logging.Handler]:
    """The handlers that keep what a test logs; if ``shown``, those that write it to a file and, live, to the terminal.

    Needs ``caplog_handler``, ``report_handler``, ``log_file_handler``, ``log_cli_handler`` of pytest's logging plugin.
    Without: none. Then records of trials that run ahead may stand in the report of the test that runs then, or what is
    shown is shown as it was logged.
    """
    names = ("log_file_handler", "log_cli_handler") if shown else ("caplog_handler", "report_handler")
    plugin = config.pluginmanager.getplugin("logging-plugin")
    found = (getattr(plugin, name, None) for name in names)
    return [handler for handler in found if isinstance(handler, logging.Handler)]


def log_level(config: pytest.Config) -> int | None:
    """The level that ``--log-level`` sets while a test runs.

    Needs ``log_level`` of pytest's logging plugin. Without: None, and trials that run ahead log at the
    level of the root.
    """
    level = getattr(config.pluginmanager.getplugin("logging-plugin"), "log_level", None)
    return level if isinstance(level, int) else None


def say(config: pytest.Config, lines: Iterable[str]) -> None:
    """Print lines while tests are running.

    Needs ``ensure_newline`` of pytest's terminal reporter, and of its writer ``width_of_current_line``: under -q and
    with workers the former knows nothing of the dots. Without: the first line stands behind them.
    """
    reporter = config.pluginmanager.getplugin("terminalreporter")
    for line in lines if reporter else ():
        getattr(reporter, "ensure_newline", lambda: None)()
        if getattr(getattr(reporter, "_tw", None), "width_of_current_line", 0):
            reporter.write_line("")
        reporter.write_line(line)


def print_through(config: pytest.Config, stream: Callable[[TextIO], TextIO]) -> Callable[[], None]:
    """Have all that pytest prints go through what ``stream`` makes of its file; returns what undoes that.

    Needs ``_file`` of the writer of pytest's terminal reporter. Without: nothing is done, and what is printed while a
    test runs stands in what it captured.
    """
    writer = getattr(config.pluginmanager.getplugin("terminalreporter"), "_tw", None)
    file = getattr(writer, "_file", None)
    if file is None:
        return lambda: None
    ours: Any = stream(file)
    writer._file = ours  # type: ignore[union-attr]

    def undo() -> None:
        if writer._file is ours:  # type: ignore[union-attr]
            writer._file = file  # type: ignore[union-attr]

    return undo


def leaves_debugger(error: BaseException) -> bool:
    """Whether an exception that ends the session comes from somebody who left pytest's debugger.

    Needs the text that pytest's debugger gives it. Without: leaving the debugger in a reply is that trial's error.
    """
    return str(error) == "Quitting debugger"


# The modules of pytest, and how ours are imported


def import_unchanged(pluginmanager: pytest.PytestPluginManager) -> None:
    """Let Python import our modules itself: pytest rewrites the asserts of plugins, and ours assert nothing.

    Its import hook takes several times as long a module, and every worker imports hundreds. Needs the hook's
    ``_must_rewrite`` and ``_marked_for_rewrite_cache``. Without: modules are imported more slowly.
    """
    hook: Any = getattr(pluginmanager, "rewrite_hook", None)
    with suppress(AttributeError):
        hook._must_rewrite.discard("pytest_tau")
        hook._marked_for_rewrite_cache.clear()


def pytest_modules() -> list[str]:
    """The modules that every session of pytest imports.

    Needs ``_pytest.config.default_plugins``. Without: pytest alone, which imports most of them.
    """
    from _pytest import config

    return ["pytest", *(f"_pytest.{name}" for name in getattr(config, "default_plugins", ()))]


# xdist: what waits in a worker, what is sent to it, and what becomes of its tests when it dies


def worker_plugin(config: pytest.Config) -> Any:
    """What runs the tests of this worker, and alone knows which have come in by now.

    Needs ``torun`` of ``xdist.remote.WorkerInteractor``. Without: None, as in a process that is no worker.
    """
    return next((plugin for plugin in config.pluginmanager.get_plugins() if hasattr(plugin, "torun")), None)


def queued_tests(worker: Any) -> list[int]:
    """The places, in the collection, of the tests that a worker is going to run, the next first.

    Needs ``nextitem_index`` and ``torun.lock()`` of ``xdist.remote.WorkerInteractor``. Without: the next test at most,
    so that fewer trials are played ahead.
    """
    following = getattr(worker, "nextitem_index", None)
    try:
        with worker.torun.lock() as waiting:
            places = [following, *waiting]
    except (AttributeError, TypeError):
        places = [following]
    return [place for place in places if isinstance(place, int)]


def outlive(node: Any) -> None:
    """Let nothing be sent to a worker that has died, which would end the whole run before xdist hears of that end.

    xdist then hands the tests of that worker to others, those that could not be sent among them.

    Needs ``WorkerController.sendcommand``. Without: nothing is done, and a worker's death may end the run.
    """
    send = getattr(node, "sendcommand", None)
    if send is None:
        return

    def send_if_alive(name: str, **kwargs: object) -> None:
        with suppress(OSError):
            send(name, **kwargs)

    node.sendcommand = send_if_alive


_TO_DIE = 5.0  # seconds


def reap(node: Any) -> None:
    """Let the process of a worker that has died be gone, which xdist does at the end of the run alone.

    Until then the other workers would take it for alive, and wait for the calls of models that it had begun.

    Needs ``gateway._io.popen`` of execnet. Without: nothing is done, and they wait until these calls would be over.
    """
    process = getattr(getattr(getattr(node, "gateway", None), "_io", None), "popen", None)
    if process is not None:
        with suppress(subprocess.TimeoutExpired):  # it has closed its streams, and goes on
            process.wait(_TO_DIE)


_SCHEDULING = ("schedule", "check_schedule", "_send_tests", "mark_test_pending")


def can_fill_queues(scheduling: type) -> bool:
    """Whether a worker's queue can be filled deeper than xdist's load scheduling does.

    Needs methods of ``xdist.scheduler.LoadScheduling``. Without: xdist's own scheduling, and fewer trials played ahead.
    """
    return all(callable(getattr(scheduling, name, None)) for name in _SCHEDULING)


def send_tests(scheduling: Any, node: Any, number: int) -> None:
    """Hand the next tests to a worker.

    Needs ``LoadScheduling._send_tests``, see :func:`can_fill_queues`.
    """
    scheduling._send_tests(node, number)


def has_workers(config: pytest.Config) -> bool:
    """Whether workers of xdist run the tests.

    Needs xdist to register its session as ``dsession``. Without: False, and a journal begins with the first result.
    """
    return config.pluginmanager.hasplugin("dsession")


def is_crash(report: pytest.TestReport) -> bool:
    """Whether this is xdist's report of a test that took its worker down.

    Needs ``when`` to be ``???`` there, and ``node`` to be the worker, which pytest-forked leaves out. Without: the
    trial is counted as missing, and not as an infra error.
    """
    return report.when == "???" and hasattr(report, "node")  # type: ignore[comparison-overlap]


# JUnit


def tell_junit(config: pytest.Config, properties: Iterable[tuple[str, str]]) -> None:
    """Add properties to the test suite of ``--junitxml``.

    Needs ``xml_key`` of pytest's own plugin, and ``add_global_property`` of what stands there, which pytest's fixture
    ``record_testsuite_property`` calls too. Without: only each trial has properties.
    """
    if getattr(config.option, "xmlpath", None):
        key = getattr(config.pluginmanager.get_plugin("junitxml"), "xml_key", None)
        add: Any = getattr(config.stash.get(key, None) if key else None, "add_global_property", None)
        for name, value in properties if add else ():
            add(name, value)


# syrupy


def unused_snapshots(config: pytest.Config) -> int:
    """How many snapshots no test has used.

    Needs ``Config._syrupy.report.num_unused``. Without: 0, and syrupy's own report alone tells of them.
    """
    report = getattr(getattr(config, "_syrupy", None), "report", None)
    return int(getattr(report, "num_unused", 0) or 0)


def failed_snapshot(assertion: Any) -> tuple[str | None, Exception | None]:
    """What a snapshot held before a comparison that failed, and what kept it from being read or written.

    Needs ``SnapshotAssertion.executions``. Without: nothing is known of either.
    """
    (result,) = getattr(assertion, "executions", {0: None}).values()
    return getattr(result, "recalled_data", None), getattr(result, "exception", None)
