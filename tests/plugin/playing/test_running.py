"""A trial that a test asks for: played, graded, kept the moment it is over, and not paid for twice."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from pytest_tau.errors import TrialCancelled
from pytest_tau.evaluation.judges.nl_assertions import Judge
from pytest_tau.evaluation.judges.review import Reviewer
from pytest_tau.manifest import DECIDED
from pytest_tau.plugin.playing.model_refusals import REFUSED
from pytest_tau.plugin.playing.outcomes import NotRun
from pytest_tau.plugin.playing.records import conversation_line, line_of
from pytest_tau.plugin.playing.running import (
    conduct,
    finish,
    finish_trial,
    make_trial,
    may_begin,
    play_at_once,
    waits_for_agent,
)
from pytest_tau.plugin.playing.trial import PLAYED, TrialRequest
from pytest_tau.plugin.settings.reading import Settings
from pytest_tau.plugin.workers.activity import monitor
from pytest_tau.plugin.workers.spool import spool
from pytest_tau.schema.messages import AnyMessage
from pytest_tau.schema.reward import CriterionResult
from pytest_tau.schema.simulation import Termination
from pytest_tau.schema.task import Task
from tests.builders import a_call, asks, finished, result_of, says, u_call
from tests.fake_model import FakeModel
from tests.plugin.trials import Trial, items

ONE = "tau/mock/complete_a_task.json"
Make = Callable[..., TrialRequest]


@pytest.fixture
def request_for(pytester: pytest.Pytester) -> Make:
    """The request for the first trial of a session with these options."""
    return lambda *args: Trial(items(pytester, ONE, *args)[0]).request()


def lines(request: TrialRequest) -> list[dict[str, Any]]:
    """What the spool of this process has of the trial."""
    (file,) = request.run.folder.glob("spool-*.jsonl")
    found = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [line for line in found if "task_id" in line]


def nobody(context: Any) -> Any:
    """A player that must not be asked."""
    raise AssertionError("played again")


def never(work: Any) -> Any:
    """Where nothing is asynchronous."""
    raise AssertionError(work)


def test_a_trial_is_kept_when_it_is_over_and_again_when_it_is_graded(request_for: Make) -> None:
    request = request_for("--tau-agent=noop")
    done = play_at_once(request)
    assert done.reward is not None
    assert (done.reward.value, done.simulation.agent, done.simulation.user) == (0.0, "noop", "scripted")
    assert done.fault is not None
    assert [(line["outcome"], line.get("graded", True)) for line in lines(request)] == [
        ("ungraded", False),
        ("missed", True),
    ]


def test_a_grade_that_fails_costs_no_conversation(request_for: Make) -> None:
    def broken(simulation: Any) -> Any:
        raise ValueError("no grade today")

    request = replace(request_for(), grade=broken)
    with pytest.raises(ValueError, match="no grade today"):
        play_at_once(request)
    assert request.item.stash[PLAYED] is not None
    assert [line.get("graded", True) for line in lines(request)] == [False]


def test_results_of_a_projects_own_criteria_count(request_for: Make) -> None:
    short = CriterionResult(criterion="SHORT", value=0.0)
    request = replace(request_for(), grade=lambda simulation: [short])
    reward = play_at_once(request).reward
    assert reward is not None
    assert (reward.value, reward.basis and reward.basis[-1]) == (0.0, "SHORT")


def test_no_repair_is_claimed_for_what_only_the_projects_own_criteria_can_tell(request_for: Make) -> None:
    """Other endings of the trial are graded without them, so all would seem to pass."""
    for value in (0.0, 0.5):
        short = CriterionResult(criterion="SHORT", value=value)
        done = play_at_once(replace(request_for("--tau-agent=oracle"), grade=partial(always, short)))
        assert str(done.fault) == "other: SHORT"
        assert done.fault is not None
        assert (done.fault.no_return, done.fault.repair) == (None, None)
        assert done.reward is not None
        assert done.reward.missed == [short]


NO = '{"results": [{"number": 1, "reasoning": "It was rude.", "met": false}]}'
BREACH = '{"answers": [{"number": 1, "reasoning": "It is not so.", "turn": 0, "quote": "Hi!", "verdict": "breach"}]}'


@pytest.mark.parametrize(
    ("criteria", "fault"),
    [
        ({"nl_assertions": ["It is kind."], "reward_basis": ["NL_ASSERTION"]}, "other"),
        ({"trajectory": [{"check": "claims"}], "reward_basis": ["TRAJECTORY"]}, "policy_breach"),
    ],
)
def test_no_repair_is_claimed_for_what_only_a_judge_can_tell(
    request_for: Make, criteria: dict[str, Any], fault: str
) -> None:
    request = request_for("--tau-agent=oracle")
    known = request.slot.task.model_dump(mode="json")
    judged = Task.model_validate({**known, "evaluation_criteria": {**known["evaluation_criteria"], **criteria}})
    reviewer = Reviewer(FakeModel(BREACH), everything=True)
    models = replace(request.models, judge=Judge(FakeModel(NO)), reviewer=reviewer)
    done = play_at_once(replace(request, slot=request.slot._replace(task=judged), models=models))
    assert done.fault is not None
    assert (done.fault.kind, done.fault.no_return, done.fault.repair) == (fault, None, None)


def test_what_is_broken_off_while_its_judge_reads_has_no_grade_yet(request_for: Make) -> None:
    request = request_for("--tau-agent=oracle")
    reviewer = Reviewer(FakeModel(RuntimeError("killed")), everything=True)
    models = replace(request.models, judge=Judge(FakeModel(NO)), reviewer=reviewer)
    with pytest.raises(RuntimeError, match="killed"):
        play_at_once(replace(request, models=models))
    assert [(line["outcome"], line.get("graded", True)) for line in lines(request) if "task_id" in line] == [
        ("ungraded", False)
    ]


def always(result: CriterionResult, simulation: Any) -> list[CriterionResult]:
    """How a project grades each of its trials."""
    return [result]


def left_behind(request: TrialRequest, line: str) -> TrialRequest:
    """The request of a run that goes on where one has left this in its journal."""
    folder = request.run.folder
    folder.mkdir(parents=True)
    (folder / "journal.jsonl").write_text(f"{line}\n", encoding="utf-8")
    return request


def test_a_conversation_of_an_earlier_run_is_graded_and_not_played_again(request_for: Make) -> None:
    first = request_for()
    simulation = play_at_once(first).simulation
    nodeid = first.item.nodeid
    again = replace(request_for(), agent=nobody)
    again.run.settings = Settings(**{**vars(again.run.settings), "resume": True})
    left_behind(again, conversation_line(nodeid, again.slot, simulation))
    done = conduct(again, never)
    assert done.simulation.messages == simulation.messages
    assert done.reward is not None
    assert done.reward.passed


def test_no_trial_begins_when_the_run_has_no_money_or_all_is_decided(request_for: Make) -> None:
    request = replace(request_for(), agent=nobody)
    request.run.folder.mkdir(parents=True)
    told = request.run.folder / REFUSED
    told.write_text("openai/a refused (HTTP 401)", encoding="utf-8")
    for begin in (lambda: conduct(request, never), lambda: may_begin(request, spool(request.run))):
        with pytest.raises(NotRun, match=r"openai/a refused \(HTTP 401\)"):
            begin()
    told.unlink()
    request = replace(request_for(), agent=nobody)
    request.run.folder.mkdir(parents=True, exist_ok=True)
    (request.run.folder / DECIDED).write_text("{}", encoding="utf-8")
    may_begin(request, spool(request.run))  # only --tau-stop looks at it
    stopping = request_for("--tau-agent=noop", "--tau-stop", "--tau-gate=pass^1 >= 0.5")
    stopping.run.folder.mkdir(parents=True)
    (stopping.run.folder / DECIDED).write_text("{}", encoding="utf-8")
    with pytest.raises(NotRun, match="every gate is decided"):
        conduct(replace(stopping, agent=nobody), never)


def test_no_trial_begins_where_its_result_could_not_be_kept(request_for: Make) -> None:
    request = replace(request_for(), agent=nobody)
    request.run.results.write_text("in the way", encoding="utf-8")
    for begin in (lambda: conduct(request, never), lambda: may_begin(request, spool(request.run))):
        with pytest.raises(NotRun, match="results cannot be kept any more: "):
            begin()


def test_whoever_may_cancel_a_trial_is_given_it_before_its_players_are_made(request_for: Make) -> None:
    happened: list[str] = []

    def agent(context: Any) -> Any:
        happened.append("made")
        return nobody

    def cancel(trial: Any) -> None:
        happened.append("given")
        trial.cancel()

    request = replace(request_for(), agent=agent)
    with pytest.raises(TrialCancelled):
        conduct(request, never, cancel)
    assert happened == ["given", "made"]
    assert lines(request) == []


def test_a_seed_belongs_to_a_trial_and_an_attempt(pytester: pytest.Pytester) -> None:
    first, second = (Trial(item).request() for item in items(pytester, ONE, "--tau-k=2"))
    trials = (make_trial(first), make_trial(first), make_trial(first, 1), make_trial(second))
    seeds = [trial.begin().context.seed for trial in trials]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    (other,) = (Trial(item).request() for item in items(pytester, ONE, "--tau-seed=5"))
    assert make_trial(other).begin().context.seed not in seeds


def test_what_is_in_play_says_who_plays_it_and_how(pytester: pytest.Pytester) -> None:
    options = ("--tau-agent=noop", "--tau-agent=b=oracle", "--tau-perturb=typos")
    requests = [Trial(item).request() for item in items(pytester, ONE, *options)]
    trials = [make_trial(request).begin() for request in requests]
    watch = monitor(requests[0].run)
    assert watch.own().in_play == len(trials)
    names = {one.name.removeprefix("mock/complete_a_task, ") for one in watch.conversations()}
    assert names == {"noop", "b", "noop, typos", "b, typos"}


def customers(requests: Iterable[TrialRequest]) -> list[int]:
    """The seeds of the customers of these trials."""
    found: list[int] = []

    def customer(context: Any) -> Any:
        found.append(context.seed)
        return lambda messages: "###STOP###"

    for request in requests:
        conduct(replace(request, user=customer), never)
    return found


def test_several_trials_may_meet_the_same_customer(pytester: pytest.Pytester) -> None:
    requests = [Trial(item).request() for item in items(pytester, ONE, "--tau-k=4", "--tau-user-seeds=2")]
    one, two, three, four = customers(requests)
    assert (one, two) == (three, four)
    assert one != two
    assert len(set(customers(Trial(item).request() for item in items(pytester, ONE, "--tau-k=4")))) == 4


@pytest.mark.parametrize(
    ("messages", "agent"),
    [
        ([], True),
        ([asks("Hello?")], True),
        ([says("Hi!")], False),
        ([says(None, a_call()), result_of(a_call())], True),
        ([asks(None, u_call()), result_of(u_call())], False),
    ],
)
def test_whose_turn_it_was_when_a_conversation_ended(messages: list[AnyMessage], agent: bool) -> None:
    assert waits_for_agent(finished(messages)) == agent


@pytest.mark.parametrize(
    ("reason", "messages", "timeout_as", "graded"),
    [
        (Termination.USER_STOP, [says("Bye.")], "infra", True),
        (Termination.INFRASTRUCTURE_ERROR, [asks("Hello?")], "miss", False),
        (Termination.TIMEOUT, [asks("Hello?")], "infra", False),
        (Termination.TIMEOUT, [asks("Hello?")], "miss", True),
        (Termination.TIMEOUT, [says("Hi!")], "miss", False),  # it was the customer who took so long
    ],
)
def test_what_is_graded(
    request_for: Make, reason: Termination, messages: list[AnyMessage], timeout_as: str, graded: bool
) -> None:
    request = request_for(f"--tau-timeout-as={timeout_as}")
    done = finish_trial(request, finished(messages, reason), never)
    assert (done.reward is not None) == graded
    assert done.fault is not None


def test_a_conversation_that_its_test_has_played_is_kept_and_graded(request_for: Make) -> None:
    request = request_for()
    simulation = play_at_once(request).simulation
    done = finish(request, simulation, never)
    assert done.reward is not None
    assert done.reward.passed
    assert json_of(line_of(request.item.nodeid, request.slot, done))["outcome"] == "passed"
    assert [line.get("graded", True) for line in lines(request)] == [False, True] * 2


def json_of(line: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(line)
    return found
