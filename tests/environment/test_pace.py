"""Virtual time, read off messages."""

from dataclasses import replace

import pytest

from pytest_tau.environment import DomainSpec, Pace
from pytest_tau.environment.pace import seconds_of_each
from pytest_tau.environment.toolkit import Toolkit, tool, tools_of
from tests.builders import CREATE, a_call, asks, mock, played_calls, result_of, says

PACE = Pace(reads=2, writes=4, other=1, agent=3, agent_word=0.5, customer=5, customer_word=1)
DOMAIN = replace(mock(), spec=replace(mock().spec, pace=PACE))


def seconds(*messages: object) -> float:
    return sum(seconds_of_each(list(messages), DOMAIN.environment()))  # type: ignore[arg-type]


def test_words() -> None:
    assert seconds(says("One two")) == 4.0
    assert seconds(asks("One two")) == 7.0
    assert seconds_of_each([asks("One two"), says("One")], DOMAIN.environment()) == (3.5, 7.0)


def test_calls_by_what_they_do() -> None:
    calls = [a_call(), a_call("create_task", **CREATE), a_call("transfer_to_human_agents", summary="x"), a_call("none")]
    assert seconds(*played_calls(mock(), *calls)) == 2 + 4 + 1 + 0


def test_look_ups_side_by_side_count_once() -> None:
    two = [a_call(id="1"), a_call(id="2")]
    both = [says(None, *two), *(result_of(call) for call in two)]
    assert seconds(*both) == 2
    write = a_call("create_task", id="3", **CREATE)
    assert seconds(says(None, *two, write, write.model_copy(update={"id": "4"}))) == 2 + 4 + 4


def test_a_tool_may_say_its_own() -> None:
    class Slow(Toolkit):
        @tool(reads=True, seconds=60)
        def search(self) -> str:
            """Search."""
            return ""

    assert tools_of(Slow)["search"].seconds == 60


@pytest.mark.parametrize("spec", [DomainSpec(tools=Toolkit)])
def test_there_is_a_pace_where_nobody_says_one(spec: DomainSpec) -> None:
    assert spec.pace == Pace()
