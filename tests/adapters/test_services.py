"""Which adapter an address or a command is for."""

import pytest

from pytest_tau.adapters.command import CommandService
from pytest_tau.adapters.http import HttpService
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.errors import SettingsError


def test_a_command_and_an_address() -> None:
    assert isinstance(service("command:node agent.mjs"), CommandService)
    assert isinstance(service("http://127.0.0.1:9/agent"), HttpService)
    assert isinstance(service("a2a+http://127.0.0.1:9/"), HttpService)


def test_a_command_speaks_no_other_protocol() -> None:
    with pytest.raises(SettingsError, match="--tau-agent-protocol: is for an agent behind an address; leave it out"):
        service("command:node agent.mjs", ServiceSettings(protocol="openai"))
