"""What is seen of an episode: by its agent at its turn, and by whoever trains it."""

import json
from typing import Any

import pytest

from pytest_tau import Episode, load_domain
from pytest_tau.schema.messages import AssistantMessage
from tests.builders import CREATE, Lines, a_call, action, asks, core, mock, says, task, u_call
from tests.episode.episodes import STOP, some_lines

TIDY = {"actions": [action("create_task", **CREATE)], "reward_basis": ["DB"]}


def begun(user: Any = ("Hi", "And?", STOP), **fields: Any) -> Episode:
    """An episode at its agent's first turn."""
    episode = Episode(task(**fields), mock(), lambda context: Lines(user))
    episode.reset()
    return episode


def test_what_is_seen() -> None:
    episode = some_lines((asks(None, u_call()), "Well?", STOP))
    observation = episode.reset()
    assert [message.role for message in observation.messages] == ["assistant", "user"]
    assert {tool["function"]["name"] for tool in observation.tools} >= {"create_task", "get_users"}
    assert observation.policy == mock().policy
    assert observation.chat[0]["role"] == "system"
    assert "Well?" in episode.prompt()
    assert episode.prompt() == observation.prompt()
    _, reward, done, info = episode.step("Done")
    assert (reward, done, info["termination"]) == (1.0, True, "user_stop")
    assert info["cost"] == {"agent": None, "user": None}
    assert set(info) >= {"steps", "errors", "termination", "cost", "progress", "milestones", "violations", "reward"}
    assert len(info) == len(dict(info))
    assert "user_stop" in repr(info)


def test_what_info_says_stays_that_of_its_step() -> None:
    episode = some_lines(("Hi", "And?", STOP))
    episode.reset()
    first = episode.step("Hm")[3]
    last = episode.step("Hm")[3]
    episode.reset()
    assert (first["steps"], first["termination"], first["reward"]) == (3, None, None)
    assert (last["steps"], last["termination"]) == (5, "user_stop")


def test_a_rule_broken_on_the_way_is_told_at_once() -> None:
    retail = load_domain("retail")
    played = next(one for one in core("retail") if one.id == "cancel_order_pending" or one.gold_actions)
    episode = Episode(played, retail)
    episode.reset()
    write = next(a for a in played.gold_actions if retail.environment().writes(a.name))
    info = episode.step(a_call(write.name, **write.arguments))[3]
    assert "consent" in {one.dimension for one in info["violations"]}
    assert all(one.turn is not None for one in info["violations"])


class TestWhatTheAgentSees:
    def test_the_chat_is_the_system_prompt_and_the_agents_side_of_the_conversation(self) -> None:
        episode = begun()
        observation, *_ = episode.step(a_call("create_task", **CREATE))
        roles = [message["role"] for message in observation.chat]
        assert roles == ["system", "assistant", "user", "assistant", "tool"]
        assert mock().policy in str(observation.chat[0]["content"])
        call = observation.chat[3]["tool_calls"][0]["function"]
        assert (call["name"], json.loads(call["arguments"])) == ("create_task", CREATE)

    def test_the_prompt_ends_where_the_agent_goes_on(self) -> None:
        prompt = begun().observation.prompt()
        assert mock().policy in prompt
        assert prompt.endswith("user: Hi\n\nassistant:")

    def test_the_prompt_tells_of_calls_and_their_results(self) -> None:
        observation, *_ = begun().step(a_call("create_task", **CREATE))
        prompt = observation.prompt()
        assert prompt.index("create_task", prompt.index("user: Hi")) < prompt.rindex("Buy stamps")
        assert prompt.endswith("assistant:")

    def test_the_customers_own_calls_are_not_seen(self) -> None:
        observation = begun((asks(None, u_call()), "Well?", STOP)).observation
        assert "check_notifications" not in str(observation.chat[1:])


class TestInfo:
    def test_what_went_wrong_is_counted(self) -> None:
        info = begun().step(a_call("create_task", user_id="nobody", title="x"))[3]
        assert (info["errors"], info["steps"]) == (1, 3)

    def test_progress_and_milestones_while_it_is_played(self) -> None:
        episode = begun(criteria=TIDY)
        assert (episode.info["progress"], episode.info["reward"]) == (0.0, None)
        info = episode.step(a_call("create_task", **CREATE))[3]
        assert info["progress"] == 1.0
        assert [status.turn for status in info["milestones"]] == [2]
        assert (info["reward"], info["termination"]) == (None, None)

    def test_the_grade_at_its_end(self) -> None:
        episode = begun(("Hi", STOP), criteria=TIDY)
        reward, done, info = episode.step("Done!")[1:]
        assert (reward, done, info["reward"].value, info["progress"]) == (0.0, True, 0.0, 0.0)
        assert info["reward"] is info["reward"]

    def test_a_rule_about_what_is_still_to_be_done_is_not_broken_before_the_end(self) -> None:
        called = {"check": "called", "name": "create_task"}
        episode = begun(("Hi", "And?", STOP), criteria={"trajectory": [called], "reward_basis": ["TRAJECTORY"]})
        assert episode.step("Hm")[3]["violations"] == []
        assert [one.turn for one in episode.step("Hm")[3]["violations"]] == [None]

    def test_costs_of_each_side(self) -> None:
        episode = begun((asks("Hi", cost=0.5), asks(STOP, cost=0.25)))
        message: AssistantMessage = says("Well", cost=1.5)
        info = episode.step(message)[3]
        assert info["cost"] == {"agent": 1.5, "user": 0.75}

    def test_it_is_a_mapping_of_what_it_names(self) -> None:
        info = begun().info
        assert list(info) == [*dict(info)]
        assert "nothing" not in info
        with pytest.raises(KeyError, match="nothing"):
            _ = info["nothing"]
