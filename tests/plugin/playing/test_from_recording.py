"""``tau_conversation.from_recording``: a logged conversation goes on, in the world as it then was."""

from __future__ import annotations

import json

import pytest

from tests.workshop.import_.logs import cancelling, log, shop

TASK = {
    "id": "cancel",
    "domain": "shop",
    "user_scenario": {
        "instructions": {
            "domain": "shop",
            "reason_for_call": "Cancel order O7, please.",
            "task_instructions": "Say yes.",
        }
    },
    "evaluation_criteria": {
        "actions": [
            {"action_id": "1", "name": "get_order", "arguments": {"order_id": "O7"}},
            {"action_id": "2", "name": "cancel_order", "arguments": {"order_id": "O7"}},
        ],
        "reward_basis": ["DB"],
    },
}
TESTS = """
import pytest

tau = pytest.mark.tau(domain="shop", k=2)

@tau
def test_goes_on(tau_conversation):
    tau_conversation.from_recording("log.jsonl#conversation-O7", turn=7)
    assert [m.role for m in tau_conversation.messages][-1] == "user"
    assert tau_conversation.world.tools.db.orders["O7"].status == "pending"
    tau_conversation.until(call="cancel_order")
    assert not tau_conversation.called("cancel_order")
    assert tau_conversation.finish().passed

@tau
def test_after_the_change_nothing_is_left_to_do(tau_conversation):
    tau_conversation.from_recording("log.jsonl#conversation-O7", turn=9)
    assert tau_conversation.task.gold_actions == []
    assert tau_conversation.world.tools.db.orders["O7"].status == "cancelled"
    assert tau_conversation.say("Thank you, bye. ###STOP###").finish().passed

@tau
def test_a_format_of_the_project(tau_conversation):
    tau_conversation.from_recording("own.chat", turn=2)
    tau_conversation.as_user("Bye ###STOP###")
    assert [m.text for m in tau_conversation.messages] == ["Hello there", "What is it?", "Bye ###STOP###"]

@tau
def test_too_late(tau_conversation):
    from pytest_tau.errors import SettingsError
    assert tau_conversation.messages
    with pytest.raises(SettingsError, match="comes too late"):
        tau_conversation.from_recording("log.jsonl#conversation-O7", turn=7)
    tau_conversation.as_user("Bye ###STOP###")
"""
HOOK = """
from pytest_tau.recordings import Conversation
from pytest_tau.schema.messages import AssistantMessage, UserMessage


def pytest_tau_read_conversations(path):
    if path.suffix == ".chat":
        sides = (UserMessage, AssistantMessage)
        lines = path.read_text(encoding="utf-8").splitlines()
        return [Conversation(path.stem, [sides[n % 2](content=line) for n, line in enumerate(lines)])]
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    shop(pytester.path)
    folder = pytester.path / "tasks" / "shop"
    folder.mkdir(parents=True)
    (folder / "cancel.json").write_text(json.dumps(TASK), encoding="utf-8")
    log(pytester.path / "log.jsonl", *(cancelling(one, opening="I want to undo this.") for one in ("O7", "O8")))
    (pytester.path / "own.chat").write_text("Hello there\nWhat is it?\nNothing\nBye\n", encoding="utf-8")
    pytester.makeconftest(HOOK)
    return pytester


def test_from_recording(project: pytest.Pytester) -> None:
    project.makepyfile(test_it=TESTS)
    result = project.runpytest("test_it.py")
    result.assert_outcomes(passed=8)


def test_what_is_not_there_is_said(project: pytest.Pytester) -> None:
    """Afterwards the test goes on with another turn."""
    project.makepyfile(
        test_it="""
        import pytest
        from pytest_tau.errors import TauError

        @pytest.mark.tau(domain="shop")
        def test_it(tau_conversation):
            for where, turn, sentence in [
                ("none.jsonl", 1, "there is no such file"),
                ("log.jsonl", 1, "holds 2 conversations: name one"),
                ("log.jsonl#x", 1, "has no conversation 'x'"),
                ("log.jsonl#conversation-O7", 4, "is a tool's result"),
                ("log.jsonl#conversation-O7", 77, "has no turn 77"),
            ]:
                with pytest.raises(TauError, match=sentence):
                    tau_conversation.from_recording(where, turn=turn)
            assert tau_conversation.from_recording("log.jsonl#conversation-O7", turn=7).finish().passed
        """
    )
    project.runpytest("test_it.py").assert_outcomes(passed=1)
