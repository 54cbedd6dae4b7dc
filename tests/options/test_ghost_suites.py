"""Ghost suites in runs: their gap when a run is cut up, resumed, spread over workers, recorded or bounded."""

from collections.abc import Callable

import pytest

from pytest_tau.cli import main
from pytest_tau.journal import read_trials
from pytest_tau.metrics.memorisation import memorisation_gaps
from pytest_tau.metrics.tally import tally
from tests.llm.server import says
from tests.options.models import Serve
from tests.plugin.inner import workers
from tests.plugin.parts import play

LEARNT = """
from pytest_tau import load_tasks
from pytest_tau.agents.oracle import Oracle

TASKS = {task.id: task for task in load_tasks("telecom", split="paired")}


def by_heart(context):
    return Oracle(TASKS[context.task_id], context)
"""
ONE, OTHER = "mobile_data_issue.data_usage_exceeded.easy", "mms_issue.break_app_sms_permission+data_usage_exceeded.none"
BOTH = ("--tau-domain=telecom,telecom_ghost", "--tau-split=paired")
PAIR = (*BOTH, f"--tau-tasks={ONE},{OTHER}", "--tau-agent=learnt:by_heart")
WHOLE = "Memorisation gap, telecom − telecom_ghost: +100.0 points * of pass^2 (100.0 % − 0.0 %), paired over 2 tasks*"


@pytest.fixture(autouse=True)
def learnt(pytester: pytest.Pytester) -> None:
    """An agent that plays each ghost by the original's policy."""
    pytester.makepyfile(learnt=LEARNT)
    pytester.syspathinsert()


def test_a_resumed_run_has_the_gap_of_a_whole_one(pytester: pytest.Pytester) -> None:
    play(pytester, *PAIR, "--tau-k=1").stdout.fnmatch_lines([WHOLE.replace("pass^2", "pass^1")])
    again = play(pytester, *PAIR, "--tau-k=2", "--tau-resume")
    assert len(again.items) == 4
    again.stdout.fnmatch_lines([WHOLE])


def test_parts_on_several_machines_are_joined_to_the_same_gap(pytester: pytest.Pytester) -> None:
    for part in (1, 2):
        assert len(play(pytester, *PAIR, "--tau-k=2", f"--tau-shard={part}/2", f"--tau-results=part{part}").items) == 4
    assert main(["merge", "part1", "part2", "-o", "joined"]) == 0
    [gap] = memorisation_gaps(tally(read_trials(pytester.path / "joined" / "latest"), 2))
    assert (gap.value, gap.found.k, gap.found.tasks) == (1.0, 2, 2)


@pytest.mark.slow
def test_workers_tell_the_gap(pytester: pytest.Pytester) -> None:
    workers(pytester, *PAIR, "--tau-k=2").stdout.fnmatch_lines([WHOLE])


def test_an_original_and_its_ghost_have_recordings_of_their_own_and_one_budget(
    pytester: pytest.Pytester, serve: Serve, gone: Callable[[], None]
) -> None:
    server = serve(says("I am sorry, no."))
    options = (*BOTH, f"--tau-tasks={ONE}", "--tau-agent-llm=openai/agent", "--tau-max-steps=6")
    first = play(pytester, *options, "--tau-cassette=record", "--tau-budget=1000000 tokens")
    first.stdout.fnmatch_lines(["tau: forecast: 2 trials, about * model calls*"])
    prompts = {str(request.messages[0]["content"]) for request in server.requests}
    assert sorted("at most 3 GB" in prompt for prompt in prompts) == [False, True]
    recordings = [path.parent.name for path in (pytester.path / "cassettes").rglob("*.jsonl")]
    assert sorted(recordings) == ["telecom", "telecom_ghost"]
    gone()
    assert play(pytester, *options, "--tau-cassette=replay").parseoutcomes() == first.parseoutcomes()


def test_a_spent_budget_ends_both_and_leaves_no_pair(pytester: pytest.Pytester, serve: Serve) -> None:
    serve(says("I am sorry, no."))
    options = (*BOTH, f"--tau-tasks={ONE}", "--tau-agent-llm=openai/agent", "--tau-k=4", "--tau-max-steps=6")
    result = play(pytester, *options, "--tau-budget=40 tokens", "--tau-concurrency=1")
    assert "Memorisation gap" not in "\n".join(result.outlines)
    result.stdout.fnmatch_lines(["*not run*"])
