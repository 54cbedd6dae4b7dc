"""Several conversations in one trial, customers who interrupt and customers who leave."""

import asyncio
from typing import Any

import pytest

from pytest_tau import AssistantMessage, Task, ToolCall, grade, simulate
from pytest_tau.agents.prompts import oracle_plan
from pytest_tau.clock import monotonic, standing_still
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.protocols import AgentContext
from pytest_tau.conversation.run import converse
from pytest_tau.conversation.trial import Trial
from pytest_tau.conversation.turns import GREETING, Conversation
from pytest_tau.diagnosis.faults import find_fault
from pytest_tau.diagnosis.user_audit import user_audit
from pytest_tau.environment.environment import ToolResult
from pytest_tau.environment.task_problems import task_problems
from pytest_tau.llm import backend
from pytest_tau.schema.messages import AnyMessage, UserMessage
from pytest_tau.schema.record import FaultKind
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import CREATE, Lines, a_call, action, asks, mock, result_of, says, task

DONE = {"task_id": "task_1", "status": "completed"}
TWO_EPISODES: dict[str, Any] = {
    "user_scenario": {"instructions": "Add a task to buy stamps."},
    "episodes": [{"user_scenario": {"instructions": "Please note that I have watered the plants."}, "before": "done"}],
}
GOLD = {"actions": [action("create_task", **CREATE), {**action("update_task_status", **DONE), "action_id": "done"}]}


def visited(**fields: Any) -> Task:
    return task(criteria=GOLD, **TWO_EPISODES, **fields)


class Noting:
    """An agent that keeps notes from one conversation to the next."""

    seen: list[tuple[int, dict[str, Any], list[AnyMessage]]]

    def __init__(self, context: AgentContext) -> None:
        self.context = context

    def reply(self, messages: list[AnyMessage]) -> str:
        self.context.memory.setdefault("first words", messages[-1].content)
        type(self).seen.append((self.context.episode, dict(self.context.memory), messages))
        return "All right."


class TestFollowUps:
    def test_the_oracle_solves_both(self) -> None:
        played = simulate(visited(), mock())
        reward = grade(visited(), played, mock())
        assert (reward.passed, reward.progress) == (True, 1.0)
        [begin] = played.episodes
        assert played.messages[begin].content == GREETING
        assert "###STOP###" in (played.messages[begin - 1].content or "")
        assert played.termination_reason is Termination.USER_STOP
        assert user_audit(visited(), played, mock()) == []

    def test_a_later_agent_sees_its_own_conversation_and_its_notes(self) -> None:
        Noting.seen = []
        played = simulate(visited(), mock(), agent=Noting)
        episodes = [episode for episode, _, _ in Noting.seen]
        assert set(episodes) == {1, 2}
        second = next(one for one in Noting.seen if one[0] == 2)
        assert second[1] == {"first words": "Add a task to buy stamps."}
        assert [message.content for message in second[2]] == [GREETING, "Please note that I have watered the plants."]
        assert len(played.episodes) == 1

    @pytest.mark.parametrize(
        ("plan", "told"), [("Do it.", ["Do it."] * 2), (oracle_plan, ["create_task", "update_task_status"])]
    )
    def test_a_plan_is_a_text_for_all_or_made_for_each(self, plan: Any, told: list[str]) -> None:
        contexts: list[AgentContext] = []

        def agent(context: AgentContext) -> Lines:
            contexts.append(context)
            return Lines(["All right."])

        simulate(visited(), mock(), agent=agent, plan=plan)
        assert [context.plan.count("\n") for context in contexts if context.plan] == [0, 0]
        assert all(part in (context.plan or "") for part, context in zip(told, contexts, strict=True))

    def test_notes_belong_to_a_trial(self) -> None:
        Noting.seen = []
        for _ in range(2):
            simulate(visited(), mock(), agent=Noting)
        assert all(notes == {"first words": "Add a task to buy stamps."} for _, notes, _ in Noting.seen)

    def test_it_ends_early_when_a_limit_is_reached(self) -> None:
        played = simulate(visited(), mock(), agent=lambda c: Lines(["Hm?"]), limits=Limits(max_steps=4))
        assert (played.termination_reason, played.episodes) == (Termination.MAX_STEPS, [])

    def test_a_customer_with_nothing_to_go_on_with_ends_the_trial_and_is_at_fault(self) -> None:
        lost = lambda c: Lines(["I do not know. ###OUT-OF-SCOPE###"])  # noqa: E731
        played = simulate(visited(), mock(), agent=lambda c: Lines(["Which task?"]), user=lost)
        assert (played.termination_reason, played.episodes) == (Termination.USER_STOP, [])
        fault = find_fault(visited(), played, grade(visited(), played, mock()), mock())
        assert fault is not None
        assert (fault.kind, fault.turn) == (FaultKind.USER_FAULT, len(played.messages) - 1)

    def test_what_each_customer_says_is_no_circle(self) -> None:
        others = [{"user_scenario": {"instructions": "Hi"}}] * 4
        played = simulate(
            task(episodes=others),
            mock(),
            agent=lambda c: Lines(["No."]),
            user=lambda c: Lines(["Is it open?", "Thanks. ###STOP###"]),
            limits=Limits(stall=3),
        )
        assert (played.termination_reason, len(played.episodes)) == (Termination.USER_STOP, 4)

    def test_a_recording_can_be_taken_over(self) -> None:
        played = simulate(visited(), mock())
        for end in (played.episodes[0], played.episodes[0] + 3, len(played.messages)):
            trial = Trial(
                visited(),
                mock().environment(),
                lambda c: Lines(["Hm"]),
                lambda c: Lines(["Bye ###STOP###"]),
                trial=1,
                seed=1,
                limits=Limits(),
            )
            trial.follow(played.messages[1:end])
            converse(trial)
            assert trial.conversation.episodes == played.episodes

    def test_each_customer_is_identified_by_themselves(self) -> None:
        check = {"check": "identified", "by": ["get_users"], "needed_for": ["create_task", "update_task_status"]}
        twice = {"actions": [action("get_users"), *GOLD["actions"]], "trajectory": [check]}
        wanted = task(criteria={**twice, "reward_basis": ["TRAJECTORY"]}, **TWO_EPISODES)
        reward = grade(wanted, simulate(wanted, mock()), mock())
        [result] = [one for one in reward.results if one.criterion == "TRAJECTORY"]
        [broken] = [one for one in result.checks if not one.met]
        assert "before the customer was identified" in broken.explanation

    def test_a_visit_before_no_gold_action_is_a_fault_of_the_task(self) -> None:
        wrong = task(
            criteria=GOLD,
            user_scenario={"instructions": "Hi", "interrupts": [{"after_call": "nothing", "say": "Hm"}]},
            episodes=[{"user_scenario": {"instructions": "Hi"}, "before": "dome"}],
        )
        assert list(task_problems(wrong, mock())) == [
            "episodes[0].before: there is no gold action 'dome' (did you mean 'done'?)",
            "user_scenario.interrupts[0]: there is no assistant tool 'nothing'",
        ]

    @pytest.mark.parametrize(("looked_up_in", "met"), [(1, False), (2, True)])
    def test_customers_are_identified_in_each_conversation_that_needs_it(self, looked_up_in: int, met: bool) -> None:
        create, done = GOLD["actions"]
        look = action("get_users")
        # Only the second conversation does what the customer has to be known for.
        actions = [look, create, done] if looked_up_in == 1 else [create, {**look, "action_id": "look"}, done]
        follow_ups = [{**TWO_EPISODES["episodes"][0], "before": "done" if looked_up_in == 1 else "look"}]
        known = {"check": "identified", "by": ["get_users"], "needed_for": ["update_task_status"]}
        criteria = {"actions": actions, "trajectory": [known], "reward_basis": ["DB", "TRAJECTORY"]}
        wanted = task(criteria=criteria, user_scenario=TWO_EPISODES["user_scenario"], episodes=follow_ups)
        assert grade(wanted, simulate(wanted, mock()), mock()).passed is met

    def test_the_state_machine_begins_again_only_after_a_stop(self) -> None:
        with pytest.raises(ValueError, match="not been ended"):
            Conversation([AssistantMessage(content="Hi")]).begin_again(AssistantMessage(content="Hi"))


def interrupted(*says: str, after: str = "get_users") -> Task:
    scenario = {
        "instructions": "Add a task to buy stamps.",
        "interrupts": [{"after_call": after, "say": words} for words in says],
    }
    return task(
        criteria={"actions": [action("get_users"), action("get_users"), *GOLD["actions"]]}, user_scenario=scenario
    )


class TestInterrupts:
    def test_between_two_calls_of_one_turn(self) -> None:
        played = simulate(interrupted("And hurry, please!"), mock())
        shown = [type(m).__name__ + (f" {m.content}" if isinstance(m, UserMessage) else "") for m in played.messages]
        assert shown[3:7] == [
            "ToolMessage",
            "UserMessage And hurry, please!",
            "AssistantMessage",
            "ToolMessage",
        ]
        assert shown.count("UserMessage And hurry, please!") == 1
        assert grade(interrupted("And hurry, please!"), played, mock()).passed

    def test_an_agent_with_a_loop_of_its_own_is_interrupted_as_well(self) -> None:
        class Looping:
            def __init__(self, context: AgentContext) -> None:
                self.tools = {tool.name: tool for tool in context.tools}

            def reply(self, messages: list[AnyMessage]) -> str:
                self.tools["get_users"]()
                self.tools["get_users"]()
                return "Done."

        played = simulate(interrupted("Hurry!", "Please!"), mock(), agent=Looping)
        assert [m.content for m in played.messages if isinstance(m, UserMessage)][:2] == [
            "Add a task to buy stamps.",
            "Hurry! Please!",
        ]

    def test_a_customer_may_leave_by_it(self) -> None:
        played = simulate(interrupted("Too slow. ###STOP###"), mock())
        assert played.termination_reason is Termination.USER_STOP
        assert played.messages[-1].content == "Too slow. ###STOP###"

    def test_only_while_the_agent_works(self) -> None:
        talk = Conversation([says("Hi")])
        with pytest.raises(ValueError, match="cannot interrupt"):
            talk.interrupt(asks("Wait"))
        call = a_call()
        talk.receive(asks("Hello"))
        talk.receive(says(None, call))
        with pytest.raises(ValueError, match="cannot interrupt"):
            talk.interrupt(asks("Wait"))
        talk.receive_results([result_of(call)])
        talk.interrupt(asks("Wait"))
        assert talk.steps == 4


class TestPatience:
    def left(self, **patience: Any) -> Simulation:
        impatient = task(criteria=GOLD, user_scenario={"instructions": "Hi", "patience": patience})
        played = simulate(impatient, mock(), agent=lambda context: Lines(["Let me think about that for a moment?"]))
        reward = grade(impatient, played, mock())
        fault = find_fault(impatient, played, reward, mock())
        if played.termination_reason is Termination.USER_LEFT:
            assert (reward.value, fault and fault.kind.label) == (0.0, "customer left")
        return played

    def test_after_so_many_turns(self) -> None:
        played = self.left(turns=2)
        assert [m.content for m in played.messages if isinstance(m, UserMessage)][1:] == [
            "I have told you what I know. Yes, please go ahead with what I asked for.",
            "I have waited long enough. Goodbye.",
        ]
        assert played.note == "the customer's patience came to its end"

    def test_after_so_many_virtual_seconds(self) -> None:
        played = self.left(seconds=40, say="Enough!")
        assert (played.termination_reason, played.messages[-1].content) == (Termination.USER_LEFT, "Enough!")
        assert self.left(seconds=10_000).termination_reason is Termination.USER_STOP

    def test_who_is_served_in_time_stays(self) -> None:
        patient = task(criteria=GOLD, user_scenario={"instructions": "Hi", "patience": {"turns": 3}})
        assert grade(patient, simulate(patient, mock()), mock()).passed


def test_a_call_by_hand() -> None:
    trial = Trial(
        visited(),
        mock().environment(),
        lambda c: Lines([AssistantMessage(tool_calls=[ToolCall(id="1", name="get_users", arguments={})]), "Done."]),
        lambda c: Lines(["Hello", "Bye ###STOP###"]),
        trial=1,
        seed=1,
        limits=Limits(),
    )
    converse(trial)
    assert len(trial.conversation.episodes) == 1
    twin = trial.fork()
    twin.context.memory["x"] = 1
    assert trial.context.memory == {}


def test_what_a_search_waits_for_the_limits_of_the_run_is_no_time_of_the_trial(monkeypatch: Any) -> None:
    stood_still: list[bool] = []

    async def search() -> None:
        with standing_still():
            before, began = trial.clock.seconds, monotonic()
            while monotonic() == began:
                pass
            stood_still.append(trial.clock.seconds == before)

    def call(*args: Any) -> ToolResult:
        asyncio.run_coroutine_threadsafe(search(), backend.loop()).result()
        return ToolResult("[]", False)

    trial = Trial(
        visited(),
        mock().environment(),
        lambda c: Lines([says(None, a_call()), "Done."]),
        lambda c: Lines(["Hello", "Bye ###STOP###"]),
        trial=1,
        seed=1,
        limits=Limits(),
    )
    monkeypatch.setattr(trial.world, "call", call)
    converse(trial)
    assert stood_still
    assert all(stood_still)


def test_a_fork_stands_still_for_its_own_waits_alone() -> None:
    trial = Trial(
        visited(),
        mock().environment(),
        lambda c: Lines(["Done."]),
        lambda c: Lines(["Hello", "Bye ###STOP###"]),
        trial=1,
        seed=1,
        limits=Limits(),
    ).begin()
    twin = trial.fork()
    assert twin.clock.timeout == trial.clock.timeout
    assert twin.clock.began == pytest.approx(trial.clock.began)
    trial.clock.stop("a call of the trial")
    began, before = monotonic(), twin.clock.seconds
    while monotonic() == began:
        pass
    assert twin.clock.seconds > before
