"""The parts of a run in their order, without a session of pytest: settings, tests, trials, totals, files and lines.

This is for what the plugin makes of a run. That pytest comes to each part in its time, whole runs show (``inner.py``);
so they do for fixtures, marks, and hooks that pytest calls around a test, which are not called here. Trials are played
one after the other.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from io import StringIO
from typing import Any

import _pytest.config
import pytest
from _pytest.terminal import TerminalReporter

from pytest_tau.plugin.collecting.collection import slot_for
from pytest_tau.plugin.playing.handle import HANDLE, TrialHandle
from pytest_tau.plugin.playing.requesting import agent_for, models_for, trial_request, user_for
from pytest_tau.plugin.playing.running import play_at_once
from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.plugin.playing.upcoming import overrides_players
from pytest_tau.plugin.private import parameters_of
from pytest_tau.plugin.recording.rescoring import grade_recorded
from pytest_tau.plugin.reporting.receiver import Receiver
from pytest_tau.plugin.reporting.trial_report import attach
from pytest_tau.plugin.run import Run, is_trial, run_of

# Of pytest's own plugins, those that nothing below a session comes to: to set them up takes as long as a trial.
_IDLE = (
    *("cacheprovider", "capture", "junitxml", "logging", "monkeypatch", "recwarn", "setuponly", "setupplan"),
    *("skipping", "threadexception", "tmpdir", "unraisableexception", "warnings"),
)
_XDIST = ("xdist", "xdist.looponfail")


@dataclass
class Parts:
    """What came of a run's parts.

    Attributes:
        run: the run.
        items: the tests that were collected.
        above: the lines above the tests.
        told: what each test says that did not pass, or why nothing could be collected.
        counts: how many passed, failed, were skipped, or are shown as something else.
        below: the tables, and what stands below them.
        ret: the exit status.
    """

    run: Run
    items: list[pytest.Item] = field(default_factory=list)
    above: list[str] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    below: list[str] = field(default_factory=list)
    ret: int = pytest.ExitCode.OK

    @property
    def outlines(self) -> list[str]:
        """All lines."""
        return [*self.above, *self.told, *self.below]

    @cached_property
    def stdout(self) -> pytest.LineMatcher:
        """All lines, to look for some."""
        return pytest.LineMatcher(self.outlines)

    def assert_outcomes(self, **expected: int) -> None:
        """So many tests ended so, and no others; those that were left out count only if they are expected."""
        left_out = {} if "deselected" in expected else {"deselected": self.counts["deselected"]}
        assert self.counts == +Counter(expected | left_out)

    def parseoutcomes(self) -> dict[str, int]:
        """How many tests ended how."""
        return dict(self.counts)


class _Collecting:
    """Keeps why something could not be collected, and how many tests were left out."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.left_out = 0

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.left_out += len(items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.told += report.longreprtext.splitlines()


def configure(pytester: pytest.Pytester, *args: str, without: tuple[str, ...] = _IDLE) -> pytest.Config:
    """Read the settings; raises UsageError for what is refused as a run is configured."""
    given = os.environ.get("PYTEST_ADDOPTS", "").split()
    loaded = [f"-p {name}" for name in given if name not in ("-p", *without) and not name.startswith("no:")]
    plugins = [one for one in _pytest.config.default_plugins if one not in without]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_ADDOPTS", " ".join(loaded))
        patch.setattr("_pytest.config.default_plugins", plugins)
        return pytester.parseconfigure(*args)


def collect(pytester: pytest.Pytester, *args: str) -> Parts:
    """Read the settings and collect the tests; raises UsageError for what is refused as a run is configured."""
    config = configure(pytester, *args, without=(*_IDLE, *_XDIST))
    found, collecting = Parts(run_of(config)), _Collecting()
    config.pluginmanager.unregister(name="terminalreporter")  # whose lines nobody would read
    config.pluginmanager.register(collecting)
    config.option.tbstyle = "value"  # the code in tracebacks takes longer to find than a trial to play
    session = pytest.Session.from_config(config)
    session.exitstatus = pytest.ExitCode.OK
    pytester._request.addfinalizer(found.run.ending.close)  # what is set up to play trials, whether they are or not
    config.hook.pytest_sessionstart(session=session)
    found.items = list(session.perform_collect())
    found.told = collecting.told
    found.counts = +Counter(errors=session.testsfailed, deselected=collecting.left_out)
    found.ret = _status(found)
    found.above = [
        *_lines(config.hook.pytest_report_header(config=config, start_path=pytester.path)),
        *_lines(config.hook.pytest_report_collectionfinish(config=config, start_path=pytester.path, items=found.items)),
    ]
    return found


def nodeids(pytester: pytest.Pytester, *args: str) -> list[str]:
    """The node IDs of the tests that are collected."""
    return [item.nodeid for item in collect(pytester, *args).items]


def play(pytester: pytest.Pytester, *args: str) -> Parts:
    """Collect the tests, play their trials, and count and report them."""
    parts = collect(pytester, *args)
    assert not parts.run.config.option.maxfail, "only a session stops early"
    assert not any(overrides_players(parts.run, item) for item in parts.items), "only a session sets fixtures up"
    run, session = parts.run, parts.run.session
    receiver: Receiver | None = run.config.pluginmanager.getplugin("tau-receiver")
    if receiver is None or run.config.option.collectonly:
        run.config._ensure_unconfigure()
        return parts
    if not parts.counts["errors"]:
        receiver.pytest_runtestloop()
        for item in filter(is_trial, parts.items):
            _test(parts, receiver, item)
    session.exitstatus = _status(parts)
    run.ending.close()
    receiver.pytest_sessionfinish(session)
    terminal = StringIO()
    list(receiver.pytest_terminal_summary(TerminalReporter(run.config, terminal)))
    parts.below = terminal.getvalue().splitlines()
    parts.ret = session.exitstatus
    run.config._ensure_unconfigure()
    return parts


def mock_play(pytester: pytest.Pytester, *args: str) -> Parts:
    """The parts of a run of the built-in mock suite."""
    return play(pytester, "--tau-domain=mock", *args)


def _test(parts: Parts, receiver: Receiver, item: pytest.Item) -> None:
    """Play the trial of a test, and report it."""
    run = parts.run
    handle = item.stash[HANDLE] = handle_of(run, item)
    call = pytest.CallInfo.from_call(handle.verify, "call")
    report = pytest.TestReport.from_item_and_call(item, call)
    attach(run, item, call, report)
    handle.request.models.endpoint.close()
    receiver.pytest_runtest_logreport(report)
    shown = receiver.pytest_report_teststatus(report)
    parts.counts[shown[0] if shown else "xfailed" if hasattr(report, "wasxfail") else report.outcome] += 1
    if not report.passed:
        parts.told += report.longreprtext.splitlines()


def handle_of(run: Run, item: pytest.Item) -> TrialHandle:
    """What a test holds of its trial, as the fixtures make it."""
    if slot_for(run, parameters_of(item)["tau_slot"]).recording is not None:
        return TrialHandle(grade_recorded, request_of(item, _nobody, _nobody))
    return TrialHandle(play_at_once, request_of(item))


def request_of(item: pytest.Item, agent: Any = None, user: Any = None) -> TrialRequest:
    """What it takes to play the trial of a test, with these players or those that the settings name."""
    run = run_of(item.config)
    slot = slot_for(run, parameters_of(item)["tau_slot"])
    models = models_for(run, item, slot)
    agent = agent or agent_for(run, item, slot, models)
    user = user or user_for(run, item, models)
    return trial_request(run, item, slot, models, agent, user)


def _nobody(context: Any) -> Any:
    raise AssertionError("nobody plays in a recorded conversation")


def _status(parts: Parts) -> pytest.ExitCode:
    if parts.counts["errors"]:
        return pytest.ExitCode.INTERRUPTED
    if not parts.items:
        return pytest.ExitCode.NO_TESTS_COLLECTED
    failed = parts.counts["failed"] or parts.counts["missed"]
    return pytest.ExitCode.TESTS_FAILED if failed else pytest.ExitCode.OK


def _lines(found: list[str | list[str]]) -> list[str]:
    return [line for lines in found for line in ([lines] if isinstance(lines, str) else lines)]
