"""Tests and their trials as a session has collected them, in which none is run."""

from typing import Any

import pytest

from pytest_tau.plugin.collecting.collection import slot_for
from pytest_tau.plugin.collecting.slot import Slot
from pytest_tau.plugin.playing.trial import TrialRequest
from pytest_tau.plugin.private import parameters_of
from pytest_tau.plugin.run import Run, run_of
from tests.plugin.parts import collect, request_of


def items(pytester: pytest.Pytester, *args: str) -> list[pytest.Item]:
    """The tests that pytest collects; what plays them is closed with the configuration."""
    found = collect(pytester, *args)
    found.run.session.exitstatus = pytest.ExitCode.OK  # as it is until something fails
    found.run.config.add_cleanup(found.run.ending.close)
    return found.items


class Trial:
    """A collected test with what it takes to play its trial."""

    def __init__(self, item: pytest.Item) -> None:
        self.item = item
        self.run: Run = run_of(item.config)
        self.slot: Slot = slot_for(self.run, parameters_of(item)["tau_slot"])

    def request(self, agent: Any = None, user: Any = None) -> TrialRequest:
        """Its request, with players that fixtures gave or without."""
        return request_of(self.item, agent, user)

    @property
    def players(self) -> tuple[str, str]:
        """By their names."""
        request = self.request()
        return request.agent_name, request.user_name
