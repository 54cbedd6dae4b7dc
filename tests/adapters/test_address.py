"""What an address says, and what is none."""

import pytest

from pytest_tau.adapters.address import authorization, is_loopback
from pytest_tau.adapters.http import HttpService
from pytest_tau.adapters.service import ServiceSettings
from pytest_tau.adapters.services import service
from pytest_tau.errors import SettingsError


def test_the_address_says_which_protocol_unless_somebody_else_does() -> None:
    known = {
        "http://h/agent": "simple",
        "http://h:8000/v1": "openai",
        "https://h/v1/chat/completions": "openai",
        "https://h/v1/responses": "responses",
        "http://h/.well-known/agent-card.json": "a2a",
        "a2a+http://h/": "a2a",
        "openai+https://h/x": "openai",
    }
    assert {name: HttpService(name, ServiceSettings()).protocol for name in known} == known
    assert HttpService("http://h/v1", ServiceSettings(protocol="simple")).protocol == "simple"
    assert HttpService("a2a+http://h/v1", ServiceSettings(protocol="simple")).protocol == "a2a"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("http://", "is not an address: write http://host:port/path"),
        ("http://h:99999/", "is not an address: write http://host:port/path"),
        ("http://h/ä", "has characters in it that no address may have: write %20 for a space, and others alike"),
        ("http://日本/", "has characters in it that no address may have"),
        ("http://mé:secret@h/", "has a name or password in it"),
        ("http://h/a b", "has characters in it that no address may have"),
        ("http://me:secret@h/", "has a name or password in it"),
        ("soap+http://h/", "there is no agent protocol 'soap': use simple, openai, responses, a2a"),
    ],
)
def test_what_is_no_address(name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence) as told:
        service(name)
    assert "secret" not in str(told.value)


@pytest.mark.parametrize(
    ("given", "header"),
    [
        ("", {}),
        ("  ", {}),
        ("Bearer hush-hush-1", {"Authorization": "Bearer hush-hush-1"}),
        ("X-Api-Key: hush-hush-2", {"X-Api-Key": "hush-hush-2"}),
    ],
)
def test_the_header_that_lets_us_in(monkeypatch: pytest.MonkeyPatch, given: str, header: dict[str, str]) -> None:
    monkeypatch.setenv("OURS", given)
    assert authorization("OURS") == header


def test_a_header_of_two_lines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "hush\nX-Other: 1")
    with pytest.raises(SettingsError, match="OURS: holds characters that no header may have") as told:
        authorization("OURS")
    assert "hush" not in str(told.value)


def test_what_is_this_machine() -> None:
    assert all(map(is_loopback, ("localhost", "127.0.0.1", "127.9.9.9", "::1")))
    assert not any(map(is_loopback, ("example.test", "10.0.0.1", "", "localhost.example.test")))
