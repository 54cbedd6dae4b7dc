"""The pytest plugin: each hook delegates in a line or two.

This package is imported in every pytest session that has pytest-tau installed. Everything heavy is imported when a tau
run needs it, so an idle session pays for the options and fixtures only.
"""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import hookspecs
from .fixtures import (
    note_shared,
    tau_agent,
    tau_domain,
    tau_environment,
    tau_llm_endpoint,
    tau_models,
    tau_reward,
    tau_simulation,
    tau_slot,
    tau_snapshot,
    tau_task,
    tau_trial,
    tau_user,
)
from .settings.options import add_options, any_given, settings
from .settings.stash import BUILTIN, CONTROLLER, PUBLIC, RUNNER, SPOOL

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

__all__ = [
    "tau_agent",
    "tau_domain",
    "tau_environment",
    "tau_llm_endpoint",
    "tau_models",
    "tau_reward",
    "tau_simulation",
    "tau_slot",
    "tau_snapshot",
    "tau_task",
    "tau_trial",
    "tau_user",
]

_CONCURRENCY = "tau_concurrency"
_MARKER = "tau(domain, tasks=None, k=None): run this test for each trial of these tasks; it uses the tau_* fixtures"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the ``--tau-*`` options."""
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Make the ``pytest_tau_*`` hooks known."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Turn the suites that are asked for into the files to collect."""
    config.addinivalue_line("markers", _MARKER)
    virtual = (f"{BUILTIN}/", f"{PUBLIC}/")
    chosen, is_worker = settings(config), hasattr(config, "workerinput")
    if any_given(config) or chosen.domain or chosen.rescore or any(arg.startswith(virtual) for arg in config.args):
        from .collecting.task_files import resolve_arguments

        resolve_arguments(config)
        if chosen.rescore:
            from .collecting.rescoring import begin

            begin(config)
        if not is_worker:
            from .playing.players import check_players
            from .reporting.gates import check_gates
            from .workers.hosts import check_hosts

            check_hosts(config)
            check_players(config)
            check_gates(config)
            if chosen.resume:
                from .recording.resuming import check_resume

                check_resume(config)
    if is_worker:
        from .workers.hosts import arrive

        arrive(config)
    _register_integrations(config)


def _register_integrations(config: pytest.Config) -> None:
    """Set up what works with other plugins, where it is asked for; raises UsageError when they are not there."""
    if settings(config).snapshot is not None:
        from .integrations.snapshots import missing, snapshots

        if sentence := missing(config, "--tau-snapshot"):
            raise pytest.UsageError(sentence)
        snapshots(config)
    if getattr(config.option, "allure_report_dir", None):
        from .integrations.allure import AllureTrials

        config.pluginmanager.register(AllureTrials(), "tau-allure")


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Say what a tau run is about."""
    if not settings(config).domain or settings(config).rescore:
        return []
    from .reporting.header import header

    return header(config)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the task files that were asked for, and no other JSON."""
    if file_path.suffix != ".json":
        return None
    from .collecting.task_files import is_asked

    if not is_asked(parent.config, file_path):
        return None
    from .collecting.collection import collect_file

    return collect_file(file_path, parent)


@pytest.hookimpl(trylast=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Make a test of each trial; last, so that ids end with the trial whatever else parametrizes the test."""
    if "tau_slot" in metafunc.fixturenames and "tau_recording" not in metafunc.fixturenames:
        from .collecting.collection import parametrize

        parametrize(metafunc)
    if "tau_snapshot" in metafunc.fixturenames:
        from .integrations.snapshots import snapshots

        snapshots(metafunc.config)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any, request: Any) -> Generator[None, Any, Any]:
    """See which agents and users several trials would share."""
    value = yield
    note_shared(fixturedef, request, value)
    return value


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the trials of this shard, and those that a resumed run has not done."""
    if settings(config).shard is not None or settings(config).resume:
        from .recording.resuming import select

        select(config, items)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_finish(session: pytest.Session) -> None:
    """Count the trials that are about to run (under xdist the workers collect)."""
    nodeids = [item.nodeid for item in session.items if "tau_slot" in getattr(item, "fixturenames", ())]
    # A resumed run may find all of its trials done.
    if (nodeids or settings(session.config).resume) and not hasattr(session.config, "workerinput"):
        from .reporting.receiver import controlled

        controlled(session).plan(nodeids)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Say what the trials will take of models, and which are not played ahead."""
    if not any("tau_trial" in getattr(item, "fixturenames", ()) for item in items):
        return []
    from .reporting.header import about_concurrency

    lines = about_concurrency(config, items)
    if hasattr(config, "workeroutput"):
        config.workeroutput[_CONCURRENCY] = lines  # nobody reads a worker's terminal
    return lines + (config.stash[CONTROLLER].forecast() if CONTROLLER in config.stash else [])


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Count the trials that the workers are about to run."""
    if settings(node.config).resume or any("trial" in nodeid for nodeid in ids):
        from .reporting.receiver import controlled
        from .workers.scheduling import outlive

        outlive(node)
        known = controlled(node.config.pluginmanager.get_plugin("session"))
        known.plan(ids)
        known.say(known.forecast())


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let the workers keep to one set of limits, and know which run they belong to and what of it is done."""
    from .playing.models import share_limits
    from .recording.resuming import share_done
    from .workers.hosts import share_host
    from .workers.spool import share_run

    share_host(node)
    share_limits(node)
    share_run(node)
    share_done(node)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """In a tau run, let every worker know enough of its next tests to play them ahead."""
    if not (any_given(config) or settings(config).domain or settings(config).task_dirs):
        return None
    from .workers.scheduling import scheduler

    return scheduler(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    """Save what a worker that died had done; take what one says that came to its end."""
    if error:
        from .workers.spool import leave_to_others

        leave_to_others(node)
    elif CONTROLLER in node.config.stash:
        node.config.stash[CONTROLLER].concurrency = node.workeroutput.get(_CONCURRENCY, [])


@pytest.hookimpl(optionalhook=True)
def pytest_handlecrashitem(crashitem: str, report: pytest.TestReport, sched: Any) -> None:
    """Run a test again whose worker was killed, as far as can be known, by another trial than its own."""
    from .workers.scheduling import can_run_again

    known = report.node.config.stash.get(CONTROLLER, None)
    if known is None:
        return
    again = can_run_again(sched) and known.is_bystander(crashitem, report)
    if again:
        sched.mark_test_pending(crashitem)
    if again or known.is_over(crashitem, report):
        report.outcome, report.when = "passed", "setup"  # what is to be said of it is said by its own report


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End what runs ahead."""
    if RUNNER in session.config.stash:
        from .playing.lookahead import close

        close(session.config)
    if SPOOL in session.config.stash:
        from .workers.hosts import leave

        session.config.stash[SPOOL].close()
        leave(session)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> None:
    """See that results can be kept before a run that will have some."""
    config = session.config
    chosen = settings(config)
    asked = chosen.domain or chosen.rescore or chosen.resume
    if asked and not config.option.collectonly and not hasattr(config, "workerinput"):
        from .reporting.receiver import controlled

        controlled(session).open_journal()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Put the trial on the report."""
    if "tau_slot" not in getattr(item, "fixturenames", ()):
        return (yield)
    from .workers.transport import attach, show_their_code

    show_their_code(call)
    report = yield
    attach(item, call, report)
    if call.when == "teardown" and RUNNER in item.config.stash:
        from .playing.lookahead import forget

        forget(item)
    return report


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    """Print the pass^k table."""
    if CONTROLLER in config.stash:
        config.stash[CONTROLLER].summarize(terminalreporter)
