"""Takes trials off the reports as they come by, and says how those with no verdict are shown.

Registered with the controller's making, so that a session without trials does not pay for it.
"""

from __future__ import annotations

import pytest

from ..settings.stash import ATTRIBUTE, CONTROLLER, NOT_RUN, SNAPSHOT
from .controller import Controller, controller


def controlled(session: pytest.Session) -> Controller:
    """The controller of this session; the first time, what feeds it is registered."""
    config = session.config
    if CONTROLLER not in config.stash:
        # Whatever has failed before any trial could, such as collecting, was no trial.
        receiver = Receiver(config, only_misses=not session.testsfailed)
        config.pluginmanager.register(receiver, "tau-receiver")
    return controller(config)


class Receiver:
    """The hooks that feed the controller, in the process that prints the report."""

    def __init__(self, config: pytest.Config, *, only_misses: bool) -> None:
        self._config = config
        self._controller = controller(config)
        self._shown: dict[str, tuple[str, str, tuple[str, dict[str, bool]]]] = {}
        self._only_misses = only_misses

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note which test begins; without workers, the test itself says when it looks at its trial."""
        if self._config.pluginmanager.hasplugin("dsession"):
            self._controller.began(nodeid)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count the trial on a report."""
        if SNAPSHOT in vars(report):
            from ..integrations.snapshots import snapshots

            snapshots(self._config).receive(report)
        if NOT_RUN in vars(report):
            self._controller.totals.not_run[vars(report)[NOT_RUN]] += 1
        if ATTRIBUTE not in vars(report) and not report.failed:
            return
        outcome = self._controller.receive(report)
        if outcome == "ungraded":
            self._shown[report.nodeid] = ("ungraded", "u", ("UNGRADED", {"yellow": True}))
        elif outcome == "missed" and self._controller.gated and report.failed:
            self._shown[report.nodeid] = ("missed", "m", ("MISSED", {"yellow": True}))
        elif report.failed and outcome not in ("missed", "infra_error", "invalid"):
            self._only_misses = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(
        self, report: pytest.TestReport
    ) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Show what is neither passed nor failed as what it is."""
        return self._shown.get(report.nodeid) if report.when == "call" else None

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Remember that something failed that is no trial."""
        if report.failed:
            self._only_misses = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Decide the run."""
        self._controller.finish(session, only_misses=self._only_misses)
