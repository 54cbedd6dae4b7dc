"""Recorded conversations as tests: their numbers, which are chosen, what is compared, and who speaks (nobody)."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from _pytest.terminal import TerminalReporter
from hypothesis import given
from hypothesis import strategies as st

from pytest_tau.plugin.recording import rescoring
from pytest_tau.plugin.recording.rescoring import LISTED, begin, grade_recorded, recorded_tasks
from pytest_tau.plugin.run import run_of
from pytest_tau.recordings.rescored import Recording
from pytest_tau.schema.messages import AssistantMessage
from pytest_tau.schema.record import Outcome, TrialRecord, Variant
from pytest_tau.schema.reward import Reward
from pytest_tau.schema.simulation import UserFinding
from tests.builders import finished, mock, task
from tests.options.usage import refused
from tests.plugin.inner import journal
from tests.plugin.parts import collect, configure, mock_play, play
from tests.plugin.trials import Trial
from tests.recordings.test_rescored import tau2_file

MOCK = mock()
TASKS = {one: task(id=one) for one in "ab"}


def recording(task_id: str, trial: int, label: str = "") -> Recording:
    variant = Variant(label=label) if label else None
    return Recording(TASKS[task_id], finished(trial=trial), MOCK, None, variant)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.sampled_from(["", "typos"])), max_size=12))
def test_trials_keep_their_numbers_or_get_the_next_that_is_free(given: list[tuple[str, int, str]]) -> None:
    found = list(rescoring._number_trials(recording(*one) for one in given))
    assert [one.recording.task.id for one in found] == [task_id for task_id, _, _ in given]
    keys = [(task_id, label, one.trial) for (task_id, _, label), one in zip(given, found, strict=True)]
    assert len(set(keys)) == len(keys)
    for place, (one, (_, number, _)) in enumerate(zip(found, given, strict=True)):
        task_id, label, trial = keys[place]
        assert trial >= number
        assert all((task_id, label, taken) in keys[:place] for taken in range(number, trial))
        assert one.recording.simulation.trial == number  # what is recorded stays as it is


def said(trial: int, text: str, at: str | None = None) -> Recording:
    messages = [AssistantMessage(content=text, timestamp=at)]
    simulation = finished(trial=trial).model_copy(update={"messages": messages})
    return Recording(TASKS["a"], simulation, MOCK, None)


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        (said(1, "Hi"), said(1, "Hi"), 1),
        (said(1, "Hi"), said(1, "Ho"), 2),
        (said(1, "Hi"), said(2, "Hi"), 2),  # an agent without chance
        (said(1, "Hi", "2026-01-01T10:00:00"), said(2, "Hi", "2026-01-01T10:00:00"), 1),
        (said(1, "Hi", "2026-01-01T10:00:00"), said(1, "Hi", "2026-01-01T10:00:01"), 2),
    ],
)
def test_a_copy_is_no_further_trial(first: Recording, second: Recording, left: int) -> None:
    assert rescoring._without_copies([first, second]) == [first, second][:left]


def ids(pytester: pytest.Pytester, *args: str) -> list[str]:
    found = collect(pytester, "--tau-rescore=run.json", *args)
    return [item.nodeid.partition("::test_task")[2] for item in found.items]


def runs_of(pytester: pytest.Pytester, *task_ids: str) -> Path:
    """A file with a run of each of these tasks, in this order."""
    file = tau2_file(pytester.path / "run.json")
    content: dict[str, Any] = json.loads(file.read_text("utf-8"))
    (played,), (first,) = content["tasks"], content["simulations"]
    content["tasks"] = [{**played, "id": one} for one in dict.fromkeys(task_ids)]
    content["simulations"] = [{**first, "task_id": one, "trial": trial} for trial, one in enumerate(task_ids)]
    file.write_text(json.dumps(content), "utf-8")
    return file


@pytest.mark.parametrize(
    ("option", "chosen"),
    [
        ("--tau-tasks=1", ["[b-trial1]", "[b-trial3]"]),
        ("--tau-tasks=2", ["[b-trial1]", "[ab-trial2]", "[b-trial3]"]),
        ("--tau-tasks=a*", ["[ab-trial2]"]),
        ("--tau-tasks=c,b", ["[b-trial1]", "[b-trial3]", "[c-trial4]"]),
        ("-v", ["[b-trial1]", "[ab-trial2]", "[b-trial3]", "[c-trial4]"]),
    ],
)
def test_the_first_tasks_are_those_that_the_file_has_first(
    pytester: pytest.Pytester, option: str, chosen: list[str]
) -> None:
    runs_of(pytester, "b", "ab", "b", "c")
    assert ids(pytester, option) == chosen


def test_all_tasks_of_the_file_are_known_by_domain_and_id(pytester: pytest.Pytester) -> None:
    runs_of(pytester, "b", "a")
    found = collect(pytester, "--tau-rescore=run.json", "--tau-tasks=1")
    assert list(found.run.one(recorded_tasks)) == [("mock", "b"), ("mock", "a")]
    assert found.above[0] == f"tau: grading 1 recorded conversation of {pytester.path}/run.json; none is played"


def test_other_files_are_passed_by_and_the_file_is_found_among_them(pytester: pytest.Pytester) -> None:
    runs_of(pytester, "a")
    (pytester.path / "other.json").write_text("{}")
    pytester.makepyfile(test_mine="def test_mine(): pass")
    for args in ((), ("test_mine.py",)):
        items = collect(pytester, "--tau-rescore=run.json", *args).items
        mine = ["test_mine.py::test_mine"] if args else []
        assert sorted(item.nodeid for item in items) == ["run.json::mock::test_task[a-trial1]", *mine]


def test_nobody_plays_and_a_test_without_a_recording_has_nothing_to_grade(pytester: pytest.Pytester) -> None:
    runs_of(pytester, "a")
    (item,) = collect(pytester, "--tau-rescore=run.json").items
    trial = Trial(item)
    request = trial.request(agent=rescoring._nobody, user=rescoring._nobody)
    assert trial.slot.recording is not None
    found = grade_recorded(request)
    assert found.simulation.messages == trial.slot.recording.simulation.messages
    with pytest.raises(RuntimeError, match="nobody plays in a recorded conversation"):
        request.agent(None)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="a recorded trial has a recording"):
        grade_recorded(replace(request, slot=request.slot._replace(recording=None)))


def test_results_of_another_version_of_the_tools_are_no_reason_to_refuse_it(pytester: pytest.Pytester) -> None:
    file = runs_of(pytester, "a")
    file.write_text(file.read_text("utf-8").replace("task_4", "task_77"), "utf-8")
    play(pytester, "--tau-rescore=run.json").assert_outcomes(passed=1)


@pytest.mark.parametrize(("policy", "outcome"), [("keep", "passed"), ("drop", "invalid"), ("rerun", "invalid")])
def test_a_customer_who_broke_the_rules_is_not_played_again(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, policy: str, outcome: str
) -> None:
    runs_of(pytester, "a")
    finding = UserFinding(rule="invented fact", turn=0, text="nobody told it")
    looked: list[int] = []

    def audit(request: Any, wait: Any) -> Any:
        def find(simulation: Any) -> Any:
            looked.append(1)
            return simulation.model_copy(update={"user_findings": [finding]})

        return find

    monkeypatch.setattr(rescoring, "customer_audit", audit)
    play(pytester, "--tau-rescore=run.json", f"--tau-invalid={policy}")
    (trial,) = journal(pytester.path)
    assert (trial.outcome, trial.simulation and trial.simulation.discarded) == (outcome, None)
    assert looked == [1]


def finished_trial(number: int, before: float | None, now: float | None) -> TrialRecord:
    return TrialRecord(
        nodeid=f"run.json::mock::test_task[t-trial{number}]",
        domain="mock",
        task_id="t",
        trial=number,
        outcome=Outcome.PASSED,
        reward=None if now is None else Reward(value=now),
        recorded_reward=before,
    )


def summary(pytester: pytest.Pytester, rewards: Sequence[tuple[float | None, float | None]]) -> list[str]:
    """What is said of rewards, recorded and now."""
    run = run_of(configure(pytester))
    told = rescoring._Rescoring(run, 0)
    for number, (before, now) in enumerate(rewards, start=1):
        told.pytest_tau_trial_finished(finished_trial(number, before, now))
    out = StringIO()
    told.pytest_tau_summary(TerminalReporter(run.config, out))
    return out.getvalue().splitlines()


def test_rewards_are_as_recorded_differ_or_cannot_be_compared(pytester: pytest.Pytester) -> None:
    rewards = [(1.0, 1.0), (0.0, 0.0), (1.0, 0.0), (None, 1.0), (1.0, None), (0.5, 1.0)]
    assert summary(pytester, rewards) == [
        "tau: rewards graded again: 2 as recorded, 2 differ, 2 cannot be compared",
        "  run.json::mock::test_task[t-trial3]: 1 was recorded, and it is 0",
        "  run.json::mock::test_task[t-trial6]: 0.5 was recorded, and it is 1",
    ]


@pytest.mark.parametrize(("differ", "more"), [(LISTED, []), (LISTED + 2, ["  and 2 more"])])
def test_of_very_many_that_differ_the_first_are_listed(pytester: pytest.Pytester, differ: int, more: list[str]) -> None:
    head, *listed = summary(pytester, [(1.0, 0.0)] * differ)
    assert head == f"tau: rewards graded again: 0 as recorded, {differ} differ"
    assert (len(listed), listed[LISTED:]) == (LISTED + len(more), more)


def test_a_resumed_run_compares_all_rewards(pytester: pytest.Pytester) -> None:
    runs_of(pytester, "a", "b", "c")
    file = pytester.path / "run.json"
    content = json.loads(file.read_text("utf-8"))
    content["simulations"][0]["reward_info"]["reward"] = 0.25
    file.write_text(json.dumps(content), "utf-8")
    first = play(pytester, "--tau-rescore=run.json", "-ktrial1")
    first.stdout.fnmatch_lines(["tau: rewards graded again: 0 as recorded, 1 differ"])
    again = play(pytester, "--tau-rescore=run.json", "--tau-resume")
    again.stdout.fnmatch_lines([
        "tau: rewards graded again: 2 as recorded, 1 differ",
        "  run.json::mock::test_task[[]a-trial1]: 0.25 was recorded, and it is *",
    ])  # fmt: skip


def test_of_a_journal_that_is_another_one_by_now_nothing_is_put_beside_what_was_graded(
    pytester: pytest.Pytester,
) -> None:
    for agent in ("oracle", "noop"):
        mock_play(pytester, "--tau-tasks=2", f"--tau-agent={agent}", f"--tau-results={agent}")
    journal = pytester.path / "j.jsonl"
    shutil.copy(pytester.path / "oracle/latest/journal.jsonl", journal)
    play(pytester, "--tau-rescore=j.jsonl", "-kadd_a_task")
    shutil.copy(pytester.path / "noop/latest/journal.jsonl", journal)
    refused(pytester, "--tau-rescore=j.jsonl", "--tau-resume").fnmatch_lines(["*recorded conversations changed;*"])


def test_a_domain_cannot_be_named_beside_it(pytester: pytest.Pytester) -> None:
    runs_of(pytester, "a")
    run = run_of(configure(pytester))
    object.__setattr__(run.settings, "given", frozenset({"domain"}))
    with pytest.raises(pytest.UsageError, match="leave --tau-domain out"):
        begin(run)
