"""Factories given by name or as objects, and the sentences for what is none."""

import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import AgentFault, simulate
from pytest_tau.conversation.factories import checked_factory, import_factory
from pytest_tau.errors import SettingsError
from pytest_tau.schema.simulation import Termination
from tests.builders import Lines, mock, task


@pytest.fixture(autouse=True)
def _a_clean_search_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])


def test_imported_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop_bot_for_tests.py").write_text(
        "class Bots:\n    @staticmethod\n    def make(context):\n        return 1\n"
    )
    assert import_factory("shop_bot_for_tests:Bots.make", "agent")(None) == 1


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("no_such_module:make", "the agent 'no_such_module:make' cannot be imported: ModuleNotFoundError"),
        ("json:no_such", "cannot be imported: AttributeError"),
        ("json:__name__", "the agent 'json:__name__' is 'json': it must be a callable"),
    ],
)
def test_what_cannot_be_imported(name: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        import_factory(name, "agent")


def test_a_class_is_a_factory_and_an_object_is_not() -> None:
    assert checked_factory(Lines, "the agent") is Lines
    with pytest.raises(SettingsError, match="one object for all trials, which would mix their conversations"):
        checked_factory(Lines(["Hi"]), "the agent")


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AgentFault("gave up before it began"), Termination.AGENT_ERROR),
        (TimeoutError("no answer"), Termination.INFRASTRUCTURE_ERROR),
        (ConnectionError("no route"), Termination.INFRASTRUCTURE_ERROR),
    ],
)
def test_what_a_factory_raises_is_told_apart_as_what_a_reply_raises(error: Exception, reason: Termination) -> None:
    def agent(context: Any) -> Any:
        raise error

    def user(context: Any) -> Any:
        pytest.fail("nobody is asked for the customer of a trial that is over")

    simulation = simulate(task(), mock(), agent=agent, user=user)
    assert simulation.termination_reason is reason
    assert str(error) in (simulation.note or "")


def test_a_bug_in_a_factory_is_raised() -> None:
    def agent(context: Any) -> Any:
        raise ValueError("no such model")

    with pytest.raises(ValueError, match="no such model"):
        simulate(task(), mock(), agent=agent)


def test_a_users_factory_too() -> None:
    def user(context: Any) -> Any:
        raise AgentFault("nobody wants to be this customer")

    simulation = simulate(task(), mock(), agent=lambda context: Lines(["Hi"]), user=user)
    assert simulation.termination_reason is Termination.USER_ERROR
