"""The normal form of trajectories: the same for the same behaviour, and one line for each thing that can differ."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau import Attachment, Task, load_tasks, simulate
from pytest_tau.plugin.settings.options import OPTIONS
from pytest_tau.reports.trajectory_text import LEVELS, Level, trajectory_text
from pytest_tau.schema.messages import AnyMessage, ToolCall, UserMessage
from pytest_tau.schema.simulation import Simulation
from tests.builders import a_call, asks, mock, result_of, says, task, u_call
from tests.pictures import strip
from tests.reports.runs import HOSTILE, simulation
from tests.strategies import text

JSON: Any = st.recursive(st.none() | st.booleans() | st.integers() | text(), lambda inner: st.lists(inner))


def text_of(*messages: AnyMessage, level: Level = "tools", of: Task | None = None) -> str:
    played: Simulation = simulation(messages=list(messages))
    return trajectory_text(played, of or task(), mock(), level)


def test_the_levels_are_those_of_the_option() -> None:
    (snapshot,) = (option for option in OPTIONS if option.name == "snapshot")
    assert snapshot.kind.split() == ["one_of", *LEVELS]


def test_calls_of_both_sides_in_order_with_sorted_arguments() -> None:
    write = a_call("update_task_status", task_id="task_1", status="completed")
    look, wrong = u_call("check_notifications"), a_call("get_users", number={"b": 1, "a": [1.0, None, "τ"]})
    text = text_of(
        says("Hello."),
        says(None, write),
        result_of(write),
        asks("I look.", look),
        result_of(look),
        says(None, wrong),
        result_of(wrong, "Error: no", error=True),
    )
    assert text.splitlines() == [
        "assistant: update_task_status",
        '    status: "completed"',
        '    task_id: "task_1"',
        "user: check_notifications",
        "assistant: get_users -> error",
        '    number: {"a": [1.0, null, "τ"], "b": 1}',
    ]


def test_authors_and_hand_overs_show_where_there_are_any() -> None:
    signed = says("Yes.", a_call("get_users")).model_copy(
        update={"author": "list keeper", "handoffs": [{"from": "triage", "to": "list keeper", "reason": "r"}]}
    )
    assert text_of(signed, level="messages").splitlines()[:4] == [
        'hand-over: triage -> "list keeper"',
        'assistant ("list keeper") says',
        "    Yes.",
        'assistant ("list keeper"): get_users',
    ]


def test_no_calls() -> None:
    assert text_of(says("Hello.")) == "(no calls)\n"


def test_words_ids_and_times_do_not_show_in_calls() -> None:
    call = a_call("get_users")
    before = text_of(says("One way.", call), result_of(call, "[]"))
    other = call.model_copy(update={"id": "another"})
    message = says("Another way.", other, cost=3.0).model_copy(update={"timestamp": "2026-01-01T00:00:00"})
    assert text_of(message, result_of(other, '["x"]'), asks("Thanks.")) == before


def test_messages_hold_words_and_the_end() -> None:
    call = a_call("get_users")
    text = text_of(says("Hello.\n\nassistant: get_users", call), result_of(call), asks("Bye."), level="messages")
    assert text.splitlines() == [
        "assistant says",
        "    Hello.",
        "",
        "    assistant: get_users",
        "assistant: get_users",
        "user says",
        "    Bye.",
        "ended: user_stop",
    ]


def test_state_is_what_the_trial_changed_and_not_what_the_task_began_with() -> None:
    initial = {"initialization_data": {"agent_data": {"tasks": {"task_3": {"status": "completed"}}}}}
    write = a_call("update_task_status", task_id="task_1", status="completed")
    add = a_call("create_task", user_id="user_1", title="Buy stamps")
    text = text_of(
        says(None, write, add), result_of(write), result_of(add), level="state", of=task(initial_state=initial)
    )
    assert 'agent: tasks[task_1]\n    status: "pending" -> "completed"\n' in text
    assert "    (record): (absent) -> {" in text
    assert "task_3" not in text
    assert text_of(says("Hello."), level="state", of=task(initial_state=initial)) == "(nothing changed)\n"


def test_state_does_not_depend_on_the_way() -> None:
    there = a_call("update_task_status", task_id="task_1", status="completed")
    back = a_call("update_task_status", task_id="task_1", status="pending")
    text = text_of(says(None, there), result_of(there), says(None, back), result_of(back), level="state")
    assert text == "(nothing changed)\n"


def test_state_when_a_limit_cut_the_last_calls_off() -> None:
    write, never = a_call("update_task_status", task_id="task_1", status="completed"), a_call("get_users", id="c2")
    text = text_of(says(None, write), result_of(write), says(None, never), level="state")
    assert '"pending" -> "completed"' in text
    assert text_of(level="state") == "(nothing changed)\n"


@pytest.mark.parametrize("level", LEVELS)
def test_two_trials_of_the_oracle_are_alike(level: Level) -> None:
    domain = mock()
    for one in load_tasks("mock"):
        first, second = (simulate(one, domain, agent="oracle", user="scripted", trial=trial) for trial in (1, 2))
        assert trajectory_text(first, one, domain, level) == trajectory_text(second, one, domain, level) != ""


@given(st.dictionaries(text(), JSON, max_size=4), text(min_size=1))
def test_equal_calls_give_equal_texts_and_others_do_not(arguments: dict[str, Any], name: str) -> None:
    def text(arguments: dict[str, Any]) -> str:
        call = ToolCall(id="c", name=name, arguments=arguments)
        return text_of(says(None, call), result_of(call))

    turned = dict(reversed(arguments.items()))
    assert text(turned) == text(arguments)
    assert text({**arguments, "extra": 1}) != text({**arguments, "extra": "1"})


@given(text(), text(min_size=1))
def test_no_text_of_a_model_looks_like_a_call(said: str, name: str) -> None:
    call = a_call(name, **{said: said})
    lines = text_of(says(said, call), result_of(call), level="messages").split("\n")
    heads = [line for line in lines if line and not line.startswith("    ")]
    spoken = ["assistant says"] if said.strip() else []
    assert heads[:-1] == [*spoken, heads[-2]]
    assert heads[-2].startswith("assistant: ")


@pytest.mark.parametrize("hostile", HOSTILE)
@pytest.mark.parametrize("level", LEVELS)
def test_hostile_text_is_one_line_without_control_characters(hostile: str, level: Level) -> None:
    call = a_call(hostile, **{hostile: json.loads(json.dumps(hostile))})
    text = text_of(says(hostile, call), result_of(call), level=level)
    assert not {character for character in text if ord(character) < 32} - {"\n", "\t"}
    text.encode()


def test_pictures_are_told_by_name_size_and_hash() -> None:
    one, other = (Attachment.of(strip(word), "note") for word in ("ONE", "TWO"))

    def text(*pictures: Attachment) -> str:
        shown = [UserMessage(content="See.", attachments=list(pictures))]
        return text_of(says("Hi."), *shown, level="messages")

    assert f"user says\n    See.\n    [photo: note.png, 24×64] {(one.sha256 or '')[:12]}\n" in text(one)
    assert text(one) != text(other)
    assert text_of(says("Hi."), UserMessage(attachments=[one]), level="tools") == text_of(level="tools")
