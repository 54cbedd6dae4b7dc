"""Customers that think first, are supervised, or reflect."""

import pytest

from pytest_tau.schema.messages import UserMessage
from pytest_tau.users.prompts import HINT, REACT
from pytest_tau.users.react import react_user, response_in
from pytest_tau.users.reflection import reflection_user
from pytest_tau.users.verify import ATTEMPTS, verify_user
from tests.builders import asks, says, task, u_call, user_context
from tests.fake_model import FakeModel, Told, ask, reply

GREETED = [says("Hi!")]


def contents(model: FakeModel) -> list[str]:
    """The last message of every chat."""
    return [str(chat[-1]["content"]) for chat in model.chats]


class TestReact:
    @pytest.mark.parametrize(
        ("written", "response"),
        [
            ("Thought: hm\nUser Response: Hello", "Hello"),
            ("Thought: say User Response: x\nUser Response:\nHello\nyou", "Hello\nyou"),
            ("Thought: not ###STOP### yet\nUser Response: Hello", "Hello"),
            ("Thought: done\nUser Response: ###STOP###", "###STOP###"),
            ("Hello", "Hello"),
            ("Thought: hm", ""),
            ("User Response:", ""),
        ],
    )
    def test_only_the_response_is_said(self, written: str, response: str) -> None:
        assert response_in(written) == response

    def test_the_thought_stays_in_its_own_history(self) -> None:
        model = FakeModel("Thought: hm\nUser Response: Hello")
        user = react_user(model)(user_context(task()))
        said = ask(user, GREETED)
        ask(user, [*GREETED, said, says("Yes?")])
        assert (said.content, said.cost) == ("Hello", 0.25)
        assert REACT in str(model.chats[0][0]["content"])
        assert [entry["content"] for entry in model.chats[1][1:]] == [
            "Hi!",
            "Thought: hm\nUser Response: Hello",
            "Yes?",
        ]

    @pytest.mark.parametrize("told", ["Thought: hm", reply(None, problem="empty"), ""])
    def test_no_response_is_an_empty_message(self, told: Told) -> None:
        said = ask(react_user(FakeModel(told))(user_context(task())), GREETED)
        assert said.empty
        assert said.cost == 0.25

    def test_a_call(self) -> None:
        said = ask(react_user(FakeModel(u_call()))(user_context(task(), "check_notifications")), GREETED)
        assert said.tool_calls == [u_call()]


class TestVerify:
    def said(self, *told: Told) -> tuple[UserMessage, FakeModel]:
        model = FakeModel(*told)
        return ask(verify_user(model)(user_context(task())), GREETED), model

    def test_a_satisfactory_response(self) -> None:
        said, model = self.said("Hello", "True")
        assert (said.content, said.cost) == ("Hello", 0.5)
        (question,) = model.chats[1]
        assert "<response>\nHello\n</response>" in question["content"]
        assert "<transcript>\nAgent: Hi!\n</transcript>" in question["content"]
        assert "Please help me." in question["content"]

    @pytest.mark.parametrize("verdict", ["false", "Not true: false.", "I cannot say", "", "untrue"])
    def test_another_try_at_the_same_chat(self, verdict: str) -> None:
        said, model = self.said("Hello", verdict, "Good day", "I think it is true.")
        assert (said.content, said.cost) == ("Good day", 1.0)
        assert model.chats[2] == model.chats[0]
        assert model.seeds[2] != model.seeds[0]

    def test_the_last_try_stands(self) -> None:
        said, model = self.said("a", "false", "b", "false", "c")
        assert said.content == "c"
        assert len(model.asked) == 2 * ATTEMPTS - 1

    @pytest.mark.parametrize("told", [u_call(), reply(None, problem="empty")])
    def test_what_is_no_text_is_not_supervised(self, told: Told) -> None:
        assert len(self.said(told)[1].asked) == 1


class TestReflection:
    def said(self, *told: Told) -> tuple[UserMessage, FakeModel]:
        model = FakeModel(*told)
        return ask(reflection_user(model)(user_context(task())), [*GREETED, asks("Well"), says("Yes?")]), model

    def test_a_satisfactory_response(self) -> None:
        said, model = self.said("Hello", "true")
        assert (said.content, len(model.asked)) == ("Hello", 2)

    def test_a_better_second_try(self) -> None:
        said, model = self.said("Hello", "false", "Reflection: bad\nResponse: Good day", "Good morning", "true")
        assert (said.content, said.cost) == ("Good morning", 1.25)
        assert model.chats[3] == [*model.chats[0], {"role": "user", "content": HINT + "Good day"}]

    def test_a_second_try_that_is_no_better(self) -> None:
        assert self.said("Hello", "false", "Say more", "Good morning", "false")[0].content == "Hello"

    def test_a_second_try_that_is_no_message(self) -> None:
        said = self.said("Hello", "false", "Say more", reply(None, problem="empty"))[0]
        assert (said.content, said.cost) == ("Hello", 1.0)
