"""Tests and their trials as a session has collected them, in which none is run."""

from typing import Any

import pytest

from pytest_tau.plugin.collecting.collection import Slot, slot_for
from pytest_tau.plugin.playing.requesting import agent_for, models_for, trial_request, user_for
from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.plugin.private import parameters_of
from pytest_tau.plugin.run import Run, run_of


def items(pytester: pytest.Pytester, *args: str) -> list[pytest.Item]:
    """The tests that pytest collects; what they need is closed with the configuration."""
    config = pytester.parseconfigure(*args)
    session = pytest.Session.from_config(config)
    session.exitstatus = pytest.ExitCode.OK  # as it is until something fails
    config.hook.pytest_sessionstart(session=session)
    config.add_cleanup(run_of(config).ending.close)
    session.perform_collect()
    return session.items


class Trial:
    """A collected test with what it takes to play its trial."""

    def __init__(self, item: pytest.Item) -> None:
        self.item = item
        self.run: Run = run_of(item.config)
        self.slot: Slot = slot_for(self.run, parameters_of(item)["tau_slot"])

    def request(self, agent: Any = None, user: Any = None) -> TrialRequest:
        """Its request, with players that fixtures gave or without."""
        models = models_for(self.run, self.item, self.slot)
        agent = agent or agent_for(self.run, self.item, self.slot, models)
        user = user or user_for(self.run, self.item, models)
        return trial_request(self.run, self.item, self.slot, models, agent, user)

    @property
    def players(self) -> tuple[str, str]:
        """By their names."""
        request = self.request()
        return request.agent_name, request.user_name
