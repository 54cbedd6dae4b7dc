"""What a tau run does at each of pytest's hooks: each delegates in a line or two.

Registered where a session asks for something of this plugin (see :mod:`pytest_tau.plugin`). Still, everything heavy is
imported when a run needs it: the controlling process of a run with workers plays nothing, and a worker reports nothing.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from ..printable import count_of
from .fixtures import note_shared
from .run import Run, begin, is_played, is_trial, run_of

_LEFT_OUT = "tau: no task was collected that fits: -k, -m, --deselect or --tau-shard left out {}"
_NOTHING = "tau: no task was collected: name a domain with --tau-domain, or mark tests with @pytest.mark.tau"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Turn the suites that are asked for into the files to collect, and refuse what cannot be played."""
    if hasattr(config, "workerinput"):
        from .workers.link import receive_message
        from .workers.unheard import note_known

        begin(config, receive_message(config))
        note_known(run_of(config))
    run = run_of(config)
    if run.is_asked and not run.is_worker:
        from .reporting.terminating import Ending

        run.one(Ending)
    if run.is_asked:
        from ..garbage import lasting

        with lasting():  # what is imported for a run
            _begin_playing(run)
    elif run.settings.task_dirs and not run.is_worker:
        from .refusals import check_task_dirs

        check_task_dirs(run)
    if run.told is not None and run.told.host:
        from .workers.spool import arrive

        arrive(run)
    if run.told is not None and run.is_asked:
        from .parent import end_with
        from .workers.link import heed_exits

        end_with(run.told.parents, run.told.shared_folder)
        heed_exits(run)
    _register_integrations(run)


def _begin_playing(run: Run) -> None:
    """Import what a tau run needs, find what it is to play, and refuse what cannot be played."""
    from ..scrub import known_secrets
    from .collecting.task_files import resolve_arguments
    from .playing.searching import Searching

    known_secrets()  # while they still stand in the environment
    run.searching = Searching(run)
    resolve_arguments(run)
    if run.settings.rescore:
        from .recording.rescoring import begin as begin_rescoring

        begin_rescoring(run)
    if not run.is_worker:
        from .refusals import check
        from .reporting.exits import guard_exits

        check(run)
        guard_exits(run)


def _register_integrations(run: Run) -> None:
    """Set up what works with other plugins, where it is asked for; raises UsageError when they are not there."""
    if run.settings.snapshot is not None:
        from .integrations.snapshots import missing, snapshots

        if sentence := missing(run, "--tau-snapshot"):
            raise pytest.UsageError(sentence)
        snapshots(run)
    if run.settings.otel and run.is_asked and not run.is_worker:
        from ..errors import SettingsError
        from .integrations.otel import OtelTrials
        from .reporting.controller import controller

        try:
            run.config.pluginmanager.register(OtelTrials(lambda: controller(run).about.facts()), "tau-otel")
        except SettingsError as error:
            raise pytest.UsageError(str(error)) from None
    if getattr(run.config.option, "allure_report_dir", None):
        from .integrations.allure import AllureTrials

        run.config.pluginmanager.register(AllureTrials(), "tau-allure")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the root's conftest.py see the tests of built-in and public suites and of recordings; keep out of data."""
    run = run_of(session.config)
    if run.is_asked:
        from .collecting.conftest_hooks import open_root_hooks
        from .private import move_cache

        open_root_hooks(run, session)
        if run.root != run.config.rootpath:
            move_cache(run.config, run.root)  # a folder of data is not ours to write into


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what a tau run is about."""
    run = run_of(config)
    return run.one(_header)


def _header(run: Run) -> list[str]:
    """The lines above the tests, made once; they come after pytest's own where only collected files tell of a run."""
    likely = run.settings.task_dirs or any("tasks" in arg or ".json" in arg for arg in run.config.args)
    asked = run.names_suites or (likely and not run.config.option.collectonly)
    if run.settings.rescore or run.is_worker or not asked:
        return []  # without an import of all that a run of trials needs
    from .reporting.header import header

    return header(run)


@pytest.hookimpl(tryfirst=True)
def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass by what lies beside the built-in suites: other packages, if they are in site-packages."""
    run = run_of(config)
    if not run.is_asked:
        return None
    from .collecting.task_files import is_not_collected

    return is_not_collected(run, collection_path) or None


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """Spare the garbage collector what is collected."""
    if not run_of(session.config).is_asked:
        return (yield)
    from ..garbage import lasting

    with lasting():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    """See which agents and users several trials would share."""
    value = yield
    note_shared(fixturedef, request, value)
    return value


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave each trial of this shard once, if a resumed run has not done it; in rounds where that can save some."""
    run = run_of(config)
    if run.settings.policy_mutants and not (run.is_worker or run.session.testsfailed):
        from .collecting.policy_edits import refuse_unmade
        from .collecting.slot import slots_by_parameter

        refuse_unmade(run, (slot.variant for slot in run.one(slots_by_parameter).values()))
    if config.option.keepduplicates:
        from .collecting.collection import once

        once(run, items)
    if any(is_trial(item) for item in items):
        from .collecting.collection import tell_apart

        tell_apart(run, items)
    if run.settings.shard is not None or run.settings.resume:
        from .recording.resuming import select

        select(run, items)
    if run.settings.stop or run.settings.policy_mutants:
        from .recording.resuming import in_rounds

        in_rounds(run, items)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the trials that are about to run (under xdist the workers collect)."""
    run = run_of(session.config)
    if _only_listed(run):
        return
    nodeids = [item.nodeid for item in session.items if is_trial(item)]
    if nodeids:
        from .playing.captured_output import conceal_logs
        from .playing.heartbeat import keep_beating

        conceal_logs(run)
        keep_beating(run)
    # A resumed run may find all of its trials done.
    if nodeids and run.is_worker:
        from .workers.spool import spool
        from .workers.unheard import warn_of_unheard

        warn_of_unheard(run)
        spool(run).open()  # by which the controlling process knows that there are trials
    elif nodeids or run.settings.resume or _has_typed_a_gate(run):
        from .reporting.receiver import controller_of

        controller_of(run).plan(nodeids)


def _has_typed_a_gate(run: Run) -> bool:
    """Whether the command itself asks for a decision, which a run without trials must not pass in silence."""
    return any(str(one).startswith(("--tau-gate", "--tau-bless")) for one in run.config.invocation_params.args)


def _only_listed(run: Run) -> bool:
    """Whether tests are listed and nothing else: no model is named whose calls would be forecast."""
    chosen = run.settings
    return bool(run.config.option.collectonly) and not (chosen.agent_llm or chosen.user_llm or chosen.judge_llm)


def _nothing(run: Run) -> list[str]:
    """What to do where no test is left; what could not be collected or found says itself what is missing."""
    reporter = run.config.pluginmanager.get_plugin("terminalreporter")
    stats = reporter.stats if reporter else {}
    if stats.get("error"):
        return []
    left_out = len(stats.get("deselected", []))
    if left_out:
        return [_LEFT_OUT.format(count_of(left_out, "tests"))]
    return [] if run.settings.domain else [_NOTHING]


def _selects(run: Run) -> bool:
    """Whether an option or a node ID leaves out tests that are collected."""
    options = run.config.option
    chosen = any(getattr(options, name, None) for name in ("keyword", "markexpr", "deselect", "lf"))
    return chosen or bool(run.settings.shard) or any("[" in arg for arg in run.config.args)


def _say_of_workers(run: Run) -> None:
    """The same where workers have collected nothing, and told nobody what they left out."""
    reporter = run.config.pluginmanager.get_plugin("terminalreporter")
    if reporter and not reporter.stats.get("error"):
        said = [_LEFT_OUT.format("every test")] if _selects(run) else [] if run.settings.domain else [_NOTHING]
        reporter.ensure_newline()
        for line in said:
            reporter.write_line(line)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Say which trials are not played ahead of their tests, and where there is nothing that was asked for."""
    run = run_of(config)
    if not any(map(is_played, items)):
        asked = run.settings.given and not run.settings.resume  # which may have nothing left to play
        return _nothing(run) if asked and not items and not run.is_worker else []
    if config.option.collectonly:
        return []  # nothing will be played, and saying how takes importing all that plays
    from .reporting.header import about_concurrency

    said = run.existing(_header) is not None or config.get_verbosity() < 0  # as pytest's own
    return [*(() if said else run.one(_header)), *about_concurrency(run, items)]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Count the trials that the workers are about to run."""
    run = run_of(node.config)
    if run.settings.given and not ids and not run.settings.resume:
        run.one(_say_of_workers)
    asked = run.settings.resume or _has_typed_a_gate(run)
    if not (asked or any("trial" in nodeid for nodeid in ids)):
        return
    from .workers.spool import has_trials

    if asked or has_trials(run, node, ids):
        from .reporting.receiver import workers_collected
        from .workers.hosts import check_each

        check_each(run)  # tests with a marker are known by now only
        if run.settings.policy_mutants and not (asked or _selects(run)):
            from ..schema.record import split_nodeid
            from .collecting.policy_edits import refuse_unmade
            from .collecting.variants import split_id

            # A worker cannot refuse, and tells only what tests it is left with.
            refuse_unmade(run, (split_id(run, split_nodeid(one)[1])[1] for one in ids if "trial" in one))
        workers_collected(run, node, ids)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker what it is part of."""
    from .workers.link import tell

    tell(run_of(node.config), node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In a tau run, let every worker know enough of its next tests to play them ahead."""
    run = run_of(config)
    if not (run.is_asked or run.settings.task_dirs):
        return None
    from .workers.scheduling import scheduler

    return scheduler(run, log)


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message: Any) -> None:
    """Keep keys out of the warnings that pytest sums up."""
    from ..scrub import conceal

    said = str(warning_message.message)
    if (shown := conceal(said)) != said:
        warning_message.message = UserWarning(shown)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what runs ahead, and close what was opened."""
    run_of(session.config).ending.close()


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """See that results can be kept before a run that will have some."""
    run = run_of(session.config)
    asked = run.names_suites or run.settings.resume
    if asked and not run.config.option.collectonly and not run.is_worker:
        from ..garbage import lasting

        with lasting():  # what is imported to report on them
            from .reporting.receiver import controller_of

            controller_of(run).open_journal()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the trial on the report."""
    if not is_trial(item):
        return (yield)
    from .reporting.tracebacks import show_their_code
    from .reporting.trial_report import attach

    show_their_code(call)
    report = yield
    attach(run_of(item.config), item, call, report)
    return report


@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """In a worker: take off what was sent with a report; its terminal keeps all reports to the end."""
    from .workers.transport import TRIAL, take

    take(report, TRIAL)


# What the hooks of the package lead to


def collect(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a JSON file if it is one of tasks that were asked for, and no other JSON."""
    from .collecting.task_files import is_asked

    if not is_asked(run_of(parent.config), file_path):
        return None
    from .collecting.collection import collect_file

    return collect_file(file_path, parent)


def make_trials(metafunc: pytest.Metafunc) -> None:
    """Make a test of each trial."""
    if "tau_recording" not in metafunc.fixturenames:
        from .collecting.collection import parametrize

        parametrize(metafunc)
    if "tau_snapshot" in metafunc.fixturenames:
        from .integrations.snapshots import snapshots

        snapshots(run_of(metafunc.config))


def begin_workers(config: pytest.Config, specs: list[Any]) -> None:
    """In a tau run, let workers begin with what all of them need."""
    run = run_of(config)
    if run.is_asked:
        from .workers.forking import fork_workers

        fork_workers(run, specs)
