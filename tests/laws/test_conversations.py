"""No sequence of events breaks a conversation."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau.conversation.turns import GREETING, Conversation, Over, RunTools, Speak
from pytest_tau.schema.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.schema.transcript import calls_with_results

TEXTS = st.sampled_from([None, "", "Hello", "###STOP###", "a ###TRANSFER### b"])
NAMES = st.lists(st.sampled_from(["get_users", "done", "nope"]), max_size=3)
EVENTS = st.lists(
    st.tuples(st.sampled_from(["agent", "user"]), TEXTS, NAMES)
    | st.tuples(st.just("results"), st.booleans(), st.integers(0, 3))
    | st.tuples(st.just("end"), st.just(None), st.just(None)),
    max_size=25,
)


def feed(talk: Conversation, event: tuple[Any, Any, Any], number: int) -> None:
    kind, first, second = event
    if kind == "end":
        talk.end(Termination.TIMEOUT)
    elif kind == "results":
        waiting = talk.turn.calls if isinstance(talk.turn, RunTools) else []
        # 3 answers all that wait; fewer are mostly wrong and must be refused.
        answered = waiting if second == 3 else waiting[:second]
        talk.receive_results([ToolMessage(id=c.id, content="x", error=first, requestor=c.requestor) for c in answered])
    else:
        side: Any = "assistant" if kind == "agent" else "user"
        made = [ToolCall(id=f"{number}_{i}", name=n, arguments={}, requestor=side) for i, n in enumerate(second)]
        cls = AssistantMessage if kind == "agent" else UserMessage
        talk.receive(cls(content=first, tool_calls=made))


@settings(max_examples=150)
@given(EVENTS, st.booleans(), st.integers(1, 12), st.integers(1, 4))
def test_whatever_happens(events: list[Any], solo: bool, max_steps: int, max_errors: int) -> None:
    opening = [] if solo else [AssistantMessage(content=GREETING)]
    talk = Conversation(opening, solo=solo, max_steps=max_steps, max_errors=max_errors)
    for number, event in enumerate(events):
        before = (talk.turn, talk.steps, talk.errors, list(talk.messages))
        try:
            feed(talk, event, number)
        except ValueError:
            assert (talk.turn, talk.steps, talk.errors, talk.messages) == before  # refused: nothing happened
            continue
        turn, steps, errors, messages = before
        assert not isinstance(turn, Over) or (talk.turn, talk.steps) == (turn, steps)  # over stays over
        assert steps <= talk.steps <= steps + 1
        assert errors <= talk.errors
        assert talk.messages[: len(messages)] == messages
        # Only while calls wait may a limit have been passed.
        assert talk.over or isinstance(talk.turn, RunTools) or (talk.steps < max_steps and talk.errors < max_errors)
        if isinstance(talk.turn, Speak):
            list(calls_with_results(talk.messages))  # every call has its result
            assert set(map(id, talk.turn.messages)) <= set(map(id, talk.messages))
