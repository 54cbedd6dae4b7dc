"""The rules of who speaks next, when it counts as a step, and when it is over."""

from typing import Any

import pytest

from pytest_tau.conversation.turns import GREETING, Conversation, Over, RunTools, Speak
from pytest_tau.errors import RecordingError
from pytest_tau.schema.messages import USER_STOP_TOKENS, AnyMessage
from pytest_tau.schema.simulation import Termination
from tests.builders import a_call, asks, result_of, says, u_call

HELLO = says(GREETING)


def conversation(*messages: AnyMessage, **options: Any) -> Conversation:
    return Conversation(messages or [HELLO], **options)


def speaker(talk: Conversation) -> str:
    assert isinstance(talk.turn, Speak), talk.turn
    return talk.turn.role


def seen(talk: Conversation) -> list[AnyMessage]:
    assert isinstance(talk.turn, Speak), talk.turn
    return talk.turn.messages


class TestTurns:
    def test_the_user_answers_the_greeting_which_is_no_step(self) -> None:
        talk = conversation()
        assert (speaker(talk), talk.steps) == ("user", 0)
        talk.receive(asks("Hello"))
        assert (speaker(talk), talk.steps) == ("agent", 1)
        talk.receive(says("Yes?"))
        assert (speaker(talk), talk.steps) == ("user", 2)

    def test_calls_are_run_and_their_caller_goes_on(self) -> None:
        talk = conversation()
        mine = u_call()
        talk.receive(asks(None, mine))
        assert talk.turn == RunTools([mine])
        talk.receive_results([result_of(mine)])
        assert speaker(talk) == "user"
        talk.receive(asks("Look"))
        theirs = a_call()
        talk.receive(says(None, theirs))
        assert talk.turn == RunTools([theirs])
        talk.receive_results([result_of(theirs)])
        assert speaker(talk) == "agent"
        assert talk.steps == 5

    def test_parallel_calls_are_one_step(self) -> None:
        talk = conversation(HELLO, asks("Look"))
        calls = [a_call(id="1"), a_call(id="2"), a_call(id="3")]
        talk.receive(says(None, *calls))
        talk.receive_results([result_of(call) for call in calls])
        assert talk.steps == 2
        assert len(talk.messages) == 6

    def test_text_beside_a_call_is_kept_and_the_call_is_run(self) -> None:
        talk = conversation(HELLO, asks("Look"))
        talk.receive(says("One moment", a_call()))
        assert isinstance(talk.turn, RunTools)
        assert talk.messages[-1] == says("One moment", a_call())

    def test_an_empty_list_of_calls_is_none(self) -> None:
        assert says("Hi").tool_calls is None

    @pytest.mark.parametrize("content", [None, "", " \n"])
    def test_an_empty_message_is_refused(self, content: str | None) -> None:
        with pytest.raises(ValueError, match="the message is empty"):
            conversation().receive(asks(content))

    def test_the_wrong_side_is_refused(self) -> None:
        with pytest.raises(ValueError, match="no message of the assistant is expected now"):
            conversation().receive(says("Me first"))

    def test_no_message_while_calls_wait(self) -> None:
        talk = conversation(HELLO, asks("Look"))
        talk.receive(says(None, a_call()))
        with pytest.raises(ValueError, match="no message of the assistant"):
            talk.receive(says("Anyway"))

    def test_results_must_answer_the_calls_in_order(self) -> None:
        talk = conversation(HELLO, asks("Look"))
        first, second = a_call(id="1"), a_call(id="2")
        talk.receive(says(None, first, second))
        for wrong in ([], [result_of(first)], [result_of(second), result_of(first)]):
            with pytest.raises(ValueError, match="in order"):
                talk.receive_results(wrong)
        assert talk.turn == RunTools([first, second])

    def test_no_results_without_calls(self) -> None:
        talk = conversation()
        with pytest.raises(ValueError, match="waiting calls"):
            talk.receive_results([])
        assert talk.steps == 0


class TestWhatEachSideSees:
    agents, users = a_call(id="a"), u_call(id="u")

    def talk(self, end: AnyMessage) -> Conversation:
        return conversation(
            HELLO,
            asks("I look", self.users),
            result_of(self.users, "inbox"),
            asks("Help"),
            says("Looking", self.agents),
            result_of(self.agents, "data"),
            end,
        )

    def test_the_agent(self) -> None:
        assert [m.content for m in seen(self.talk(asks("And?")))] == [GREETING, "Help", "Looking", "data", "And?"]

    def test_the_user(self) -> None:
        assert [m.content for m in seen(self.talk(says("Done")))] == [GREETING, "I look", "inbox", "Help", "Done"]


class TestStop:
    @pytest.mark.parametrize("token", USER_STOP_TOKENS)
    @pytest.mark.parametrize("text", ["{}", "Thanks {} bye", "{}x"])
    def test_the_users_tokens_anywhere(self, token: str, text: str) -> None:
        talk = conversation()
        talk.receive(asks(text.format(token)))
        assert talk.turn == Over(Termination.USER_STOP)
        assert talk.messages[-1].content == text.format(token)

    @pytest.mark.parametrize("text", ["###stop###", "STOP", "## #STOP###"])
    def test_other_spellings_are_text(self, text: str) -> None:
        talk = conversation()
        talk.receive(asks(text))
        assert speaker(talk) == "agent"

    def test_a_token_beside_a_call_is_ignored(self) -> None:
        talk = conversation()
        talk.receive(asks("###STOP###", u_call()))
        talk.receive_results([result_of(u_call())])
        assert speaker(talk) == "user"

    def test_the_agents_token_is_ignored(self) -> None:
        talk = conversation(HELLO, asks("Hello"))
        talk.receive(says("###STOP### ###TRANSFER###"))
        assert speaker(talk) == "user"

    def test_nothing_is_taken_after_the_end(self) -> None:
        talk = conversation()
        talk.receive(asks("###STOP###"))
        with pytest.raises(ValueError, match="no message"):
            talk.receive(says("Wait"))
        with pytest.raises(ValueError, match="waiting calls"):
            talk.receive_results([])
        talk.end(Termination.TIMEOUT)
        assert (talk.turn, talk.steps) == (Over(Termination.USER_STOP), 1)

    def test_an_end_from_outside_drops_waiting_calls(self) -> None:
        talk = conversation(HELLO, asks("Look"))
        talk.receive(says(None, a_call()))
        talk.end(Termination.TIMEOUT)
        assert talk.turn == Over(Termination.TIMEOUT)


class TestLimits:
    def test_steps(self) -> None:
        talk = conversation(max_steps=2)
        talk.receive(asks("1"))
        assert not talk.over
        talk.receive(says("2"))
        assert talk.turn == Over(Termination.MAX_STEPS)

    def test_calls_get_their_results_before_the_limit_is_looked_at(self) -> None:
        talk = conversation(max_steps=2)
        talk.receive(asks("1"))
        talk.receive(says(None, a_call()))
        assert not talk.over
        talk.receive_results([result_of(a_call())])
        assert (talk.turn, talk.steps) == (Over(Termination.MAX_STEPS), 3)

    def test_a_stop_on_the_limit_is_the_limit(self) -> None:
        talk = conversation(max_steps=1)
        talk.receive(asks("###STOP###"))
        assert talk.turn == Over(Termination.MAX_STEPS)

    def test_errors_add_up_over_both_sides_and_the_whole_conversation(self) -> None:
        talk = conversation(max_errors=3)
        bad, good = u_call(id="bad"), u_call(id="good")
        talk.receive(asks(None, bad, good))
        talk.receive_results([result_of(bad, error=True), result_of(good)])
        talk.receive(asks("Hello"))
        for _ in range(2):
            assert not talk.over
            talk.receive(says(None, a_call()))
            talk.receive_results([result_of(a_call(), error=True)])
        assert (talk.turn, talk.errors) == (Over(Termination.TOO_MANY_ERRORS), 3)

    def test_errors_win_over_steps(self) -> None:
        talk = conversation(HELLO, asks("Look"), max_steps=2, max_errors=1)
        talk.receive(says(None, a_call()))
        talk.receive_results([result_of(a_call(), error=True)])
        assert talk.turn == Over(Termination.TOO_MANY_ERRORS)

    def test_errors_of_the_history_do_not_count(self) -> None:
        failed = result_of(a_call(), error=True)
        talk = conversation(asks("Look"), says(None, a_call()), failed, max_errors=1)
        talk.receive(says("Sorry"))
        assert (talk.errors, talk.over) == (0, False)


class TestHistory:
    @pytest.mark.parametrize(
        ("messages", "role"),
        [
            ([asks("Hi"), says("Yes?")], "user"),
            ([asks("Hi")], "agent"),
            ([asks("Hi"), asks("Anyone?")], "agent"),
            ([asks("Hi"), says(None, a_call()), result_of(a_call())], "agent"),
            ([asks(None, u_call()), result_of(u_call())], "user"),
        ],
    )
    def test_whose_turn_it_is(self, messages: list[AnyMessage], role: str) -> None:
        talk = conversation(*messages)
        assert (speaker(talk), talk.steps, talk.messages) == (role, 0, messages)

    def test_a_user_who_has_stopped(self) -> None:
        assert conversation(says("Hi"), asks("###STOP###")).turn == Over(Termination.USER_STOP)

    def test_an_agent_who_says_a_token_has_not(self) -> None:
        assert speaker(conversation(says("###STOP###"))) == "user"

    def test_all_results_of_a_parallel_call_are_seen_in_order(self) -> None:
        calls = [a_call(id="1"), a_call(id="2")]
        history: list[AnyMessage] = [asks("Hi"), says(None, *calls), *map(result_of, calls)]
        assert seen(conversation(*history)) == history

    @pytest.mark.parametrize("last", [says(None, a_call()), asks(None, u_call())])
    def test_a_call_without_result(self, last: AnyMessage) -> None:
        with pytest.raises(RecordingError, match=r"Tool message expected\. Got None\."):
            conversation(asks("Hi"), last)

    @pytest.mark.parametrize("empty", [says(None), asks(" ")])
    def test_an_empty_message(self, empty: AnyMessage) -> None:
        with pytest.raises(RecordingError, match="neither says nor calls"):
            conversation(asks("Hi"), empty, says("Yes?"))

    def test_no_message_at_all(self) -> None:
        with pytest.raises(RecordingError, match="a greeting or a history"):
            Conversation([])


class TestSolo:
    def solo(self, *messages: AnyMessage, **options: Any) -> Conversation:
        return Conversation(messages, solo=True, **options)

    def test_the_agent_begins_and_its_first_message_is_no_step(self) -> None:
        talk = self.solo()
        assert talk.turn == Speak("agent", [])
        talk.receive(says(None, a_call()))
        assert talk.steps == 0
        talk.receive_results([result_of(a_call())])
        talk.receive(says(None, a_call()))
        assert talk.steps == 2

    def test_done_becomes_a_stop_and_drops_other_calls(self) -> None:
        talk = self.solo()
        talk.receive(says("Bye", a_call("create_task"), a_call("done", id="c2")))
        assert talk.turn == Over(Termination.AGENT_STOP)
        assert talk.messages == [says("###STOP###")]

    @pytest.mark.parametrize(
        ("text", "reason"),
        [("All done ###STOP###", Termination.AGENT_STOP), ("I would like to ask", Termination.AGENT_ERROR)],
    )
    def test_text(self, text: str, reason: Termination) -> None:
        talk = self.solo()
        talk.receive(says(text))
        assert talk.turn == Over(reason)

    def test_a_stop_on_the_limit_is_the_limit(self) -> None:
        talk = self.solo(max_steps=3)
        talk.receive(says(None, a_call()))
        talk.receive_results([result_of(a_call())])
        talk.receive(says(None, a_call()))
        talk.receive_results([result_of(a_call())])
        assert talk.turn == Over(Termination.MAX_STEPS)

    def test_it_goes_on_after_a_history(self) -> None:
        history: list[AnyMessage] = [says(None, a_call()), result_of(a_call())]
        talk = self.solo(*history)
        assert talk.turn == Speak("agent", history)
        talk.receive(says(None, a_call("done")))
        assert talk.steps == 1

    def test_a_history_that_has_stopped(self) -> None:
        assert self.solo(says("###STOP###")).turn == Over(Termination.AGENT_STOP)

    def test_no_user_in_the_history(self) -> None:
        with pytest.raises(RecordingError, match="User messages are not allowed in solo mode"):
            self.solo(asks("Hi"))
