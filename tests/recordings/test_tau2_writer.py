import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_tau import Task, grade, load_tasks, rescore, simulate
from pytest_tau.errors import RecordingError
from pytest_tau.recordings.tau2_writer import write_tau2
from pytest_tau.schema.record import Outcome, TrialRecord
from pytest_tau.schema.reward import CriterionResult, Reward
from pytest_tau.schema.simulation import Simulation, Termination
from tests.builders import CREATE, a_call, action, asks, finished, mock, played_calls, says, task
from tests.pictures import picture_task
from tests.reports.runs import record

EXPECTED = {"actions": [action("create_task", **CREATE)], "communicate_info": ["stamps"]}
CREATING = a_call("create_task", **CREATE)


def trial(played_task: Task, simulation: Simulation | None, number: int = 1) -> TrialRecord:
    reward = grade(played_task, simulation, mock()) if simulation else None
    outcome = Outcome.INFRA_ERROR if reward is None else Outcome.PASSED if reward.passed else Outcome.MISSED
    if simulation:
        simulation = simulation.model_copy(update={"task_id": played_task.id, "trial": number, "id": f"s{number}"})
    return record(played_task.id, number, outcome, simulation=simulation, reward=reward)


def talk(*said: str, calls: bool = True, **fields: Any) -> Simulation:
    """A conversation in which the agent says these texts, after creating the task or not."""
    messages = [says("Hi!"), asks("Please."), *(played_calls(mock(), CREATING) if calls else [])]
    return finished([*messages, *map(says, said), asks("###STOP###")], **fields)


def written(tmp_path: Path, records: list[TrialRecord], *tasks: Task, **options: Any) -> dict[str, Any]:
    path = tmp_path / "results.json"
    count = write_tau2(records, path, domain=mock(), tasks={t.id: t for t in tasks}, **options)
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert len(content["simulations"]) == count
    return content


def read_back(tmp_path: Path) -> Iterator[tuple[float | None, float | None]]:
    for _, _, reward, recorded in rescore(tmp_path / "results.json"):
        yield reward.value, recorded


class TestRoundTrip:
    def test_rewards_are_equal_when_graded_again(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        runs = [talk("Your stamps are on it."), talk("No."), talk("stamps", calls=False)]
        runs.append(talk("stamps", reason=Termination.MAX_STEPS))
        records = [trial(known, run, number) for number, run in enumerate(runs, start=1)]
        written(tmp_path, records, known)
        assert list(read_back(tmp_path)) == [(1.0, 1.0), (0.0, 0.0), (0.0, 0.0), (0.0, 0.0)]

    def test_conversations_are_equal(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        run = talk("stamps", agent="mine:Agent", user="scripted", seed=7, agent_cost=0.5, duration=2.0)
        written(tmp_path, [trial(known, run, 3)], known)
        [(back, simulation, _, _)] = rescore(tmp_path / "results.json")
        counted = {"steps": len(run.messages) - 1}  # for which the format has no field; a greeting is none
        assert simulation == run.model_copy(update={"task_id": "t", "trial": 3, "id": "s3", **counted})
        assert back == known.model_copy(update={"domain": None})

    def test_criteria_of_ours_are_left_out_of_basis_and_reward_and_kept_in_info(self, tmp_path: Path) -> None:
        ours = [{"check": "reason", "any_of": ["because"]}]
        basis = ["DB", "TRAJECTORY"]
        known = task(criteria={**EXPECTED, "trajectory": ours, "reward_basis": basis})
        record = trial(known, talk("stamps"))
        assert record.reward is not None
        assert record.reward.value == 0.0
        content = written(tmp_path, [record], known)
        assert content["tasks"][0]["evaluation_criteria"]["reward_basis"] == ["DB"]
        assert "trajectory" not in content["tasks"][0]["evaluation_criteria"]
        found = content["simulations"][0]["reward_info"]
        assert (found["reward"], found["reward_basis"], found["reward_breakdown"]) == (1.0, ["DB"], {"DB": 1.0})
        assert found["info"]["pytest_tau"]["reward"] == 0.0
        assert found["info"]["pytest_tau"]["results"][0]["criterion"] == "TRAJECTORY"
        assert list(read_back(tmp_path)) == [(1.0, 1.0)]

    def test_a_criterion_of_the_basis_without_a_result_has_none(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        record = trial(known, talk("stamps"))
        assert record.reward is not None
        edited = record.reward.model_copy(update={"results": record.reward.results[1:]})
        content = written(tmp_path, [record.model_copy(update={"reward": edited})], known)
        assert set(content["simulations"][0]["reward_info"]["reward_breakdown"]) < set(edited.basis or [])

    def test_a_solo_run_is_read_as_one(self, tmp_path: Path) -> None:
        known = task(criteria={"actions": []}, ticket="Nothing to do.")
        run = simulate(known, mock(), solo=True)
        written(tmp_path, [trial(known, run)], known)
        [(_, back, reward, recorded)] = rescore(tmp_path / "results.json")
        assert back.solo
        assert reward.value == recorded == 1.0


class TestShape:
    def test_trials_count_from_zero_and_their_number_is_the_highest(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        content = written(tmp_path, [trial(known, talk("stamps"), number) for number in (2, 1)], known)
        assert [run["trial"] for run in content["simulations"]] == [1, 0]
        assert content["info"]["num_trials"] == 2

    def test_the_run_is_described(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        run = talk("stamps", agent="mine:Agent", user="them", agent_parameters={"temperature": 0.0})
        info = written(tmp_path, [trial(known, run)], known, max_steps=50, max_errors=3, seed=300)["info"]
        assert (info["max_steps"], info["max_errors"], info["seed"]) == (50, 3, 300)
        assert info["agent_info"] == {
            "implementation": "mine:Agent",
            "llm": "mine:Agent",
            "llm_args": {"temperature": 0.0},
        }
        assert (info["user_info"]["implementation"], info["user_info"]["llm"]) == ("user_simulator", "them")
        assert info["environment_info"] == {"domain_name": "mock", "policy": mock().policy, "tool_defs": None}

    @pytest.mark.parametrize(
        ("agent", "called"),
        [("llm openai/gpt-4.1", "llm_agent"), ("react openai/gpt-4.1", "react"), ("oracle", "oracle")],
    )
    def test_only_an_agent_like_the_references_has_its_name(self, tmp_path: Path, agent: str, called: str) -> None:
        known = task(criteria=EXPECTED)
        info = written(tmp_path, [trial(known, talk("stamps", agent=agent))], known, facts={"k": "4"})["info"]
        assert info["agent_info"]["implementation"] == called
        assert info["pytest_tau"] == {"k": "4"}

    def test_checks_are_told_one_by_one(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        found = written(tmp_path, [trial(known, talk("No."))], known)["simulations"][0]["reward_info"]
        assert found["db_check"] == {"db_match": True, "db_reward": 1.0}
        assert found["reward_breakdown"] == {"DB": 1.0, "COMMUNICATE": 0.0}
        assert found["communicate_checks"][0]["info"] == "stamps"
        assert found["communicate_checks"][0]["met"] is False
        [checked] = found["action_checks"]
        assert (checked["action"]["name"], checked["action_match"], checked["tool_type"]) == (
            "create_task",
            True,
            "write",
        )
        assert found["info"]["env"] is None

    def test_an_early_end_has_a_note_and_no_checks(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        content = written(tmp_path, [trial(known, talk("x", reason=Termination.TIMEOUT))], known)
        found = content["simulations"][0]["reward_info"]
        assert found["reward_basis"] is found["db_check"] is found["action_checks"] is None
        assert found["info"].pop("pytest_tau").keys() == {"progress", "stations"}
        assert found["info"] == {"note": "Simulation terminated prematurely. Termination reason: timeout"}

    def test_a_trial_that_broke_is_an_infrastructure_error(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        [run] = written(tmp_path, [trial(known, None)], known)["simulations"]
        assert (run["termination_reason"], run["messages"], run["reward_info"]) == ("infrastructure_error", [], None)
        assert list(read_back(tmp_path)) == [(0.0, None)]

    def test_a_reward_that_waits_for_a_judge_is_left_open(self, tmp_path: Path) -> None:
        known = task(criteria={"nl_assertions": ["is kind"], "reward_basis": ["NL_ASSERTION"]})
        [run] = written(tmp_path, [trial(known, talk("Hi"))], known)["simulations"]
        assert run["reward_info"] is None

    def test_a_criterion_of_a_plugin_is_treated_as_ours(self, tmp_path: Path) -> None:
        known = task(criteria=EXPECTED)
        results = [CriterionResult(criterion="DB", value=1.0), CriterionResult(criterion="politeness", value=0.0)]
        judged = record(reward=Reward(value=0.0, basis=["DB", "politeness"], results=results))
        found = written(tmp_path, [judged], known)["simulations"][0]["reward_info"]
        assert (found["reward"], found["reward_basis"]) == (1.0, ["DB"])

    def test_only_trials_of_the_domain_and_only_tasks_that_were_played(self, tmp_path: Path) -> None:
        known, other = task(criteria=EXPECTED), task(id="other")
        records = [record("x", domain="shop"), trial(known, talk("stamps"))]
        content = written(tmp_path, records, known, other)
        assert [run["task_id"] for run in content["simulations"]] == ["t"]
        assert [kept["id"] for kept in content["tasks"]] == ["t"]

    def test_no_trials_make_an_empty_file_that_reads(self, tmp_path: Path) -> None:
        written(tmp_path, [])
        assert rescore(tmp_path / "results.json") == []

    def test_a_task_that_is_not_known_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(RecordingError, match="'t' is not among the tasks"):
            written(tmp_path, [record()])
        assert list(tmp_path.iterdir()) == []


def test_pictures_are_named_in_the_text(tmp_path: Path) -> None:
    (shown,) = load_tasks(picture_task(tmp_path))
    played = simulate(shown, mock())
    content = written(tmp_path, [trial(shown, played)], shown)
    [conversation] = content["simulations"]
    assert conversation["messages"][1]["content"].endswith("of user_1. [photo: note1.png, 48×64]")
    assert "attach" not in json.dumps(content)
    assert list(read_back(tmp_path)) == [(1.0, 1.0)]
