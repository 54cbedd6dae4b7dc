"""Episodes that are stored, pickled and copied at any turn, perturbed ones with failing tools too."""

import copy
import pickle
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_tau import Episode, Task, grade, load_domain, simulate
from pytest_tau.agents.names import named_agent
from pytest_tau.agents.oracle import Oracle
from pytest_tau.conversation.limits import Limits
from pytest_tau.conversation.turns import seen_by_agent
from pytest_tau.conversation.view import as_seen
from pytest_tau.episode import Shaped
from pytest_tau.errors import DomainError, SettingsError
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.transcript import calls_made
from pytest_tau.seeds import trial_seed
from pytest_tau.variants import Perturbed, apply_doses, builtin_kinds, joined_doses
from pytest_tau.variants.tool_faults import ToolFaults
from tests.builders import CREATE, Lines, a_call, core, mock, task
from tests.environment.town import town_in
from tests.episode.episodes import STOP, acted, record

SUITES = ("retail", "telecom", "mock")
# All that changes what an agent sees or a customer says without a model; pictures need tasks that have some.
KINDS = [name for name, kind in builtin_kinds().items() if not kind.needs_model and kind.about != "pictures"]
FAULTS = ("", "timeout:0.3", "stale:0.3+slow:5:0.3", "partial:0.3:persistent", "misleading:0.4", "schema_drift:0.4")


def again(one: Any) -> Any:
    """What pickle makes of it."""
    return pickle.loads(pickle.dumps(one))  # noqa: S301 (made here)


def driven(episode: Episode, *, mistaken: bool = False) -> tuple[Episode, list[AssistantMessage]]:
    """An episode to its end, and what the agent did as it names things: it knows the task, and so the true names."""
    episode.reset()
    factory = named_agent("faulty")(episode.told, episode.domain) if mistaken else partial(Oracle, episode.told)
    player: Any = factory(episode.context)
    actions: list[Any] = []
    while not episode.done:
        move = player.reply(seen_by_agent(episode.messages))
        actions.append(move if episode.view is None else as_seen(move, episode.view))
        episode.step(actions[-1])
    return episode, actions


def started(data: st.DataObject) -> Episode:
    suite = data.draw(st.sampled_from(SUITES))
    one, two = (data.draw(st.sampled_from(KINDS)) for _ in range(2))
    told = data.draw(st.sampled_from(["", one, f"{one}+{two}"]))
    faults, seed = data.draw(st.sampled_from(FAULTS)), data.draw(st.integers(0, 99))
    task = data.draw(st.sampled_from(core(suite)))
    return Episode(task, load_domain(suite), seed=seed, perturb=told, faults=faults)


@settings(max_examples=6)
@given(st.data())
def test_a_perturbed_trial_has_the_same_record_whichever_way_it_is_played(data: st.DataObject) -> None:
    episode, _ = driven(started(data))
    one, world, seed = episode.task, episode.domain, episode.seed
    doses = joined_doses(episode._perturb) if episode._perturb else []
    found = apply_doses(one, world, doses, seed) or Perturbed(one)
    faults = ToolFaults(episode._faults, trial_seed(seed, world.name, one.id, 1)) if episode._faults else None
    trial = {"seed": seed, "view": found.view, "faults": faults, "limits": Limits(timeout=None)}
    expected = simulate(found.task, world, lambda context: Oracle(found.task, context), **trial)
    assert record(episode.simulation()) == record(expected)
    assert episode.info["reward"] == grade(found.task, expected, world)


@settings(max_examples=6)
@given(st.data())
def test_copies_go_on_alike_from_any_turn(data: st.DataObject) -> None:
    whole, actions = driven(started(data), mistaken=True)
    turn = data.draw(st.integers(0, len(actions)))
    episode = again(Episode(whole.task, whole.domain, **played(whole)))
    episode.reset()
    acted(episode, actions[:turn])
    copies = [again(episode), copy.deepcopy(episode), Episode.load(episode.save(), whole.domain)]
    for other in (*copies, episode):
        assert other.prompt() == episode.prompt() or turn < len(actions)
        acted(other, actions[turn:])
        assert record(other.simulation()) == record(whole.simulation())
        assert other.info["reward"] == whole.info["reward"]


def played(episode: Episode) -> dict[str, Any]:
    return {"seed": episode.seed, "perturb": episode._perturb, "faults": episode._faults}


def test_what_the_agent_sees_and_does_is_put_as_the_world_is_shown() -> None:
    episode = Episode(core("retail")[0], load_domain("retail"), perturb="tool_names:scrambled:1+policy_order:1")
    observation = episode.reset()
    names = {tool.name for tool in observation.context.tools}
    assert not names & {"get_order_details", "find_user_id_by_email"}
    assert any(name.startswith("fn_") for name in names)
    assert observation.policy != load_domain("retail").policy
    takes = {
        tool.name: tool.schema["function"]["parameters"]["properties"].keys() for tool in observation.context.tools
    }
    fn = next(name for name, arguments in takes.items() if arguments == {"email"})
    observation, *_ = episode.step(a_call(fn, email="nobody@example.com"))
    assert [call.name for _, call, _ in calls_made(observation.messages)] == [fn]
    assert [call.name for _, call, _ in calls_made(episode.messages)] == ["find_user_id_by_email"]
    assert fn in episode.prompt()


def test_a_task_told_otherwise_with_each_seed() -> None:
    played = next(one for one in core("retail") if one.gold_actions)
    episode = Episode(played, load_domain("retail"), perturb="typos:1")
    first = episode.reset(seed=1).messages[-1].content
    assert episode.told is not played
    assert episode.reset(seed=2).messages[-1].content != first == episode.reset(seed=1).messages[-1].content


def test_faults_are_met() -> None:
    episode = Episode(core("retail")[0], load_domain("retail"), faults="server_error:1:persistent")
    episode.reset()
    observation, *_ = episode.step(a_call("find_user_id_by_email", email="nobody@example.com"))
    assert "503" in (observation.messages[-1].content or "")
    fork, stored = episode.fork(), again(episode)
    for other in (fork, stored):
        other.step(a_call("find_user_id_by_email", email="nobody@example.com"))
        assert '"kind":"server_error"' in other.messages[-1].model_dump_json()
    assert len(fork.messages) == len(stored.messages) == len(episode.messages) + 2


@pytest.mark.parametrize("wrong", [{"perturb": "no_such"}, {"faults": "no_such"}, {"faults": "timeout,stale"}])
def test_what_cannot_be_read_is_refused_at_once(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsError):
        Episode(task(), mock(), **wrong)  # type: ignore[arg-type]


def lines(context: Any) -> Lines:
    """A customer who is a function of a module, as pickle wants it."""
    return Lines(["Hi", STOP])


def test_an_episode_in_a_world_of_sql(tmp_path: Path) -> None:
    domain = load_domain(town_in(tmp_path))
    made = Task.model_validate(
        {
            "id": "t",
            "user_scenario": {"instructions": "Move me."},
            "evaluation_criteria": {
                "actions": [{"action_id": "a", "name": "move", "arguments": {"person": 1, "town": "Uz"}}]
            },
        }
    )
    episode = Episode(made, domain, lines, reward=Shaped())
    fresh = again(episode)
    for one in (episode, fresh, copy.deepcopy(fresh)):
        one.reset()
    for other in (episode, fresh, again(episode), copy.deepcopy(episode)):
        other.step(a_call("move", person=1, town="Uz"))
        copied = again(other)
        assert copied._trial.world.dump() == other._trial.world.dump()
        assert copied.domain is domain
        assert isinstance(copied._rewarded, Shaped)


def test_domains_are_stored_by_what_they_were_loaded_by() -> None:
    retail = load_domain("retail")
    assert again(retail) is copy.deepcopy(retail) is retail
    made = replace(retail, loaded=None)
    with pytest.raises(DomainError, match="was not loaded from a folder, so pickle cannot store it"):
        pickle.dumps(made)


def test_an_episode_that_has_ended() -> None:
    episode = Episode(task(), mock(), lines)
    episode.reset()
    episode.step(a_call("create_task", **CREATE))
    episode.step("Done")
    assert episode.done
    assert record(again(episode).simulation()) == record(episode.simulation())
