"""Differences as a reviewer tells them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.reports.review import LIMIT, review

LOOK = "assistant: get_users\n"
DONE = 'assistant: update_task_status\n    status: "completed"\n    task_id: "task_1"\n'
OPEN = DONE.replace("completed", "pending")
USER = "user: check_notifications\n"


@pytest.mark.parametrize(
    ("before", "after", "summary", "told"),
    [
        (LOOK + DONE, DONE + LOOK, "1 moved", "moved: assistant: update_task_status (from 2 to 1)"),
        (LOOK + DONE, LOOK + OPEN, "1 changed", "changed: assistant: update_task_status (at 2: status)"),
        (LOOK, LOOK + USER, "1 added", "added: user: check_notifications (at 2)"),
        (LOOK + DONE, DONE, "1 removed", "removed: assistant: get_users (was at 1)"),
        (LOOK, "(no calls)\n", "1 removed", "removed: assistant: get_users (was at 1)"),
        (DONE, OPEN + LOOK + DONE, "2 added", "added: assistant: update_task_status (at 1)"),
        (LOOK, LOOK + LOOK, "1 added", "added: assistant: get_users (at 2)"),
        (
            DONE,
            DONE.replace("status\n", "status -> error\n"),
            "1 changed",
            "changed: assistant: update_task_status -> error (at 1: was assistant: update_task_status)",
        ),
        ("user says\n    a: b\n", "user says\n    c: d\n", "1 changed", "changed: user says (at 1)"),
        (LOOK, LOOK + "\n", "in blanks only", "--- snapshot"),
    ],
)
def test_says_what_became_of_a_call(before: str, after: str, summary: str, told: str) -> None:
    found = review(before, after)
    assert (found.summary, found.lines[0]) == (summary, told)


def test_several_changes_in_the_order_of_the_trial_and_then_line_by_line() -> None:
    found = review(LOOK + DONE + USER, USER + LOOK + OPEN + LOOK)
    assert found.summary == "1 moved, 1 changed, 1 added"
    assert found.lines == [
        "moved: user: check_notifications (from 3 to 1)",
        "changed: assistant: update_task_status (at 3: status)",
        "added: assistant: get_users (at 4)",
        "--- snapshot",
        "+++ this trial",
        "@@ -1,5 +1,6 @@",
        "+user: check_notifications",
        " assistant: get_users",
        " assistant: update_task_status",
        '-    status: "completed"',
        '+    status: "pending"',
        '     task_id: "task_1"',
        "-user: check_notifications",
        "+assistant: get_users",
    ]


def test_is_not_endless_and_safe_for_a_terminal() -> None:
    found = review("x: \x1b[2J\n", "".join(f"assistant: tool_{number}\n" for number in range(1000)))
    cut = found.lines.index("--- snapshot")
    assert len(found.lines) - cut == LIMIT + 1
    assert found.lines[-1].startswith("… (")
    assert "\x1b" not in "".join(found.lines)


BLOCKS = st.lists(st.sampled_from([LOOK, DONE, OPEN, USER]), max_size=8)


@given(BLOCKS, BLOCKS)
def test_every_block_is_accounted_for(before: list[str], after: list[str]) -> None:
    found = review("".join(before), "".join(after))
    told = [line.partition(":")[0] for line in found.lines[: found.lines.index("--- snapshot")]] if found.lines else []
    assert bool(told) == (before != after)
    assert told.count("moved") == 0 or {*before} & {*after}
    assert len(after) - len(before) == told.count("added") - told.count("removed")
