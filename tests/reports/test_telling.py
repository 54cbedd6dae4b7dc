"""A conversation as its agent saw it."""

import json

import pytest

from pytest_tau.reports.telling import Teller, as_entry
from pytest_tau.schema.messages import AnyMessage, AssistantMessage
from tests.builders import a_call, asks, finished, mock, result_of, says, task, u_call

CALL, OTHER, OWN = a_call("get_users"), a_call("get_users", "c2", user_id="é"), u_call()
TALK: list[AnyMessage] = [
    says("Hi!"),
    asks("Who is there?"),
    says(None, CALL, OTHER),
    result_of(CALL, "Anna"),
    result_of(OTHER, "Ben"),
    asks(None, OWN),
    result_of(OWN, "nothing new"),
    says("Anna and Ben.", CALL.model_copy(update={"id": "x"})),
    result_of(CALL, "Anna again"),
    asks("Thanks."),
]


@pytest.fixture
def teller() -> Teller:
    return Teller({"mock": mock()}, {("mock", "t"): task(ticket="Who is there?")})


def test_policy_customer_own_calls_and_their_results(teller: Teller) -> None:
    told = teller.tell(finished(TALK))
    roles = [entry["role"] for entry in told.messages]
    assert roles == ["system", "assistant", "user", "assistant", "tool", "tool", "assistant"]
    assert told.turns == [None, 0, 1, 2, 3, 4, 7]  # not what the customer did, nor what comes after the agent's last
    assert told.messages[0]["content"] == mock().policy_for(solo=False)
    first, second = told.messages[3]["tool_calls"]
    assert (first["id"], second["id"]) == ("call_1", "call_2")  # ids of our own: the providers' are random
    assert second["function"] == {"name": "get_users", "arguments": '{"user_id": "é"}'}
    assert [(one["tool_call_id"], one["content"]) for one in told.messages[4:6]] == [
        ("call_1", "Anna"),
        ("call_2", "Ben"),
    ]
    assert told.messages[-1]["tool_calls"][0]["id"] == "call_3"
    names = {tool["function"]["name"] for tool in told.tools}
    assert "get_users" in names
    assert "check_notifications" not in names


def test_two_that_began_alike_look_so(teller: Teller) -> None:
    renamed = [
        message.model_copy(
            update={"tool_calls": [call.model_copy(update={"id": f"{call.id}_z"}) for call in message.tool_calls]}
        )
        if isinstance(message, AssistantMessage) and message.tool_calls
        else message
        for message in TALK
    ]
    assert teller.tell(finished(renamed)).messages == teller.tell(finished(TALK)).messages


def test_what_the_agent_had_seen_when_it_was_to_speak(teller: Teller) -> None:
    told = teller.tell(finished(TALK))
    assert told.before(2) == told.messages[:3]
    assert told.before(0) == told.messages[:1]
    instead = says("One moment.", CALL)
    assert told.entry(instead, 7) == as_entry(instead, told.messages[:6])
    assert told.entry(instead, 7)["tool_calls"][0]["id"] == "call_3"
    assert told.entry(instead, 2)["tool_calls"][0]["id"] == "call_1"


def test_alone_it_works_from_its_ticket(teller: Teller) -> None:
    done = a_call("done", "d")
    played = finished([says(None, CALL), result_of(CALL, "Anna"), says(None, done)], solo=True)
    told = teller.tell(played)
    assert told.messages[1] == {"role": "user", "content": "Who is there?"}
    assert told.turns == [None, None, 0, 1, 2]
    assert told.messages[0]["content"] == mock().policy_for(solo=True)
    assert teller.domain(played).name == "mock"


def test_a_conversation_in_which_the_agent_said_nothing_has_its_policy_alone(teller: Teller) -> None:
    told = teller.tell(finished([asks("Hello?")]))
    assert [entry["role"] for entry in told.messages] == ["system"]


def test_an_entry_without_calls_has_no_room_for_them() -> None:
    assert as_entry(says("Hi!"), []) == {"role": "assistant", "content": "Hi!"}
    called = as_entry(says(None, OTHER), [{"role": "assistant", "tool_calls": [{}, {}]}])
    assert called["tool_calls"][0]["id"] == "call_3"
    assert json.loads(called["tool_calls"][0]["function"]["arguments"]) == {"user_id": "é"}
