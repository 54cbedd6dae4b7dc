"""Episodes: a trial by another way in, held, copied and stored at any turn."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import AssistantMessage, Domain, Episode, Task, grade, load_domain, simulate
from pytest_tau.agents.names import named_agent
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.turns import GREETING
from pytest_tau.episode import Shaped
from pytest_tau.errors import ConversationOver, PlayerError, RecordingError, SettingsError, TauError
from pytest_tau.schema.messages import AnyMessage, UserMessage
from pytest_tau.schema.simulation import Termination
from pytest_tau.users.scripted import Scripted
from tests.builders import CREATE, Lines, a_call, core, mock, says, task
from tests.episode.episodes import STOP, acted, record, some_lines

AGENTS = ("oracle", "faulty", "noop")
SUITES = ("retail", "telecom", "mock")


def driven(played: Task, domain: Domain, agent: str, **options: Any) -> tuple[Episode, list[AssistantMessage]]:
    """An episode to its end, with the agent outside, and what that did."""
    episode, actions = Episode(played, domain, **options), []
    observation, done = episode.reset(), episode.done
    player = named_agent(agent)(played, domain)(episode.context)
    while not done:
        actions.append(player.reply(observation.messages))
        observation, _, done, _ = episode.step(actions[-1])
    return episode, actions


@settings(max_examples=12)
@given(st.data())
def test_a_trial_has_the_same_record_whichever_way_it_is_played(data: st.DataObject) -> None:
    suite = data.draw(st.sampled_from(SUITES))
    played, domain = data.draw(st.sampled_from(core(suite))), load_domain(suite)
    solo = suite == "telecom" and played.ticket is not None and data.draw(st.booleans())
    agent, seed = data.draw(st.sampled_from(AGENTS)), data.draw(st.integers(0, 99))
    limits = Limits(max_steps=data.draw(st.sampled_from([4, 200])), timeout=None)
    trial = {"solo": solo, "seed": seed, "trial": data.draw(st.integers(1, 3)), "limits": limits}
    episode, _ = driven(played, domain, agent, **trial)
    expected = simulate(played, domain, agent, **trial)
    assert record(episode.simulation()) == record(expected)
    assert episode.info["reward"] == grade(played, expected, domain)


def test_the_record_has_what_was_heard_on_the_telephone() -> None:
    domain, played = load_domain("retail"), core("retail")[0]
    episode, _ = driven(played, domain, "oracle:hearsay", perturb="spoken")
    heard = [one.heard for one in episode.simulation().messages if isinstance(one, UserMessage)]
    assert heard[0] == episode.observation.messages[1].content
    assert heard[0] != episode.messages[1].content
    forked = [one.heard for one in episode.fork().simulation().messages if isinstance(one, UserMessage)]
    assert forked == heard


def test_what_is_seen_at_the_end_is_the_last_conversation() -> None:
    again = task().user_scenario.model_dump(exclude_unset=True)
    episode = Episode(task(episodes=[{"user_scenario": again}]), mock(), lambda context: Lines(("Hi", STOP)))
    episode.reset()
    episode.step("Hello?")
    assert len(episode.observation.messages) == 2
    assert episode.step("Hello again?")[2]
    assert [one.content for one in episode.observation.messages] == [GREETING, "Hi", "Hello again?", STOP]


def test_a_step_that_was_interrupted_goes_on_in_a_fork_and_where_it_is_loaded() -> None:
    lines: Iterator[str | None] = iter(["Hi", None, *["I am back."] * 3])

    class Interrupted:
        def reply(self, messages: list[AnyMessage]) -> str:
            said = next(lines)
            if said is None:
                raise KeyboardInterrupt
            return said

    episode = Episode(task(), mock(), lambda context: Interrupted())
    episode.reset()
    with pytest.raises(KeyboardInterrupt):
        episode.step("What is it?")
    with pytest.raises(TauError, match="the customer has not answered yet"):
        episode.step("Hello?")
    for other in (episode.fork(), Episode.load(episode.save(), mock(), user=lambda context: Interrupted())):
        assert [one.content for one in other.messages] == [GREETING, "Hi", "What is it?", "I am back."]
        assert other.observation.messages[-1].content == "I am back."
    assert len(episode.messages) == 3


@pytest.mark.slow
@settings(max_examples=8)
@given(st.data())
def test_a_fork_and_a_stored_episode_go_on_alike(data: st.DataObject) -> None:
    suite = data.draw(st.sampled_from(SUITES))
    played, domain = data.draw(st.sampled_from(core(suite))), load_domain(suite)
    whole, actions = driven(played, domain, "faulty", seed=data.draw(st.integers(0, 99)))
    turn = data.draw(st.integers(0, len(actions)))
    episode = Episode(played, domain, seed=whole.seed)
    episode.reset()
    acted(episode, actions[:turn])
    for other in (episode.fork(), Episode.load(episode.save(), domain), episode):
        acted(other, actions[turn:])
        assert record(other.simulation()) == record(whole.simulation())
        assert other.info["reward"] == whole.info["reward"]
        assert other._trial.world.dump() == whole._trial.world.dump()


@pytest.mark.slow
def test_forks_go_on_alike_from_every_turn_of_60_trials() -> None:
    trials = [(suite, played, seed) for suite in SUITES for played in core(suite) for seed in range(9)][::10][:60]
    assert len(trials) == 60
    assert {suite for suite, *_ in trials} == set(SUITES)
    for suite, played, seed in trials:
        whole, actions = driven(played, load_domain(suite), "faulty", seed=seed)
        expected = record(whole.simulation())
        episode = Episode(played, load_domain(suite), seed=seed)
        episode.reset()
        for turn in range(len(actions)):
            other = episode.fork()
            acted(episode, actions[turn : turn + 1])
            assert record(acted(other, actions[turn:]).simulation()) == expected


def test_forks_do_not_touch_one_another() -> None:
    episode = some_lines(("Hi", "And?", STOP))
    episode.reset()
    other = episode.fork()
    episode.step(a_call("create_task", **CREATE))
    assert len(other.messages) == 2
    observation, *_ = other.step(a_call("create_task", **{**CREATE, "title": "Post a letter"}))
    assert "Post a letter" in (observation.messages[-1].content or "")
    assert "Buy stamps" in (episode.messages[-1].content or "")
    assert "Buy stamps" not in str(other._trial.world.dump())


def test_an_empty_action_is_asked_for_again_three_times() -> None:
    episode = some_lines()
    episode.reset()
    assert [episode.step("")[2] for _ in range(3)] == [False, False, True]
    assert episode.info["termination"] == "agent_error"
    assert episode.info["reward"].value == 0.0


def test_several_calls_in_one_action() -> None:
    episode = some_lines(("Hi", STOP))
    episode.reset()
    both = says(None, a_call("get_users", id="a"), a_call("create_task", id="b", **CREATE))
    observation, *_ = episode.step(both)
    assert [message.role for message in observation.messages[-3:]] == ["assistant", "tool", "tool"]


def test_actions_that_a_model_has_written() -> None:
    episode = some_lines(("Hi", "And?", STOP))
    episode.reset()
    episode.step(episode.written('Action: {"name": "get_users", "arguments": {}}'))
    assert episode.messages[-1].role == "tool"
    episode.step(episode.written("Just so"))
    assert episode.messages[-2].content == "Just so"


def test_what_cannot_be_done() -> None:
    episode = some_lines()
    with pytest.raises(TauError, match=r"has not begun: call reset\(\) first"):
        episode.step("Hm")
    episode.reset()
    with pytest.raises(TauError, match="not over yet"):
        episode.simulation()
    with pytest.raises(PlayerError, match="an action is a text, a ToolCall or an AssistantMessage, not a int"):
        episode.step(7)  # type: ignore[arg-type]
    episode.step("Bye")
    with pytest.raises(ConversationOver, match="the episode is over: reset it, or go on from a fork"):
        episode.step("Hm")
    assert episode.reset().messages[-1].content == "Hi"


def test_another_seed() -> None:
    episode = Episode(task(), mock(), seed=1)
    episode.reset(seed=5)
    assert episode.context.seed == simulate(task(), mock(), "noop", seed=5).seed


def test_a_customer_that_answers_asynchronously() -> None:
    class Slow(Scripted):
        async def reply(self, messages: list[AnyMessage]) -> Any:  # type: ignore[override]
            await asyncio.sleep(0)
            return super().reply(messages)

        def resume(self, messages: list[AnyMessage], begin: int) -> None:
            self._opened = True

    episode = some_lines(Slow)
    assert episode.reset().messages[-1].content == "Please help me."
    other = episode.fork()
    assert episode.step("Done")[2] is other.step("Done")[2] is True
    episode.close()
    other.close()
    assert episode.reset().messages[-1].content == "Please help me."  # on a loop of its own again
    assert episode.step("Done")[2] is True
    episode.close()

    async def on_a_loop() -> bool:
        episode = some_lines(Slow)
        await episode.areset()
        return (await episode.astep("Done"))[2]

    assert asyncio.run(on_a_loop()) is True


def test_a_reward_of_ones_own() -> None:
    episode = some_lines(("Hi", "And?", STOP), reward=lambda before, after: after["steps"] - before["steps"])
    episode.reset()
    assert episode.step(a_call())[1] == 2.0


def test_a_reward_for_every_step() -> None:
    played = next(one for one in core("retail") if len(one.gold_actions) > 3)
    shaped, domain = Shaped(), load_domain("retail")
    episode = Episode(played, domain, reward=shaped)
    observation, rewards = episode.reset(), []
    player = named_agent("oracle")(played, domain)(episode.context)
    while not episode.done:
        observation, reward, *_ = episode.step(player.reply(observation.messages))
        rewards.append(reward)
    assert sum(rewards) == pytest.approx(1.0)
    assert rewards[-1] >= shaped.passed
    assert any(rewards[:-1])
    assert episode.info["progress"] == 1.0
    episode.reset()
    write = next(a for a in played.gold_actions if domain.environment().writes(a.name))
    broken = episode.step(a_call(write.name, **write.arguments))
    assert broken[1] < shaped.progress * broken[3]["progress"]


def test_a_customer_that_is_no_name_is_given_again() -> None:
    episode = some_lines()
    episode.reset()
    with pytest.raises(SettingsError, match="was not chosen by name: pass its factory as user="):
        Episode.load(episode.save(), mock())
    assert not Episode.load(episode.save(), mock(), user=lambda context: Lines([STOP])).fork().done


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"state": {}},
        {"state": 3},
        {"task": {"id": ""}},
        {"task": {"id": "\ud800"}},
        {"limits": {"no": 1}},
        {"user": 7},
    ],
)
def test_what_is_no_saved_episode(change: dict[str, Any]) -> None:
    episode = Episode(task(), mock())
    episode.reset()
    saved = {**json.loads(episode.save()), **change}
    with pytest.raises(RecordingError, match="this is no saved episode") as raised:
        Episode.load(json.dumps(saved).encode() if change else b"\x80no", mock())
    assert "\n" not in str(raised.value)


def test_the_memory_of_an_agent_is_stored_where_it_is_json() -> None:
    episode = Episode(task(), mock())
    episode.reset()
    episode.context.memory["seen"] = 1
    assert Episode.load(episode.save(), mock()).context.memory == {"seen": 1}
    for seen in ({1}, float("inf")):
        episode.context.memory["seen"] = seen
        assert episode.fork().context.memory == {"seen": seen}  # copied, and not stored
        with pytest.raises(TauError, match="the agent's memory cannot be stored as JSON"):
            episode.save()


def test_a_limit_without_end_is_stored_as_none() -> None:
    episode = Episode(task(), mock(), limits=Limits(timeout=float("inf")))
    assert json.loads(episode.save())["limits"]["timeout"] is None


def test_an_episode_is_loaded_into_its_own_domain() -> None:
    episode = Episode(task(), mock())
    episode.reset()
    with pytest.raises(RecordingError, match="the episode was played in the domain 'mock', not in 'retail'"):
        Episode.load(episode.save(), load_domain("retail"))


def test_an_episode_stored_after_it_was_cut_off() -> None:
    episode = Episode(task(), mock(), limits=Limits(max_steps=3))
    episode.reset()
    for _ in range(3):
        if not episode.done:
            episode.step("")
    other = Episode.load(episode.save(), mock())
    assert other.simulation().termination_reason is episode.simulation().termination_reason is Termination.AGENT_ERROR
    assert other.simulation().note == episode.simulation().note


def test_a_saved_episode_that_does_not_replay() -> None:
    episode = some_lines(("Hi", STOP))
    episode.reset()
    episode.step(a_call("create_task", **CREATE))
    saved = episode.save().replace(b"Buy stamps", b"Buy stumps", 1)
    with pytest.raises(RecordingError, match="does not replay"):
        Episode.load(saved, mock(), user=lambda context: Lines([STOP]))
