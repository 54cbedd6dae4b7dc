"""Our messages as chats, what models write as values, and what a message costs."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from pytest_tau.llm.chat import Entries, Speaker, json_answer, json_value, prompt_version, raw_output, system, to_chat
from pytest_tau.schema.messages import AnyMessage, AssistantMessage
from pytest_tau.schema.spending import Usage
from tests.builders import a_call, asks, result_of, says, u_call
from tests.fake_model import FakeModel, reply

LOOK = a_call("get_users", "c1", limit=2)
CHECK = u_call("check_notifications", "u1")


class TestToChat:
    def test_for_the_agent(self) -> None:
        other = a_call("get_users", "c2")
        spoken: list[AnyMessage] = [says("Hi"), asks("Hello"), says("Wait", LOOK, other)]
        assert to_chat([*spoken, result_of(LOOK, "[]"), result_of(other, "no")], "assistant") == [
            {"role": "assistant", "content": "Hi"},
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": "Wait",
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "get_users", "arguments": '{"limit": 2}'}},
                    {"id": "c2", "type": "function", "function": {"name": "get_users", "arguments": "{}"}},
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": "[]"},
            {"role": "tool", "tool_call_id": "c2", "content": "no"},
        ]

    def test_for_the_user_the_roles_are_flipped(self) -> None:
        chat = to_chat([says("Hi"), asks("Hello"), asks(None, CHECK), result_of(CHECK, "one")], "user")
        assert [(entry["role"], entry["content"]) for entry in chat] == [
            ("user", "Hi"),
            ("assistant", "Hello"),
            ("assistant", None),
            ("tool", "one"),
        ]

    def test_what_says_nothing_is_left_out(self) -> None:
        assert to_chat([asks("  "), asks(None, CHECK)], "assistant") == []

    def test_a_result_without_text(self) -> None:
        message = result_of(LOOK).model_copy(update={"content": None})
        assert to_chat([message], "assistant")[0]["content"] == ""

    @pytest.mark.parametrize(("raw", "read"), [({"output": "Thought"}, "Thought"), ({"id": "x"}, "Yes"), (None, "Yes")])
    def test_own_words_are_read_as_they_were_written(self, raw: dict[str, Any] | None, read: str) -> None:
        message: AnyMessage = AssistantMessage(content="Yes", raw_data=raw)
        assert to_chat([message], "assistant")[0]["content"] == read
        assert to_chat([message], "user")[0]["content"] == "Yes"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('\n {"a": 1} and more', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Here:\n```\n{"a": 1}```\nDone', {"a": 1}),
        ('```json {"a": 1}```', {"a": 1}),
        ('Here: ```{"a": 1}```', {"a": 1}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('```json\n{"a": "a ```fence``` in a text"}\n```', {"a": "a ```fence``` in a text"}),
        ('{"a": 1}\nIn the form you asked for:\n```\na\n```', {"a": 1}),
        ('{"a": 1}\nFor example:\n```json\n{"a": 2}\n```', {"a": 1}),
        ('[Note] As you wish:\n```json\n{"a": 1}\n```', {"a": 1}),
        ('3 things:\n```json\n{"a": 1}\n```', {"a": 1}),
        ("3 things:\n```\na\n```", None),
        ("[1]", [1]),
        ("a", None),
        ("", None),
        ("{'a': 1}", None),
        ('{"a": NaN}', None),
        ("[" * 100_000, None),
    ],
)
def test_json_value(text: str, value: Any) -> None:
    assert json_value(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('Here is my verdict: {"a": 1}', {"a": 1}),
        ('It called look({"id": 2}) in turn [3], so: {"a": 1}\nI hope that helps.', {"a": 1}),
        ('Here:\n```\nnothing\n```\n{"a": 1}', {"a": 1}),
        ('The verdicts: [{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{"a": 1}\nFor example:\n{"a": 2}', {"a": 1}),
        ('```json\n{"a": 1}\n```\nWait, turn 3 says otherwise:\n```json\n{"a": 2}\n```', {"a": 2}),
        ('First:\n```\n{"a": 1}\n```\nCorrected:\n```\n[{"a": 2}]\n```\nDone.', [{"a": 2}]),
        ('Here:\n```json\n{"a": "```{}```"}\n```\nIt called look({"id": 2}).', {"a": "```{}```"}),
        ('So: {"a": "b\\ud83d"}', {"a": "b?"}),
        ("3 {things}", 3),
        ("No verdict.", None),
        ("{[" * 5_000, None),
    ],
)
def test_json_answer(text: str, value: Any) -> None:
    assert json_answer(text) == value


def test_a_version_names_the_texts() -> None:
    assert prompt_version("a", "b") == prompt_version("a", "b")
    assert len({prompt_version("a", "b"), prompt_version("ab"), prompt_version("a", "c")}) == 3


class TestSpeaker:
    def test_a_message_bears_everything_asked_for_it(self) -> None:
        speaker = Speaker(FakeModel("one"), seed=1, prompts="p")
        for text in "ab":
            asyncio.run(speaker.ask([system(text)]))
        message = speaker.say(AssistantMessage, "Hello")
        assert (message.cost, message.usage) == (0.5, Usage(prompt_tokens=20, completion_tokens=10))
        assert message.generation_time_seconds == 1.0
        assert speaker.say(AssistantMessage, "And").cost == 0

    def test_one_unknown_price_makes_the_sum_unknown(self) -> None:
        speaker = Speaker(FakeModel("one", reply("two", cost=None)), seed=1, prompts="p")
        for text in "ab":
            asyncio.run(speaker.ask([system(text)]))
        message = speaker.say(AssistantMessage, "Hello")
        assert (message.cost, message.usage) == (None, Usage(prompt_tokens=20, completion_tokens=10))

    def test_halves_of_letters_that_no_file_can_hold_are_replaced(self) -> None:
        speaker = Speaker(FakeModel(replace(reply("Hi \ud83d"), thoughts="Hm \ud83d")), seed=None, prompts="1")
        asyncio.run(speaker.ask([]))
        message = speaker.say(AssistantMessage, "Hi \ud83d", raw="Thought: hi \ud83d")
        assert (message.content, raw_output(message), message.thoughts) == ("Hi ?", "Thought: hi ?", "Hm ?")
        assert AssistantMessage.model_validate_json(message.model_dump_json()) == message

    def test_the_same_chat_again_has_another_seed(self) -> None:
        model = FakeModel("one")
        speaker = Speaker(model, seed=7, prompts="p")
        for text in "abab":
            asyncio.run(speaker.ask([system(text)]))
        assert model.seeds == [7, 7, 8, 8]

    def test_no_seed_stays_none(self) -> None:
        model = FakeModel("one")
        asyncio.run(Speaker(model, seed=None, prompts="p").ask([system("a")]))
        assert model.seeds == [None]

    def test_a_problem_becomes_an_empty_message_with_its_price(self) -> None:
        speaker = Speaker(FakeModel(reply("half a", LOOK, problem="no JSON")), seed=1, prompts="p")
        message = speaker.pass_on(AssistantMessage, asyncio.run(speaker.ask([system("a")])))
        assert message.empty
        assert message.cost == 0.25

    def test_parameters_are_those_really_sent(self) -> None:
        sent = reply("one").__class__("one", None, 0.0, None, 0.1, parameters={"temperature": 1.0})
        speaker = Speaker(FakeModel(sent), seed=1, prompts="p")
        assert speaker.parameters == {"model": "fake/model", "temperature": 0.0, "prompts": "p"}
        asyncio.run(speaker.ask([system("a")]))
        assert speaker.parameters == {"model": "fake/model", "temperature": 1.0, "prompts": "p"}


def test_what_was_said_before_is_not_written_again() -> None:
    said: list[AnyMessage] = [says("Hi"), asks("Hello"), says(None, LOOK), result_of(LOOK, "[]")]
    written: Entries = {}
    before = to_chat(said, "assistant", written)
    after = to_chat([*said, says("Well")], "assistant", written)
    assert after == to_chat([*said, says("Well")], "assistant")
    assert [one is other for one, other in zip(before, after, strict=False)] == [True] * 4
