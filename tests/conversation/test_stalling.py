"""When a conversation goes round in circles."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from pytest_tau.conversation.stalling import STALL, Circles
from pytest_tau.schema.messages import AnyMessage, AssistantMessage, ToolMessage, UserMessage
from tests.builders import a_call, asks, result_of, says, u_call
from tests.shared import shared


def looked_up(number: int, content: str = "nothing") -> list[AnyMessage]:
    """A look-up, the same each time."""
    call = a_call("get_users", id=f"c{number}")
    return [says(None, call), result_of(call, content)]


def ended_after(parts: Sequence[Sequence[AnyMessage]], most: int | None = 3, writes: Sequence[str] = ()) -> int | None:
    """After how many parts a conversation is ended."""
    watch, messages = Circles(most, lambda name, side: name in writes), list[AnyMessage]()
    for number, part in enumerate(parts, start=1):
        messages += part
        if watch.find(messages) is not None:
            return number
    return None


def test_the_same_call_with_the_same_result() -> None:
    same = [looked_up(number) for number in range(9)]
    assert ended_after(same) == 3
    assert ended_after(same, most=None) is None
    assert ended_after([looked_up(number, f"result {number}") for number in range(9)]) is None


def test_calls_with_the_same_id_are_told_from_each_other() -> None:
    calls = [a_call("get_users"), a_call("get_users", user_id="user_1")]
    parts: list[AnyMessage] = [
        says(None, *calls),
        result_of(calls[0]),
        result_of(calls[1], "no such argument", error=True),
    ]
    watch = Circles(3)
    assert watch.find(parts * 3) == "the agent made the call get_users() 3 times, each with the same result"


def test_calls_that_come_to_a_message_later_are_among_them() -> None:
    watch, messages, told = Circles(3), list[AnyMessage](), list[str | None]()
    for number in range(3):
        calls = [a_call("get_users", id=f"a{number}"), a_call("look", id=f"b{number}")]
        for so_far in (1, 2):  # as an agent's own loop makes them
            messages[4 * number :] = [says("Well."), says(None, *calls[:so_far]), *map(result_of, calls[:so_far])]
            told.append(watch.find(messages))
    assert told == [*[None] * 5, "the agent made the call look() 3 times, each with the same result"]


def test_something_new_begins_the_count_again() -> None:
    new = u_call("check_notifications", id="u1")
    parts: list[list[AnyMessage]] = [
        looked_up(1),
        looked_up(2),
        [asks(None, new), result_of(new)],
        looked_up(3),
        looked_up(4),
        looked_up(5),
    ]
    assert ended_after(parts) == 6


def created(number: int, title: str = "Milk") -> list[AnyMessage]:
    """A change that returns another id each time."""
    call = a_call("create_task", id=f"c{number}", title=title)
    return [says(None, call), result_of(call, f"task_{number}")]


def test_the_same_change_in_a_row_whatever_it_returns() -> None:
    same, told = [created(number) for number in range(9)], [asks("And another one like that.")]
    assert ended_after(same, writes=["create_task"]) == 3
    assert ended_after(same) is None  # a look at what comes next, or a question whether it is done
    call = a_call("get_users", id="f")
    failed: list[AnyMessage] = [says(None, call), result_of(call, "Error: not now", error=True)]
    for between in (told, looked_up(9), created(9, "Bread"), failed):
        assert ended_after([*same[:2], between, *same[2:4]], writes=["create_task"]) is None


def test_the_same_exchange_in_nearly_the_same_words() -> None:
    polite: list[AnyMessage] = [
        says("You are welcome! Have a nice day."),
        asks("Thank you very much for all of your help!"),
    ]
    other: list[AnyMessage] = [says("You are welcome; have a nice day"), asks("Thank you very much for all your help")]
    assert ended_after([polite, other, polite, other]) == 3
    assert ended_after([[says(f"Question {word}?"), asks("Yes.")] for word in "abcdefgh"]) is None


def test_it_says_who_repeats() -> None:
    watch = Circles(2)
    assert watch.find([*looked_up(1), *looked_up(2)]) == (
        "the agent made the call get_users() 2 times, each with the same result"
    )
    echo: list[AnyMessage] = [says("Hello there, my dear friend."), asks("Hello there, my dear friend.")]
    told = Circles(2).find([*echo, *echo])
    assert told is not None
    assert told.startswith("the customer said what the agent had said, in the same exchange 2 times")


RECORDED = (
    *(f"recordings/tau2_airline_{agent}.json" for agent in ("gpt41", "gpt5", "opus46", "sonnet45")),
    *(f"recordings/tau2_retail_{agent}.json" for agent in ("gpt41", "gpt41_tuned", "gpt5")),
    *(f"recordings/tau2_telecom_{agent}.json" for agent in ("gpt41", "gpt41_tuned")),
    *(f"samples/tau2_results_{domain}.json" for domain in ("airline", "retail")),
)
KINDS: dict[str, type[AnyMessage]] = {"assistant": AssistantMessage, "user": UserMessage, "tool": ToolMessage}


def recorded() -> Iterator[tuple[str, float, list[AnyMessage]]]:
    """Task, reward and conversation of each recorded run."""
    for name in RECORDED:
        content: dict[str, Any] = json.loads(shared(name).read_text(encoding="utf-8"))
        for run in content["simulations"]:
            messages = [KINDS[one["role"]].model_validate(one) for one in run["messages"] if one["role"] in KINDS]
            yield run["task_id"], (run["reward_info"] or {}).get("reward") or 0.0, messages


@pytest.mark.slow
def test_no_recorded_run_that_passed_is_ended_and_the_one_that_loops_is() -> None:
    runs = [*recorded()]
    ended = [(task, reward) for task, reward, messages in runs if circles(STALL).find(messages) is not None]
    assert [reward for _, reward in ended] == [0.0]
    assert ended[0][0].startswith("[mobile_data_issue]airplane_mode_on|data_mode_off|data_saver_mode_on")
    most = max(ended_by(messages) for _, reward, messages in runs if reward == 1.0)
    assert most == 5  # what the module says of the default


def circles(most: int) -> Circles:
    """The strictest: as if every tool could change the world."""
    return Circles(most, lambda name, side: True)


def ended_by(messages: Sequence[AnyMessage]) -> int:
    """The largest number of repetitions that still ends a conversation."""
    return max((most for most in range(2, 10) if circles(most).find(messages) is not None), default=1)


@pytest.mark.parametrize("most", [2, 8])
def test_messages_are_read_once(most: int) -> None:
    watch, messages = Circles(most), [*looked_up(1)]
    for _ in range(20):
        assert watch.find(messages) is None
