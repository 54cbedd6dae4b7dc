"""Why a trial did not pass, in words that are safe for a terminal."""

from typing import Any

import pytest

from pytest_tau import Reward, grade
from pytest_tau.printable import printable
from pytest_tau.reports.verdict import LAST_TURNS, WIDTH, verdict
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.record import Fault, FaultKind, Repair, RepairKind
from pytest_tau.schema.reward import Check, CriterionResult
from pytest_tau.schema.simulation import Termination
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, result_of, says, task


def text(criteria: dict[str, Any] | None, messages: list[AnyMessage], **fields: Any) -> str:
    played, sim = task(criteria=criteria, **fields), finished(messages)
    return verdict(played, sim, grade(played, sim, mock()), trial=2, rerun="pytest x")


def test_head_and_foot() -> None:
    lines = text(None, [says("Bye")], description={"purpose": "To see."}).splitlines()
    assert lines[0].endswith("(reward 1, ended by user_stop)")
    assert lines[1:4] == ["  mock/t, trial 2", "  purpose: To see.", "  No evaluation criteria"]
    assert lines[-1] == "Run exactly this trial again:  pytest x"


def test_the_fault_stands_above_the_criteria() -> None:
    sim, wrong = finished([says("Bye")]), Fault(kind=FaultKind.WRONG_TOOL, evidence="x\x1b[31m", turn=3)
    lines = verdict(task(), sim, Reward(value=0.0), trial=1, rerun="x", fault=wrong).splitlines()
    assert lines[2] == "  fault: wrong tool: x\\x1b[31m (turn 3)"


def test_the_smallest_repair_is_one_line() -> None:
    change = Repair(turn=3, kind=RepairKind.ADDED, text="pay()\x1b[31m before it")
    fault = Fault(kind=FaultKind.WRONG_TOOL, evidence="x", repair=change)
    lines = verdict(task(), finished([]), Reward(value=0.0), trial=1, rerun="x", fault=fault).splitlines()
    assert lines[3] == "  repair: it would have passed with this change in turn 3: pay()\\x1b[31m before it"


def test_how_it_broke_off_is_told_by_the_fault_or_by_the_note() -> None:
    sim = finished(reason=Termination.USER_ERROR)
    fault = Fault(kind=FaultKind.USER_FAULT, evidence="it left")
    for given, told in ((fault, ["  fault: user fault: it left"]), (None, ["  ended early (it left)"])):
        shown = verdict(task(), sim, Reward(value=0.0, note="ended early (it left)"), trial=1, rerun="x", fault=given)
        assert [line for line in shown.splitlines() if "it left" in line] == told


def test_not_graded() -> None:
    sim = finished(reason=Termination.TIMEOUT)
    for reward in (None, Reward(value=None)):
        head = verdict(task(), sim, reward, trial=1, rerun="x").splitlines()[0]
        assert head == "not finished (not graded, ended by timeout)"


def test_criteria() -> None:
    criteria = {
        "actions": [action("create_task", **CREATE)],
        "communicate_info": ["7", "8"],
        "nl_assertions": ["Kind."],
        "reward_basis": ["DB", "COMMUNICATE", "NL_ASSERTION"],
    }
    changed = a_call("update_task_status", task_id="task_1", status="completed")
    shown = text(criteria, [*played_calls(mock(), changed), says("7")])
    expected = [
        "missed DB, COMMUNICATE (reward 0, ended by user_stop)",
        "  DB: MISSED",
        "    agent database, tasks[task_4]",
        "      (record)",
        "        actual:   (absent)",
        "    agent database, users[user_1]",
        "    agent database, tasks[task_1]",
        "      status",
        '        expected: "pending"',
        '        actual:   "completed"',
        "  ACTION: MISSED (0 of 1 met), not part of the reward",
        "  COMMUNICATE: MISSED (1 of 2 met)",
        "    - 8: no message of the agent says it",
        "  NL_ASSERTION: open (0 of 1 met)",
        "    - Kind.: needs a judge",
    ]
    lines = iter(shown.splitlines())
    assert all(line in lines for line in expected), shown  # in this order


def test_the_last_turns() -> None:
    call = a_call("get_users", why="é")
    messages: list[AnyMessage] = [
        *[asks("early")] * 9,
        says("Both", call),
        result_of(call, "x" * 2 * WIDTH),
        says("a\n\n  b").model_copy(update={"author": "refunds"}),
    ]
    shown = text(None, messages)
    assert "Last turns of 12:" in shown
    assert '  [9] assistant: Both\n  [9] assistant calls get_users(why="é")' in shown
    assert f"  [10] tool: {'x' * WIDTH} … ({2 * WIDTH} characters)" in shown
    assert "  [11] assistant (refunds): a b" in shown
    assert shown.count("early") == LAST_TURNS - 3


def test_a_conversation_without_a_message_has_no_last_turns() -> None:
    assert "Last turns" not in text(None, [])


@pytest.mark.parametrize("bad", ["\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2066", "\x00"])
def test_escapes_are_shown_and_not_obeyed(bad: str) -> None:
    call = a_call("create_task", user_id=f"x{bad}", title="T")
    messages = [*played_calls(mock(), call), says(f"a{bad}b")]
    shown = text({"communicate_info": [f"x{bad}"], "actions": [action(f"f{bad}")]}, messages, id=f"t{bad}")
    assert bad not in shown
    assert printable(f"a{bad}") == f"a\\x{ord(bad):02x}"


FORGED = "fine\n::error::forged\r\n##[error]forged\n  ::warning::x ##vso[task.complete]"


def test_nobody_can_write_a_line_of_the_log() -> None:
    """What tasks, judges and agents say stands within lines of ours, and is no command to continuous integration."""
    result = CriterionResult(
        criterion="NL_ASSERTION", value=0.0, checks=[Check(name="x", met=False, explanation=FORGED)]
    )
    sim = finished([says("Bye")]).model_copy(update={"note": FORGED})
    fault = Fault(kind=FaultKind.OTHER, evidence=FORGED)
    wrong = task(description={"purpose": FORGED}).model_copy(update={"id": f"t{FORGED}"})
    lines = verdict(wrong, sim, Reward(value=0.0, results=[result], note=FORGED), trial=1, rerun="x", fault=fault)
    assert "forged" in lines
    for line in lines.splitlines():
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "##vso[" not in line


def test_the_token_limit_is_told() -> None:
    cut = says("I was about to").model_copy(update={"raw_data": {"finish_reason": "length"}})
    assert "  The model reached its token limit in turn 0 (finish_reason: length)." in text(None, [cut]).splitlines()
