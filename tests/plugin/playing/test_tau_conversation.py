"""Trials that their tests play step by step: what the fixture ``tau_conversation`` gives."""

from typing import Any

import pytest

from pytest_tau.schema.record import Outcome, TrialRecord
from tests.plugin.inner import journal
from tests.plugin.parts import play

PROJECT = """
import pytest
from pytest_tau import AssistantMessage, ToolCall


class Talker:
    def __init__(self, context):
        self.tools = {tool.name: tool for tool in context.tools}
        self.replies = [
            "What is it about?",
            AssistantMessage(tool_calls=[ToolCall(id="1", name="get_users", arguments={})]),
            AssistantMessage(
                tool_calls=[
                    ToolCall(id="2", name="get_users", arguments={}),
                    ToolCall(id="3", name="create_task", arguments={"user_id": "user_1", "title": "Buy stamps"}),
                ]
            ),
        ]

    async def reply(self, messages):
        return self.replies.pop(0) if self.replies else "It is done."


@pytest.fixture(scope="session")
def tau_agent():
    return Talker


def tau(**marks):
    return pytest.mark.tau(domain="mock", tasks=["add_a_task"], **marks)
"""

TESTS = """
from conftest import tau

@tau()
def test_stops_before_a_call(tau_conversation):
    tau_conversation.until(call="get_users")
    assert tau_conversation.next == "agent" and not tau_conversation.called("get_users")
    tau_conversation.until(call="get_users")
    assert [call.name for call in tau_conversation.waiting] == ["get_users", "create_task"]
    assert tau_conversation.called("get_users") and not tau_conversation.called("create_task", title="Buy stamps")
    tau_conversation.until(call="create_task")
    tau_conversation.let_it_run(1)
    assert tau_conversation.called("create_task", title="Buy stamps")
    assert not tau_conversation.called("create_task", title="x")

@tau()
def test_several_words_in_turns_of_their_own(tau_conversation):
    tau_conversation.say("One").say("Two").until(text="TWO")
    assert [m.text for m in tau_conversation.messages if m.role == "user"] == ["One", "Two"]

@tau()
def test_both_sides_in_my_words(tau_conversation):
    from pytest_tau import ToolCall
    tau_conversation.as_agent(ToolCall(name="get_users", arguments={})).as_user("Bye ###STOP###")
    assert tau_conversation.over and tau_conversation.next is None and not tau_conversation.waiting
    assert tau_conversation.called("get_users") and tau_conversation.finish().value == 0.0

@tau()
def test_wants_the_whole_reward(tau_conversation):
    tau_conversation.finish()
    assert tau_conversation.reward.passed

@tau(k=2)
def test_fails_on_the_way(tau_conversation):
    tau_conversation.until(turns=1)
    assert tau_conversation.called("create_task"), "not yet"

@tau()
def test_ends_before(tau_conversation):
    tau_conversation.until(call="transfer_to_human_agents")

@tau()
def test_has_a_bug(tau_conversation):
    tau_conversation.let_it_run(2)
    tau_conversation.nothing

@tau()
def test_asks_for_two_things(tau_conversation):
    tau_conversation.until(call="x", text="y")

@tau()
def test_asks_for_no_milestone_of_this_task(tau_conversation):
    tau_conversation.until(milestone="moon")

@tau()
def test_never_looks(tau_conversation):
    pass
"""


def by_test(records: list[TrialRecord]) -> dict[str, TrialRecord]:
    return {record.nodeid.partition("::")[2].partition("[")[0]: record for record in records}


def test_step_by_step(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PROJECT)
    pytester.makepyfile(TESTS)
    result = pytester.runpytest("-rA", "--tau-concurrency=2")
    result.assert_outcomes(passed=4, failed=7)
    records = by_test(journal(pytester.path))
    outcomes = {name: record.outcome for name, record in records.items()}
    assert outcomes == {
        "test_stops_before_a_call": Outcome.PASSED,
        "test_several_words_in_turns_of_their_own": Outcome.PASSED,
        "test_both_sides_in_my_words": Outcome.PASSED,
        "test_wants_the_whole_reward": Outcome.MISSED,
        "test_fails_on_the_way": Outcome.MISSED,
        "test_ends_before": Outcome.MISSED,
        "test_has_a_bug": Outcome.ERROR,
        "test_asks_for_two_things": Outcome.ERROR,
        "test_asks_for_no_milestone_of_this_task": Outcome.ERROR,
    }
    played: dict[str, Any] = {name: record.simulation for name, record in records.items()}
    assert played["test_fails_on_the_way"].termination_reason == "test_ended"
    assert len(played["test_fails_on_the_way"].messages) == 2
    reward = records["test_fails_on_the_way"].reward
    assert reward is not None
    assert (reward.value, reward.progress) == (0.0, 0.0)
    assert (played["test_stops_before_a_call"].note, records["test_stops_before_a_call"].reward) == (None, None)
    printed = result.stdout.str()
    assert "- the conversation so far -" in printed
    _, _, verdict = printed.partition("- the verdict -")
    assert "got as far as" in verdict.partition("____")[0] or "lost at" in verdict.partition("____")[0]
    assert printed.count("- the verdict -") == 1  # the others' failures say it themselves
    assert "the conversation ended (user_stop) before a call of transfer_to_human_agents" in printed
    assert "until() takes one of call, text, milestone, turns and when" in printed
    assert "the task has no milestone 'moon'; it has " in printed
    assert "the fixture tau_conversation plays them step by step" in printed


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["here", "workers"])
def test_from_a_recording(pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    pytester.makeconftest(PROJECT)
    pytester.makepyfile(TESTS)
    result = pytester.runpytest(*workers, "-k", "stops_before or fails_on or both_sides")
    result.assert_outcomes(passed=2, failed=2)
    assert sorted(record.outcome for record in journal(pytester.path)) == ["missed", "missed", "passed", "passed"]
    [file] = pytester.path.glob(".tau/2*/journal.jsonl")
    again = play(pytester, "--tau-rescore", str(file))
    again.assert_outcomes(failed=4)  # what was not played to its end is no pass when it is graded again
    assert "ended by test_ended" in "\n".join(again.told)


ENDS = """
from conftest import tau

@tau()
def test_asks_after_the_end(tau_conversation):
    import pytest
    from pytest_tau.errors import SettingsError
    assert tau_conversation.finish().value == 0.0
    for ask in (tau_conversation.say, tau_conversation.as_user, tau_conversation.as_agent):
        with pytest.raises(SettingsError, match=r"comes too late: finish\\(\\) has played"):
            ask("Hello?")
    with pytest.raises(SettingsError, match=r"until\\(\\) comes too late"):
        tau_conversation.until(turns=1)

@tau()
def test_says_after_it_has_let_it_run(tau_conversation):
    tau_conversation.let_it_run()
    tau_conversation.say("One more thing")

@tau()
def test_says_where_it_has_ended_by_itself(tau_conversation):
    tau_conversation.as_user("Bye ###STOP###")
    tau_conversation.say("Or rather, not yet")

@tau()
def test_says_what_nobody_waits_for(tau_conversation):
    tau_conversation.until(turns=1).say("Never heard").say("Nor this")
    tau_conversation.as_user("Bye ###STOP###").finish()

@tau()
def test_acts_where_it_has_ended_by_itself(tau_conversation):
    tau_conversation.as_user("Bye ###STOP###").as_agent("Wait")

@tau()
def test_asks_for_more_after_a_miss(tau_conversation):
    import pytest
    tau_conversation.as_user("Bye ###STOP###")
    with pytest.raises(AssertionError):
        tau_conversation.until(turns=1)
    tau_conversation.until(turns=1)

@tau()
def test_a_fixture_has_played_it(tau_conversation, tau_simulation):
    tau_conversation.until(turns=1)

@tau()
def test_a_fixture_has_played_it_before(tau_reward, tau_conversation):
    pass
"""


def test_what_comes_after_the_end_is_said(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(PROJECT)
    pytester.makepyfile(ENDS)
    result = pytester.runpytest("-rA")
    result.assert_outcomes(passed=1, failed=6, errors=1)
    outcomes = {name: record.outcome for name, record in by_test(journal(pytester.path)).items()}
    assert outcomes == {
        "test_asks_after_the_end": Outcome.PASSED,
        "test_says_after_it_has_let_it_run": Outcome.ERROR,
        "test_says_where_it_has_ended_by_itself": Outcome.MISSED,
        "test_says_what_nobody_waits_for": Outcome.MISSED,
        "test_acts_where_it_has_ended_by_itself": Outcome.MISSED,
        "test_asks_for_more_after_a_miss": Outcome.MISSED,
        "test_a_fixture_has_played_it": Outcome.ERROR,
        "test_a_fixture_has_played_it_before": Outcome.ERROR,
    }
    printed = result.stdout.str()
    assert "say() comes too late: let_it_run() has played the conversation to its end" in printed
    assert "until() comes too late: the fixture tau_simulation or tau_reward has played the conversation to" in printed
    assert "the fixture tau_conversation comes too late: the fixture tau_simulation or tau_reward has played" in printed
    assert "the conversation ended (user_stop) before the customer could say 'Or rather, not yet'" in printed
    assert "the conversation ended (user_stop) before the customer could say 'Never heard'" in printed
    assert "the conversation ended (user_stop) before a turn of the agent" in printed
