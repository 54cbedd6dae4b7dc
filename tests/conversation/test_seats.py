"""The two players of a trial: what each is told, how they are made, and how they are let go."""

from asyncio import CancelledError
from collections.abc import Callable
from typing import Any

import pytest

from pytest_tau import Task, simulate
from pytest_tau.conversation.protocols import AgentContext, UserContext
from pytest_tau.conversation.seats import PlayerBriefing, Seats
from pytest_tau.conversation.turns import DONE_TOOL, Conversation
from pytest_tau.environment.environment import Environment
from pytest_tau.errors import ConversationOver, PlayerError
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.users.scripted import Scripted
from tests.builders import Lines, a_call, asks, mock, says, task

TASK = task(ticket="Buy stamps.")
SCENARIO = TASK.user_scenario


class Keeps(Lines):
    """A player that remembers what it was made with, and how it was treated."""

    def __init__(self, context: Any) -> None:
        super().__init__(["Hello."])
        self.context = context
        self.closed = 0
        self.resumed: tuple[list[AnyMessage], int] | None = None

    def resume(self, messages: list[AnyMessage], before: int) -> None:
        """Take up a conversation."""
        self.resumed = (messages, before)

    def close(self) -> None:
        """Let go."""
        self.closed += 1


class Server:
    """Serves tools, as far as anybody asks."""

    def __init__(self) -> None:
        self.forgotten: list[str] = []
        self.opened = 0

    def open(self, tools: Any) -> str:
        """An address for each that asks."""
        self.opened += 1
        return f"http://127.0.0.1:9/{self.opened}"

    def forget(self, url: str) -> None:
        """Serve no more."""
        self.forgotten.append(url)


def speak(name: str, reason: str | None) -> None:
    """Nobody listens."""


def run(name: str, arguments: dict[str, Any]) -> str:
    """A call of the agent's own loop."""
    return f"{name} {arguments}"


def seats(
    *,
    env: Environment | None = None,
    user_seed: int | None = None,
    server: Server | None = None,
    user: Callable[[Any], Any] = Keeps,
) -> Seats:
    told = PlayerBriefing(2, 7, user_seed, "a plan", None, "send", server)
    return Seats(TASK, env or mock().environment(), Keeps, user, told)


def begun(made: Seats, visit: int = 1) -> Seats:
    """With both players made."""
    made.begin(visit, SCENARIO, run, speak)
    made.take("agent")
    made.take("user")
    return made


def test_each_side_is_told_what_it_may_know() -> None:
    made = begun(seats(user_seed=9), visit=3)
    agent: AgentContext = made.agent.context
    assert agent is made.context
    assert (agent.task_id, agent.trial, agent.seed, agent.plan, agent.episode) == ("t", 2, 7, "a plan", 3)
    assert agent.ticket is None  # nobody works from it beside a customer
    assert agent.policy == mock().environment().policy
    assert (agent.endpoint, agent.mcp) == (None, None)
    names = [tool.name for tool in agent.tools]
    assert "get_users" in names
    assert DONE_TOOL not in names
    assert agent.tools[0](x=1) == f"{names[0]} {{'x': 1}}"
    user: UserContext = made.user.context
    assert (user.task_id, user.trial, user.seed, user.scenario) == ("t", 2, 9, SCENARIO)
    assert {tool["function"]["name"] for tool in user.tools}.isdisjoint(names)
    assert begun(seats()).user.context.seed == 7


def test_alone_the_agent_has_the_ticket_and_a_way_to_be_done() -> None:
    made = begun(seats(env=mock().environment(solo=True)))
    assert made.user is None
    assert made.context.ticket == "Buy stamps."
    assert [tool.name for tool in made.context.tools][-1] == DONE_TOOL
    assert not made.context.tools[-1].writes


def test_each_conversation_has_a_fresh_agent_and_its_notes_last_as_long_as_the_trial() -> None:
    made = begun(seats())
    first = made.agent
    first.context.memory["noted"] = "stamps"
    begun(made, visit=2)
    assert first.closed == 1
    assert made.agent is not first
    assert made.context.session_id == first.context.session_id
    assert (made.context.episode, made.context.memory) == (2, {"noted": "stamps"})


def test_a_fork_has_empty_seats_other_notes_and_other_players_where_they_are_given() -> None:
    made = begun(seats())
    made.memory["noted"] = ["stamps"]
    other = made.copy(mock().environment(), None, lambda context: Lines(["Other."]))
    assert (other.agent, other.user) == (None, None)
    other.memory["noted"].append("letters")
    assert made.memory == {"noted": ["stamps"]}
    begun(other)
    assert isinstance(other.agent, Keeps)
    assert other.context.session_id != made.context.session_id
    assert other.user.reply([]) == "Other."
    other.close()
    assert made.agent.closed == 0


def test_a_player_that_cannot_be_made_is_told_and_there_is_none() -> None:
    made = seats(user=lambda context: 3)
    made.begin(1, SCENARIO, run, speak)
    with pytest.raises(PlayerError, match="the user factory"):
        made.take("user")
    assert made.user is None


def test_players_who_come_into_the_middle_take_up_what_they_see_of_it() -> None:
    made = begun(seats())
    talk = Conversation([says("Hi!"), asks("Hello?"), says("Yes?")])
    made.take_up(talk, 2)
    for player in (made.agent, made.user):
        messages, before = player.resumed
        assert [message.content for message in messages] == ["Hi!", "Hello?", "Yes?"]
        assert before == 2
    made.user = Lines(["Hello."])  # which cannot
    made.take_up(talk, 2)


def test_what_is_open_is_let_go_of_once() -> None:
    server = Server()
    made = begun(seats(server=server))
    url = made.context.mcp
    assert made.context.mcp == url == "http://127.0.0.1:9/1"
    made.close()
    made.close()
    assert (server.forgotten, made.agent.closed) == ([url], 1)
    with pytest.raises(ConversationOver, match="the trial is over: its tools are not served any more"):
        _ = made.context.mcp
    unasked = begun(seats(server=server))
    unasked.close()
    assert server.forgotten == [url]


@pytest.mark.parametrize("error", [OSError, SystemExit, CancelledError])
def test_an_agent_that_cannot_be_let_go_of_ends_nothing(error: type[BaseException]) -> None:
    made = begun(seats())

    def breaks() -> None:
        raise error("sk-test-0123456789 was in use")

    made.agent.close = breaks
    told = rf"close\(\) of the agent raised {error.__name__}: \[key\] was in use; the trial counts"
    with pytest.warns(UserWarning, match=told):
        made.close()


def test_a_side_keeps_one_copy_of_each_message() -> None:
    """One it may change, and whoever keeps what they have made of a message finds it again."""
    made = seats()
    said: list[AnyMessage] = [says("Hello."), says(None, a_call("get_users", limit=[1]))]
    shown = made.visible_messages("agent", said)
    assert shown == said
    assert shown[0] is not said[0]
    assert made.visible_messages("agent", said)[0] is shown[0]
    assert made.visible_messages("agent", said)[1] is shown[1]
    assert made.visible_messages("user", said)[1] is not shown[1]
    (call,) = shown[1].tool_calls or []  # type: ignore[union-attr]
    call.arguments["limit"].append(2)
    assert said[1] == says(None, a_call("get_users", limit=[1]))


def test_built_in_players_are_shown_the_record_itself() -> None:
    made = seats(user=Scripted)
    made.begin(1, SCENARIO, run, speak)
    made.take("user")
    said: list[AnyMessage] = [says("Hello."), says(None, a_call("get_users", limit=[1]))]
    assert made.visible_messages("user", said)[1] is said[1]


def test_a_customer_is_not_given_the_task_with_its_answers() -> None:
    kept: list[UserContext] = []

    def customer(context: UserContext) -> Lines:
        kept.append(context)
        return Lines(["###STOP###"])

    simulate(task(), mock(), Lines(["Hm"]), customer)
    within = [*vars(kept[0]).values(), *getattr(kept[0].gists, "args", ())]
    assert not any(isinstance(one, Task) for one in within)
