"""What a player that knows the answers may use of them: only what it has been shown, or told in words."""

from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Task, load_tasks
from pytest_tau.agents.plausible import with_criteria
from pytest_tau.agents.sight import REASON, TOOL, Sight
from pytest_tau.schema.checks import Reason
from pytest_tau.schema.messages import AnyMessage
from tests.builders import asks, mock
from tests.pictures import picture_task


@pytest.fixture
def played(tmp_path: Path) -> Task:
    (found,) = load_tasks(picture_task(tmp_path))
    return found


def deciding(played: Task, *decides: str) -> Task:
    scenario = played.user_scenario
    shown = [one.model_copy(update={"decides": list(decides)}) for one in scenario.attachments or []]
    return played.model_copy(update={"user_scenario": scenario.model_copy(update={"attachments": shown})})


def write_of(played: Task) -> Any:
    return next(one for one in played.gold_actions if mock().environment().writes(one.name))


def test_before_it_has_seen_the_picture_it_guesses(played: Task) -> None:
    write = write_of(played)
    sight = Sight(deciding(played, "title"), mock(), 1)
    guessed = sight.believed_action(write)
    assert sight.guesses == {"title"}
    assert guessed.arguments["title"] != write.arguments["title"]
    assert {**guessed.arguments, "title": write.arguments["title"]} == write.arguments
    assert sight.believed_action(write) == guessed  # who believes something believes it everywhere


def test_once_it_is_shown_or_told_it_knows(played: Task) -> None:
    write, (picture,) = write_of(played), played.user_scenario.attachments or []
    messages: list[AnyMessage] = [
        asks("Here.").model_copy(update={"attachments": [picture]}),
        asks(f"It says: {picture.alt}"),
    ]
    for message in messages:
        sight = Sight(deciding(played, "title"), mock(), 1)
        sight.look([asks("Hello")])
        assert sight.guesses == {"title"}
        sight.look([message])
        assert sight.guesses == set()
        assert sight.believed_action(write) == write


def test_a_reason_and_a_tool_may_be_what_it_decides(played: Task) -> None:
    reason = Reason(check="reason", any_of=["because"])
    explained = with_criteria(played, trajectory=[reason], communicate_info=["7"])
    for decided, told in ((REASON, []), ("title", [reason])):
        criteria = Sight(deciding(explained, decided), mock(), 1).known_task().evaluation_criteria
        assert criteria is not None
        assert criteria.trajectory == told
    # No other tool of the to-do list changes something without arguments.
    assert Sight(deciding(played, TOOL), mock(), 1).believed_action(write_of(played)) == write_of(played)
