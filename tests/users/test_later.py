"""What a customer says only later, whoever plays them: at its moment, in its order, once."""

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_tau import Task, UserContext, grade, simulate
from pytest_tau.llm.protocol import ChatMessage, ModelReply
from pytest_tau.schema.messages import AnyMessage, UserMessage
from pytest_tau.schema.scenario import UserScenario
from pytest_tau.users.llm import llm_user
from pytest_tau.users.scripted import CONFIRM_CUE, Scripted
from tests.builders import CREATE, action, mock, says, task
from tests.fake_model import FakeModel, reply

WAIT = "Wait, call it something else."
NEXT = "One more thing: please tell me how many tasks I have."
LATER = [
    {"when": "proposed", "about": "the new task", "say": WAIT, "before": "create_task"},
    {"when": "done", "say": NEXT},
]


def played(later: list[dict[str, Any]]) -> Task:
    instructions = {"domain": "mock", "reason_for_call": "A new task, please.", "task_instructions": "Be brief."}
    criteria = {"actions": [action("create_task", **CREATE)], "reward_basis": ["DB"]}
    return task(criteria=criteria, user_scenario={"instructions": {**instructions, "later": later}})


def customer(later: list[dict[str, Any]]) -> Scripted:
    return Scripted(UserContext("t", 1, 1, played(later).user_scenario))


def answers(user: Scripted, *lines: str) -> list[str]:
    messages: list[AnyMessage] = []
    found = [user.reply(messages).text]
    for line in lines:
        messages.append(says(line))
        found.append(user.reply(messages).text)
    return found[1:]


def test_a_change_of_mind_answers_the_proposal_and_the_next_one_gets_the_yes() -> None:
    proposal = f"I will create it. {CONFIRM_CUE}"
    assert answers(customer(LATER), proposal, proposal, "It is done.", "Three tasks. Anything else?") == [
        WAIT,
        "Yes, please go ahead.",
        NEXT,
        "Thank you, that is all. ###STOP###",
    ]


ABOUT_2 = {
    "when": "proposed", "about": "the end of task_2", "say": "Keep task_2.",
    "proposal": action("update_task_status", task_id="task_2", status="completed"),
}  # fmt: skip


@pytest.mark.parametrize("proposal", [
    "I will close task_2.", "I will close task_1 and task_2.", "I will close both.", "I will close what took 123456.",
])  # fmt: skip
def test_a_change_of_mind_answers_a_proposal_that_can_be_about_it(proposal: str) -> None:
    one = {**ABOUT_2, "say": "Keep task_2, but close task_1."}
    assert answers(customer([one]), f"{proposal} {CONFIRM_CUE}") == [one["say"]]


def test_a_proposal_about_another_record_of_theirs_comes_before_the_change_of_mind() -> None:
    one = {**ABOUT_2, "say": "Keep task_2, but close task_1."}
    heard = answers(customer([one]), f"I will close task_1. {CONFIRM_CUE}", f"And now task_2. {CONFIRM_CUE}")
    assert heard == ["Yes, please go ahead.", one["say"]]


def test_a_change_of_mind_about_what_is_never_proposed_is_passed_over() -> None:
    assert answers(customer(LATER), "That cannot be done.", "Three. Next?") == [
        NEXT,
        "Thank you, that is all. ###STOP###",
    ]


def test_a_next_wish_waits_until_all_is_settled() -> None:
    asked = answers(customer(LATER[1:]), "What is your name?", f"So? {CONFIRM_CUE}", "Done.")
    assert asked == [
        "I have told you what I know. Yes, please go ahead with what I asked for.",
        "Yes, please go ahead.",
        NEXT,
    ]


@pytest.mark.parametrize("later", [LATER, LATER[1:], LATER[:1]])
def test_the_oracle_lets_everything_be_said(later: list[dict[str, Any]]) -> None:
    one = played([{**later[0], "proposal": action("create_task", user_id="user_1", title="Old")}, *later[1:]])
    if later[0]["when"] == "done":
        one = played(later)
    simulation = simulate(one, mock())
    said = [message.text for message in simulation.messages if isinstance(message, UserMessage)]
    assert [line["say"] for line in later] == [text for text in said if text in (WAIT, NEXT)]
    assert grade(one, simulation, mock()).passed


def test_what_comes_later_is_in_the_scenario_that_a_model_reads() -> None:
    text = played(LATER).user_scenario.render()
    assert "Later, in this order:" in text
    assert "1. When the agent has set out the new task and asks for your agreement, do not agree." in text
    assert f'Say: "{WAIT}"' in text
    assert f'say: "{NEXT}"' in text
    assert "create_task" not in text  # what the oracle needs is not for the customer


def test_who_says_nothing_later_has_the_scenario_of_the_public_data() -> None:
    assert "Later" not in UserScenario.model_validate({"instructions": {
        "domain": "mock", "reason_for_call": "a", "task_instructions": "b"}}).render()  # fmt: skip


class Reader(FakeModel):
    """A model that does what its prompt says: changes its mind at the first proposal, then goes on to the next wish."""

    async def complete(self, messages: Sequence[ChatMessage], **options: Any) -> ModelReply:
        prompt, heard = str(messages[0]["content"]), str(messages[-1]["content"])
        told = [str(message["content"]) for message in messages if message["role"] == "assistant"]
        if CONFIRM_CUE in heard:
            return reply(WAIT if WAIT in prompt and WAIT not in told else "Yes, please go ahead.")
        if not told:
            return reply("A new task, please.")
        return reply(NEXT if NEXT in prompt and NEXT not in told else "Bye. ###STOP###")


def test_a_model_that_reads_its_prompt_plays_it() -> None:
    one = played([{**LATER[0], "proposal": action("create_task", user_id="user_1", title="Old")}, LATER[1]])
    simulation = simulate(one, mock(), user=llm_user(Reader()))
    said = [message.text for message in simulation.messages if isinstance(message, UserMessage)]
    assert said == ["A new task, please.", WAIT, "Yes, please go ahead.", NEXT, "Bye. ###STOP###"]
    assert grade(one, simulation, mock()).passed
