"""``pytest-tau play``: a person at the keyboard, as a list of lines."""

import io

import pytest

from pytest_tau.cli import main

DEEP = f'/create_task {{"title": {"[" * 200}{"]" * 200}}}'


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> "Typed":
    return Typed(monkeypatch, capsys)


class Typed:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch, self._capsys = monkeypatch, capsys

    def __call__(self, *lines: str, args: tuple[str, ...]) -> tuple[int, str]:
        self._monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        status = main(["play", *args])
        return status, self._capsys.readouterr().out


def test_a_person_is_the_agent(typed: Typed) -> None:
    status, out = typed(
        "/tools",
        "/policy",
        "What should it be called?",
        "/get_users",
        'Shall I add "Renew the parking permit"? (yes/no)',
        '/create_task {"user_id": "user_1", "title": "Renew the parking permit"}',
        "Done.",
        args=("mock", "add_a_task"),
    )
    assert status == 0
    assert '/create_task {"user_id": "…", "title": "…", "description": "…"}' in out
    assert "You look after a shared to-do list." in out
    assert 'agent calls create_task(user_id="user_1"' not in out  # one's own calls are on the screen already
    assert "customer: Yes, please go ahead." in out
    assert "customer: Thank you, that is all. ###STOP###" in out  # after which nobody is asked
    assert "reward 1, ended by user_stop" in out


def test_a_person_is_the_customer(typed: Typed) -> None:
    status, out = typed(
        "Hello",
        "I am user_1",
        "That is all",
        "That is all",
        "Yes",
        "Thanks ###STOP###",
        args=("mock", "add_a_task", "--as", "customer"),
    )
    assert status == 0
    assert "Reason for call:" in out
    assert "agent: With your agreement I will make these changes" in out


def test_what_cannot_be_sent_is_said_and_asked_again(typed: Typed) -> None:
    status, out = typed("/no_such_tool", "/create_task {", "/create_task [1]", DEEP, "", args=("mock", "add_a_task"))
    assert status == 1
    assert "there is no tool no_such_tool; type what is said" in out
    assert "the arguments must be a JSON object: Expecting" in out
    assert out.count('such as {"order_id": "#W1"}') == 2
    assert "reward 0, ended by" in out  # the input is over
    assert "DB: MISSED" in out


def test_who_has_ended_it_is_not_asked_again(typed: Typed) -> None:
    """Of an agent too, whose customer may say something more before it leaves."""
    _, out = typed("/end", "and more", "and more", args=("mock", "add_a_task"))
    assert out.count("> ") == 1
    assert "ended by user_stop" in out


def test_the_other_side_can_be_named(typed: Typed) -> None:
    status, out = typed("Hi", "Bye ###STOP###", args=("mock", "add_a_task", "--as", "customer", "--with", "noop"))
    assert status == 1
    assert "reward 0" in out
