"""Rows of each format, of one conversation that passed and one that missed."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.conversation.view import AgentView
from pytest_tau.reports.chat_rows import chat_row, pair_row
from pytest_tau.reports.telling import AgentChat, Teller
from tau_workshop.dataset.formats import FORMATS, DatasetRows
from tau_workshop.dataset.labels import Labelled
from tests.builders import mock
from tests.workshop.dataset.played import TASK, WRITE, badly, well

TELLER = Teller({"mock": mock()}, {("mock", TASK.id): TASK})


def rows(one: Labelled, name: str) -> list[dict[str, Any]]:
    return [row for _, row in DatasetRows(TELLER).of(one, [name])]


def row(one: Labelled, name: str) -> dict[str, Any]:
    [made] = rows(one, name)
    return made


def told(*lines: str) -> AgentChat:
    return AgentChat([{"role": "user", "content": line} for line in lines], [*range(len(lines))], [{"a": 1}])


class TestChat:
    def test_the_agents_messages_have_a_weight_and_the_greeting_none(self) -> None:
        messages = row(well(), "chat")["messages"]
        weights = [(entry["role"], entry.get("weight")) for entry in messages if entry["role"] == "assistant"]
        assert [weight for _, weight in weights] == [0, 1, 1, 1, 1, 1]
        assert all("weight" not in entry for entry in messages if entry["role"] != "assistant")

    def test_what_broke_a_rule_is_shown_and_not_learnt(self) -> None:
        turns = [replace(label, trainable=label.turn != WRITE) for label in well().turns]
        messages = row(replace(well(), turns=turns), "chat")["messages"]
        assert [entry["weight"] for entry in messages if entry["role"] == "assistant"] == [0, 1, 1, 1, 0, 1]

    def test_only_what_passed(self) -> None:
        assert rows(badly(), "chat") == []

    def test_tools_are_one_text_made_once(self) -> None:
        made = DatasetRows(TELLER)
        first, second = (next(made.of(one, ["chat"]))[1] for one in (well(), replace(well(), id="other")))
        assert json.loads(first["tools"]) == chat_row(TELLER.tell(well().simulation))["tools"]
        assert first["tools"] is second["tools"]


class TestPreferences:
    def test_they_branch_where_the_trial_was_lost(self) -> None:
        pair = row(badly(), "preferences")
        titles = [
            json.loads(pair[side][0]["tool_calls"][0]["function"]["arguments"])["title"]
            for side in ("chosen", "rejected")
        ]
        assert titles == ["Renew the parking permit", "Park"]
        assert pair["prompt"] == TELLER.tell(badly().simulation).before(WRITE)

    def test_there_is_none_where_nothing_was_lost_or_the_oracle_would_do_the_same(self) -> None:
        assert rows(well(), "preferences") == []
        bad = badly()
        messages: list[Any] = bad.simulation.messages
        same = [replace(label, gold=messages[label.turn]) for label in bad.turns]
        assert rows(replace(bad, turns=same), "preferences") == []
        none = [replace(label, gold=None) for label in bad.turns]
        assert rows(replace(bad, turns=none), "preferences") == []


class TestStepwise:
    def test_a_label_for_each_turn_after_the_customers_first(self) -> None:
        good, bad = row(well(), "stepwise"), row(badly(), "stepwise")
        assert good["labels"] == [True] * 5
        assert bad["labels"] == [True, True, True, False, False]
        assert len(bad["completions"]) == 5
        assert bad["prompt"].endswith("user: Please put a new task on my list.\n")

    def test_prompt_and_completions_are_the_whole_conversation(self) -> None:
        made = row(well(), "stepwise")
        text = made["prompt"] + "".join(made["completions"])
        for entry in TELLER.tell(well().simulation).messages:
            assert f"{entry['role']}: {entry['content'] or ''}" in text
        assert 'create_task {"user_id": "user_1", "title": "Renew the parking permit"}' in text

    def test_none_where_it_is_not_known_which_turn_lost_it(self) -> None:
        assert rows(replace(badly(), no_return=None), "stepwise") == []


class TestRewards:
    def test_the_whole_conversation_with_its_grade(self) -> None:
        good, bad = row(well(), "rewards"), row(badly(), "rewards")
        assert (good["label"], good["reward"], good["progress"]) == (True, 1.0, 1.0)
        assert (bad["label"], bad["reward"]) == (False, 0.0)
        assert good["prompt"][-1]["role"] == "user"
        assert good["prompt"] + good["completion"] == TELLER.tell(well().simulation).messages

    def test_none_without_a_grade(self) -> None:
        ungraded = badly().reward.model_copy(update={"value": None})
        assert rows(replace(badly(), reward=ungraded), "rewards") == []


class TestPromptsAndLabels:
    def test_an_episode_can_be_made_of_a_prompt(self) -> None:
        made = row(replace(badly(), id="x", perturbation="typos:0.5", faults="timeout:0.2"), "prompts")
        assert (made["id"], made["domain"], made["task_id"]) == ("x", "mock", TASK.id)
        assert made["seed"] == badly().simulation.seed
        # Other words are in the task beside it; only another view is made anew.
        assert (made["perturb"], made["faults"]) == ("", "timeout:0.2")
        seen = replace(badly(), perturbation="tool_names", view=AgentView())
        assert row(seen, "prompts")["perturb"] == "tool_names"

    def test_labels_say_all_that_is_known(self) -> None:
        good, bad = row(well(), "labels"), row(badly(), "labels")
        assert (good["outcome"], good["fault"], good["no_return"]) == ("passed", None, None)
        assert (bad["outcome"], bad["no_return"]) == ("missed", WRITE)
        assert bad["fault"] is not None
        messages = TELLER.tell(badly().simulation).messages
        for label in bad["turns"]:
            assert messages[label["entry"]]["role"] == "assistant"
            assert (label["gold"] is None) is (label["turn"] > WRITE)


@pytest.mark.parametrize("name", FORMATS)
def test_every_row_can_be_written_and_names_its_conversation(name: str) -> None:
    for one in (replace(well(), id="x"), replace(badly(), id="x")):
        for made in rows(one, name):
            assert json.loads(json.dumps(made)) == made
            assert made["id"].startswith("x")


lines = st.lists(st.sampled_from(["a", "b"]), max_size=5)


@given(lines, lines)
def test_a_pair_branches_where_two_conversations_part(good: list[str], bad: list[str]) -> None:
    pair = pair_row(told(*good), told(*bad))
    shorter = min(len(good), len(bad))
    if good[:shorter] == bad[:shorter]:
        assert pair is None
        return
    assert pair is not None
    assert pair["chosen"][0] != pair["rejected"][0]
    assert pair["prompt"] + pair["chosen"] == told(*good).messages
    assert pair["prompt"] + pair["rejected"] == told(*bad).messages
