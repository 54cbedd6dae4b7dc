"""A customer who reflects on objections."""

from pytest_tau.schema.messages import UserMessage
from pytest_tau.users.prompts import HINT
from pytest_tau.users.reflection import reflection_user
from tests.builders import asks, says, task, user_context
from tests.fake_model import FakeModel, Told, ask, reply

GREETED = [says("Hi!")]


def said(*told: Told) -> tuple[UserMessage, FakeModel]:
    model = FakeModel(*told)
    return ask(reflection_user(model)(user_context(task())), [*GREETED, asks("Well"), says("Yes?")]), model


def test_a_satisfactory_response() -> None:
    found, model = said("Hello", "true")
    assert (found.content, len(model.asked)) == ("Hello", 2)


def test_a_better_second_try() -> None:
    found, model = said("Hello", "false", "Reflection: bad\nResponse: Good day", "Good morning", "true")
    assert (found.content, found.cost) == ("Good morning", 1.25)
    assert model.chats[3] == [*model.chats[0], {"role": "user", "content": HINT + "Good day"}]


def test_a_second_try_that_is_no_better() -> None:
    assert said("Hello", "false", "Say more", "Good morning", "false")[0].content == "Hello"


def test_a_second_try_that_is_no_message() -> None:
    found = said("Hello", "false", "Say more", reply(None, problem="empty"))[0]
    assert (found.content, found.cost) == ("Hello", 1.0)
